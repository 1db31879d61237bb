#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""layers.py ROOT: who may include whom, and who may name a runtime.

Data flows backends -> record (or sample) -> files -> read -> analyze -> views -> cli. The halves meet in
format/ only: offline code never includes the recorder, the recorder never includes offline code.
Outside backends/ no code names a runtime, not even in a comment: what such code needs to know of one comes
from the recording or from generated tables.
"""

import os
import re
import sys

from common import finish, own_files, read_lines

MAY_INCLUDE = {
    "format": {"format"},
    "record": {"format", "record"},
    "sample": {"format", "sample"},
    "backends": {"format", "record", "sample"},
    "base": {"base"},
    "read": {"base", "format", "read"},
    "analyze": {"base", "format", "read", "analyze"},
    "views": {"base", "format", "read", "analyze", "views"},
    "cli": {"base", "format", "read", "analyze", "views", "cli"},
}
# of record/, backends see these two alone
BACKEND_HEADERS = {"record/rec.h", "record/rec_hot.h", "record/rec_tools.h"}

NAMELESS = set(MAY_INCLUDE) - {"backends"}
RUNTIMES = re.compile(
    r"(?<![A-Za-z])(?:lib)?(?:(?:open|intel)?mpi(?:ch|cc)?|mvapich\d?|opencl|pocl|ocl-?icd|cuda|cupti|nvidia|nvml|nvtx"
    r"|nccl|rccl|rocm|rocprof\w*|roctx|hip|hsa|sycl|occa|kokkos|openmp|ompt|omp|ittnotify|level[ _-]?zero)"
    r"(?![A-Za-z])", re.I)
SYMBOLS = re.compile(
    r"(?<![A-Za-z0-9_])(?:P?MPIX?_[A-Za-z]\w*|P?mpi_\w+|O?MPI_MCA_\w+|OMPI_\w+|PMIX?_\w+|SLURM_\w+|PALS_\w+"
    r"|cl[A-Z]\w+|cl_[a-z]\w+|CL_[A-Z]\w+|cu[A-Z]\w+|cuda[A-Z]\w+|hip[A-Z]\w+|hsa_\w+|ze[A-Z]\w+|zes?_\w+"
    r"|ompt_\w+|omp_\w+|__tgt_\w+)")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def include_finding(root, path, folder, included):
    """What is wrong with an #include "..." of a file in src/folder, or None."""
    own = os.path.dirname(path)
    top = included.split("/")[0]
    if "/" not in included:
        if os.path.exists(os.path.join(root, own, included)):
            return None
        elsewhere = [name for name in MAY_INCLUDE if os.path.exists(os.path.join(root, "src", name, included))]
        if elsewhere:
            return "%s belongs to %s/: name the folder" % (included, elsewhere[0])
        return None  # generated
    if top == "sonde":
        return None  # installed headers know nothing of src/
    if top == "backends":
        if folder == "backends" and included.split("/")[1] == path.split(os.sep)[2]:
            return None
        return "nobody includes a backend"
    if top not in MAY_INCLUDE:
        return "%s is no folder of src/" % top
    if top not in MAY_INCLUDE[folder]:
        return "%s/ may not include %s/" % (folder, top)
    if folder == "backends" and top == "record" and included not in BACKEND_HEADERS:
        return "backends include rec.h, rec_hot.h and rec_tools.h alone, not %s" % included
    return None


def check_file(root, path):
    folder = path.split(os.sep)[1]
    findings = []
    if folder not in MAY_INCLUDE:
        return ["%s: %s is no folder of the house" % (path, folder)]
    for number, line in enumerate(read_lines(root, path), 1):
        match = INCLUDE.match(line)
        wrong = include_finding(root, path, folder, match.group(1)) if match else None
        if wrong:
            findings.append("%s:%d: %s" % (path, number, wrong))
        if folder in NAMELESS:
            for pattern in (RUNTIMES, SYMBOLS):
                named = pattern.search(line)
                if named:
                    findings.append("%s:%d: names a runtime: %s" % (path, number, named.group(0)))
    return findings


def main():
    root = sys.argv[1]
    paths = [path for path in own_files(root, (".c", ".h", ".S"), ("src",)) if path.count(os.sep) > 1]
    findings = []
    for path in paths:
        if os.path.join("src", "backends") in path and os.sep + "tests" + os.sep in path:
            continue  # test programs are not part of the house
        findings += check_file(root, path)
    finish(findings, len(paths), "source files")


if __name__ == "__main__":
    main()
