#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Tasks, regions, frames and markers of ITT, through a stand-in for its stub.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib
LIB=$SRC/tests/cli

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

@test "loops and graphs of oneTBB are ranges, and the bodies of a graph" {
	[ -x "$BUILD/tests/itt/tbb" ] || omit "no oneTBB (libtbb-dev) or no C++ compiler"
	for mode in "" -l; do
		traced $mode -o "$T/rec" -- "$BUILD/tests/itt/tbb"
		check 'out["sum"] == 499500 + 4950 + 100' '{r["name"]: r["calls"] for r in s["ranges"]} == {"tbb:tbb_parallel_for": 1,
				"tbb:tbb_flow_graph": 1, "tbb.flow:body": 200}' 'ledger("lost") == 0' 's["lower_bound"] is False'
		rm -rf "$T/rec"
	done
}

@test "counters of each type have least, greatest and mean, from one thread or sixteen, with and without streams" {
	for mode in "" -l; do
		traced $mode -o "$T/rec" -- "$BUILD/tests/itt/client" values
		check 'out["one_counter"] == 1' '{c["name"]: (c["min"], c["max"], c["samples"], c["backend"])
				for c in s["counters"]} == {"queue:depth": (1, 42, 5, "itt"), "level": (-2.25, 1, 3, "itt"),
				"queue:small": (-300, 7, 2, "itt"), "queue:single": (0.1, 0.1, 1, "itt"),
				"stub:early": (1, float(2**64), 2, "itt"), "first:by name": (6, 6, 1, "itt"),
				"queue:shared": (1, 16000, 16000, "itt")}' \
			'{c["name"]: c["mean"] for c in s["counters"]}["queue:shared"] == 8000.5' \
			'{c["name"]: c["mean"] for c in s["counters"]}["level"] == -0.25' \
			'range_of("first:pair")["calls"] == 2' 's["lower_bound"] is False' 's["calls"] == []'
		rm -rf "$T/rec"
	done
	grep -q '^ *-300 *-146.5 *7 *2 *queue:small *itt' "$T/err"
}

@test "counters are tracks of the timeline, metadata marks with a value, and exports have both" {
	traced -l -o "$T/rec" -- "$BUILD/tests/itt/client" values
	"$SONDE" print "$T/rec" | sed 's/^.*= itt:/= itt:/' >"$T/print"
	for line in '= itt:queue:depth(value=42)' '= itt:level(value=-2.25)' '= itt:stub:early(value=18446744073709551615)' \
		'= itt:first:size(payload=-5)' '= itt:first:file(payload="a \"b\".c")'; do
		grep -qxF -- "$line" "$T/print" || { echo "missing: $line"; return 1; }
	done
	"$SONDE" print "$T/rec" | grep -q '(main "one") '
	"$SONDE" timeline "$T/rec" -o "$T/t.pftrace"
	"$PYTHON" -B "$LIB/pftrace.py" "$T/t.pftrace" >"$T/counts"
	"$SONDE" export "$T/rec" --to csv -o "$T/csv"
	"$SONDE" export "$T/rec" --to chrome -o "$T/chrome"
	"$PYTHON" - "$T" <<-'EOF'
		import csv, json, sys
		counts = json.load(open(sys.argv[1] + "/counts"))
		assert set(counts["counter_tracks"]) >= {"queue:depth", "level", "queue:small", "stub:early"}, counts
		assert counts["counters"] == 16000 + 5 + 3 + 2 + 1 + 2 + 1, counts
		assert counts["instants"] == 4, counts
		rows = [row for row in csv.DictReader(open(sys.argv[1] + "/csv")) if row["type"] == "counter"]
		assert [float(row["value"]) for row in rows if row["name"] == "queue:depth"] == [1, 2, 3, 2, 42], rows[:9]
		chrome = [e for e in json.load(open(sys.argv[1] + "/chrome"))["traceEvents"] if e["ph"] == "C"]
		assert [e["args"] for e in chrome if e["name"] == "level"] == [{"value": v} for v in (0.5, -2.25, 1)]
	EOF
	if command -v babeltrace2 >/dev/null; then
		babeltrace2 "$T"/rec/*/ctf >"$T/ctf"
		grep -q 'itt:queue:small.*value = { -300 }' "$T/ctf"
	fi
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
	check 'sorted(r["name"] for r in s["ranges"]) == ["first:at first", "first:recorded"]'
	traced -b mpi --start-paused "$BUILD/tests/itt/client" control
	check 'out["attached"] == 1' 's["ranges"] == []'
}
