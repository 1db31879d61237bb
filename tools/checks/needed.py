#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""needed.py FOLDER: what our libraries bring into the traced process.

Reads each libsonde*.so in FOLDER with readelf: it needs libc (and libsonde.so) alone, uses at most 128 bytes
of static TLS (what dlopen can still place), has no executable stack and no text relocations,
refers to _r_debug weakly (else it needs ld-linux, which musl children do not have), and stays loaded.
"""

import glob
import os
import re
import sys

from common import finish, run

# glibc before 2.34 has parts of libc in libdl and libpthread
LIBC = {"libc.so.6", "libdl.so.2", "libpthread.so.0"}
TLS_BYTES = 128


def check_dynamic(text, name):
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", text))
    allowed = LIBC if name == "libsonde.so" else LIBC | {"libsonde.so"}
    for library in sorted(needed - allowed):
        yield "needs %s" % library
    if "TEXTREL" in text:
        yield "has text relocations"
    if not re.search(r"FLAGS_1.*NODELETE", text):
        yield "can be unloaded while the program is inside it: link with -z nodelete"


def check_segments(text):
    for line in text.splitlines():
        fields = line.split()
        if line.startswith("  TLS ") and int(fields[5], 16) > TLS_BYTES:
            yield "uses %d bytes of TLS, at most %d" % (int(fields[5], 16), TLS_BYTES)
        if line.startswith("  GNU_STACK ") and "E" in fields[6]:
            yield "wants an executable stack"


def check_symbols(text):
    for line in text.splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[6] == "UND" and fields[7].split("@")[0] == "_r_debug" and fields[4] != "WEAK":
            yield "refers to _r_debug strongly"


def check_library(path):
    name = os.path.basename(path)
    findings = list(check_dynamic(run("readelf", "-Wd", path), name))
    findings += check_segments(run("readelf", "-Wl", path))
    findings += check_symbols(run("readelf", "-W", "--dyn-syms", path))
    return ["%s: %s" % (name, finding) for finding in findings]


def main():
    libraries = sorted(glob.glob(os.path.join(sys.argv[1], "libsonde*.so")))
    findings = []
    for path in libraries:
        findings += check_library(path)
    finish(findings, len(libraries), "libraries")


if __name__ == "__main__":
    main()
