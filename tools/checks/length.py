#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""length.py ROOT: functions of at most 60 lines, files of at most 600, lines of at most 120 columns.

C functions are found by the brace in the first column; a tab counts as 8 columns.
"""

import ast
import re
import sys

from common import finish, own_files, read_lines

FUNCTION, FILE, LINE = 60, 600, 120


def c_functions(lines):
    """(first line, last line, name) of each function; numbers from 1."""
    start = None
    for number, line in enumerate(lines, 1):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start:
            first = start - 1
            while first > 1 and lines[first - 2].strip() and not re.search(r"[;}]\s*$|\*/\s*$|^#", lines[first - 2]):
                first -= 1
            name = re.search(r"(\w+)\s*\(", lines[first - 1])
            yield first, number, name.group(1) if name else "?"
            start = None


def python_functions(lines):
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            last = max(getattr(child, "lineno", 0) for child in ast.walk(node))
            yield node.lineno, last, node.name


def check_file(root, path):
    lines = read_lines(root, path)
    if lines and not lines[-1]:
        lines.pop()
    findings = []
    if len(lines) > FILE:
        findings.append("%s: %d lines, at most %d" % (path, len(lines), FILE))
    for number, line in enumerate(lines, 1):
        columns = len(line.expandtabs(8))
        if columns > LINE:
            findings.append("%s:%d: %d columns, at most %d" % (path, number, columns, LINE))
    functions = python_functions(lines) if path.endswith(".py") else c_functions(lines)
    for first, last, name in functions:
        if last - first + 1 > FUNCTION:
            findings.append("%s:%d: %s has %d lines, at most %d" % (path, first, name, last - first + 1, FUNCTION))
    return findings


def main():
    root = sys.argv[1]
    paths = own_files(root, (".c", ".cc", ".cpp", ".h", ".S", ".py"))
    findings = []
    for path in paths:
        findings += check_file(root, path)
    finish(findings, len(paths), "files")


if __name__ == "__main__":
    main()
