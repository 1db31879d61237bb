#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is every API export of the real libraries wrapped, aliased or listed as a gap with its reason?

    coverage.py src/backends/<api>

The folder's `gaps` file names the libraries and the gaps:

    library SONAME REGEX     exports of that library that belong to the API
    search FOLDER            where else libraries may be, besides the linker's folders; there also without version
    gap PATTERN REASON...    exports that are left alone on purpose

Exit status 1: an export is neither; or, when every library is there, a gap matches nothing any more.
77: none of the libraries is there.
"""
import fnmatch
import os
import re
import subprocess
import sys

SRC = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(SRC, "tools"))
sys.dont_write_bytecode = True

import apigen  # noqa: E402
from api_model import ApiError, read_lines  # noqa: E402


def read_gaps(path):
    libraries, folders, gaps = [], [], []
    for line, text in read_lines(path):
        words = text.split(None, 2)
        if words[0] == "library" and len(words) == 3:
            libraries.append((words[1], re.compile(words[2])))
        elif words[0] == "search" and len(words) == 2:
            folders.append(words[1])
        elif words[0] == "gap" and len(words) == 3:
            gaps.append((words[1], words[2]))
        else:
            raise ApiError(path, line, "cannot read '%s'" % text)
    return libraries, folders, gaps


def find_library(soname, folders):
    """Path of a library by the linker's own search, else in the folders, or None."""
    cc = os.environ.get("CC", "cc")
    found = subprocess.run([cc, "-print-file-name=" + soname], stdout=subprocess.PIPE, check=True)
    path = found.stdout.decode().strip()
    others = [os.path.join(folder, name) for folder in folders
              for name in (soname, re.sub(r"\.so\..*", ".so", soname))]
    return path if os.path.isabs(path) else next(filter(os.path.exists, others), None)


def exports(path):
    """Functions that a library defines for others, without version suffixes."""
    shown = subprocess.run(["nm", "-D", "--defined-only", path], stdout=subprocess.PIPE, check=True)
    for line in shown.stdout.decode().splitlines():
        words = line.split()
        if words[-2] in "TWiV":
            yield words[-1].split("@")[0]


def main():
    folder = sys.argv[1]
    api = apigen.load(folder, os.path.join(SRC, "src", "format", "kinds.h"))
    covered = {name for symbol in api.symbols for name in symbol.exports}
    libraries, folders, gaps = read_gaps(os.path.join(folder, "gaps"))
    used, missing, absent = set(), [], []
    for soname, pattern in libraries:
        path = find_library(soname, folders)
        if not path:
            absent.append(soname)
            continue
        names = {name for name in exports(path) if pattern.search(name)}
        open_names = []
        for name in sorted(names - covered):
            gap = next((g for g, _ in gaps if fnmatch.fnmatchcase(name, g)), None)
            used.add(gap)
            if gap is None:
                open_names.append(name)
        missing += ["%s exports %s" % (soname, name) for name in open_names]
        print("%s: %d exports, %d wrapped, %d gaps, %d open" % (
            soname, len(names), len(names & covered), len(names - covered) - len(open_names), len(open_names)))
    for line in missing:
        print(line + ": neither wrapped nor listed in gaps")
    stale = [] if absent else [g for g, _ in gaps if g not in used]
    for gap in stale:
        print("gap %s matches no export that is not wrapped" % gap)
    print("absent: " + " ".join(absent) if absent else "every library was looked at")
    if missing or stale:
        return 1
    return 77 if len(absent) == len(libraries) else 0


if __name__ == "__main__":
    sys.exit(main())
