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
			'range_of("outer")["total_ns"] <= range_of("started")["total_ns"] <= out["took"]' 'ledger("lost") == 0' \
			'[n["text"].partition(":")[0] for n in s["notes"] if n["code"] == "simulated"] == ["roctx"]' \
			'[l["tested_on"] for l in s["ledger"]] == ["simulated"]'
		says "$T/err" "note: roctx: tested on simulated runtimes or devices only"
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

# Is there a library in this machine's ROCm?
no_rocm()
{
	compgen -G '/opt/rocm*/lib/libroctx64.so*' >/dev/null && omit "there is ROCm here"
	ldconfig -p | grep -q 'libroctx64\|rocprofiler-sdk-roctx' && omit "there is ROCTX here"
	return 0
}

NAMES="libroctx64.so libroctx64.so.4 librocprofiler-sdk-roctx.so librocprofiler-sdk-roctx.so.1"

@test "C062 C064 a program that opens the library by name finds it, also where none is installed, as deep as it likes" {
	no_rocm
	for NAME in $NAMES; do
		export NAME
		bare "$BUILD/tests/roctx/named"
		equal "status of $NAME without sonde" 99 "$status"
		traced "$BUILD/tests/roctx/named"
		equal "status of $NAME" 0 "$status"
		check 'range_of("outer")["calls"] == 1' 'range_of("inner")["calls"] == 1' 'range_of("started")["calls"] == 1' \
			'5e6 < range_of("inner")["total_ns"] < out["took"]' 'out["level_outer"] == 0' 'out["level_inner"] == 1' \
			'out["level_popped"] == 1' 'out["level_last"] == 0' 'out["level_none"] == -1' 'ledger("lost") == 0'
	done
}

@test "so does Python" {
	no_rocm
	for NAME in $NAMES; do
		traced "$PYTHON" "$BATS_TEST_DIRNAME/opened.py" "$NAME"
		equal "status of $NAME" 0 "$status"
		check 'range_of("from Python")["calls"] == 1' 'out["level"] == 0' 'out["popped"] == 0' 'out["other"] == 0' \
			'range_of("mark")["kind"] == "mark"'
	done
}

@test "a library that is there is the one that is found" {
	no_rocm
	LD_LIBRARY_PATH=$BUILD/tests/roctx NAME=libroctx64.so.4 traced "$BUILD/tests/roctx/named"
	check 'out["named"] == 7' 'out["id"] == 42' 'range_of("inner")["calls"] == 1'
}

@test "what nobody opens is not there: neither its names nor its variables" {
	no_rocm
	traced "$PYTHON" -c 'import ctypes, os
print("found=%d" % hasattr(ctypes.CDLL(None), "roctxMarkA")); print("path=%d" % ("LD_LIBRARY_PATH" in os.environ))'
	check 'out["found"] == 0' 'out["path"] == 0'
	NAME=libroctx64.so traced -b mpi "$BUILD/tests/roctx/named"
	equal status 99 "$status"
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
