#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare.py A.json B.json: the main figures of two summaries side by side.

A small example of what can be done with `sonde --json`.
"""

import json
import os
import sys


def seconds(nanoseconds):
    return "%.3f s" % (nanoseconds / 1e9)


def figures(summary):
    """(name, text) of what is compared: wall time, where it went, and what was copied."""
    rows = [("wall time", seconds(summary["run"]["wall_ns"]))]
    for row in summary["breakdown"]:
        if row["share"] >= 0.001:
            rows.append((row["category"], "%s %5.1f %%" % (seconds(row["ns"]), 100 * row["share"])))
    copied = sum(row["bytes"] for row in summary["transfers"] if row["direction"] != "fill")
    rows.append(("copied", "%.1f MiB" % (copied / 2.0**20)))
    return rows


def main():
    names = [os.path.basename(path).rsplit(".", 1)[0] for path in sys.argv[1:3]]
    sides = []
    for path in sys.argv[1:3]:
        with open(path) as stream:
            sides.append(figures(json.load(stream)))
    keys = [key for key, _ in sides[0]] + [key for key, _ in sides[1]]
    left, right = dict(sides[0]), dict(sides[1])
    print("\n%-14s %20s %20s" % ("", names[0], names[1]))
    for key in sorted(set(keys), key=keys.index):
        print("%-14s %20s %20s" % (key, left.get(key, "-"), right.get(key, "-")))


if __name__ == "__main__":
    main()
