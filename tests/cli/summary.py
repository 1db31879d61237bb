#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""summary.py DIR EXPRESSION...: holds DIR/summary.json against what is expected of it.

Expressions are Python over the names below; each must be true. Before that, the summary has to be
sound in itself: that is checked for every summary that any test produces.

  s                    the summary            out            key=value lines of DIR/out, as numbers where they are
  row(name)            call row, sums over backends; calls(name), failed(name), total(name), own(name), unfinished(name)
  range_of(name)       the only row of a range or mark
  the(name)            the only call row of that name, as it is in the summary
  kernels(name=None)   calls of a kernel or of all       ns(category), share(category)   of the breakdown
  ledger(key, backend=None)    sum over backends         end, processes, ranks, exes, notes
  near(a, b, relative, absolute=0)
"""
import collections
import json
import math
import os
import re
import sys

HUGE = 1 << 62
COUNTERS = ("calls", "failed", "total_ns", "self_ns", "bytes_out", "bytes_in", "posted", "unfinished")


def read_facts(path):
    facts = {}
    if not os.path.exists(path):
        return facts
    with open(path, errors="replace") as file:
        for line in file:
            key, equals, value = line.strip().partition("=")
            if not equals:
                continue
            try:
                value = float(value) if "." in value else int(value)
            except ValueError:
                pass
            # several processes may say the same key: numbers are added up
            if isinstance(value, (int, float)) and isinstance(facts.get(key), (int, float)) and key != "pid":
                value += facts[key]
            facts[key] = value
    return facts


def walk(value, path=""):
    if isinstance(value, dict):
        for key in value:
            yield from walk(value[key], path + "." + key)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from walk(item, "%s[%d]" % (path, index))
    else:
        yield path, value


def failure_faults(s):
    """Each call that failed has given some answer, or none that is known."""
    failed, answered = collections.Counter(), collections.Counter()
    for row in s.get("calls", []):
        failed[row["backend"], row["name"]] += row["failed"]
    for row in s.get("failures", []):
        answered[row["backend"], row["name"]] += row["calls"]
    for key in failed | answered:
        if failed[key] != answered[key] and not s["lower_bound"]:
            yield "%d calls of %s failed, %d answers are known" % (failed[key], key[1], answered[key])


def faults(s):
    """What is wrong with a summary whatever the program was."""
    for key in ("schema", "tool", "verdict", "lower_bound", "notes", "run", "processes", "breakdown", "calls",
                "ledger"):
        if key not in s:
            yield "no key %s" % key
    if s.get("schema") != "sonde-summary-1":
        yield "schema is %r" % s.get("schema")
    for path, value in walk(s):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        if re.match(r'\.counters\[\d+\]\.(min|mean|max)$|\.failures\[\d+\]\.answer$', path):
            continue # anything that a program counts, or a library answers
        if value != value or math.isinf(value) or abs(value) >= HUGE:
            yield "%s is %r: no such time or count" % (path, value)
        if value < 0 and not path.endswith(("rank", "size")):
            yield "%s is negative: %r" % (path, value)
    shares = [item["share"] for item in s.get("breakdown", [])]
    if shares and abs(sum(shares) - 1) > 1e-3 and abs(sum(shares) - 100) > 0.1:
        yield "shares add up to %r" % sum(shares)
    yield from call_faults(s)
    yield from failure_faults(s)
    for line in s.get("ledger", []):
        if line["recorded"] + line["lost"] != line["seen"]:
            yield "ledger does not balance: %r" % line


def call_faults(s):
    for row in s.get("calls", []):
        if row["self_ns"] > row["total_ns"]:
            yield "self exceeds total: %r" % row
        if row["failed"] > row["calls"]:
            yield "more failed than called: %r" % row
        if row["calls"] and row["total_ns"] and not row["min_ns"] <= row["max_ns"] <= row["total_ns"] * 1.0000001 + 1:
            yield "min, max and total contradict: %r" % row


class Summary:
    def __init__(self, s):
        self.s = s

    def row(self, name):
        rows = [row for row in self.s["calls"] if row["name"] == name]
        return {key: sum(row.get(key, 0) for row in rows) for key in COUNTERS}

    def the(self, name):
        row, = [row for row in self.s["calls"] if row["name"] == name]
        return row

    def range_of(self, name):
        row, = [row for row in self.s["ranges"] if row["name"] == name]
        return row

    def counter(self, key):
        return lambda name: self.row(name)[key]

    def kernels(self, name=None):
        return sum(row["calls"] for row in self.s["kernels"] if name in (None, row["name"]))

    def breakdown(self, key):
        def find(category):
            return sum(item[key] for item in self.s["breakdown"] if item["category"] == category)
        return find

    def ledger(self, key, backend=None):
        return sum(line.get(key, 0) for line in self.s["ledger"] if backend in (None, line["backend"]))

    def names(self):
        s = self.s
        return {"s": s, "row": self.row, "the": self.the, "range_of": self.range_of, "calls": self.counter("calls"),
                "failed": self.counter("failed"),
                "total": self.counter("total_ns"), "own": self.counter("self_ns"),
                "unfinished": self.counter("unfinished"), "kernels": self.kernels, "ns": self.breakdown("ns"),
                "share": self.breakdown("share"), "ledger": self.ledger, "end": s["run"].get("end"),
                "processes": s["run"].get("processes"), "ranks": s["run"].get("ranks"),
                "exes": sorted(os.path.basename(process["exe"]) for process in s["processes"]),
                "notes": [note["code"] for note in s["notes"]], "near": near}


def near(a, b, relative, absolute=0):
    return abs(a - b) <= max(relative * abs(b), absolute)


def brief(s):
    """The part of a summary that explains most failures."""
    lines = ["run %s" % json.dumps(s.get("run")), "processes %s" % json.dumps(s.get("processes"))]
    lines += ["%s %s" % (key, json.dumps(item)) for key in ("notes", "breakdown", "ledger", "kernels")
              for item in s.get(key, [])]
    lines += ["call %s %d calls, %d failed, %d unfinished" % (row["name"], row["calls"], row["failed"],
                                                             row.get("unfinished", 0)) for row in s.get("calls", [])]
    return "\n".join(lines)


def main():
    folder = sys.argv[1]
    path = os.path.join(folder, "summary.json")
    try:
        with open(path) as file:
            s = json.load(file)
    except (OSError, ValueError) as error:
        sys.exit("summary: %s" % error)
    wrong = list(faults(s))
    if not wrong:
        names = Summary(s).names()
        names["out"] = read_facts(os.path.join(folder, "out"))
        for expression in sys.argv[2:]:
            if not eval(expression, names):  # expressions come from the test files beside this one
                wrong.append("false: %s" % expression)
                for part in re.split("[=<>]=", expression):
                    try:
                        wrong.append("    %s = %r" % (part.strip(), eval(part, names)))
                    except Exception:
                        pass
    if wrong:
        print("\n".join(wrong))
        print(brief(s))
        sys.exit(1)


if __name__ == "__main__":
    main()
