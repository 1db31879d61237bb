#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Ranges of ROCTX, with a stand-in for its library, linked and opened at run time.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib

@test "five functions make ranges and marks, and no calls" {
	for program in linked opened; do
		traced "$BUILD/tests/roctx/$program"
		check 'range_of("outer")["calls"] == 1' 'range_of("inner")["calls"] == 1' 'range_of("started")["calls"] == 1' \
			'range_of("mark")["kind"] == "mark"' 's["calls"] == []' '"negative" not in notes' \
			'abs(range_of("outer")["self_ns"] - range_of("outer")["total_ns"] + range_of("inner")["total_ns"]) <= 2' \
			'5e6 < range_of("inner")["total_ns"] < out["took"]' \
			'range_of("outer")["total_ns"] <= range_of("started")["total_ns"] <= out["took"]' 'ledger("lost") == 0'
	done
}

@test "the program gets the library's own answers" {
	for program in linked opened; do
		bare "$BUILD/tests/roctx/$program"
		traced "$BUILD/tests/roctx/$program"
		diff <(grep -v took "$T/bare.out") <(grep -v took "$T/out")
	done
}

@test "a thread has the name that roctxNameOsThread gives it" {
	for program in linked opened; do
		traced -l -o "$T/$program" -- "$BUILD/tests/roctx/$program"
		check 'out["named"] == 7'
		"$SONDE" print "$T/$program" | grep -q '(the only "one") - = roctx:mark$'
	done
}

@test "C145 roctxProfilerPause and Resume count, with and without the ranges of ROCTX" {
	for program in linked opened; do
		traced --start-paused "$BUILD/tests/roctx/$program" control
		check '[(r["name"], r["calls"]) for r in s["ranges"]] == [("recorded", 1)]' 'out["paused"] == 0' \
			'out["resumed"] == 0' '30e6 < s["run"]["paused_ns"] < s["run"]["wall_ns"]'
		traced -b mpi --start-paused "$BUILD/tests/roctx/$program" control
		check 's["ranges"] == []'
	done
}
