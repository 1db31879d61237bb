#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cuda.py BUILD [ROUNDS [TORCH_ROUNDS [SECONDS]]]: what tracing adds to CUDA programs on real GPUs.

Each round runs every variant once on one GPU, in an order that turns; with several GPUs as many rounds run side by
side, each with processors of its own. Printed are medians over rounds and, of ratios to another variant in the same
round, the median with a bootstrap interval of 95 %. Wider than 3 % to either side: "not resolved". A comparison begins
no round after SECONDS, and says how many there were.
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
SECONDS = float(sys.argv[4]) if len(sys.argv) > 4 else 3600.0


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

    def rounds(self, numbers, variants, key, ahead):
        """A dictionary of figures per round. AHEAD rounds of programs are started before the first of them goes on."""
        order, results, end = list(variants), [], time.monotonic() + SECONDS
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


def compare(title, variants, key, rounds, against, ahead=0):
    """variants: {name: (words, env)}; against: pairs (variant, base) whose ratio is wanted."""
    gpus, order = count_gpus(), list(variants)
    with concurrent.futures.ThreadPoolExecutor(gpus) as pool:
        lanes = [pool.submit(Lane(gpu, gpus).rounds, range(gpu, rounds, gpus), variants, key, ahead)
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


def main():
    build = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 30 # 0: none
    torch_rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    folder = tempfile.mkdtemp(prefix="sonde-bench-")
    program, floor = os.path.join(folder, "gpu"), os.path.join(folder, "floor.so")
    nvcc = shutil.which("nvcc") or os.path.join(CUDA, "bin", "nvcc")
    subprocess.run([nvcc, "-O1", "-o", program, os.path.join(TESTS, "gpu.cu")], check=True)
    cupti = [word for path in ("lib64", "lib", "extras/CUPTI/lib64")
             for word in ("-L%s/%s" % (CUDA, path), "-Wl,-rpath,%s/%s" % (CUDA, path))]
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-I" + CUDA + "/include", "-I" + CUDA + "/extras/CUPTI/include",
                    "-o", floor, os.path.join(SRC, "bench", "cuda_floor.c")] + cupti + ["-lcupti"], check=True)
    sonde = [os.path.join(build, "bin", "sonde"), "-q", "--json", os.path.join(folder, "json@GPU")]
    nsys = find_nsys()

    def variants(*words):
        return {"bare": (list(words), {}), "floor": (list(words), {"CUDA_INJECTION64_PATH": floor}),
                "sonde": (sonde + list(words), {})}

    both = [("sonde", "floor"), ("sonde", "bare")]
    some = variants(program, "rate", "100000")
    if rounds:
        compare("Launch of an empty kernel, bound by the host", some, "launch_ns", rounds, both)
    if rounds and nsys:
        some["nsys"] = ([nsys, "profile", "-t", "cuda", "--force-overwrite=true", "-o", os.path.join(folder, "n@GPU"),
                         program, "rate", "100000"], {})
        compare("The same beside nsys", some, "launch_ns", 5, [("nsys", "bare"), ("sonde", "bare")])
    if torch_rounds:
        # importing PyTorch takes longer than what is measured: those of some rounds do it at the same time
        train = variants(sys.executable, TRAIN, "40", "wait")
        compare("Step of a small transformer in PyTorch, bound by launches", train, "step_ns", torch_rounds, both,
                AHEAD)
        large = variants(sys.executable, TRAIN, "40", "large", "wait")
        del large["floor"]
        compare("Products of large matrices, bound by the device", large, "step_ns", torch_rounds, [("sonde", "bare")],
                AHEAD)
        train["PyTorch's profiler"] = ([sys.executable, TRAIN, "40", "cost", "wait"], {})
        taken = compare("The same transformer beside PyTorch's profiler", train, "step_ns", 6,
                        both + [("PyTorch's profiler", "bare")], AHEAD)
        bare = statistics.median(taken["bare"])
        print("  added: sonde %.0f ns, PyTorch's profiler %.0f ns" % tuple(
            statistics.median(taken[name]) - bare for name in ("sonde", "PyTorch's profiler")))
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
