#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""aarch64.py BUILD [COMPILER]: what enters the traced process compiles and links for aarch64, too.

Takes the recorder, the backends and all generated code as the build compiles them (compile_commands.json), with the
cross compiler in place of the native one; hand-written assembly is taken from its aarch64 file. The generated
wrappers are compiled without optimisation: it is a matter of minutes with it.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from common import SKIPPED, finish

LIBRARY = re.compile(r"CMakeFiles/(sonde_record|sonde-[a-z0-9]+)(?:_wrappers)?\.dir/")


def translated(entry, compiler, output):
    """Command line of an entry of compile_commands.json for the cross compiler."""
    words = shlex.split(entry["command"])
    result = [compiler]
    skip = 0
    for word in words[1:]:
        if skip:
            skip -= 1
        elif word == "-o":
            skip = 1
        elif word.startswith(("-march", "-mtune", "-fsanitize", "--coverage")):
            continue
        else:
            result.append(word)
    if "generated" in entry["file"] or not entry["file"].endswith((".c", ".S")):
        result.append("-O0")
    return result + ["-Werror", "-o", output]


def objects_by_library(build):
    with open(os.path.join(build, "compile_commands.json")) as stream:
        entries = json.load(stream)
    result = {}
    for entry in entries:
        match = LIBRARY.search(entry["command"])
        if match:
            result.setdefault(match.group(1), []).append(entry)
    return result


def compile_library(entries, compiler, folder):
    objects, findings = [], []
    for number, entry in enumerate(entries):
        output = os.path.join(folder, "%d.o" % number)
        done = subprocess.run(translated(entry, compiler, output), cwd=entry["directory"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, universal_newlines=True)
        objects.append(output)
        if done.returncode:
            findings.append("%s:\n%s" % (entry["file"], done.stdout[:2000]))
    return objects, findings


def main():
    build = sys.argv[1]
    compiler = sys.argv[2] if len(sys.argv) > 2 else "aarch64-linux-gnu-gcc"
    if not shutil.which(compiler):
        print("%s is missing" % compiler)
        sys.exit(SKIPPED)
    findings, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        libraries = objects_by_library(build)
        for name in sorted(libraries, key=lambda name: (name != "sonde_record", name)):
            inside = os.path.join(folder, name)
            os.mkdir(inside)
            objects, wrong = compile_library(libraries[name], compiler, inside)
            findings += wrong
            count += len(objects)
            if wrong:
                continue
            output = os.path.join(folder, "lib%s.so" % name)
            others = [] if name == "sonde_record" else [os.path.join(folder, "libsonde_record.so")]
            done = subprocess.run([compiler, "-shared", "-Wl,--no-undefined", "-o", output] + objects + others,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
            if done.returncode:
                findings.append("%s does not link:\n%s" % (name, done.stdout[:2000]))
    finish(findings, count, "files")


if __name__ == "__main__":
    main()
