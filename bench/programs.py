# SPDX-License-Identifier: BSD-3-Clause
"""Runs the programs of the build tree, bare and traced, and makes sure that they were traced."""

import glob
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time


class Bench:
    """Paths of a build tree and a folder for everything that is written."""

    WARM_UP = 10000 # calls that loop.c makes before it measures

    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.sonde = os.path.join(build, "bin", "sonde")
        self.loop = self.program("loop")
        self.summary = os.path.join(folder, "summary.json")
        # what programs leave behind goes away with the folder; a traced bench would measure nothing
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("SONDE_")}
        self.environment.update(TMPDIR=folder, POCL_CACHE_DIR=os.path.join(folder, "pocl"))
        os.mkdir(self.environment["POCL_CACHE_DIR"])

    def program(self, name):
        return os.path.join(self.build, "bench", name)

    def has(self, name):
        return os.path.exists(self.program(name))

    def with_preload(self, *paths, **more):
        return dict(self.environment, LD_PRELOAD=":".join(paths), **more)

    def libraries(self):
        """What `sonde` preloads, in its order."""
        folder = os.path.join(self.build, "bin")
        names = sorted(name for name in os.listdir(folder) if re.match(r"libsonde-\w+\.so$", name))
        return [os.path.join(folder, name) for name in names + ["libsonde.so"]]

    def run(self, command, environment=None):
        """Standard output; any failure ends the benchmark."""
        done = subprocess.run([str(word) for word in command], env=environment or self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True)
        if done.returncode:
            sys.exit("%s failed (%d): %s" % (" ".join(map(str, command)), done.returncode, done.stderr))
        return done.stdout

    def cpu_per_call(self, what, calls, threads=1, environment=None):
        """ns of CPU time of a thread per call of the loop."""
        return float(self.run([self.loop, what, calls, threads], environment).split()[0])

    def traced_cpu_per_call(self, what, calls, threads=1):
        output = self.run([self.sonde, "-q", "--json", self.summary, self.loop, what, calls, threads])
        self.expect_calls(calls * threads)
        return float(output.split()[0])

    def streamed_cpu_per_call(self, what, calls):
        """The same with streams; what `sonde` makes of them at the end is not in it. Also their bytes per call."""
        recording = os.path.join(self.folder, "streamed")
        output = self.run([self.sonde, "-q", "-l", "-o", recording, "--json", self.summary, self.loop, what, calls])
        self.expect_calls(calls)
        lost = [note["text"] for note in self.read_summary()["notes"] if "timeline" in note["text"]]
        if lost:
            sys.exit("no figure is worth anything: " + lost[0])
        threads = glob.glob(os.path.join(recording, "*", "ctf", "thread.*"))
        self.stream_bytes = sum(os.path.getsize(path) for path in threads) / (calls + self.WARM_UP)
        shutil.rmtree(recording)
        return float(output.split()[0])

    def end_to_table(self, calls):
        """Seconds from the loop's end to the end of `sonde`, which has printed the summary."""
        output = self.run([self.sonde, "--json", self.summary, self.loop, "test", calls])
        ended = time.clock_gettime(time.CLOCK_MONOTONIC)
        self.expect_calls(calls)
        return ended - float(output.split()[1]) / 1e9

    def read_summary(self):
        with open(self.summary) as stream:
            return json.load(stream)

    def expect_calls(self, calls):
        """A fast tracer that loses calls is no tracer."""
        summary = self.read_summary()
        most = max([row["calls"] for row in summary["calls"]] or [0])
        lost = sum(row["lost"] for row in summary["ledger"])
        if most < calls or lost:
            sys.exit("the summary has %d of %d calls, %d lost: no figure is worth anything" % (most, calls, lost))


def wall_and_cpu(command, environment=None, output=subprocess.DEVNULL):
    """Seconds of wall and of CPU time (with all children) that a command takes."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([str(word) for word in command], env=environment, stdin=subprocess.DEVNULL, stdout=output,
                          stderr=subprocess.PIPE, universal_newlines=True)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit("%s failed (%d): %s" % (" ".join(map(str, command)), done.returncode, done.stderr))
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def progress(number, rounds):
    if sys.stderr.isatty():
        end = "\r" if number < rounds else "\r" + " " * 30 + "\r"
        print("\rround %d of %d" % (number, rounds), end=end, file=sys.stderr, flush=True)


def interleave(rounds, variants):
    """Samples by name: each round runs every variant once, so that a noisy moment hits all of them."""
    samples = {name: [] for name in variants}
    for number in range(1, rounds + 1):
        for name, run in variants.items():
            samples[name].append(run())
        progress(number, rounds)
    return samples
