#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Ranges of NVTX: through the stand-in client, and where there is one through the vendor's header.
SRC=$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)
load ../../../../tests/cli/lib
LIB=$SRC/tests/cli

PROGRAMS=$BUILD/tests/nvtx

@test "calls, total and self are what the program's own clock says" {
	traced "$PROGRAMS/ranges" times
	check 'out["attached"] == 1' 'range_of("outer")["calls"] == 3' 'range_of("inner")["calls"] == 6' \
		'all(out[n + "_in"] * 0.9999 <= range_of(n)["total_ns"] <= out[n] * 1.0001 for n in ("whole", "outer", "inner"))' \
		'abs(range_of("outer")["self_ns"] - range_of("outer")["total_ns"] + range_of("inner")["total_ns"]) <= 2' \
		'range_of("inner")["self_ns"] == range_of("inner")["total_ns"]' \
		'range_of("whole")["calls"] == 1' \
		'range_of("tick")["kind"] == "mark"' 'range_of("tick")["calls"] == 6' \
		'range_of("tick")["total_ns"] == 0'
}

@test "a range is no call: it is in no table of calls and no share of the time" {
	traced "$PROGRAMS/ranges" times
	check 's["calls"] == []' 'ns("host") > 40e6' 'ns("other_api") == 0' 's["lower_bound"] is False' \
		'ledger("recorded", "nvtx") == 16' 'ledger("lost") == 0'
}

@test "names of any bytes come out as they went in" {
	traced "$PROGRAMS/ranges" names
	"$PYTHON" - "$T/summary.json" <<-'EOF'
		import json, sys
		names = sorted(r["name"] for r in json.load(open(sys.argv[1]))["ranges"])
		longest = (b'"\\\n\xff\xc3(%s,\t' * 410)[:4096].decode(errors="replace")
		expected = sorted([longest, "w\xe9\u20ac\U0001f600", "unnamed", 'caf\xe9 "quoted", \\ and, comma', 'mark "one"'])
		assert names == expected, names
	EOF
	check 'range_of("unnamed")["calls"] == 2'
}

@test "objects share domains; domains need not nest" {
	traced "$PROGRAMS/ranges" domains
	check 'out["one_handle"] == 1' 'out["level"] == 0' 'range_of("alpha:registered")["calls"] == 1' \
		'range_of("plain")["calls"] == 1' \
		'5e6 < range_of("alpha:first")["total_ns"]' '10e6 < range_of("beta:second")["total_ns"]' \
		'range_of("beta:second")["self_ns"] == range_of("beta:second")["total_ns"]' \
		'range_of("alpha:first")["self_ns"] < range_of("alpha:first")["total_ns"] - 5e6'
}

@test "C142 a range lasts until its pop: three deep, in several threads, by the program's own clock" {
	for mode in "" -l; do
		traced $mode -o "$T/rec" -- "$PROGRAMS/ranges" deep 4
		check 'all(range_of("deep %d" % i)["calls"] == 4 for i in range(3))' \
			'out["outer_in"] - 1e5 <= range_of("deep 0")["total_ns"] <= out["outer"] + 1e5' \
			'out["inner_in"] - 1e5 <= range_of("deep 2")["total_ns"] <= out["inner"] + 1e5' \
			'400e6 <= range_of("deep 2")["total_ns"]' 'range_of("deep 2")["total_ns"] <= range_of("deep 1")["total_ns"]' \
			'all(range_of("deep %d" % i)["unfinished"] == 0 for i in range(3))'
		rm -rf "$T/rec"
	done
}

@test "C143 a push and a pop answer with the level of their range, recorded or not" {
	for mode in "" -l -t --start-paused; do
		traced $mode -o "$T/rec" -- "$PROGRAMS/ranges" deep 4
		grep -qx right_levels=28 "$T/out"
		rm -rf "$T/rec"
	done
	bare "$PROGRAMS/ranges" deep 1
	grep -qx right_levels=1 "$T/bare.out"
}

@test "C142 a range that is left open is told, with its time so far, whatever the end" {
	for how in return _exit abort segv; do
		traced "$PROGRAMS/ranges" open "$how"
		check 'range_of("main")["unfinished"] == 1' 'range_of("main")["open_ns"] > 19e6' \
			'range_of("last")["open_ns"] > 19e6' 'range_of("main")["calls"] == 0'
		grep -q 'main (not ended' "$T/err"
	done
}

@test "threads have ranges of their own under one name" {
	traced "$PROGRAMS/ranges" threads 8
	check 'range_of("shared")["calls"] == 800' \
		'all(range_of("thread %d" % i)["calls"] == 1 for i in range(8))'
}

@test "names beyond what is kept are lost, counted and told" {
	traced "$PROGRAMS/ranges" many
	check 'ledger("lost", "nvtx") == 1500 - 1024' 'ledger("recorded", "nvtx") == 1024' \
		'"range_names" in notes' 's["lower_bound"]' \
		'any("calls of layers" in note["text"] for note in s["notes"])'
}

@test "device time counts for the ranges that the work was started in" {
	need opencl
	traced "$PROGRAMS/device"
	check 'near(range_of("first")["device_ns"], out["first"], 1e-6, 16)' \
		'near(range_of("second")["device_ns"], out["second"], 1e-6, 16)' \
		'range_of("both")["device_ns"] == range_of("first")["device_ns"] + range_of("second")["device_ns"]' \
		'range_of("whole")["device_ns"] == range_of("both")["device_ns"]'
}

@test "streams hold ranges as nested slices, marks as instants, and other readers agree" {
	traced -l -o "$T/rec" -- "$PROGRAMS/ranges" times
	report --streams "$T/rec"
	check 'range_of("outer")["calls"] == 3' 's["calls"] == []'
	"$SONDE" print "$T/rec" >"$T/print"
	equal "lines" 26 "$(grep -c nvtx: "$T/print")" # 9 pairs, 6 marks, a start and an end
	grep -q '= nvtx:tick$' "$T/print"
	grep -q 'nvtx:whole starts as range' "$T/print"
	for format in csv json chrome speedscope; do
		"$SONDE" export "$T/rec" --to "$format" -o "$T/$format"
		grep -rq tick "$T/$format" || [ "$format" = speedscope ]
	done
	"$SONDE" timeline "$T/rec" -o "$T/t.pftrace"
	"$PYTHON" -B "$LIB/pftrace.py" "$T/t.pftrace" >"$T/counts"
	"$PYTHON" - "$T/counts" <<-'EOF'
		import json, sys
		names = json.load(open(sys.argv[1]))["names"]
		assert names["outer"] == 3 and names["inner"] == 6, names
	EOF
	if command -v babeltrace2 >/dev/null; then
		babeltrace2 "$T"/rec/*/ctf >"$T/ctf"
		equal "entries" 6 "$(grep -c 'nvtx:inner_entry' "$T/ctf")"
		equal "exits" 6 "$(grep -c 'nvtx:inner_exit' "$T/ctf")"
		equal "marks" 6 "$(grep -c 'nvtx:tick' "$T/ctf")"
		equal "ends" 2 "$(grep -c 'nvtx:whole_range' "$T/ctf")"
	fi
}

@test "names of any bytes pass through streams and other readers" {
	traced -t -o "$T/rec" -- "$PROGRAMS/ranges" names
	"$SONDE" print --json "$T/rec" >"$T/lines"
	"$PYTHON" - "$T/lines" <<-'EOF'
		import json, sys
		lines = [json.loads(line) for line in open(sys.argv[1])]
		assert sum(line["type"] == "entry" for line in lines) == 5, lines
		assert any(len(line.get("function", "")) > 3000 for line in lines)
	EOF
	"$SONDE" timeline "$T/rec" -o "$T/t.pftrace"
	"$PYTHON" -B "$LIB/pftrace.py" "$T/t.pftrace" >/dev/null
	if command -v babeltrace2 >/dev/null; then
		babeltrace2 "$T"/rec/*/ctf >"$T/ctf"
		equal "events" 11 "$(grep -c nvtx: "$T/ctf")"
		grep -qF 'nvtx:mark "one"' "$T/ctf"
	fi
}

@test "ranges that do not nest are told as they were by the tally, and in pieces by streams" {
	traced -l -o "$T/rec" -- "$PROGRAMS/ranges" domains
	check 'range_of("beta:second")["calls"] == 1'
	"$SONDE" print "$T/rec" >"$T/print"
	equal "pieces" 2 "$(grep -c '> nvtx:beta:second' "$T/print")"
	! grep -q '?$' "$T/print"
}

@test "another tool's injection stays the user's, and -b nvtx takes it" {
	NVTX_INJECTION64_PATH=/nonexistent/tool.so traced "$PROGRAMS/ranges" times
	check 'out["attached"] == 0' 's["ranges"] == []'
	equal "lines about it" 1 "$(grep -c 'NVTX_INJECTION64_PATH is set to /nonexistent/tool.so and stays so' "$T/err")"
	NVTX_INJECTION64_PATH=/nonexistent/tool.so traced -b nvtx "$PROGRAMS/ranges" times
	check 'out["attached"] == 1' 'range_of("outer")["calls"] == 3'
}

@test "a program without ranges leaves no trace of them, and -b without nvtx attaches nothing" {
	traced -b mpi "$PROGRAMS/ranges" times
	check 'out["attached"] == 0'
}

@test "the vendor's own header finds us" {
	[ -x "$PROGRAMS/vendor" ] || omit "no NVTX header"
	traced "$PROGRAMS/vendor"
	check 'out["level"] == 0' 'range_of("outer")["calls"] == 1' 'range_of("domain:inner")["calls"] == 1' \
		'range_of("domain:started")["calls"] == 1' 'range_of("mark")["kind"] == "mark"'
}
