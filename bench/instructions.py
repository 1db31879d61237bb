# SPDX-License-Identifier: BSD-3-Clause
"""Instructions per call, counted by callgrind: exact and repeatable, whatever else the machine does."""

import os
import re
import shutil

from cost import KINDS
from figures import at_most

FEW, MANY = 12000, 32000


def per_call(bench, prefix, what, environment=None):
    """All instructions of the process per call: loop, call, wrapper and function. The difference of two
    runs leaves start, first calls and end out."""
    counts = []
    for calls in (FEW, MANY):
        command = list(prefix) + ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", bench.loop, what,
                                  calls]
        counts.append(callgrind(bench, command, environment))
    return (counts[1] - counts[0]) / (MANY - FEW)


def callgrind(bench, command, environment):
    output = bench.run(["sh", "-c", 'exec "$@" 2>&1', "sh"] + command, environment)
    return int(re.search(r"Collected : (\d+)", output).group(1))


def report_instructions(report, bench, lttng):
    report.section("Instructions per call pair (callgrind)")
    if not shutil.which("valgrind"):
        report.skip("instructions", "valgrind is not installed")
        return
    traced = [bench.sonde, "-q"]
    bare = per_call(bench, [], "test")
    total = per_call(bench, traced, "test")
    if total < bare + 20:
        raise SystemExit("%.1f instructions per call, %.1f bare: not traced at all" % (total, bare))
    report.figure("instructions", "MPI_Test with loop, call and function", [total], "", at_most(110))
    streams = per_call(bench, traced + ["--timeline=" + os.path.join(bench.folder, "timeline.pftrace")], "test")
    report.figure("instructions_streams", "the same with streams (-l)", [streams], "", at_most(160))
    report.figure("instructions_bare", "  of these without sonde", [bare], "")
    report.figure("instructions_added", "  added by sonde", [total - bare], "")
    for kind, what in KINDS.items():
        added = per_call(bench, traced, kind) - per_call(bench, [], kind)
        report.figure("instructions_" + kind, "added: " + what, [added], "")
    if lttng:
        for name, iprof in (("default channel", False), ("as iprof sets it", True)):
            added = lttng.instructions(bench, iprof, per_call) - bare
            report.figure("instructions_lttng" + "_iprof" * iprof, "added: LTTng-UST, " + name, [added], "")
