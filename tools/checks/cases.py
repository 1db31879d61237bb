#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cases.py ROOT [-v]: which of the collected failure reports have a test that bears their id in its name.

The ids are those of reports by users of comparable tools (Cnnn) and of hazards nobody reported (Mnn) that can
be tried without an accelerator. One without a test stands in tests/cases-open.txt with the reason and
what was tried; at most one in ten may. -v lists the tests of each id.
"""

import os
import re
import sys

from common import own_files, read_lines

SECTIONS = [
    ("A life of a process", "C001 C002 C004 C005 C007 C008 C010 C011 C013 C014 C016 C017 C019 C020 C022 C023 C025 C026 "
                            "C028 C029 C031 C032"),
    ("B launch and environment", "C034 C035 C037 C038 C040 C041 C043"),
    ("C MPI", "C044 C046 C047 C049 C050 C052 C053 C055 C056 C058 C059 C061"),
    ("D interception", "C062 C064 C065 C067 C068 C070 C071 C073 C074"),
    ("E time", "C079 C080 C082 C083 C085 C086 C088 C089 C091 C092 C094 C095"),
    ("F device activity", "C097 C098 C100 C101 C103 C104 C106 C107 C109 C110"),
    ("G numbers", "C112 C113 C115 C116 C118 C119"),
    ("H names", "C121 C122 C124 C125"),
    ("I scale", "C127 C128 C130 C131 C133 C134"),
    ("J more than one tool", "C136 C137"),
    ("K OpenMP, markers, control, memory, layers", "C139 C140 C142 C143 C145 C148 C149"),
    ("M hazards", " ".join("M%02d" % number for number in range(1, 14))),
]
OPEN_FILE = os.path.join("tests", "cases-open.txt")
ID = re.compile(r"\b(?:C\d{3}|M\d{2})\b")


def named_tests(root):
    """Names of tests by the ids that stand in them: bats titles, and cmocka functions such as test_C079_..."""
    tests = {}
    for path in own_files(root, (".bats", ".c"), ("tests", "src")):
        for line in read_lines(root, path):
            title = re.match(r'@test "(.*)"', line)
            function = re.match(r"static void (test\w*)\(void \*\*", line)
            name = title.group(1) if title else function.group(1).replace("_", " ") if function else ""
            for which in ID.findall(name):
                tests.setdefault(which, []).append("%s: %s" % (path, name))
    return tests


def open_cases(root):
    """Reasons by id; a line `ID reason`, continued by indented lines."""
    reasons = {}
    for line in read_lines(root, OPEN_FILE) if os.path.exists(os.path.join(root, OPEN_FILE)) else []:
        which = ID.match(line)
        if which:
            last = which.group(0)
            reasons[last] = line[len(last):].strip()
        elif line[:1].isspace() and reasons:
            reasons[last] += " " + line.strip()
    return reasons


def main():
    root = sys.argv[1]
    tests, reasons = named_tests(root), open_cases(root)
    findings, count, unsolved = [], 0, 0
    for title, text in SECTIONS:
        ids = text.split()
        count += len(ids)
        missing = [which for which in ids if which not in tests]
        unsolved += len(missing)
        print("%s: %d of %d have a test" % (title, len(ids) - len(missing), len(ids)))
        for which in ids:
            if "-v" in sys.argv[2:]:
                for test in tests.get(which, []):
                    print("    %s  %s" % (which, test))
            if which in missing:
                print("    %s  open: %s" % (which, reasons.get(which, "no reason given")))
                if not reasons.get(which):
                    findings.append("%s has neither a test nor a reason in %s" % (which, OPEN_FILE))
            elif which in reasons:
                findings.append("%s has a test and still stands in %s" % (which, OPEN_FILE))
    if unsolved * 10 > count:
        findings.append("%d of %d are open: more than one in ten" % (unsolved, count))
    print("\n".join(findings))
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
