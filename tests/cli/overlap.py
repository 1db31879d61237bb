#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""overlap.py SUMMARY.json TOLERANCE FILE...: holds the overlap of a summary against what programs know of themselves.

FILE has lines "kernel|copy|comm BEGIN END"; of several files number n is that of rank n. TOLERANCE is the ns by which a
class may differ, or "clock": the bound of the conversion of device times, for the begin and the end of a class.
"""
import json
import sys

NAMES = {"kernel": "kernels", "copy": "copies", "comm": "comm"}
ORDER = list(NAMES.values())


def classes(path):
    """Time in each exclusive class, by what overlaps."""
    changes = []
    with open(path) as file:
        for line in file:
            word, begin, end = (line.split() + ["", ""])[:3]
            if word in NAMES:
                changes += [(int(begin), NAMES[word], 1), (int(end), NAMES[word], -1)]
    changes.sort()
    sums, active, last = {}, dict.fromkeys(ORDER, 0), None
    for time, name, change in changes:
        key = "+".join(kind for kind in ORDER if active[kind])
        if key:
            sums[key] = sums.get(key, 0) + time - last
        active[name] += change
        last = time
    return sums


def seen_of(row, rank, ranks):
    """What the summary says of one rank: of two, minimum and maximum tell both."""
    if ranks == 1:
        return row["ns"]
    if row["ranks"]["min"] == row["ranks"]["max"]:
        return row["ranks"]["min"]
    return row["ranks"]["max"] if row["ranks"]["max_rank"] == rank else row["ranks"]["min"]


def main():
    with open(sys.argv[1]) as file:
        summary = json.load(file)
    files, bad = sys.argv[3:], False
    assert summary["overlap"]["complete"], summary["overlap"]
    for rank, path in enumerate(files):
        sums = classes(path)
        assert sums, "%s tells of nothing" % path
        allowed = 2 * summary["devices"][0]["clock_error_ns"] if sys.argv[2] == "clock" else int(sys.argv[2])
        for row in summary["overlap"]["classes"]:
            if row["class"] in ("host", "idle"):
                continue
            own, seen = sums.get(row["class"], 0), seen_of(row, rank, len(files))
            wrong = abs(own - seen) > allowed
            bad |= wrong
            print("rank %d %-20s own %d, sonde %d, %d allowed %s" % (rank, row["class"], own, seen, allowed,
                                                                    "WRONG" if wrong else ""))
    sys.exit(bad)


if __name__ == "__main__":
    main()
