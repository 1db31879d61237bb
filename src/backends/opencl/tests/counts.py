# SPDX-License-Identifier: BSD-3-Clause
"""As counts.c, from Python through ctypes: 1,000 kernels on two queues, known copies, the program's own times."""
import ctypes
import sys

cl = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libOpenCL.so.1")
word, size, integer = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int32
for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", "clCreateKernel",
             "clCreateBuffer"):
    getattr(cl, name).restype = word
KERNELS, ITEMS, PROFILING, START, END = 1000, 4096, 2, 0x1282, 0x1283


def ok(code):
    if code:
        sys.exit("error %d" % code)


def made(handle, code):
    ok(code.value)
    return word(handle)


platform, device, code = word(), word(), integer()
ok(cl.clGetPlatformIDs(1, ctypes.byref(platform), None))
ok(cl.clGetDeviceIDs(platform, ctypes.c_uint64(0xffffffff), 1, ctypes.byref(device), None))
error = ctypes.byref(code)
context = made(cl.clCreateContext(None, 1, ctypes.byref(device), None, None, error), code)
source = ctypes.c_char_p(b"__kernel void add_one(__global int *a) { a[get_global_id(0)] += 1; }")
program = made(cl.clCreateProgramWithSource(context, 1, ctypes.byref(source), None, error), code)
ok(cl.clBuildProgram(program, 0, None, b"", None, None))
kernel = made(cl.clCreateKernel(program, b"add_one", error), code)
queues = [made(cl.clCreateCommandQueue(context, device, ctypes.c_uint64(PROFILING), error), code) for _ in range(2)]
host = (integer * ITEMS)()
length = ctypes.sizeof(host)
buffers = [made(cl.clCreateBuffer(context, ctypes.c_uint64(1), size(length), None, error), code) for _ in range(2)]
ok(cl.clEnqueueWriteBuffer(queues[0], buffers[0], 1, size(0), size(length), host, 0, None, None))
events = []
for i in range(KERNELS):
    event = word()
    ok(cl.clSetKernelArg(kernel, 0, size(8), ctypes.byref(buffers[i % 2])))
    ok(cl.clEnqueueNDRangeKernel(queues[i % 2], kernel, 1, None, ctypes.byref(size(ITEMS)), None, 0, None,
                                 ctypes.byref(event)))
    events.append(event)
for queue in queues:
    ok(cl.clFinish(queue))
total, stamps = 0, (ctypes.c_uint64(), ctypes.c_uint64())
for event in events:
    for param, stamp in zip((START, END), stamps):
        ok(cl.clGetEventProfilingInfo(event, param, size(8), ctypes.byref(stamp), None))
    total += stamps[1].value - stamps[0].value
    ok(cl.clReleaseEvent(event))
ok(cl.clEnqueueReadBuffer(queues[0], buffers[0], 1, size(0), size(length), host, 0, None, None))
if host[0] != KERNELS // 2:
    sys.exit("wrong result")
print("kernels=%d\nkernels_ns=%d\nh2d=%d\nd2h=%d\nd2d=0\nfill=0" % (KERNELS, total, length, length))
