# SPDX-License-Identifier: BSD-3-Clause
"""What a process pays that calls nothing: start-up, short children, relocations of what is preloaded; and
what is paid once at the end."""

import os
import shutil
import struct
from collections import OrderedDict

from figures import below, differences
from programs import interleave, wall_and_cpu

SCRIPT = 'n=$1; shift; i=0; while [ $i -lt $n ]; do "$@" >/dev/null; i=$((i+1)); done'
DT_PLTRELSZ, DT_RELASZ, DT_RELASZ_ENTRY, DT_RELRSZ = 2, 8, 24, 35


def relocations(path):
    """How many the loader has to apply, from the dynamic section of a 64-bit object."""
    with open(path, "rb") as stream:
        data = stream.read()
    table, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    total = 0
    for i in range(count):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", data, table + i * size)
        if kind != 2:
            continue
        for at in range(offset, offset + length, 16):
            tag, value = struct.unpack_from("<QQ", data, at)
            if tag in (DT_PLTRELSZ, DT_RELASZ):
                total += value // DT_RELASZ_ENTRY
            elif tag == DT_RELRSZ:
                total += value // 8 # words; each stands for up to 63 relocations
    return total


def in_ms(pairs, what):
    return [1e3 * pair[what] for pair in pairs]


def report_start(report, bench, rounds):
    true = shutil.which("true")
    preloaded = bench.with_preload(*bench.libraries())
    report.section("Start-up, wall time; %d rounds" % rounds)
    samples = interleave(rounds, OrderedDict([
        ("bare", lambda: wall_and_cpu([true], bench.environment)),
        ("preloaded", lambda: wall_and_cpu([true], preloaded)),
        ("sonde", lambda: wall_and_cpu([bench.sonde, "-q", true], bench.environment)),
    ]))
    for name, what, goal in (("preloaded", "libraries preloaded into true", None),
                             ("sonde", "sonde true over true", below(10))):
        for part, unit in ((0, "wall"), (1, "CPU")):
            report.figure("start_%s_%s_ms" % (name, unit.lower()), "%s, %s" % (what, unit),
                          differences(in_ms(samples[name], part), in_ms(samples["bare"], part)), "ms",
                          None if part else goal)
    for path in bench.libraries():
        name = os.path.basename(path)
        report.figure("relocations_" + name, "relocations of " + name, [relocations(path)], "")


def report_children(report, bench, rounds, children):
    report.section("Script with %d short children, per child; %d rounds" % (children, rounds))
    kept = sorted(os.listdir(bench.folder))
    for key, what, child, goal in (
            ("children", "true", [shutil.which("true")], below(3)),
            ("children_traced", "a program of 12 traced calls", [bench.loop, "test", "5"], None)):
        script = ["sh", "-c", SCRIPT, "sh", children] + child
        samples = interleave(rounds, OrderedDict([
            ("bare", lambda: wall_and_cpu(script, bench.environment)),
            ("sonde", lambda: wall_and_cpu([bench.sonde, "-q"] + script, bench.environment)),
        ]))
        for part, unit in ((0, "wall"), (1, "CPU")):
            added = differences(in_ms(samples["sonde"], part), in_ms(samples["bare"], part))
            report.figure("%s_%s_ms" % (key, unit.lower()), "%s, %s" % (what, unit), [one / children for one in added],
                          "ms", None if part else goal)
    left = sorted(os.listdir(bench.folder))
    if left != kept:
        raise SystemExit("files were left behind: %s" % ", ".join(sorted(set(left) - set(kept))))


def report_end(report, bench, rounds, calls):
    report.section("From the program's last call to the end of sonde, wall time; %d rounds" % rounds)
    samples = interleave(rounds, OrderedDict([
        ("few", lambda: 1e3 * bench.end_to_table(1000)),
        ("many", lambda: 1e3 * bench.end_to_table(calls)),
    ]))
    report.figure("table_few_ms", "after 1000 calls", samples["few"], "ms")
    report.figure("table_ms", "after %d calls" % calls, samples["many"], "ms", below(100))
