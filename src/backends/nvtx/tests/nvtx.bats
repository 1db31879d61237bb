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
	check 'out["one_handle"] == 1' 'out["shared"] == 0' 'out["level"] == 0' 'range_of("alpha:registered")["calls"] == 1' \
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

@test "names beyond what is kept are counted in one row, and told" {
	traced "$PROGRAMS/ranges" many
	check 'ledger("lost", "nvtx") == 0' 'ledger("recorded", "nvtx") == 1500' 'not s["lower_bound"]' \
		'range_of("(further names)")["calls"] == 1500 - 1024' '"range_names" in notes' \
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
	says "$T/err" "timeline.pftrace: 0 calls, 16 ranges and marks, 0 device operations, "
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
	"$SONDE" timeline "$T/rec" -o "$T/t.pftrace" >"$T/said"
	says "$T/said" "t.pftrace: 0 calls, 16 ranges and marks, 0 device operations, "
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

@test "payloads of each type are in print, in timelines, in exports and for other readers as they were" {
	traced -l -o "$T/rec" -- "$PROGRAMS/told" values
	check 's["lower_bound"] is False' 'len(s["ranges"]) == 11'
	"$SONDE" print "$T/rec" | sed 's/^.* \([>=] nvtx\)/\1/' >"$T/print"
	for line in '> nvtx:u64(payload=18364758544493064720)' '> nvtx:s64(payload=-5000000000)' \
		'> nvtx:f64(payload=0.10000000000000001)' '> nvtx:u32(payload=4000000000)' '> nvtx:s32(payload=-7)' \
		'> nvtx:f32(payload=0.100000001)' '> nvtx:unknown type' '> nvtx:no type' '> nvtx:plain' \
		'= nvtx:mark(payload=-7, category=3)'; do
		grep -qxF -- "$line" "$T/print" || { echo "missing: $line"; return 1; }
	done
	grep -q '^= nvtx:whole(payload=0.10000000000000001, category=4) starts as range' "$T/print"
	grep -q '^= nvtx:whole ends as range' "$T/print"
	"$SONDE" print --json "$T/rec" >"$T/lines"
	"$SONDE" export "$T/rec" --to json -o "$T/json"
	"$SONDE" export "$T/rec" --to chrome -o "$T/chrome"
	"$SONDE" timeline "$T/rec" -o "$T/t.pftrace"
	"$PYTHON" -B "$LIB/pftrace.py" --dump "$T/t.pftrace" >"$T/dump"
	"$PYTHON" - "$T" <<-'EOF'
		import json, re, struct, sys, glob, os
		expected = {"u64": 0xfedcba9876543210, "s64": -5000000000, "f64": 0.1, "u32": 4000000000, "s32": -7,
		        "f32": struct.unpack("f", struct.pack("f", 0.1))[0], "mark": -7, "whole": 0.1}
		def hold(what, found):
		    assert {name: float(value) for name, value in found.items()} == \
		        {name: float(value) for name, value in expected.items()}, (what, found)
		lines = [json.loads(line) for line in open(sys.argv[1] + "/lines")]
		# a float is printed with as many digits as make it again
		hold("print", {line["function"]: line["args"]["payload"] if line["function"] != "f32" else
		           struct.unpack("f", struct.pack("f", line["args"]["payload"]))[0]
		           for line in lines if "payload" in line.get("args", {})})
		events = [json.loads(line) for line in open(sys.argv[1] + "/json")]
		hold("json", {e["name"]: e["args"]["payload"] for e in events if "payload" in e.get("args", {})})
		chrome = json.load(open(sys.argv[1] + "/chrome"))["traceEvents"]
		hold("chrome", {e["name"]: e["args"]["payload"] for e in chrome if "payload" in e.get("args", {})})
		dump = open(sys.argv[1] + "/dump").read()
		for name in ("u64", "u32"):
		    assert re.search(r" %s .*\{\"payload\": %d[,}]" % (name, expected[name]), dump), dump
		assert '"category": 3' in dump and '"category": 4' in dump, dump
	EOF
	if command -v babeltrace2 >/dev/null; then
		babeltrace2 "$T"/rec/*/ctf >"$T/ctf"
		grep -q 'nvtx:s64_entry.*value = { -5000000000 }' "$T/ctf"
		grep -q 'nvtx:f64_entry.*value = { 0.1 }' "$T/ctf"
		grep -q 'nvtx:mark.*category = 3.*value = { -7 }' "$T/ctf"
		grep -q 'nvtx:whole_range.*range = .*category = 4' "$T/ctf"
	fi
}

@test "categories have the names of their domain, whenever those were given" {
	traced -l -o "$T/rec" -- "$PROGRAMS/told" names
	"$SONDE" print --json "$T/rec" >"$T/lines"
	"$SONDE" timeline "$T/rec" -o "$T/t.pftrace"
	"$PYTHON" -B "$LIB/pftrace.py" --dump "$T/t.pftrace" >"$T/dump"
	"$PYTHON" - "$T" <<-'EOF'
		import json, sys
		longest = (b'"\\\n\xff\xc3(%s,\t' * 410)[:4096].decode(errors="replace")
		expected = {"before": "solver", "after": "named later", "alpha:range": "first", "beta:range": "second",
		        "beta:nameless": 2, "long": longest, "forgotten": 10}
		lines = [json.loads(line) for line in open(sys.argv[1] + "/lines")]
		found = {line["function"]: line["args"]["category"] for line in lines if line["type"] == "entry"}
		assert found == expected, found
		dump = open(sys.argv[1] + "/dump").read()
		for name in ("solver", "named later", "first", "second"):
		    assert '{"category": "%s"}' % name in dump, (name, dump)
	EOF
}

@test "threads are called as the program calls them, in all views" {
	traced -l -o "$T/rec" -- "$PROGRAMS/told" threads 16
	check 'range_of("work")["calls"] == 1601'
	"$SONDE" print "$T/rec" >"$T/print"
	equal "lines of a thread" 200 "$(grep -c '[0-9](worker "7") ' "$T/print")"
	"$SONDE" report --by thread --all --json "$T/by.json" "$T/rec" >"$T/table"
	grep -q 'thread [0-9]* worker "7"' "$T/table"
	"$SONDE" print --json "$T/rec" >"$T/lines"
	"$SONDE" timeline "$T/rec" -o "$T/t.pftrace"
	"$PYTHON" -B "$LIB/pftrace.py" "$T/t.pftrace" >"$T/counts"
	"$SONDE" export "$T/rec" --to chrome -o "$T/chrome"
	"$PYTHON" - "$T" <<-'EOF'
		import json, sys
		expected = sorted(["caf\xe9"] + ['worker "%d"' % i for i in range(16)])
		by = json.load(open(sys.argv[1] + "/by.json"))
		assert sorted(thread["name"] for thread in by["threads"]) == expected, by["threads"]
		assert {row["calls"] for row in by["ranges"] if 'worker "' in row["group"]} == {100}, by["ranges"]
		lines = [json.loads(line) for line in open(sys.argv[1] + "/lines")]
		assert sorted({line["thread"] for line in lines}) == expected
		assert sum(line.get("args") == {"category": "odd"} for line in lines) == 800
		counts = json.load(open(sys.argv[1] + "/counts"))
		assert counts["thread_names"] == expected, counts
		chrome = json.load(open(sys.argv[1] + "/chrome"))["traceEvents"]
		assert sorted(e["args"]["name"] for e in chrome if e["name"] == "thread_name") == expected
	EOF
}

@test "names that were given before a fork hold in the child, and cost no record" {
	traced -l -o "$T/rec" -- "$PROGRAMS/told" fork
	equal "categories" 2 "$("$SONDE" print "$T/rec" | grep -c '(category="inherited")')"
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
	traced -l -o "$T/rec" -- "$PROGRAMS/vendor"
	"$SONDE" print "$T/rec" >"$T/print"
	grep -q "(vendor's) .*> nvtx:domain:inner(payload=-5, category=\"of the domain\")" "$T/print"
	grep -q '= nvtx:domain:started(payload=0.5, category="of the domain") starts' "$T/print"
	check 'out["level"] == 0' 'range_of("outer")["calls"] == 1' 'range_of("domain:inner")["calls"] == 1' \
		'range_of("domain:started")["calls"] == 1' 'range_of("mark")["kind"] == "mark"'
}
