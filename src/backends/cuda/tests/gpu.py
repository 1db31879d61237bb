#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gpu.py BUILD [TEST...]: the CUDA backend on a real GPU, against the program's own counts and CUDA's own events.

Needs nvcc and an NVIDIA GPU; exit status 77 where there is none.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "build"
SONDE = os.path.join(BUILD, "bin", "sonde")
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
FOLDER = tempfile.mkdtemp(prefix="sonde-gpu-")


def cards():
    try:
        shown = subprocess.run(["nvidia-smi", "-L"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return [line for line in shown.stdout.decode().splitlines() if line.startswith("GPU ")]
    except OSError:
        return []


SAID = []


def say(text):
    """For docs/TESTED.md; at the end, because what runs the tests reads the lines between."""
    SAID.append("# " + text)


def timeline(folder):
    """What tests/cli/pftrace.py finds in the timeline of a recording."""
    shown = subprocess.run([sys.executable, os.path.join(HERE, "../../../../tests/cli/pftrace.py"),
                            os.path.join(folder, "timeline.pftrace")], stdout=subprocess.PIPE, check=True)
    return json.loads(shown.stdout.decode())


class Run:
    """A program and the summary of it."""

    def __init__(self, *words, launcher=(), options=(), env=None, limit=120):
        path = os.path.join(FOLDER, "summary.json")
        if os.path.exists(path):
            os.remove(path)
        done = subprocess.run(list(launcher) + [SONDE, "--json", path] + list(options) + list(words),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit,
                              env=dict(os.environ, **(env or {})))
        self.status, self.err = done.returncode, done.stderr.decode(errors="replace")
        self.out = done.stdout.decode(errors="replace")
        self.facts = dict(line.split("=", 1) for line in self.out.splitlines() if "=" in line)
        self.summary = {}
        if os.path.exists(path):
            with open(path) as stream:
                self.summary = json.load(stream)

    def fact(self, key):
        return int(float(self.facts[key]))

    def rows(self, table, **want):
        return [row for row in self.summary.get(table, []) if all(row.get(k) == v for k, v in want.items())]

    def sum(self, table, figure, **want):
        return sum(row[figure] for row in self.rows(table, **want))

    def ledger(self, key):
        return self.sum("ledger", key, backend="cuda")


class Gpu(unittest.TestCase):
    program = os.path.join(FOLDER, "gpu")
    shared = os.path.join(FOLDER, "gpu_shared")

    @classmethod
    def setUpClass(cls):
        source = os.path.join(HERE, "gpu.cu")
        for target, runtime in ((cls.program, "static"), (cls.shared, "shared")):
            subprocess.run([NVCC, "-O1", "-cudart", runtime, "-o", target, source], check=True)

    def complete(self, run, status=0):
        self.assertEqual(run.status, status, run.err)
        for key in ("lost", "device_lost", "untimed", "unfinished", "late"):
            self.assertEqual(run.ledger(key), 0, key + "\n" + run.err)
        self.assertEqual(run.ledger("device_seen"), run.ledger("device_recorded"))
        for device in run.rows("devices"):
            self.assertLessEqual(device["kernels_ns"], device["wall_ns"])

    def counts(self, program, kernels, copies):
        run = Run(program, "counts", str(kernels), str(copies), limit=300)
        self.complete(run)
        self.assertEqual(run.sum("kernels", "calls"), kernels)
        self.assertEqual(run.sum("transfers", "calls"), copies)
        for key, direction in (("h2d", "H2D"), ("d2h", "D2H"), ("d2d", "D2D")):
            self.assertEqual(run.sum("transfers", "bytes", direction=direction), run.fact(key))
        self.assertEqual(run.sum("calls", "calls", name="cudaLaunchKernel"), kernels)
        self.assertEqual(run.sum("calls", "calls", name="cudaMemcpyAsync"), copies)
        say("%s: %d kernels of %d, %d copies of %d, bytes equal; %s" % (
            os.path.basename(program), run.sum("kernels", "calls"), kernels, run.sum("transfers", "calls"), copies,
            run.rows("ledger", backend="cuda")[0]["attached_by"]))

    def test_600001_kernels_and_60000_copies_of_a_static_runtime(self):
        self.counts(self.program, 600001, 60000)

    def test_the_same_of_a_shared_runtime(self):
        self.counts(self.shared, 600001, 60000)

    def test_times_are_those_of_events(self):
        self.times(self.program)

    def test_times_of_a_shared_runtime_are_those_of_events(self):
        self.times(self.shared)

    def times(self, program):
        run = Run(program, "times", "200")
        self.complete(run)
        ours, theirs = run.sum("kernels", "total_ns", name="_Z4spinx"), run.fact("events_ns")
        self.assertEqual(run.sum("kernels", "calls", name="_Z4spinx"), run.fact("kernels"))
        self.assertLess(abs(ours - theirs), 0.01 * theirs)
        around, = run.rows("ranges", name="around")
        self.assertEqual((around["calls"], around["device_ns"]), (200, ours))
        say("%s: 200 kernels: sonde %.3f ms, CUDA events %.3f ms, the range around them %.3f ms" % (
            os.path.basename(program), ours / 1e6, theirs / 1e6, around["device_ns"] / 1e6))

    def test_all_that_ran_counts_without_a_wait_at_the_end(self):
        run = Run(self.program, "nowait", "20000", "3000")
        self.assertEqual(run.status, 0, run.err)
        self.assertEqual(run.ledger("device_recorded") + run.ledger("unfinished"), run.ledger("device_seen"))
        self.assertGreaterEqual(run.sum("kernels", "calls") + run.ledger("unfinished"), 20000)
        say("no wait at the end: %d kernels, %d unfinished" % (run.sum("kernels", "calls"), run.ledger("unfinished")))

    def test_exit_without_handlers_loses_nothing(self):
        run = Run(self.program, "_exit", "20000", "3000")
        self.complete(run)
        self.assertEqual(run.sum("kernels", "calls"), 20000)

    def test_every_launch_counts_after_a_kill(self):
        run = Run(self.program, "kill", "20000", "0")
        self.assertEqual(run.status, -9, run.err)
        self.assertEqual(run.sum("calls", "calls", name="cudaLaunchKernel"), 20100)
        self.assertEqual(run.sum("kernels", "calls") + run.ledger("unfinished") + run.ledger("untimed"), 20100)
        self.assertTrue(run.summary["lower_bound"])
        say("killed: %d of 20100 kernels with times, %d unfinished" % (
            run.sum("kernels", "calls"), run.ledger("unfinished")))

    def graph(self, program):
        run = Run(program, "graph", "31", "100")
        self.complete(run)
        self.assertEqual(run.sum("kernels", "calls"), 3100)
        self.assertEqual(run.sum("calls", "calls", name="cudaGraphLaunch"), 100)
        graph, = run.rows("graphs")
        self.assertEqual((graph["launches"], graph["kernels"]), (100, 3100))
        self.assertEqual([node["calls"] for node in graph["nodes"]], [100] * 31)
        self.assertEqual(sum(node["total_ns"] for node in graph["nodes"]), graph["total_ns"])
        say("graph %d: nodes %s" % (graph["graph"], ", ".join("%#x" % node["node"] for node in graph["nodes"][:3])))
        kernel, = run.rows("kernels")
        self.assertEqual((kernel["grid"], kernel["block"]), ([1, 1, 1], [32, 1, 1]))
        self.assertEqual((kernel["static_shared_bytes"], kernel["dynamic_shared_bytes"]), (0, 0))
        self.assertGreater(kernel["registers"], 0)

    def test_a_graph_of_31_nodes_replayed_100_times(self):
        self.graph(self.program)

    def test_a_graph_of_a_shared_runtime(self):
        self.graph(self.shared)

    def test_managed_memory_pools_and_pinned_memory(self):
        run = Run(self.program, "memory")
        self.complete(run)
        self.assertEqual(run.sum("memory", "live_bytes", kind="device"), run.fact("live"))
        self.assertEqual(run.sum("memory", "allocs", kind="device"), 82)
        self.assertEqual(run.sum("memory", "peak_bytes", kind="managed"), 8 << 20)
        self.assertEqual(run.sum("memory", "peak_bytes", kind="pinned host"), 2 << 20)
        self.assertEqual(run.sum("transfers", "bytes", direction="fill"), 5 << 20)

    def test_streams_that_overlap_are_no_sum(self):
        run = Run(self.program, "overlap", "20")
        self.complete(run)
        device = run.rows("devices")[0]
        self.assertEqual(run.sum("kernels", "calls"), run.fact("kernels"))
        self.assertLess(device["kernels_ns"], 0.5 * device["kernels_sum_ns"])
        self.assertGreater(device["overlap_ns"], 0)
        say("overlap: kernels %.1f ms as union, %.1f ms as sum, %.1f ms with copies" % tuple(
            device[key] / 1e6 for key in ("kernels_ns", "kernels_sum_ns", "overlap_ns")))

    def test_what_runs_in_a_pause_is_left_out(self):
        run = Run(self.program, "paused", "100", "50")
        self.complete(run)
        self.assertEqual(run.sum("kernels", "calls"), 150)
        self.assertEqual(run.sum("calls", "calls", name="cudaLaunchKernel"), 150)

    def test_calls_of_a_static_runtime_that_only_ask_are_there_with_queries(self):
        plain, all_ = (Run(self.program, "counts", "100", "30", options=words) for words in ([], ["--queries"]))
        for run in (plain, all_):
            self.complete(run)
            self.assertEqual(run.sum("calls", "calls", name="cudaLaunchKernel"), 100)
        self.assertEqual(plain.sum("calls", "calls", name="cudaGetLastError"), 0)
        self.assertEqual(all_.sum("calls", "calls", name="cudaGetLastError"), 1)
        say(plain.rows("ledger", backend="cuda")[0]["attached_by"])

    def test_code_that_the_driver_compiles_is_a_build(self):
        program = os.path.join(FOLDER, "gpu_ptx")
        subprocess.run([NVCC, "-O1", "-gencode", "arch=compute_80,code=compute_80", "-o", program,
                        os.path.join(HERE, "gpu.cu")], check=True)
        for source in ("il", "cache"):
            run = Run(program, "counts", "10", "0", env={"CUDA_CACHE_PATH": os.path.join(FOLDER, "cache")})
            self.complete(run)
            self.assertEqual({row["source"] for row in run.rows("builds")}, {source}, run.rows("builds"))
            self.assertGreater(run.sum("builds", "total_ns"), 0)
            say("%d builds from %s: %.3f ms" % (run.sum("builds", "calls"), source,
                                                run.sum("builds", "total_ns") / 1e6))

    @unittest.skipIf(len(cards()) < 2, "one GPU only")
    def test_copies_between_two_gpus(self):
        run = Run(self.program, "peer")
        self.complete(run)
        self.assertEqual(run.sum("transfers", "bytes", direction="P2P"), run.fact("p2p"))
        self.assertEqual(run.sum("kernels", "calls"), 11)
        self.assertEqual(len(run.rows("devices")), 2)

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun")
    def test_two_ranks_on_one_gpu(self):
        mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"]
        run = Run(self.program, "counts", "5000", "300", launcher=mpirun, env={"CUDA_VISIBLE_DEVICES": "0"})
        self.complete(run)
        self.assertEqual(run.sum("kernels", "calls"), 10000)
        self.assertEqual(len(run.rows("devices")), 1)
        self.assertEqual(len(run.summary["rank_device"]), 2)

    def test_a_timeline_connects_every_launch(self):
        self.connects(self.program, "static")

    def test_a_timeline_connects_every_launch_of_a_shared_runtime(self):
        self.connects(self.shared, "shared")

    def connects(self, program, name):
        folder = os.path.join(FOLDER, "rec_" + name)
        run = Run(program, "counts", "3000", "300", options=["-l", "-o", folder])
        self.complete(run)
        trace = timeline(folder)
        self.assertEqual(trace["stages"], 3300)
        self.assertEqual(trace["submitted"], 3300)


def main():
    if not cards() or not os.path.exists(NVCC):
        print("no NVIDIA GPU or no nvcc")
        return 77
    say("; ".join(line.split(" (")[0] for line in cards()))
    try:
        unittest.main("__main__", argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
    finally:
        print("\n".join(SAID), flush=True)
        shutil.rmtree(FOLDER, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
