#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run.py BUILD [JOBS]: runs ctest and ends with the line "N passed, N failed, N skipped".

Counted are single cases: what a test program reports as TAP (bats), in cmocka's or in unittest's
format; any other test is one case. Exit status 1 when anything failed or when there was no test at all.
Where up to AGAIN_MOST tests failed, each runs once more, alone: what a test beside it or a busy machine did to it does
not happen again, what is wrong does. Tests that needed that are named before the last line: they want mending, too.
"""

import os
import re
import shutil
import subprocess
import sys

AGAIN_MOST = 3
RESULT = re.compile(r"^\s*\d+/\d+ Test\s+#\d+: (\S+) \.*\s*(.*?)\s+[\d.]+ sec")
CASES = [  # (pattern of one case in a test's output, outcome)
    (re.compile(r"^ok \d+ .*# skip", re.I), "skipped"),
    (re.compile(r"^ok \d+"), "passed"),
    (re.compile(r"^not ok \d+"), "failed"),
    (re.compile(r"^test_\w+ \(.*\) \.\.\. ok"), "passed"),
    (re.compile(r"^test_\w+ \(.*\) \.\.\. skipped"), "skipped"),
    (re.compile(r"^test_\w+ \(.*\) \.\.\. (FAIL|ERROR)"), "failed"),
    (re.compile(r"^\[ +OK \] "), "passed"),
    (re.compile(r"^\[ +SKIPPED +\] [a-z]\w+$"), "skipped"),
    (re.compile(r"^\[ +FAILED +\] [a-z]\w+$"), "failed"),
]


def outcome(verdict):
    if verdict == "Passed":
        return "passed"
    return "skipped" if "Skipped" in verdict else "failed"


def count_cases(lines):
    """Cases by outcome in the output of one test."""
    count = {"passed": 0, "failed": 0, "skipped": 0}
    seen = set()
    for line in lines:
        result = next((result for pattern, result in CASES if pattern.match(line)), None)
        if result and line not in seen:  # cmocka names a failed case twice
            seen.add(line)
            count[result] += 1
    return count


def outputs(log):
    """Output lines by test name, from ctest's log of the last run."""
    result, name = {}, None
    for line in log:
        match = re.match(r"\d+/\d+ Test: (\S+)", line)
        if match:
            name = match.group(1)
            result[name] = []
        elif name:
            result[name].append(line.rstrip("\n"))
    return result


def total(verdicts, output):
    """Sums over all tests. A test never counts better than ctest's own verdict on it."""
    sums = {"passed": 0, "failed": 0, "skipped": 0}
    for name, verdict in verdicts.items():
        count = count_cases(output.get(name, []))
        if outcome(verdict) == "failed" and not count["failed"]:
            count["failed"] += 1
        if outcome(verdict) == "skipped" or not sum(count.values()):
            count = {key: int(key == outcome(verdict)) for key in count}
        for key in sums:
            sums[key] += count[key]
    return sums


def run(build, *options):
    """What ctest says of each test, and what each has put out."""
    verdicts = {}
    command = ["ctest", "--output-on-failure"] + list(options)
    ctest = subprocess.Popen(command, cwd=build, stdout=subprocess.PIPE, universal_newlines=True, errors="replace")
    for line in ctest.stdout:
        sys.stdout.write(line)
        sys.stdout.flush()
        match = RESULT.match(line)
        if match:
            verdicts[match.group(1)] = match.group(2).lstrip("*").strip()
    status = ctest.wait()
    log = os.path.join(build, "Testing", "Temporary", "LastTest.log")
    with open(log, errors="replace") as stream:
        return status, verdicts, outputs(stream)


def again(names, verdicts, output, run_one):
    """Runs tests a second time; returns those that have not failed then, whose first outcome is replaced."""
    mended = []
    for name in names:
        _, second, second_output = run_one(name)
        if outcome(second.get(name, "Not Run")) == "passed":
            mended.append(name)
            verdicts[name], output[name] = second[name], second_output.get(name, [])
    return mended


def main():
    build = sys.argv[1]
    jobs = sys.argv[2] if len(sys.argv) > 2 else "2"
    options = sys.argv[3:]
    status, verdicts, output = run(build, "-j", jobs, *options)
    failed = [name for name, verdict in verdicts.items() if outcome(verdict) == "failed"]
    if 0 < len(failed) <= AGAIN_MOST:
        log = os.path.join(build, "Testing", "Temporary", "LastTest.log")
        shutil.copyfile(log, log + ".first")
        print("once more, alone: " + " ".join(failed), flush=True)
        mended = again(failed, verdicts, output,
                       lambda name: run(build, *options, "-R", "^" + re.escape(name) + "$"))
        if mended:
            print("passed only at the second try, alone: " + " ".join(mended))
        if mended == failed:
            status = 0
    sums = total(verdicts, output)
    print("%(passed)d passed, %(failed)d failed, %(skipped)d skipped" % sums)
    if status == 0 and not verdicts:
        print("no test was run", file=sys.stderr)
    return 1 if status or sums["failed"] or not verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
