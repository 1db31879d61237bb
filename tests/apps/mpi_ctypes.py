#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpi_ctypes.py LIBRARY: a Python MPI program without bindings: ctypes, 3 barriers, 1 broadcast."""
import ctypes
import os
import sys

mpi = ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOW | os.RTLD_LOCAL)
try:
    world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world")))
    byte = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_byte")))
except ValueError:
    world = ctypes.c_int(0x44000000)
    byte = ctypes.c_int(0x4C00010D)


def ok(code):
    if code:
        raise SystemExit("MPI error %d" % code)


rank = ctypes.c_int(-1)
value = ctypes.create_string_buffer(b"A" * 8)
ok(mpi.MPI_Init(None, None))
ok(mpi.MPI_Comm_rank(world, ctypes.byref(rank)))
for _ in range(3):
    ok(mpi.MPI_Barrier(world))
ok(mpi.MPI_Bcast(value, 8, byte, 0, world))
ok(mpi.MPI_Finalize())
os.write(1, b"rank=%d\n" % rank.value)  # one piece, however many ranks write
