#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gpu.py BUILD [TEST...]: --sample nvml on a real GPU, against what work.py does and what nvidia-smi says of the board.

Exit status 77 where there is no GPU.
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
FOLDER = tempfile.mkdtemp(prefix="sonde-gpu-")
MIB = 1 << 20
SAID = []


def ask(fields):
    """What nvidia-smi says of GPU 0; [] where there is none."""
    try:
        shown = subprocess.run(["nvidia-smi", "-i", "0", "--query-gpu=" + fields, "--format=csv,noheader,nounits"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return []
    return [word.strip() for word in shown.stdout.decode().strip().split(",")] if shown.returncode == 0 else []


def run(*words, interval="50ms", options=()):
    path = os.path.join(FOLDER, "summary.json")
    done = subprocess.run([SONDE, "--json", path, "--sample", "nvml:" + interval] + list(options) +
                          [sys.executable, os.path.join(HERE, "work.py")] + list(words),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    if done.returncode:
        raise AssertionError(done.stderr.decode())
    with open(path) as stream:
        summary = json.load(stream)
    facts = dict(line.split("=", 1) for line in done.stdout.decode().splitlines() if "=" in line)
    rows = {row["name"]: row for row in summary["counters"]}
    SAID.append("# %s: %s" % (" ".join(words), "; ".join(
        "%s %.4g/%.4g/%.4g %s (%d, %d missed)" % (row["name"], row["min"], row["mean"], row["max"], row["unit"],
                                                  row["samples"], row["missed"]) for row in rows.values())))
    return summary, rows, facts


class Counters(unittest.TestCase):
    def test_one_device_is_shown_and_it_is_that_of_the_calls(self):
        summary, rows, _ = run("hold", "64", "1")
        self.assertEqual({row["key"] for row in summary["counters"]},
                         {ask("uuid")[0].replace("GPU-", "").replace("-", "")})
        self.assertEqual({row["device"] for row in summary["counters"]},
                         {device["device"] for device in summary["devices"]} or {ask("name")[0]})
        for name in ("power", "SM clock", "memory clock", "GPU utilisation", "memory used", "temperature"):
            self.assertIn(name, rows)

    def test_memory_rises_by_what_is_allocated(self):
        _, less, _ = run("hold", "64", "1.5")
        _, more, _ = run("hold", str(64 + 4096), "1.5")
        rise = more["memory used"]["max"] - less["memory used"]["max"]
        self.assertLess(abs(rise - 4096 * MIB), 64 * MIB)

    def test_power_and_clocks_are_within_what_the_board_allows(self):
        _, idle, _ = run("idle", "2")
        _, busy, _ = run("fill", "3")
        limit, sm, memory = (float(word) for word in ask("power.max_limit,clocks.max.sm,clocks.max.memory"))
        self.assertGreater(busy["power"]["max"], idle["power"]["mean"])
        self.assertLess(busy["power"]["mean"], 1.05 * limit)
        self.assertGreater(idle["power"]["min"], 1)
        self.assertLessEqual(busy["SM clock"]["max"], sm)
        self.assertLessEqual(busy["memory clock"]["max"], memory)
        self.assertGreater(busy["GPU utilisation"]["max"], 80)
        self.assertLess(busy["temperature"]["max"], 100)

    def test_pcie_carries_what_is_copied(self):
        _, rows, facts = run("copy", "3")
        rate = int(facts["bytes"]) / float(facts["seconds"])
        SAID.append("# copied at %.2f GB/s" % (rate / 1e9))
        self.assertGreater(rows["PCIe received"]["max"], 0.7 * rate)
        self.assertLess(rows["PCIe received"]["max"], 1.6 * rate)  # with the heads of packets

    def test_rounds_are_kept(self):
        for interval, seconds, rounds in (("100ms", "3", 30), ("10ms", "3", 300)):
            _, rows, _ = run("hold", "64", seconds, interval=interval)
            self.assertGreaterEqual(rows["power"]["samples"] + rows["power"]["missed"], rounds)
        _, rows, _ = run("hold", "64", "3")
        self.assertGreater(rows["power"]["samples"], 0.5 * (rows["power"]["samples"] + rows["power"]["missed"]))

    def test_a_timeline_has_them(self):
        folder = os.path.join(FOLDER, "rec")
        run("fill", "1", options=["-l", "-o", folder])
        shown = subprocess.run([sys.executable, os.path.join(HERE, "../../../../tests/cli/pftrace.py"),
                                os.path.join(folder, "timeline.pftrace")], stdout=subprocess.PIPE, check=True)
        tracks = json.loads(shown.stdout.decode())["counter_tracks"]
        self.assertIn("power", tracks)
        self.assertIn("memory used", tracks)


def main():
    if not ask("name"):
        print("no NVIDIA GPU")
        return 77
    SAID.append("# " + ", ".join(ask("name,driver_version")))
    try:
        unittest.main("__main__", argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
    finally:
        print("\n".join(SAID), flush=True)
        shutil.rmtree(FOLDER, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
