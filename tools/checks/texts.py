#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""texts.py ROOT: each source file names its licence; no file carries what is only true on one machine.

Documents and sources speak of the project as it is: no paths of somebody's machine, no reminders to do
something later (the list of what is planned has its place in docs/ARCHITECTURE.md).
"""

import os
import re
import sys

from common import finish, own_files, read_lines

LICENCE = "SPDX-License-Identifier: BSD-3-Clause"
SOURCES = (".c", ".cc", ".cpp", ".h", ".S", ".s", ".f90", ".f", ".py", ".sh", ".bats", ".cmake", ".def", ".conf",
           ".api", ".roles", "CMakeLists.txt", "Makefile", ".ci/run", ".in", ".cl")
DOCUMENTS = SOURCES + (".md",)
# assembled, so that this file does not find itself
FORBIDDEN = [
    (re.compile(r"(?<![\w.])/(?:" + "|".join(["root", "home/[a-z]", "wor" + "k", "Use" + "rs"]) + r")(?:/|\b)(?!\w)"),
     "path of one machine"),
    (re.compile(r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "T" + "BD"]) + r")\b"), "reminder"),
    (re.compile(r"\bissue\s+#?\d+\b", re.I), "number of a ticket"),
]
# in sources, a number behind '#' may be an operand of assembly or an identifier
FORBIDDEN_IN_DOCUMENTS = FORBIDDEN + [(re.compile(r"(?<![\w&])#\d{1,4}\b"), "number of a ticket")]


def check_file(root, path):
    lines = read_lines(root, path)
    findings = []
    if path.endswith(SOURCES) and not any(LICENCE in line for line in lines[:6]):
        findings.append("%s: no line '%s' at its start" % (path, LICENCE))
    for number, line in enumerate(lines, 1):
        for pattern, what in FORBIDDEN_IN_DOCUMENTS if path.endswith(".md") else FORBIDDEN:
            match = pattern.search(line)
            if match:
                findings.append("%s:%d: %s: %s" % (path, number, what, match.group(0)))
    return findings


def main():
    root = sys.argv[1]
    paths = own_files(root, DOCUMENTS, ("src", "include", "tools", "tests", "examples", "bench", "cmake", "docs",
                                        "packaging", ".ci"))
    if os.path.exists(os.path.join(root, ".ci", "run")):
        paths.append(os.path.join(".ci", "run"))
    findings = []
    for path in paths:
        findings += check_file(root, path)
    finish(findings, len(paths), "files")


if __name__ == "__main__":
    main()
