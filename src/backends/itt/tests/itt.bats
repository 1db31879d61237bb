#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Tasks, regions, frames and markers of ITT, through a stand-in for its stub.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib

@test "tasks are ranges of their domain, regions and frames ranges of the process, markers marks" {
	traced "$BUILD/tests/itt/client"
	check 'out["attached"] == 1' 'out["one_handle"] == 1' 'out["left_alone"] == 1' \
		'sorted((r["name"], r["kind"], r["calls"]) for r in s["ranges"]) == [("first:frame", "range", 1),
			("first:step", "mark", 1), ("first:step", "range", 1), ("second:region", "range", 1),
			("second:step", "range", 1)]'
}

@test "their times are the program's own" {
	traced "$BUILD/tests/itt/client"
	check 'all(ms <= r["total_ns"] <= out[n] for n, ms in (("first", 5e6), ("second", 10e6)) for r in s["ranges"]
			if r["name"] == n + ":step" and r["kind"] == "range")' \
		'range_of("second:region")["total_ns"] > 10e6' 's["calls"] == []' 'ledger("lost") == 0'
}

@test "another tool's collector stays the user's" {
	INTEL_LIBITTNOTIFY64=/nonexistent/tool.so traced "$BUILD/tests/itt/client"
	check 'out["attached"] == 0' 's["ranges"] == []'
	grep -q 'INTEL_LIBITTNOTIFY64 is set to' "$T/err"
}

@test "C145 __itt_pause and __itt_resume are a switch, with and without the ranges of ITT" {
	traced --start-paused "$BUILD/tests/itt/client" control
	check 'range_of("first:recorded")["calls"] == 2' 'len(s["ranges"]) == 1' '50e6 < s["run"]["paused_ns"] < s["run"]["wall_ns"]'
	traced "$BUILD/tests/itt/client" control
	check '[r["name"] for r in s["ranges"]] == ["first:at first", "first:recorded"]'
	traced -b mpi --start-paused "$BUILD/tests/itt/client" control
	check 'out["attached"] == 1' 's["ranges"] == []'
}
