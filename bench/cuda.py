#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cuda.py BUILD [ROUNDS [SECONDS [ONLY]]]: what tracing adds to CUDA programs on real GPUs.

Machines change their pace from second to second more than tools change it, so what is compared runs side by side: SETS
processes of each variant wait for their turn, and in a round one of each does a piece of work, a fraction of a second
long, in an order that chance gives. With several GPUs as many rounds run side by side, each with processors of its own.
A set of processes shares a few of these, as processors differ too; several sets may share the same few.
Printed are medians over rounds and, of ratios to another variant in the same round, the median, each with a bootstrap
interval of 95 %: processors are drawn, then rounds on them; of few processors it says too little, and so it is told of
how many. Wider than 3 % to either side: "not resolved". A comparison begins no round after SECONDS, and says
how many there were. ONLY: names of comparisons, of launch,nsys,step,large.
Variants: bare; floor: CUPTI's records of kernels and copies alone, thrown away; sonde; nsys, where it is.
"""
import concurrent.futures
import glob
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SRC = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
TESTS = os.path.join(SRC, "src", "backends", "cuda", "tests")
CUDA = os.environ.get("CUDA_HOME", "/usr/local/cuda")
TRAIN = os.path.join(TESTS, "python", "train.py")
SETS = 10      # processes of each variant
PROCESSORS = 3 # of a set: what a program with two threads and CUPTI's own one can use
LIMIT = 120    # seconds for a program
BOTH = [("sonde", "floor"), ("sonde", "bare")]


def find_nsys():
    found = shutil.which("nsys")
    others = glob.glob(os.path.join(CUDA, "nsight-compute*", "host", "*", "nsys")) + \
        glob.glob("/opt/nvidia/nsight-compute/*/host/*/nsys")
    return found or next(iter(others), None)


def count_gpus():
    shown = subprocess.run(["nvidia-smi", "-L"], stdout=subprocess.PIPE, check=True)
    return sum(line.startswith("GPU ") for line in shown.stdout.decode().splitlines())


class Lane:
    """One of GPUS with its share of the processors."""

    def __init__(self, gpu, gpus):
        self.gpu = gpu
        self.share = (os.cpu_count() or gpus) // gpus

    def place(self, set_):
        """The first processor of a set; sets with the same one are one group of rounds."""
        return self.gpu * self.share + set_ % max(self.share // PROCESSORS, 1) * PROCESSORS

    def pinned(self, set_):
        if self.share < PROCESSORS or not shutil.which("taskset"):
            return []
        return ["taskset", "-c", "%d-%d" % (self.place(set_), self.place(set_) + PROCESSORS - 1)]

    def start(self, set_, words, env):
        words = self.pinned(set_) + [word.replace("@GPU", str(self.gpu)) for word in words]
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                env=dict(os.environ, CUDA_VISIBLE_DEVICES=str(self.gpu), **env))

    def rounds(self, rounds, variants, key, sets, seconds):
        """Figures of each round, behind whose they are. A process says that it is ready, and works for each line."""
        order, results = list(variants), []
        started = [{name: self.start(set_, *variants[name]) for name in order} for set_ in range(sets)]
        for processes in started:
            for process in processes.values():
                process.stdout.readline()
        end = time.monotonic() + seconds
        for number in range(rounds):
            if time.monotonic() > end and results:
                break
            random.shuffle(order)
            figures = {name: ask(started[number % sets][name], key) for name in order}
            results.append((self.place(number % sets), {name: figures[name] for name in variants}))
        for processes in started:
            for process in processes.values():
                process.communicate(timeout=LIMIT)
        return results


def ask(process, key):
    """What the process prints as KEY= of the work that a line makes it do."""
    watchdog = threading.Timer(LIMIT, process.kill)
    watchdog.start()
    process.stdin.write(b"\n")
    process.stdin.flush()
    for line in iter(process.stdout.readline, b""):
        name, _, value = line.decode().partition("=")
        if name == key:
            watchdog.cancel()
            return float(value)
    raise RuntimeError("no %s from: %s" % (key, " ".join(process.args)))


def interval(groups, figure):
    """95 % of what FIGURE is of other rounds by chance: groups are drawn, then rounds of each."""
    draws = []
    for _ in range(1000):
        drawn = random.choices(groups, k=len(groups))
        draws.append(figure([item for group in drawn for item in random.choices(group, k=len(group))]))
    draws.sort()
    return draws[25], draws[974]


def median_of(figure):
    return lambda rounds: statistics.median(figure(taken) for taken in rounds)


def compare(title, variants, key, rounds, against, seconds, sets=SETS):
    """variants: {name: (words, env)}; against: pairs (variant, base) whose ratio is wanted."""
    gpus = count_gpus()
    with concurrent.futures.ThreadPoolExecutor(gpus) as pool:
        lanes = [pool.submit(Lane(gpu, gpus).rounds, -(-rounds // gpus), variants, key, sets, seconds)
                 for gpu in range(gpus)]
    groups = {}
    for lane in lanes:
        for whose, figures in lane.result():
            groups.setdefault(whose, []).append(figures)
    groups = list(groups.values())
    print("%s; %d rounds of %d sets of processes at %d places on %d GPUs" % (
        title, sum(map(len, groups)), sets * gpus, len(groups), gpus))
    return show(groups, against)


def show(groups, against):
    """groups: lists of rounds, each {variant: figure}; returns them."""
    rounds = [figures for group in groups for figures in group]
    for name in rounds[0]:
        figure = median_of(lambda taken, name=name: taken[name])
        print("  %-28s %12.0f ns  %.0f to %.0f" % ((name, figure(rounds)) + interval(groups, figure)))
    for name, base in against:
        figure = median_of(lambda taken, name=name, base=base: taken[name] / taken[base])
        middle, (low, high) = figure(rounds), interval(groups, figure)
        wide = low < 0.97 * middle or high > 1.03 * middle
        print("  %-28s %12.3f x   %.3f to %.3f%s" % (name + " over " + base, middle, low, high,
                                                     "  not resolved" if wide else ""))
    sys.stdout.flush()
    return groups


def show_added(groups, base, whole):
    """What each adds to BASE, and what share that is of what WHOLE adds."""
    rounds = [figures for group in groups for figures in group]
    all_of_it = median_of(lambda taken: taken[whole] - taken[base])
    for name in rounds[0]:
        added = median_of(lambda taken, name=name: taken[name] - taken[base])
        share = ""
        if name == base:
            continue
        if name != whole:
            def ratio(some, added=added):
                return added(some) / all_of_it(some)
            share = "; %.2f of that by %s (%.2f to %.2f)" % ((ratio(rounds), whole) + interval(groups, ratio))
        print("  added by %-19s %12.0f ns  %.0f to %.0f" % ((name, added(rounds)) + interval(groups, added)) + share)
    sys.stdout.flush()


class Bench:
    """The comparisons, each a method of its name, in the order in which they are made."""

    def __init__(self, build, folder, rounds, seconds):
        self.folder, self.rounds, self.seconds = folder, rounds, seconds
        self.program, self.floor = os.path.join(folder, "gpu"), os.path.join(folder, "floor.so")
        self.sonde = [os.path.join(build, "bin", "sonde"), "-q", "--json", os.path.join(folder, "json@GPU")]
        nvcc = shutil.which("nvcc") or os.path.join(CUDA, "bin", "nvcc")
        subprocess.run([nvcc, "-O1", "-o", self.program, os.path.join(TESTS, "gpu.cu")], check=True)
        cupti = [word for path in ("lib64", "lib", "extras/CUPTI/lib64")
                 for word in ("-L%s/%s" % (CUDA, path), "-Wl,-rpath,%s/%s" % (CUDA, path))]
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-I" + CUDA + "/include",
                        "-I" + CUDA + "/extras/CUPTI/include", "-o", self.floor,
                        os.path.join(SRC, "bench", "cuda_floor.c")] + cupti + ["-lcupti"], check=True)

    def variants(self, *words):
        return {"bare": (list(words), {}), "floor": (list(words), {"CUDA_INJECTION64_PATH": self.floor}),
                "sonde": (self.sonde + list(words), {})}

    def launch(self):
        compare("Launch of an empty kernel, bound by the host", self.variants(self.program, "rate", "20000", "wait"),
                "launch_ns", self.rounds, BOTH, self.seconds)

    def nsys(self):
        nsys = find_nsys()
        if not nsys:
            return
        profile = [nsys, "profile", "-t", "cuda", "--force-overwrite=true"]
        some = self.variants(self.program, "rate", "20000", "wait")
        some["nsys"] = (profile + ["-o", os.path.join(self.folder, "n@GPU"), self.program, "rate", "20000", "wait"], {})
        # one process of it at a time
        compare("The same beside nsys", some, "launch_ns", self.rounds, [("nsys", "bare"), ("sonde", "nsys")],
                self.seconds, 1)
        self.whole({"bare": [], "sonde": self.sonde, "nsys": profile + ["-o", os.path.join(self.folder, "whole")]},
                   [self.program, "rate", "100000"])

    def whole(self, launchers, words):
        groups, end, order = [], time.monotonic() + self.seconds, list(launchers)
        while len(groups) < self.rounds and (time.monotonic() < end or not groups):
            groups.append([{}])
            random.shuffle(order)
            for name in order:
                start = time.monotonic()
                subprocess.run(launchers[name] + words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               check=name != "nsys") # which may fail to make a report of what it has
                groups[-1][0][name] = (time.monotonic() - start) * 1e9
        print("Whole run with 100,000 launches; %d rounds" % len(groups))
        show(groups, [("sonde", "bare"), ("nsys", "bare"), ("sonde", "nsys")])

    def step(self):
        train = self.variants(sys.executable, TRAIN, "10", "wait")
        train["PyTorch's profiler"] = ([sys.executable, TRAIN, "10", "cost", "wait"], {})
        taken = compare("Step of a small transformer in PyTorch, bound by launches", train, "step_ns", self.rounds,
                        BOTH + [("PyTorch's profiler", "bare")], self.seconds)
        show_added(taken, "bare", "PyTorch's profiler")

    def large(self):
        large = self.variants(sys.executable, TRAIN, "40", "large", "wait")
        del large["floor"]
        compare("Products of large matrices, bound by the device", large, "step_ns", self.rounds,
                [("sonde", "bare")], self.seconds, 2)


def main():
    numbers = sys.argv[2:4] + ["100", "3600"][len(sys.argv[2:4]):]
    names = sys.argv[4].split(",") if len(sys.argv) > 4 else ["launch", "nsys", "step", "large"]
    folder = tempfile.mkdtemp(prefix="sonde-bench-")
    bench = Bench(os.path.abspath(sys.argv[1]), folder, int(numbers[0]), float(numbers[1]))
    for name in names:
        getattr(bench, name)()
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
