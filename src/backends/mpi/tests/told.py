#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""told.py DIR [--all]: holds DIR/summary.json against what each process of the program said in DIR/told.PID
(NAME.calls, .out, .in, .posted).

With --all the program has told every call it made: no other MPI call may be in the summary.
"""
import glob
import json
import os
import sys

KEYS = {"calls": "calls", "out": "bytes_out", "in": "bytes_in", "posted": "posted"}


def main():
    folder, everything = sys.argv[1], "--all" in sys.argv
    with open(os.path.join(folder, "summary.json")) as file:
        summary = json.load(file)
    rows = {row["name"]: row for row in summary["calls"] if row["backend"] == "mpi"}
    if len(rows) != sum(row["backend"] == "mpi" for row in summary["calls"]):
        sys.exit("a name has two rows")
    told, faults = {}, []
    for path in glob.glob(os.path.join(folder, "told.*")):
        with open(path) as file:
            for line in file:
                name, _, value = line.strip().partition("=")
                told[name] = told.get(name, 0) + int(value)
    if not told:
        faults.append("the program told nothing")
    for name, value in sorted(told.items()):
        if "." not in name:
            continue # a time
        function, _, key = name.rpartition(".")
        found = rows.get(function, {}).get(KEYS[key], 0)
        if found != value:
            faults.append("%s: the program says %d, the summary %d" % (name, value, found))
    functions = {name.rpartition(".")[0] for name in told}
    for name, row in sorted(rows.items()):
        if name in functions:
            continue
        if everything:
            faults.append("%s: %d calls that the program did not make" % (name, row["calls"]))
        if row["bytes_out"] or row["bytes_in"]:
            faults.append("%s: bytes that the program did not tell of" % name)
    sys.exit("\n".join(faults) or 0)


main()
