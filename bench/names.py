#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""names.py BACKEND_FOLDER KINDS API_H OUT.h: functions of the API that may be called without arguments,
because no hook looks at them, as two lists for macros: BENCH_ALL, and BENCH_REST of those that API_H lacks."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "tools"))
sys.dont_write_bytecode = True

import apigen  # noqa: E402

HOOKED = {"enter", "leave", "opens"}


def names(folder, kinds):
    api = apigen.load(folder, kinds)
    return sorted({symbol.name for symbol in api.symbols if symbol.variant.number == 0 and not symbol.variadic and
                   symbol.name.startswith("MPI_") and not symbol.function.flags & HOOKED and
                   api.width(symbol.function.result) != "f64"})


def macro(name, functions):
    return "#define %s(X) \\\n%s\n" % (name, " \\\n".join("\tX(%s)" % function for function in functions))


def main():
    folder, kinds, header, out = sys.argv[1:]
    with open(header) as stream:
        text = stream.read()
    declared = set(re.findall(r"\b(MPI_\w+)\(", text))    # with arguments
    listed = set(re.findall(r"X\((MPI_\w+)\)", text))
    found = [name for name in names(folder, kinds) if name not in declared]
    with open(out, "w") as stream:
        stream.write("/* Made by bench/names.py. */\n" + macro("BENCH_ALL", found) +
                     macro("BENCH_REST", [name for name in found if name not in listed]))


if __name__ == "__main__":
    main()
