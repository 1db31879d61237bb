#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""When is a goal met, missed, or not resolved?"""

import contextlib
import io
import unittest

from figures import Report, Spread, at_least, at_most, below, differences, ratios


class SpreadTest(unittest.TestCase):
    def test_is_the_median_and_the_middle_half(self):
        spread = Spread([5, 1, 4, 2, 3])
        self.assertEqual((spread.low, spread.median, spread.high), (2, 3, 4))

    def test_lies_between_samples_where_it_must(self):
        spread = Spread([1, 2])
        self.assertEqual((spread.low, spread.median, spread.high), (1.25, 1.5, 1.75))

    def test_of_one_sample_is_that_sample(self):
        spread = Spread([7])
        self.assertEqual((spread.low, spread.median, spread.high), (7, 7, 7))


class VerdictTest(unittest.TestCase):
    def test_is_met_when_the_middle_half_lies_on_the_right_side(self):
        self.assertEqual(at_most(1.35).verdict(Spread([1.1, 1.2, 1.3])), "met")
        self.assertEqual(at_least(5.5).verdict(Spread([6, 7, 8])), "met")

    def test_is_missed_when_it_lies_on_the_wrong_side(self):
        self.assertEqual(at_most(1.35).verdict(Spread([1.4, 1.5, 1.6])), "MISSED")
        self.assertEqual(at_least(5.5).verdict(Spread([3, 4, 5])), "MISSED")

    def test_is_open_when_the_goal_lies_in_it(self):
        self.assertEqual(at_most(1.35).verdict(Spread([1.2, 1.34, 1.5])), "not resolved")

    def test_knows_whether_the_limit_itself_is_allowed(self):
        self.assertEqual(at_most(110).verdict(Spread([110])), "met")
        self.assertEqual(below(110).verdict(Spread([110])), "MISSED")

    def test_one_outlier_does_not_decide(self):
        self.assertEqual(at_most(1.35).verdict(Spread([1.2] * 20 + [9.0])), "met")


class ReportTest(unittest.TestCase):
    def setUp(self):
        self.report, self.output = Report(), io.StringIO()

    def figure(self, *arguments):
        with contextlib.redirect_stdout(self.output):
            self.report.figure(*arguments)

    def test_a_difference_around_nothing_is_said_to_be_none(self):
        self.figure("key", "added", [-1, 0.5, 2], "us")
        self.assertEqual(self.report.rows["key"]["verdict"], "not resolved")

    def test_missed_goals_are_counted(self):
        self.figure("one", "first", [2], "ms", below(1))
        self.figure("two", "second", [2], "ms", below(3))
        with contextlib.redirect_stdout(self.output):
            self.report.close()
        self.assertIn("2 goals: 1 met, 1 missed, 0 not resolved", self.output.getvalue())

    def test_what_is_skipped_is_printed_with_its_reason(self):
        with contextlib.redirect_stdout(self.output):
            self.report.skip("LTTng-UST", "not installed")
        self.assertIn("SKIPPED: not installed", self.output.getvalue())


class PairsTest(unittest.TestCase):
    def test_samples_are_compared_within_their_round(self):
        self.assertEqual(differences([3, 30], [1, 10]), [2, 20])
        self.assertEqual(ratios([3, 30], [1, 10]), [3, 3])

    def test_a_round_without_a_base_gives_no_ratio(self):
        self.assertEqual(ratios([3, 30], [0, 10]), [3])


if __name__ == "__main__":
    unittest.main()
