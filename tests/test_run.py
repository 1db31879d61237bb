#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the closing line of run.py counts."""

import unittest

import run


def total(verdict, *lines):
    return run.total({"t": verdict}, {"t": list(lines)})


class Counting(unittest.TestCase):
    def test_bats_cases_are_counted_one_by_one(self):
        count = total("Failed", "1..3", "ok 1 a", "not ok 2 b", "ok 3 c # skip no reason")
        self.assertEqual(count, {"passed": 1, "failed": 1, "skipped": 1})

    def test_a_failed_cmocka_case_is_counted_once(self):
        count = total("Failed", "[ RUN      ] a_b", "[  FAILED  ] a_b", "[       OK ] c", "[  PASSED  ] 1 test(s).",
                      "[  FAILED  ] tests: 1 test(s), listed below:", "[  FAILED  ] a_b")
        self.assertEqual(count, {"passed": 1, "failed": 1, "skipped": 0})

    def test_unittest_cases_are_counted(self):
        count = total("Passed", "test_a (__main__.A.test_a) ... ok", "test_b (__main__.A.test_b) ... skipped 'x'")
        self.assertEqual(count, {"passed": 1, "failed": 0, "skipped": 1})

    def test_a_program_that_crashes_after_passed_cases_has_failed(self):
        self.assertEqual(total("Exception: SegFault", "ok 1 a"), {"passed": 1, "failed": 1, "skipped": 0})

    def test_a_timeout_counts_as_failed(self):
        self.assertEqual(total("Timeout")["failed"], 1)

    def test_a_test_that_could_not_be_started_counts_as_failed(self):
        self.assertEqual(total("Not Run")["failed"], 1)

    def test_a_skipped_program_is_one_skipped_case(self):
        self.assertEqual(total("Skipped"), {"passed": 0, "failed": 0, "skipped": 1})

    def test_a_silent_program_is_one_case(self):
        self.assertEqual(total("Passed", "whatever it prints"), {"passed": 1, "failed": 0, "skipped": 0})

    def test_result_lines_of_ctest_are_understood(self):
        for line, verdict in ((" 1/12 Test #1: unit.tally ........   Passed    0.01 sec", "Passed"),
                              ("12/12 Test #12: cli.run ...***Failed    1.00 sec", "***Failed"),
                              ("12/12 Test #12: cli.run ...***Exception: SegFault  1.00 sec", "***Exception: SegFault"),
                              (" 2/12 Test #2: mpi.x ......***Timeout 300.01 sec", "***Timeout")):
            match = run.RESULT.match(line)
            self.assertEqual(match.group(2), verdict)

    def test_a_test_that_fails_twice_has_failed_and_one_that_does_not_is_named(self):
        verdicts = {"wrong": "Failed", "busy": "Failed", "fine": "Passed"}
        output = {"wrong": ["not ok 1 a"], "busy": ["not ok 1 a", "ok 2 b"], "fine": ["ok 1 a"]}
        seconds = {"wrong": (8, {"wrong": "Failed"}, {"wrong": ["not ok 1 a"]}),
                   "busy": (0, {"busy": "Passed"}, {"busy": ["ok 1 a", "ok 2 b"]})}
        self.assertEqual(run.again(["wrong", "busy"], verdicts, output, seconds.get), ["busy"])
        self.assertEqual(run.total(verdicts, output), {"passed": 3, "failed": 1, "skipped": 0})

    def test_a_test_that_does_not_run_again_has_failed(self):
        verdicts, output = {"t": "Timeout"}, {"t": []}
        self.assertEqual(run.again(["t"], verdicts, output, lambda name: (0, {}, {})), [])
        self.assertEqual(run.total(verdicts, output)["failed"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
