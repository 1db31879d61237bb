#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""work.py WORD...: work of a known kind on GPU 0, by the driver's API alone; facts go to standard output.

  idle SECONDS             nothing
  hold MIB SECONDS         holds so much memory of the device
  fill SECONDS             fills memory again and again
  copy SECONDS             copies from pinned memory to the device; bytes=N
"""
import ctypes
import sys
import time

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    if result:
        sys.exit("%s: %d" % (name, result))


def allocate(size):
    place = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(size))
    return place


def hold(mib, seconds):
    place = allocate(int(mib) << 20)
    call("cuMemsetD8_v2", place, ctypes.c_ubyte(1), ctypes.c_size_t(int(mib) << 20))
    call("cuCtxSynchronize")
    time.sleep(float(seconds))


def fill(seconds):
    size = 1 << 30
    place, end = allocate(size), time.time() + float(seconds)
    while time.time() < end:
        for _ in range(100):
            call("cuMemsetD8Async", place, ctypes.c_ubyte(1), ctypes.c_size_t(size), None)
        call("cuCtxSynchronize")


def copy(seconds):
    size, total = 256 << 20, 0
    place, host, end = allocate(size), ctypes.c_void_p(), time.time() + float(seconds)
    call("cuMemAllocHost_v2", ctypes.byref(host), ctypes.c_size_t(size))
    began = time.time()
    while time.time() < end:
        call("cuMemcpyHtoDAsync_v2", place, host, ctypes.c_size_t(size), None)
        call("cuCtxSynchronize")
        total += size
    print("bytes=%d" % total)
    print("seconds=%f" % (time.time() - began))


def main():
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    words = sys.argv[1:]
    {"idle": lambda seconds: time.sleep(float(seconds)), "hold": hold, "fill": fill, "copy": copy}[words[0]](*words[1:])


if __name__ == "__main__":
    main()
