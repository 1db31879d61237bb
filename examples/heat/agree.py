#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""agree.py OUTPUT SUMMARY.json: does sonde's summary agree with the timers that heat printed?

Allowed are 2 % of a timer, and 5 ms for what lies between two reads of the program's clock. MPI_Init by
itself is left out: sonde opens its record inside it, before its own first time stamp.
"""

import json
import re
import sys

# what the program's timers stand around; a blocking copy is a call like any other here
GROUPS = {
    "mpi": r"MPI_(?!Init|Comm_)",
    "device_wait": r"cl(Finish|WaitForEvents)$",
    "copy": r"clEnqueue(Read|Write)Buffer$",
    "launch": r"cl(SetKernelArg|EnqueueNDRangeKernel|Flush)$",
    "build": r"cl(CreateProgramWithSource|BuildProgram|CreateKernel)$",
}


def read_timers(path):
    """Timers by rank, in seconds."""
    timers = {}
    with open(path) as stream:
        for rank, text in re.findall(r"heat: rank (\d+): (.*)", stream.read()):
            words = text.split()
            timers[int(rank)] = dict(zip(words[0::2], (float(word) for word in words[1::2])))
    return timers


def pairs(timers, summary):
    """(what, own seconds, sonde's seconds)"""
    for group, pattern in GROUPS.items():
        own = sum(timer[group] for timer in timers.values())
        rows = [row for row in summary["calls"] if re.match(pattern, row["name"])]
        yield "calls: " + group, own, sum(row["total_ns"] for row in rows) / 1e9
    for process in summary["processes"]:
        own = timers[process["rank"]]
        seen = {category: ns / 1e9 for category, ns in process["breakdown"].items()}
        rank = "rank %d: " % process["rank"]
        # the program cannot tell which part of a blocking copy is waiting
        yield rank + "device_wait, copy", own["device_wait"] + own["copy"], seen["device_wait"] + seen["copy"]
        # MPI_Init calls OpenCL to look for devices, which the breakdown counts as OpenCL
        rest = ("mpi_init", "mpi", "launch", "build", "setup")
        yield (rank + "other calls", sum(own[key] for key in rest),
               sum(seen[key] for key in ("comm", "launch", "build", "memory", "other_api")))


def main():
    timers = read_timers(sys.argv[1])
    with open(sys.argv[2]) as stream:
        summary = json.load(stream)
    if not timers or len(timers) != len(summary["processes"]):
        sys.exit("%d ranks said their timers, %d are in the summary" % (len(timers), len(summary["processes"])))
    bad = 0
    for what, own, seen in pairs(timers, summary):
        wrong = abs(own - seen) > 0.02 * own + 0.005
        bad += wrong
        print("%-26s own %.4f s, sonde %.4f s%s" % (what, own, seen, "  WRONG" if wrong else ""))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
