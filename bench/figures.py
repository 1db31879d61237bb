# SPDX-License-Identifier: BSD-3-Clause
"""Medians with their spread, and whether they reach a goal. A figure whose spread reaches over its goal is
not resolved: neither met nor missed. Everything that is printed also goes into the JSON result."""

import os
import platform


class Spread:
    """Median and the middle half of some samples."""

    def __init__(self, samples):
        self.samples = sorted(samples)
        self.low, self.median, self.high = (self.quantile(share) for share in (0.25, 0.5, 0.75))

    def quantile(self, share):
        place = share * (len(self.samples) - 1)
        below = int(place)
        above = min(below + 1, len(self.samples) - 1)
        return self.samples[below] + (self.samples[above] - self.samples[below]) * (place - below)


class Goal:
    def __init__(self, sense, limit):
        self.sense, self.limit = sense, limit

    def __str__(self):
        return "%s %g" % ({"most": "<=", "least": ">=", "below": "<"}[self.sense], self.limit)

    def reached(self, value):
        return {"most": value <= self.limit, "least": value >= self.limit, "below": value < self.limit}[self.sense]

    def verdict(self, spread):
        ends = {self.reached(spread.low), self.reached(spread.high)}
        if len(ends) == 2:
            return "not resolved"
        return "met" if ends.pop() else "MISSED"


def at_most(limit):
    return Goal("most", limit)


def at_least(limit):
    return Goal("least", limit)


def below(limit):
    return Goal("below", limit)


def differences(samples, base):
    """Of samples that were taken in the same rounds."""
    return [one - other for one, other in zip(samples, base)]


def ratios(samples, base):
    return [one / other for one, other in zip(samples, base) if other > 0]


def machine():
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as stream:
            model = next(line.split(":", 1)[1].strip() for line in stream if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return "%s, %d CPUs, Linux %s" % (model, os.cpu_count() or 1, platform.release())


def load():
    return "%.1f" % os.getloadavg()[0]


class Report:
    """Prints figures one by one and keeps them."""

    def __init__(self):
        self.rows, self.missing = {}, []

    def section(self, title):
        print("\n%s (load %s)" % (title, load()), flush=True)

    def figure(self, key, what, samples, unit, goal=None, note=""):
        """One line. Without a goal, a difference that may as well be nothing is said to be one."""
        spread = Spread(samples)
        verdict = goal.verdict(spread) if goal else ""
        if not goal and spread.low < 0 < spread.high:
            verdict = "not resolved"
        extent = "" if spread.low == spread.high else "%s to %s" % (number(spread.low), number(spread.high))
        shown = "goal %s: %s" % (goal, verdict) if goal else verdict
        text = "  %-44s %8s %-4s %-18s %s" % (what, number(spread.median), unit, extent, shown or note)
        print(text.rstrip() + ("  " + note if shown and note else ""), flush=True)
        self.rows[key] = {"what": what, "unit": unit, "median": spread.median, "low": spread.low, "high": spread.high,
                          "samples": len(samples), "goal": str(goal) if goal else None, "verdict": verdict or None}
        return spread.median

    def skip(self, what, why):
        print("  %-44s SKIPPED: %s" % (what, why), flush=True)
        self.missing.append({"what": what, "why": why})

    def close(self):
        """The last lines; returns the result for JSON."""
        verdicts = [row["verdict"] for row in self.rows.values() if row["goal"]]
        print("\n%d goals: %d met, %d missed, %d not resolved; %d skipped; load now %s" % (
            len(verdicts), verdicts.count("met"), verdicts.count("MISSED"), verdicts.count("not resolved"),
            len(self.missing), load()))
        return {"machine": machine(), "figures": self.rows, "skipped": self.missing}


def number(value):
    """Three digits that mean something."""
    size = abs(value)
    if value == int(value):
        return "%d" % value
    return "%.0f" % value if size >= 100 else "%.1f" % value if size >= 10 else "%.2f" % value
