#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""alone.py ROOT BUILD: each header compiles alone, installed ones in C and in C++, and each file of the offline code.

CC and CXX name the compilers. Headers of src/ may also include what the build generates in BUILD.
"""

import os
import re
import shutil
import subprocess
import sys

from common import SKIPPED, finish, own_files, read_lines

BY_FOLDER = tuple(os.path.join("src", folder) for folder in ("base", "read", "analyze", "views", "cli"))
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]


def compile_error(root, path, command):
    text = '#include "%s"\n' % os.path.join(root, path)
    done = subprocess.run(command + WARNINGS + ["-I" + os.path.join(root, "include"), "-"], input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if not done.returncode:
        return []
    first = [line for line in done.stdout.splitlines() if "error" in line] or [done.stdout.strip()]
    return ["%s: does not compile alone with %s: %s" % (path, " ".join(command[:2]), first[0])]


def generated_folders(build):
    found = set()
    for path, _, names in os.walk(os.path.join(build, "generated")):
        if any(name.endswith(".h") for name in names):
            found.add("-I" + path)
    return sorted(found)


def compile_inside(root, path, build, *more):
    folders = ["-I" + os.path.join(root, "src")] + generated_folders(build)
    cc = os.environ.get("CC", "cc")
    return compile_error(root, path, [cc, "-std=gnu11", "-D_GNU_SOURCE"] + list(more) + folders + ["-xc"])


def check_header(root, path, build):
    cc = os.environ.get("CC", "cc")
    cxx = os.environ.get("CXX", "c++")
    if path.startswith("include" + os.sep):
        findings = compile_error(root, path, [cc, "-std=c99", "-pedantic", "-xc"])
        return findings + compile_error(root, path, [cxx, "-std=c++11", "-pedantic", "-xc++"])
    return compile_inside(root, path, build, "-Wno-unused-function")


def guard_finding(root, path):
    if re.search(r"^#\s*(?:ifndef|pragma once)", "\n".join(read_lines(root, path)), re.M):
        return []
    return ["%s: has no include guard" % path]


def main():
    root, build = sys.argv[1], sys.argv[2]
    paths = [path for path in own_files(root, (".h",), ("include", "src")) if os.sep + "tests" + os.sep not in path]
    if any(path.startswith("include") for path in paths) and not shutil.which(os.environ.get("CXX", "c++")):
        print("no C++ compiler")
        sys.exit(SKIPPED)
    findings = []
    for path in paths:
        findings += check_header(root, path, build) + guard_finding(root, path)
    sources = own_files(root, (".c",), BY_FOLDER)
    for path in sources:
        findings += compile_inside(root, path, build, "-DSONDE_VERSION=\"\"")
    finish(findings, len(paths) + len(sources), "headers and sources")


if __name__ == "__main__":
    main()
