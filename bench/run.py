#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run.py BUILD [--rounds N] [--calls N] [--only LIST] [--without-lttng] [--json FILE] [--quick]: what sonde costs.

Whatever is compared runs in turns within each round, so that a noisy moment hits everything; medians over
the rounds are printed, with the middle half of the samples. Goals stand beside the figures; a goal inside
the middle half is "not resolved". Peers and tools that are not installed are named. See docs/PERFORMANCE.md.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from cost import report_cost, report_kinds
from device import report_device
from figures import Report, load, machine
from instructions import report_instructions
from layer import report_layer
from lttng_session import open_lttng
from memory import report_memory
from openmp import report_openmp
from programs import Bench
from reading import report_reading
from start import report_children, report_end, report_start


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--calls", type=int, default=500000, help="per sample (default: 500000)")
    parser.add_argument("--quick", action="store_true", help="few rounds, to see that everything works")
    parser.add_argument("--only", metavar="LIST", help="comma-separated: cost kinds instructions reading start "
                        "children end memory device layer openmp")
    parser.add_argument("--without-lttng", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.calls = 2, 20000
    return options


def clock_of(bench):
    """As `sonde -v` tells it."""
    done = subprocess.run([bench.sonde, "-v", bench.loop, "test", "10"], env=bench.environment,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True)
    found = re.search(r"(\w+) clock", done.stderr)
    return found.group(1) if found else "unknown"


def sections(bench, options, lttng):
    """Name -> what measures it."""
    few = min(options.rounds, 5)
    some = min(options.rounds, 9)
    return [
        ("cost", lambda report: report_cost(report, bench, options.rounds, options.calls, lttng)),
        ("kinds", lambda report: report_kinds(report, bench, some, options.calls)),
        ("instructions", lambda report: report_instructions(report, bench, lttng)),
        ("reading", lambda report: report_reading(report, bench, some, options.calls // 2)),
        ("start", lambda report: report_start(report, bench, options.rounds)),
        ("children", lambda report: report_children(report, bench, few, 20 if options.quick else 200)),
        ("end", lambda report: report_end(report, bench, few, 20 * options.calls)),
        ("memory", lambda report: report_memory(report, bench, min(options.rounds, 3))),
        ("device", lambda report: report_device(report, bench, some, options.calls // 50)),
        ("layer", lambda report: report_layer(report, bench, options.rounds, options.calls)),
        ("openmp", lambda report: report_openmp(report, bench, some, options.calls // 5)),
    ]


def measure(bench, options):
    wanted = options.only.split(",") if options.only else None
    begin = time.time()
    report = Report()
    lttng = None if options.without_lttng else open_lttng(bench)
    clock = clock_of(bench)
    print("%s\nload %s when started, sonde reads the %s clock" % (machine(), load(), clock))
    if clock != "counter":
        print("two clock reads are those of the CPU's counter, which sonde does not use here")
    try:
        for name, run in sections(bench, options, lttng):
            if not wanted or name in wanted:
                run(report)
    finally:
        if lttng:
            lttng.close()
    result = report.close()
    print("%.0f s" % (time.time() - begin))
    return result


def main():
    options = parse_arguments()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    folder = os.path.realpath(tempfile.mkdtemp(prefix="sonde-bench-"))
    try:
        bench = Bench(os.path.abspath(options.build), folder)
        result = measure(bench, options)
        if options.json:
            with open(options.json, "w") as stream:
                json.dump(result, stream, indent=1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
