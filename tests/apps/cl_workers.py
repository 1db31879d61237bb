#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cl_workers.py METHOD WORKERS KERNELS: multiprocessing workers that use OpenCL through ctypes.

METHOD is fork, forkserver or spawn. Each worker runs KERNELS kernels and, as data loaders do, is
ended by SIGTERM when the parent is done with it.
"""
import ctypes
import multiprocessing
import signal
import sys

SOURCE = b"__kernel void add_one(__global int *a) { a[get_global_id(0)] += 1; }"
V = ctypes.c_void_p


def run_kernels(count):
    cl = ctypes.CDLL("libOpenCL.so.1")
    for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", "clCreateKernel",
                 "clCreateBuffer"):
        getattr(cl, name).restype = V
    code = ctypes.c_int()
    platform, device = V(), V()

    def ok(value):
        if value:
            raise SystemExit("OpenCL error %d" % value)

    ok(cl.clGetPlatformIDs(1, ctypes.byref(platform), None))
    ok(cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xFFFFFFFF), 1, ctypes.byref(device), None))
    context = V(cl.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(code)))
    ok(code.value)
    queue = V(cl.clCreateCommandQueue(context, device, ctypes.c_ulong(0), ctypes.byref(code)))
    ok(code.value)
    text = ctypes.c_char_p(SOURCE)
    program = V(cl.clCreateProgramWithSource(context, 1, ctypes.byref(text), None, ctypes.byref(code)))
    ok(code.value)
    ok(cl.clBuildProgram(program, 0, None, None, None, None))
    kernel = V(cl.clCreateKernel(program, b"add_one", ctypes.byref(code)))
    ok(code.value)
    memory = V(cl.clCreateBuffer(context, ctypes.c_ulong(1), ctypes.c_size_t(256), None, ctypes.byref(code)))
    ok(code.value)
    ok(cl.clSetKernelArg(kernel, 0, ctypes.c_size_t(8), ctypes.byref(memory)))
    items = ctypes.c_size_t(64)
    for _ in range(count):
        ok(cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, ctypes.byref(items), None, 0, None, None))
    ok(cl.clFinish(queue))


def worker(count, done):
    run_kernels(count)
    done.put(count)
    signal.pause()


def main():
    method, workers, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    context = multiprocessing.get_context(method)
    done = context.Queue()
    processes = [context.Process(target=worker, args=(count, done)) for _ in range(workers)]
    for process in processes:
        process.start()
    total = sum(done.get(timeout=60) for _ in processes)
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(20)
    print("kernels=%d" % total)
    print("signals=%s" % ",".join(sorted(str(process.exitcode) for process in processes)))


if __name__ == "__main__":
    main()
