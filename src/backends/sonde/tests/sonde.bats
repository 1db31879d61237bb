#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# sonde's own header.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib

PROGRAMS=$BUILD/tests/sonde

@test "ranges and marks are recorded, from today's header and from the one of version 1" {
	for program in now fixed frozen; do
		traced "$PROGRAMS/$program"
		check 'out["tool"] == 1' 'range_of("outer")["calls"] == 1' '5e6 < range_of("inner")["total_ns"] < out["took"]' \
			'2e6 < range_of("scope")["total_ns"] < out["took"]' 'range_of("mark")["kind"] == "mark"' \
			'7e6 < range_of("outer")["total_ns"] <= range_of("started")["total_ns"] <= out["took"]' 's["calls"] == []' 'ledger("lost") == 0'
	done
}

@test "without sonde the header needs nothing and does nothing" {
	for program in now fixed frozen; do
		bare "$PROGRAMS/$program"
		equal status 0 "$status"
		grep -qx tool=0 "$T/bare.out"
		equal needed "" "$(readelf -d "$PROGRAMS/$program" | grep NEEDED | grep -v 'libc.so')"
	done
	traced -b nvtx "$PROGRAMS/now"
	check 'out["tool"] == 0'
}

@test "a program names its rank where nobody else does" {
	traced "$PROGRAMS/now" 3 8
	check 's["processes"][0]["rank"] == 3'
}

@test "a range that an exception leaves has ended" {
	[ -x "$PROGRAMS/scope" ] || omit "no C++ compiler"
	traced "$PROGRAMS/scope"
	check 'range_of("left by an exception")["calls"] == 1' 'range_of("main")["calls"] == 1' \
		'range_of("left by an exception")["unfinished"] == 0'
}
