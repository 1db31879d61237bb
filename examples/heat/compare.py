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
    """What is compared: name -> (share of the wall time or None, text)."""
    result = {"wall time": (None, seconds(summary["run"]["wall_ns"]))}
    for row in summary["breakdown"]:
        result[row["category"]] = (row["share"], "%s %5.1f %%" % (seconds(row["ns"]), 100 * row["share"]))
    copied = sum(row["bytes"] for row in summary["transfers"] if row["direction"] != "fill")
    result["copied"] = (None, "%.1f MiB" % (copied / 2.0**20))
    return result


def main():
    names = [os.path.basename(path).rsplit(".", 1)[0] for path in sys.argv[1:3]]
    sides = []
    for path in sys.argv[1:3]:
        with open(path) as stream:
            sides.append(figures(json.load(stream)))
    print("\n%-14s %20s %20s" % ("", names[0], names[1]))
    for key in sides[0]:
        if any(side[key][0] is None or side[key][0] >= 0.001 for side in sides):
            print("%-14s %20s %20s" % (key, sides[0][key][1], sides[1][key][1]))


if __name__ == "__main__":
    main()
