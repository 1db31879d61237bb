# SPDX-License-Identifier: BSD-3-Clause
"""What all checks share: the list of our own files, and how a finding is told."""

import os
import subprocess
import sys

SKIPPED = 77  # exit status of a check whose tool is missing
FOLDERS = ("src", "include", "tools", "tests", "examples", "bench", "cmake", "packaging", ".ci")


def own_files(root, endings, folders=FOLDERS):
    """Paths relative to root of all files below `folders`, and beside them in root, with one of the endings."""
    found = []
    for name in sorted(os.listdir(root)):
        if os.path.isfile(os.path.join(root, name)) and name.endswith(endings):
            found.append(name)
    for folder in folders:
        for path, subfolders, names in os.walk(os.path.join(root, folder)):
            subfolders[:] = sorted(name for name in subfolders if name not in ("__pycache__", "golden", "corpus"))
            for name in sorted(names):
                if name.endswith(endings):
                    found.append(os.path.relpath(os.path.join(path, name), root))
    return found


def read_lines(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as stream:
        return stream.read().split("\n")


def run(*command):
    """Output of a command; an error of the command ends the check."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode:
        sys.exit("%s: %s" % (" ".join(command), done.stderr.strip()))
    return done.stdout


def finish(findings, looked_at, what):
    """Prints the findings. Having looked at nothing is a finding, too: such a check can never fail."""
    for finding in findings:
        print(finding)
    if not looked_at:
        print("no %s to check" % what)
        sys.exit(1)
    print("%d %s checked, %d findings" % (looked_at, what, len(findings)))
    sys.exit(1 if findings else 0)
