#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""exports.py FOLDER BACKENDS: our libraries define only symbols that are meant to be seen.

Every other name could stand in for one of the program's own. libsonde.so: rec_* for the wrapper objects and
what it overrides of libc. libsonde-<api>.so: the functions of BACKENDS/<api>/<api>.api in all spellings, and the
names of `exports` lines in attach.conf.
"""

import glob
import os
import re
import sys

from common import finish, run

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
    """Lower-case names that a wrapper object may define: functions of the API and extra exports."""
    folder = os.path.join(backends, api)
    with open(os.path.join(folder, api + ".api")) as stream:
        names = set(re.findall(r"\b[A-Za-z_]\w+", stream.read()))
    with open(os.path.join(folder, "attach.conf")) as stream:
        for line in stream:
            if line.split()[:1] == ["exports"]:
                names.update(line.split("#")[0].split()[1:])
    return {name.lower() for name in names}


def is_of_api(name, names):
    """MPI-like APIs have profiling names and several Fortran spellings of one function."""
    name = name.lower()
    spellings = {name, name[1:] if name.startswith("p") else name}
    spellings |= {re.sub("^mpi_", "mpix_", spelling) for spelling in spellings}  # Fortran names drop the X
    for candidate in spellings:
        for pattern in (r"_{1,2}$", r"_(?:f08|f08ts|f|fts|cdesc|cptr|f90)(?:_large)?_{0,2}$", r""):
            if re.sub(pattern, "", candidate) in names:
                return True
    return False


def check_library(path, backends):
    library = os.path.basename(path)
    api = re.match(r"libsonde-?(.*)\.so$", library).group(1)
    if not api:
        return ["%s: exports %s" % (library, name) for name in exported(path)
                if not name.startswith("rec_") and name not in LIBC_OVERRIDES]
    names = api_names(backends, api)
    return ["%s: exports %s" % (library, name) for name in exported(path) if not is_of_api(name, names)]


def main():
    libraries = sorted(glob.glob(os.path.join(sys.argv[1], "libsonde*.so")))
    findings = []
    for path in libraries:
        findings += check_library(path, sys.argv[2])
    finish(findings, len(libraries), "libraries")


if __name__ == "__main__":
    main()
