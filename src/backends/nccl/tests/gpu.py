#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gpu.py BUILD [TEST...]: NCCL on all GPUs of this machine, against what the program says that it did."""
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "cuda", "tests"))

import gpu  # noqa: E402
from gpu import Run, say  # noqa: E402

ROUNDS = 50


class Nccl(unittest.TestCase):
    program = os.path.join(gpu.FOLDER, "reduce")

    @classmethod
    def setUpClass(cls):
        made = subprocess.run([gpu.NVCC, "-o", cls.program, os.path.join(HERE, "reduce.cu"), "-lnccl",
                               "-L/usr/local/cuda/lib", "-Xlinker", "-rpath=/usr/local/cuda/lib"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode:
            raise unittest.SkipTest("no NCCL: " + made.stdout.decode()[-300:])

    def reduce(self, count):
        run = Run(self.program, str(count), str(ROUNDS), limit=120)
        self.assertEqual(run.status, 0, run.err)
        for key in ("lost", "device_lost", "untimed", "unfinished"):
            self.assertEqual(run.ledger(key), 0, key)
        reduces = run.rows("calls", backend="nccl", name="ncclAllReduce")[0]
        gathers = run.rows("calls", backend="nccl", name="ncclAllGather")[0]
        self.assertEqual(reduces["calls"], run.fact("reduces"))
        self.assertEqual((reduces["bytes_out"], reduces["bytes_in"]), (run.fact("bytes") * reduces["calls"],) * 2)
        self.assertEqual(gathers["calls"], count)
        self.assertEqual(gathers["bytes_in"], run.fact("bytes") * count * count)
        ours = [row for row in run.rows("kernels") if "nccl" in row["name"]]
        kernels = sum(row["calls"] for row in ours)
        self.assertEqual((reduces["comm_size_min"], reduces["comm_size_max"]), (count, count))
        inside = sum(row["device_ns"] for row in run.rows("calls", backend="nccl"))
        took = sum(row["total_ns"] for row in ours)
        self.assertGreaterEqual(inside, took)  # and copies, of one GPU
        if count > 1:
            self.assertEqual(kernels, run.fact("reduces") + count, "%s %s %s" % (
                run.rows("kernels"), run.rows("notes"), run.rows("ledger")))
        self.assertEqual(len(run.rows("devices")), count)
        say("NCCL on %d GPUs: %d all-reduces of %d, %d bytes each, %d kernels" % (
            count, reduces["calls"], run.fact("reduces"), run.fact("bytes"), kernels))

    def test_one_gpu(self):
        self.reduce(1)

    @unittest.skipIf(len(gpu.cards()) < 2, "one GPU only")
    def test_two_gpus(self):
        self.reduce(2)

    @unittest.skipIf(len(gpu.cards()) < 4, "fewer than four GPUs")
    def test_four_gpus(self):
        self.reduce(4)


if __name__ == "__main__":
    sys.exit(gpu.main())
