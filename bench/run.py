#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run.py BUILD [--rounds N] [--calls N] [--json FILE]: what sonde costs, beside what else there is.

All variants run one after another in each round, so that a noisy moment hits all of them; medians over
the rounds are printed, with the quartiles. Times per call are CPU time of the calling thread, net of the
bare call. Peers that are not installed are named as missing.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import lttng_session


class Bench:
    def __init__(self, build, calls, folder):
        self.build, self.calls, self.folder = build, calls, folder
        self.sonde = os.path.join(build, "bin", "sonde")
        self.loop = os.path.join(build, "bench", "loop")

    def preload(self, library):
        return dict(os.environ, LD_PRELOAD=os.path.join(self.build, "bench", library))

    def run_loop(self, prefix=(), environment=None, calls=None):
        """ns per call, and seconds from the loop's end to the end of what `prefix` does."""
        command = list(prefix) + [self.loop, str(calls or self.calls)]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True)
        ended = time.clock_gettime(time.CLOCK_MONOTONIC)
        if done.returncode:
            sys.exit("%s failed: %s" % (" ".join(command), done.stderr))
        cost, stamp = done.stdout.split()
        return float(cost), ended - float(stamp) / 1e9

    def traced(self, **options):
        return self.run_loop([self.sonde, "--json", os.path.join(self.folder, "summary.json")], **options)

    def check_summary(self, calls):
        with open(os.path.join(self.folder, "summary.json")) as stream:
            rows = {row["name"]: row["calls"] for row in json.load(stream)["calls"]}
        if rows.get("MPI_Test", 0) < calls:
            sys.exit("the summary has %s of %d calls" % (rows.get("MPI_Test"), calls))

    def instructions(self, prefix):
        """Per call, loop and call included: the difference of two runs leaves start-up and end out."""
        counts = []
        for calls in (20000, 60000):
            command = list(prefix) + ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
            command += [self.loop, str(calls)]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
            counts.append(int(re.search(r"Collected : (\d+)", done.stdout).group(1)))
        return (counts[1] - counts[0]) / 40000


def wall(command):
    begin = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def measure(bench, rounds, session):
    """Samples by variant."""
    samples = {}
    variants = [("bare", lambda: bench.run_loop()[0]),
                ("two clock reads", lambda: bench.run_loop(environment=bench.preload("libfloor.so"))[0]),
                ("sonde", lambda: bench.traced()[0]),
                ("start of true", lambda: wall(["true"]) * 1e3),
                ("start of sonde true", lambda: wall([bench.sonde, "true"]) * 1e3)]
    if session:
        environment = dict(bench.preload("liblttng.so"), LTTNG_UST_ALLOW_BLOCKING="1")
        variants.append(("LTTng-UST", lambda: session.around(lambda: bench.run_loop(environment=environment)[0])))
    for number in range(rounds):
        for name, run in variants:
            samples.setdefault(name, []).append(run())
        print("\rround %d of %d" % (number + 1, rounds), end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    bench.check_summary(bench.calls)
    return samples


def quartiles(values):
    values = sorted(values)
    return values[len(values) // 4], statistics.median(values), values[(3 * len(values)) // 4]


def net(samples, name, base):
    """Quartiles of a variant's samples less the base of the same round."""
    return quartiles([value - bare for value, bare in zip(samples[name], samples[base])])


def line(what, figures, unit, note=""):
    print("%-46s %9.2f %-3s (%.2f to %.2f)  %s" % (what, figures[1], unit, figures[0], figures[2], note))


def report(samples):
    floor = net(samples, "two clock reads", "bare")
    own = net(samples, "sonde", "bare")
    result = {"floor_ns": floor[1], "sonde_ns": own[1]}
    line("bare call", quartiles(samples["bare"]), "ns")
    line("two clock reads, net", floor, "ns")
    line("sonde (tally), net per call", own, "ns", "%.2f x two clock reads" % (own[1] / floor[1]))
    if "LTTng-UST" in samples:
        peer = net(samples, "LTTng-UST", "bare")
        result["lttng_ns"] = peer[1]
        line("LTTng-UST (blocking, vpid, vtid), net per call", peer, "ns", "%.1f x sonde" % (peer[1] / own[1]))
    else:
        print("LTTng-UST: not installed")
    start = net(samples, "start of sonde true", "start of true")
    result["start_ms"] = start[1]
    line("start-up: sonde true over true", start, "ms")
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--calls", type=int, default=1000000)
    parser.add_argument("--json")
    options = parser.parse_args()
    folder = tempfile.mkdtemp()
    session = None
    try:
        bench = Bench(os.path.abspath(options.build), options.calls, folder)
        if os.path.exists(os.path.join(bench.build, "bench", "liblttng.so")):
            session = lttng_session.open_session(folder)
        result = report(measure(bench, options.rounds, session))
        late = quartiles([bench.traced(calls=10000000)[1] * 1e3 for _ in range(5)])
        bench.check_summary(10000000)
        line("program's end to table, 10 M calls", late, "ms")
        result["table_ms"] = late[1]
        if shutil.which("valgrind"):
            bare = bench.instructions([])
            result["instructions"] = bench.instructions([bench.sonde, "-q"])
            print("%-46s %9.1f      (%.1f of them the program's own)"
                  % ("instructions per call", result["instructions"], bare))
        else:
            print("instructions: valgrind is not installed")
        if options.json:
            with open(options.json, "w") as stream:
                json.dump(result, stream, indent=1)
    finally:
        if session:
            session.close()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
