#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gpu_python.py BUILD [TEST...]: programs in Python on a real GPU, whose libraries open CUDA by dlopen.

Kernels of N steps are those of 2 N steps less those of N steps, so that what comes before does not matter; they are
held against PyTorch's own profiler in a run without sonde.
"""
import importlib.util
import os
import subprocess
import sys
import unittest

import gpu
from gpu import Run, say

PROGRAMS = os.path.join(gpu.HERE, "python")
TRAIN, ARRAYS = os.path.join(PROGRAMS, "train.py"), os.path.join(PROGRAMS, "arrays.py")
STEPS = 20


def have(module):
    return importlib.util.find_spec(module) is not None


def bare(*words):
    done = subprocess.run([sys.executable] + list(words), stdout=subprocess.PIPE, check=True)
    return dict(line.split("=", 1) for line in done.stdout.decode().splitlines() if "=" in line)


def kernels(run, figure="calls"):
    return run.sum("kernels", figure)


@unittest.skipUnless(have("torch"), "no PyTorch")
class Torch(unittest.TestCase):
    def train(self, *words):
        run = Run(sys.executable, TRAIN, *words, limit=300)
        self.assertEqual(run.status, 0, run.err)
        return run

    def test_kernels_are_those_of_its_own_profiler(self):
        theirs = bare(TRAIN, str(STEPS), "profile")
        once, twice = self.train(str(STEPS)), self.train(str(2 * STEPS))
        for run in (once, twice):
            for key in ("lost", "device_lost", "untimed", "unfinished"):
                self.assertEqual(run.ledger(key), 0, key)
        count, time = kernels(twice) - kernels(once), kernels(twice, "total_ns") - kernels(once, "total_ns")
        self.assertEqual(count, int(theirs["profiled_1"]))
        self.assertLess(abs(time - int(theirs["profiled_ns_1"])), 0.05 * int(theirs["profiled_ns_1"]))
        self.assertEqual(once.facts["value"], bare(TRAIN, str(STEPS))["value"])
        say("PyTorch, %d steps: %d kernels, its profiler %s; %.3f ms, its profiler %.3f ms" % (
            STEPS, count, theirs["profiled_1"], time / 1e6, int(theirs["profiled_ns_1"]) / 1e6))

    def test_its_own_profiler_gets_all_kernels_when_it_comes_later(self):
        self.profiled("profile")

    def test_its_own_profiler_gets_all_kernels_when_it_comes_first(self):
        self.profiled("first")

    def profiled(self, mode):
        theirs, run = bare(TRAIN, str(STEPS), mode), self.train(str(STEPS), mode)
        for key in ("profiled_0", "profiled_1", "profiled_2"):
            self.assertEqual(run.facts[key], theirs[key], run.err)
        self.assertTrue(any(note["code"] == "backend" for note in run.summary["notes"]), run.summary["notes"])
        say("PyTorch's profiler, %s: %s kernels behind sonde, %s without" % (mode, run.facts["profiled_1"],
                                                                          theirs["profiled_1"]))


class Arrays(unittest.TestCase):
    def arrays(self, mode, **env):
        run = Run(sys.executable, ARRAYS, mode, env=env, limit=300)
        self.assertEqual(run.status, 0, run.err)
        for key in ("lost", "device_lost", "untimed", "unfinished"):
            self.assertEqual(run.ledger(key), 0, key)
        self.assertEqual(run.facts, bare(ARRAYS, mode))
        return run

    def adds(self, run):
        return sum(row["calls"] for row in run.rows("kernels") if "cupy_add" in row["name"])

    @unittest.skipUnless(have("cupy"), "no CuPy")
    def test_cupy(self):
        run = self.arrays("cupy", CUPY_CACHE_DIR=os.path.join(gpu.FOLDER, "empty"))
        self.assertEqual(self.adds(run), run.fact("adds"))
        built = run.rows("builds", source="source")
        self.assertTrue(built)
        say("CuPy: NVRTC compiled %d times in %.1f ms" % (sum(row["calls"] for row in built),
                                                         sum(row["total_ns"] for row in built) / 1e6))

    @unittest.skipUnless(have("cupy"), "no CuPy")
    def test_children_by_spawn(self):
        self.children("spawn")

    @unittest.skipUnless(have("cupy"), "no CuPy")
    def test_children_by_fork(self):
        self.children("fork")

    def children(self, mode):
        run = self.arrays(mode)
        self.assertEqual(self.adds(run), run.fact("adds"))
        say("children by %s: %d kernels of %d in %d processes" % (mode, self.adds(run), run.fact("adds"),
                                                               run.summary["run"]["processes"]))

    @unittest.skipUnless(have("jax"), "no JAX")
    def test_jax(self):
        run = self.arrays("jax")
        self.assertGreaterEqual(kernels(run), 50)
        say("JAX: %d kernels, %d copies" % (kernels(run), run.sum("transfers", "calls")))


if __name__ == "__main__":
    sys.exit(gpu.main())
