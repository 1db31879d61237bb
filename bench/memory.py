# SPDX-License-Identifier: BSD-3-Clause
"""Memory that is resident in the traced process because of sonde, read from /proc/PID/smaps while it runs.

A mapping is sonde's when it is one of its libraries (with the anonymous pages behind them) or lies in its
run directory. What sonde may cause elsewhere is in the difference of whole processes, traced and bare."""

import os
import re
import subprocess

from figures import below, differences

THREADS = 16
KIB = 1024.0


def resident(pid):
    """KiB by mapping: [(path, rss, follows)], where an unnamed mapping carries the path before it."""
    rows, path, last = [], "", ""
    with open("/proc/%d/smaps" % pid) as stream:
        for line in stream:
            head = re.match(r"[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)$", line)
            if head:
                path = head.group(1)
                last = path or last # pages beyond the file: zero-initialised data of the library before
            elif line.startswith("Rss:"):
                rows.append((path or last, int(line.split()[1])))
    return rows


def look(bench, prefix, what, threads):
    """(KiB in sonde's mappings, KiB in the whole process) of the loop with its threads alive."""
    command = list(prefix) + [bench.loop, what, "100", str(threads), "hold"]
    process = subprocess.Popen(command, env=bench.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               universal_newlines=True)
    try:
        rows = resident(int(process.stdout.readline().split()[2]))
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait()
    own = sum(rss for path, rss in rows if "/libsonde" in path or path.startswith(bench.folder + os.sep))
    return own, sum(rss for _, rss in rows)


def report_memory(report, bench, rounds):
    report.section("Memory in the traced process; %d rounds" % rounds)
    traced = [bench.sonde, "-q"]
    for what, functions, goals in (("test", "3 functions used", (below(2048), below(64))),
                                   ("many", "36 functions used", (None, None))):
        bare = [[look(bench, [], what, threads)[1] for threads in (1, THREADS + 1)] for _ in range(rounds)]
        with_sonde = [[look(bench, traced, what, threads) for threads in (1, THREADS + 1)] for _ in range(rounds)]
        own = [[pair[0] for pair in run] for run in with_sonde]
        if min(own[0]) == 0:
            raise SystemExit("nothing of sonde is in the process: it was not traced")
        whole = [differences([pair[1] for pair in run], other) for run, other in zip(with_sonde, bare)]
        key = "memory_" + what
        report.figure(key + "_kib", "%s, two threads" % functions, [one for one, _ in own], "KiB", goals[0])
        report.figure(key + "_whole_kib", "  whole process, traced less bare", [one for one, _ in whole], "KiB")
        report.figure(key + "_thread_kib", "%s, per further thread" % functions,
                      [(many - one) / THREADS for one, many in own], "KiB", goals[1])
        report.figure(key + "_thread_whole_kib", "  whole process, traced less bare",
                      [(many - one) / THREADS for one, many in whole], "KiB")
