#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""same_summary.py TALLY.json STREAMS.json: holds a summary from tallies against the one from streams.

Counts, bytes and all figures of devices are equal. A call's begin and end are rounded to ns one by one in events, its
duration once in the tally: they differ by at most 1 ns, and a sum of calls by at most 1 ns for each of them.
Percentiles are ends of the same histogram steps in both, or the maximum.
"""
import json
import sys

EXACT = {"calls": ("layer", "kind", "timed", "calls", "failed", "bytes_out", "bytes_in", "posted", "unfinished"),
         "devices": ("wall_ns", "kernels_ns", "kernels_sum_ns", "copies_ns", "copies_sum_ns", "overlap_ns", "idle_ns",
                     "clock_error_ns", "processes", "kernels_min_ns", "kernels_max_ns", "approximate", "ranks"),
         "kernels": ("kind", "calls", "total_ns", "min_ns", "max_ns", "p50_ns", "p99_ns", "ranks"),
         "transfers": ("calls", "bytes", "total_ns"),
         "memory": ("allocs", "frees", "alloc_bytes", "peak_bytes", "live_bytes"),
         "builds": ("calls", "failed", "total_ns", "processes"),
         "ledger": ("attached_by", "library", "hooked", "seen", "recorded", "lost", "calls_unfinished", "device_seen",
                    "device_recorded", "device_lost", "late", "untimed", "unfinished"),
         "open_calls": ("rank", "innermost"),
         "processes": ("exe", "rank", "start_ns", "end_ns", "end", "image", "calls", "reference_tid"),
         "threads": ("served", "reference", "calls")}
KEYS = {"calls": ("backend", "name", "group"), "devices": ("host", "key"),
        "kernels": ("backend", "name", "host", "device", "group"),
        "transfers": ("backend", "host", "device", "direction", "kind", "group"),
        "memory": ("backend", "host", "device", "kind", "group"), "builds": ("backend", "name", "source", "group"),
        "ledger": ("backend",), "open_calls": ("host", "pid", "tid", "backend", "name"),
        "processes": ("host", "pid", "image"), "threads": ("host", "pid", "tid")}


def keyed(summary, section):
    return {tuple(row.get(key) for key in KEYS[section]): row for row in summary.get(section, [])}


class Comparison:
    def __init__(self, tally, streams):
        self.tally, self.streams, self.faults, self.compared = tally, streams, [], 0
        self.calls = sum(row["calls"] for row in tally["calls"])

    def near(self, what, a, b, allowed):
        self.compared += 1
        if abs(a - b) > allowed:
            self.faults.append("%s: %r in the tally, %r in the streams, %d apart are allowed" % (what, a, b, allowed))

    def section(self, name):
        ours, theirs = keyed(self.tally, name), keyed(self.streams, name)
        for key in sorted(set(ours) ^ set(theirs), key=str):
            self.faults.append("%s %r is in the %s alone" % (name, key, "tally" if key in ours else "streams"))
        for key in sorted(set(ours) & set(theirs), key=str):
            for field in EXACT[name]:
                self.compared += 1
                a, b = ours[key].get(field), theirs[key].get(field)
                if a != b:
                    self.faults.append("%s %r: %s is %r in the tally, %r in the streams" % (name, key, field, a, b))
            yield "%s %r" % (name, key), ours[key], theirs[key]

    def rounded(self):
        for what, a, b in self.section("calls"):
            self.near(what + " total_ns", a["total_ns"], b["total_ns"], a["calls"])
            self.near(what + " self_ns", a["self_ns"], b["self_ns"],
                      a["calls"] if a["self_ns"] == a["total_ns"] else self.calls)
            self.near(what + " open_ns", a["open_ns"], b["open_ns"], a["unfinished"])
            for field in ("min_ns", "max_ns", "p50_ns", "p99_ns"):
                self.near("%s %s" % (what, field), a[field], b[field], 1)
        for section in ("processes", "threads"):
            for what, a, b in self.section(section):
                for category, ns in a["breakdown"].items():
                    self.near("%s %s" % (what, category), ns, b["breakdown"][category], a["calls"] + 1)
        for what, a, b in self.section("open_calls"):
            self.near(what, a["ns"], b["ns"], 1)
        for a, b in zip(self.tally["breakdown"], self.streams["breakdown"]):
            self.near("breakdown " + a["category"], a["ns"], b["ns"], self.calls + 1)

    def run(self):
        self.rounded()
        for section in ("devices", "kernels", "transfers", "memory", "builds", "ledger"):
            for _ in self.section(section):
                pass
        for key in ("run", "rank_device"):
            if self.tally[key] != self.streams[key]:
                self.faults.append("%s is %r and %r" % (key, self.tally[key], self.streams[key]))
        if self.tally["overlap"] != self.streams["overlap"]:
            self.faults.append("overlap is %r and %r" % (self.tally["overlap"], self.streams["overlap"]))


def overlap_faults(summary):
    """The matrix against figures of the tally that it has to agree with, and with itself."""
    overlap = summary["overlap"]
    if not overlap:
        yield "no overlap"
        return
    ns = {row["class"]: row["ns"] for row in overlap["classes"]}
    breakdown = {row["category"]: row["ns"] for row in summary["breakdown"]}
    if min(ns.values()) < 0:
        yield "negative: %r" % ns
    if abs(sum(row["share"] for row in overlap["classes"]) - 1) > 1e-5:
        yield "shares do not sum to 1: %r" % overlap
    if sum(ns.values()) != sum(breakdown.values()):
        yield "classes sum to %d, the breakdown to %d" % (sum(ns.values()), sum(breakdown.values()))
    if ns["idle"] != breakdown["not_running"]:
        yield "idle is %d, not running %d" % (ns["idle"], breakdown["not_running"])
    if not 0 <= overlap["waiting_ns"] <= ns["host"]:
        yield "of %d ns of the host %d are waiting" % (ns["host"], overlap["waiting_ns"])
    if len(summary["devices"]) != 1 or summary["devices"][0]["processes"] != 1 or summary["devices"][0]["approximate"]:
        return
    device = summary["devices"][0]
    for kinds, figure in ((("kernels",), "kernels_ns"), (("copies",), "copies_ns"),
                          (("kernels", "copies"), "overlap_ns")):
        both = sum(value for name, value in ns.items() if set(kinds) <= set(name.split("+")))
        if both != device[figure]:
            yield "%s for %d ns, %s is %d" % ("+".join(kinds), both, figure, device[figure])


def main():
    tally, streams = (json.load(open(path)) for path in sys.argv[1:3])
    comparison = Comparison(tally, streams)
    comparison.run()
    faults = comparison.faults + list(overlap_faults(tally))
    if [tally["source"], streams["source"]] != ["tally", "streams"] or comparison.compared < 20:
        faults.append("nothing was compared")
    if faults:
        print("\n".join(faults[:40]))
        sys.exit(1)


if __name__ == "__main__":
    main()
