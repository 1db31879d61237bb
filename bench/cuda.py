#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cuda.py BUILD [ROUNDS [TORCH_ROUNDS [SECONDS [ONLY]]]]: what tracing adds to CUDA programs on real GPUs.

Each round runs every variant once on one GPU, in an order that turns; with several GPUs as many rounds run side by
side, each with processors of its own. Printed are medians over rounds and, of ratios to another variant in the same
round, the median with a bootstrap interval of 95 %. Wider than 3 % to either side: "not resolved". A comparison begins
no round after SECONDS, and says how many there were. ONLY: names of comparisons, of launch,nsys,step,large,profiler.
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
import time

SRC = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
TESTS = os.path.join(SRC, "src", "backends", "cuda", "tests")
CUDA = os.environ.get("CUDA_HOME", "/usr/local/cuda")
TRAIN = os.path.join(TESTS, "python", "train.py")
AHEAD = 5   # rounds
LIMIT = 120 # seconds for a program
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
        share = (os.cpu_count() or gpus) // gpus
        self.pinned = ["taskset", "-c", "%d-%d" % (gpu * share, (gpu + 1) * share - 1)] \
            if share and shutil.which("taskset") else []

    def start(self, words, env):
        words = self.pinned + [word.replace("@GPU", str(self.gpu)) for word in words]
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                env=dict(os.environ, CUDA_VISIBLE_DEVICES=str(self.gpu), **env))

    def rounds(self, numbers, variants, key, ahead, seconds):
        """A dictionary of figures per round. AHEAD rounds of programs are started before the first of them goes on."""
        order, results, end = list(variants), [], time.monotonic() + seconds
        for first in range(0, len(numbers), ahead or 1):
            if time.monotonic() > end:
                break
            plan = []
            for number in numbers[first:first + (ahead or 1)]:
                turn = number % len(order)
                results.append({})
                plan += [(results[-1], name) for name in order[turn:] + order[:turn]]
            started = [self.start(*variants[name]) for _, name in plan] if ahead else []
            for process in started:
                process.stdout.readline() # it is ready
            for place, (figures, name) in enumerate(plan):
                process = started[place] if started else self.start(*variants[name])
                figures[name] = figure(process, key)
        return results


def figure(process, key):
    """What the program, which may wait for a line, prints as KEY=."""
    for line in process.communicate(b"\n", timeout=LIMIT)[0].decode(errors="replace").splitlines():
        name, _, value = line.partition("=")
        if name == key:
            return float(value)
    raise RuntimeError("no %s from: %s" % (key, " ".join(process.args)))


def interval(values):
    draws = sorted(statistics.median(random.choices(values, k=len(values))) for _ in range(2000))
    return draws[50], draws[1949]


def compare(title, variants, key, rounds, against, seconds, ahead=0):
    """variants: {name: (words, env)}; against: pairs (variant, base) whose ratio is wanted."""
    gpus, order = count_gpus(), list(variants)
    with concurrent.futures.ThreadPoolExecutor(gpus) as pool:
        lanes = [pool.submit(Lane(gpu, gpus).rounds, range(gpu, rounds, gpus), variants, key, ahead, seconds)
                 for gpu in range(gpus)]
    results = [figures for lane in lanes for figures in lane.result()]
    taken = {name: [figures[name] for figures in results] for name in order}
    print("%s; %d rounds on %d GPUs" % (title, len(results), gpus))
    for name in order:
        low, high = interval(taken[name])
        print("  %-28s %12.0f ns  %.0f to %.0f" % (name, statistics.median(taken[name]), low, high))
    for name, base in against:
        ratios = [a / b for a, b in zip(taken[name], taken[base])]
        middle, (low, high) = statistics.median(ratios), interval(ratios)
        wide = low < 0.97 * middle or high > 1.03 * middle
        print("  %-28s %12.3f x   %.3f to %.3f%s" % (name + " over " + base, middle, low, high,
                                                     "  not resolved" if wide else ""))
    sys.stdout.flush()
    return taken


class Bench:
    """The comparisons, each a method of its name, in the order in which they are made."""

    def __init__(self, build, folder, rounds, torch_rounds, seconds):
        self.folder, self.rounds, self.torch_rounds, self.seconds = folder, rounds, torch_rounds, seconds
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
        compare("Launch of an empty kernel, bound by the host", self.variants(self.program, "rate", "100000"),
                "launch_ns", self.rounds, BOTH, self.seconds)

    def nsys(self):
        nsys = find_nsys()
        if not nsys:
            return
        some = self.variants(self.program, "rate", "100000")
        some["nsys"] = ([nsys, "profile", "-t", "cuda", "--force-overwrite=true",
                         "-o", os.path.join(self.folder, "n@GPU"), self.program, "rate", "100000"], {})
        compare("The same beside nsys", some, "launch_ns", min(self.rounds, 10),
                [("nsys", "bare"), ("sonde", "bare"), ("sonde", "nsys")], self.seconds)

    # importing PyTorch takes longer than what is measured: those of some rounds do it at the same time
    def step(self):
        compare("Step of a small transformer in PyTorch, bound by launches",
                self.variants(sys.executable, TRAIN, "40", "wait"), "step_ns", self.torch_rounds, BOTH, self.seconds,
                AHEAD)

    def large(self):
        large = self.variants(sys.executable, TRAIN, "40", "large", "wait")
        del large["floor"]
        compare("Products of large matrices, bound by the device", large, "step_ns", self.torch_rounds,
                [("sonde", "bare")], self.seconds, AHEAD)

    def profiler(self):
        train = self.variants(sys.executable, TRAIN, "40", "wait")
        train["PyTorch's profiler"] = ([sys.executable, TRAIN, "40", "cost", "wait"], {})
        taken = compare("The same transformer beside PyTorch's profiler", train, "step_ns", self.torch_rounds,
                        BOTH + [("PyTorch's profiler", "bare")], self.seconds, AHEAD)
        for name in ("floor", "sonde", "PyTorch's profiler"):
            added = [a - b for a, b in zip(taken[name], taken["bare"])]
            print("  added by %-19s %12.0f ns  %.0f to %.0f" % ((name, statistics.median(added)) + interval(added)))


def main():
    numbers = sys.argv[2:5] + ["30", "6", "3600"][len(sys.argv[2:5]):]
    names = sys.argv[5].split(",") if len(sys.argv) > 5 else ["launch", "nsys", "step", "large", "profiler"]
    folder = tempfile.mkdtemp(prefix="sonde-bench-")
    bench = Bench(os.path.abspath(sys.argv[1]), folder, int(numbers[0]), int(numbers[1]), float(numbers[2]))
    for name in names:
        if bench.rounds if name in ("launch", "nsys") else bench.torch_rounds:
            getattr(bench, name)()
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
