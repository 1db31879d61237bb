#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""exports.py FOLDER BACKENDS: our libraries define only symbols that are meant to be seen.

Every other name could stand in for one of the program's own. libsonde.so: rec_* for the wrapper objects and
what it overrides of libc. libsonde-<api>.so: exactly the names that the generator makes of BACKENDS/<api>/, and
those of `exports` lines in attach.conf.
"""

import glob
import os
import re
import sys

from common import finish, run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import apigen  # noqa: E402
from api_attach import Attach  # noqa: E402

LIBC_OVERRIDES = {
    "dlsym", "dlvsym",                               # symbol look-up by the program
    "_exit", "_Exit", "quick_exit", "abort",         # ends without exit handlers
    "execl", "execle", "execlp", "execv", "execve", "execvp", "execvpe",
    "posix_spawn", "posix_spawnp",                   # starts of programs, noted when they drop our preload
}


def exported(path):
    for line in run("nm", "-D", "--defined-only", path).splitlines():
        yield line.split()[-1].split("@")[0]


def api_names(backends, api):
    """What a wrapper object defines for others: every way to reach a function, and extra exports."""
    folder = os.path.join(backends, api)
    kinds = os.path.join(backends, "..", "format", "kinds.h")
    names = set()
    if os.path.exists(os.path.join(folder, api + ".api")):  # else it wraps nothing
        names = {name for symbol in apigen.load(folder, kinds).symbols for name in symbol.exports}
    return names | set(Attach(os.path.join(folder, "attach.conf")).exports)


def check_library(path, backends):
    library = os.path.basename(path)
    api = re.match(r"libsonde-?(.*)\.so$", library).group(1)
    if not api:
        return ["%s: exports %s" % (library, name) for name in exported(path)
                if not name.startswith("rec_") and name not in LIBC_OVERRIDES]
    wanted, found = api_names(backends, api), set(exported(path))
    return ["%s: exports %s" % (library, name) for name in sorted(found - wanted)] + \
        ["%s: does not export %s" % (library, name) for name in sorted(wanted - found)]


def main():
    libraries = sorted(glob.glob(os.path.join(sys.argv[1], "libsonde*.so")))
    findings = []
    for path in libraries:
        findings += check_library(path, sys.argv[2])
    finish(findings, len(libraries), "libraries")


if __name__ == "__main__":
    main()
