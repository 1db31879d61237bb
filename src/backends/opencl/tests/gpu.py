#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gpu.py BUILD [TEST...]: OpenCL on NVIDIA's driver: 1,000 kernels on two queues and known copies, through whatever
loader is there and through the vendor's own, which knows no layers; against the program's own profiling.
"""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "cuda", "tests"))

import gpu  # noqa: E402
from gpu import Run, say  # noqa: E402

PROGRAM = os.path.join(gpu.BUILD, "tests", "opencl", "counts")
VENDOR = os.environ.get("CUDA_LIBRARIES", "/usr/local/cuda/targets/x86_64-linux/lib")


@unittest.skipUnless(os.access(PROGRAM, os.X_OK), "no OpenCL headers")
class OpenCl(unittest.TestCase):
    def counts(self, options=(), **env):
        run = Run(PROGRAM, options=options, env=dict(env, OCL_PLATFORM="NVIDIA"))
        self.assertEqual(run.status, 0, run.err)
        self.assertEqual(run.sum("kernels", "calls", name="add_one"), run.fact("kernels"))
        for key, direction in (("h2d", "H2D"), ("d2h", "D2H"), ("d2d", "D2D"), ("fill", "fill")):
            self.assertEqual(run.sum("transfers", "bytes", direction=direction), run.fact(key))
        ledger, = run.rows("ledger", backend="opencl")
        for key in ("lost", "device_lost", "untimed", "unfinished"):
            self.assertEqual(ledger[key], 0, key)
        device = run.rows("devices")[0]
        self.assertIn("NVIDIA", device["name"])
        self.assertLess(device["clock_error_ns"], 5000000)
        ours, theirs = run.sum("kernels", "total_ns"), run.fact("kernels_ns")
        self.assertLess(abs(ours - theirs), 0.001 * theirs)
        say("%s, attached by %s: sonde %.3f ms, the program %.3f ms; %d calls of %d; clock known to %.3f ms" % (
            device["name"], ledger["attached_by"], ours / 1e6, theirs / 1e6, ledger["recorded"], ledger["seen"],
            device["clock_error_ns"] / 1e6))
        return ledger

    def test_kernels_and_copies(self):
        self.counts()

    @unittest.skipUnless(os.path.exists(os.path.join(VENDOR, "libOpenCL.so.1")), "no loader of NVIDIA's")
    def test_the_same_through_the_vendors_own_loader(self):
        ledger = self.counts(LD_LIBRARY_PATH=VENDOR)
        self.assertEqual(ledger["attached_by"], "preload")
        self.assertIn("cuda", ledger["library"])

    def test_a_timeline_connects_every_launch(self):
        folder = os.path.join(gpu.FOLDER, "opencl")
        self.counts(["-l", "-o", folder])
        trace = gpu.timeline(folder)
        self.assertEqual((trace["stages"], trace["stage_names"]["add_one"], trace["submitted"]), (1042, 1000, 1042))


if __name__ == "__main__":
    sys.exit(gpu.main())
