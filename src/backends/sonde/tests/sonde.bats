#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# sonde's own header.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib

PROGRAMS=$BUILD/tests/sonde

@test "in a process that is left out there is nothing to attach to" {
	traced --exclude now "$PROGRAMS/now"
	grep -qx tool=0 "$T/out"
	traced "$PROGRAMS/now"
	grep -qx tool=1 "$T/out"
}

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
	traced -b nvtx "$PROGRAMS/now" # there to pause, and for nothing else
	check 'out["tool"] == 1' 's["ranges"] == []' 's["ledger"] == []'
}

@test "a program names its rank where nobody else does" {
	traced "$PROGRAMS/now" 3 8
	check 's["processes"][0]["rank"] == 3'
}

# timeline_has 'EXPRESSION' PROGRAM...: Python over t, the counts of pftrace.py, of the timeline that a run leaves
timeline_has()
{
	local expression=$1
	shift
	rm -rf "$T/run" "$T/t.pftrace"
	traced --timeline="$T/t.pftrace" -o "$T/run" "$@"
	equal status 0 "$status"
	never grep -qF "no place in time" "$T/err"
	"$SONDE" timeline -o "$T/again.pftrace" "$T/run" 2>"$T/timeline.err" >/dev/null
	silent "$T/timeline.err"
	for file in t again; do
		"$PYTHON" -B "$SRC/tests/cli/pftrace.py" "$T/$file.pftrace" >"$T/counts.json"
		"$PYTHON" -c 'import json, sys; t = json.load(open(sys.argv[2])); assert eval(sys.argv[1]), t' "$expression" \
			"$T/counts.json"
	done
}

@test "a program with a mark or a range alone has a timeline" {
	timeline_has 't["instants"] == 1 and not t["names"]' "$PROGRAMS/ranges" mark
	timeline_has 't["names"] == {"around": 1} and not t["instants"]' "$PROGRAMS/ranges" 0
}

@test "ranges of the process are all in the timeline, however many, wherever they end" {
	timeline_has 't["names"] == {"around": 1, "many": 1} and len(t["rows"]) == 2' "$PROGRAMS/ranges" 1
	timeline_has 't["names"] == {"around": 1, "many": 300} and len(t["rows"]) == 301' "$PROGRAMS/ranges" 300
	timeline_has 't["names"] == {"around": 1, "many": 1000}' "$PROGRAMS/ranges" 1000
}

@test "ranges of the process go on from part to part of a timeline" {
	traced -l -o "$T/run" "$PROGRAMS/ranges" 300 200
	equal status 0 "$status"
	"$SONDE" timeline --split-size 1M -o "$T/t.pftrace" "$T/run"
	[ -e "$T/t.002.pftrace" ]
	for file in "$T"/t.*pftrace; do # an end without its begin is refused
		"$PYTHON" -B "$SRC/tests/cli/pftrace.py" --dump "$file" >"$file.dump"
	done
	for file in "$T"/t.0*.dump; do
		grep -q '^ranges of the process around ' "$file"
	done
	never grep -q '"continued"' "$T/t.001.pftrace.dump"
	equal continued 1 "$(grep -c 'process around .*"continued"' "$T/t.002.pftrace.dump")"
	equal "different ranges" 300 "$(cat "$T"/t.0*.dump | grep '^ranges of the process many ' | sed 's/-.*//' | sort -u | wc -l)"
}

@test "steps are one range, by thread and process, and streams have their numbers" {
	local mode
	for mode in "" -l -t; do
		traced $mode -o "$T/run" "$PROGRAMS/step"
		check 'range_of("step")["calls"] == 163' 'range_of("step")["unfinished"] == 1' 'range_of("step")["max_ns"] > 5e6' \
			'range_of("across")["calls"] == range_of("around")["calls"] == 1' 'ledger("lost") == 0' '"damaged" not in notes' \
			'range_of("around")["total_ns"] > range_of("across")["total_ns"]'
		[ -n "$mode" ] || { rm -rf "$T/run"; continue; }
		"$SONDE" print --json "$T/run" >"$T/lines"
		"$SONDE" print "$T/run" | grep -q 'step.*18446744073709551615'
		"$SONDE" export --to chrome -o "$T/chrome.json" "$T/run"
		"$PYTHON" - "$T/lines" "$T/chrome.json" <<-'EOF'
			import collections, json, sys
			lines = [json.loads(line) for line in open(sys.argv[1])]
			seen = collections.Counter(l["args"]["number"] for l in lines if l["type"] == "entry" and "args" in l)
			wanted = collections.Counter(list(range(10)) * 16 + [7] + [2**64 - 1] * 3 + [1000, 2000]) # one goes on twice
			assert seen == wanted, seen
			events = json.load(open(sys.argv[2]))["traceEvents"]
			shown = collections.Counter(str(e["args"]["number"]) for e in events if "number" in e.get("args", {}))
			assert shown == collections.Counter(map(str, wanted.elements())), shown
		EOF
		if command -v babeltrace2 >/dev/null; then
			cat "$T"/run/*/ctf/metadata | grep -q 'sonde:step_entry'
			babeltrace2 "$T"/run/*/ctf | grep -q 'sonde:step_entry.*number = 18446744073709551615'
		fi
		rm -rf "$T/run"
	done
	traced "$PROGRAMS/step" deep
	check 'range_of("step")["calls"] == 1' 'ledger("lost") == 15'
}

@test "a range that an exception leaves has ended" {
	[ -x "$PROGRAMS/scope" ] || omit "no C++ compiler"
	traced "$PROGRAMS/scope"
	check 'range_of("left by an exception")["calls"] == 1' 'range_of("main")["calls"] == 1' \
		'range_of("left by an exception")["unfinished"] == 0'
}

# What is in the region of control.c and what is not, however recording was started and in any mode.
region_is_recorded()
{
	check 'calls("MPI_Test") == 10' 'calls("MPI_Recv") == 1' '30e6 <= total("MPI_Recv") < 55e6' 's["run"]["paused_ns"] > 120e6' \
		'ns("host") < out["took"] - 120e6' 'near(sum(b["ns"] for b in s["breakdown"]), s["run"]["wall_ns"] - s["run"]["paused_ns"], 1e-9, 9)' \
		'"paused" in notes' '"negative" not in notes' 's["lower_bound"] is False' 'ledger("lost") == 0' \
		's["processes"][0]["paused_ns"] == s["run"]["paused_ns"]'
}

@test "C145 only the region between resume and pause is recorded, in every mode, and pauses nest" {
	local modes=("" "-l" "-t" "-b mpi,nvtx --queries")
	for mode in "${modes[@]}"; do
		traced $mode -o "$T/run" "$PROGRAMS/control" region pause
		region_is_recorded
		grep -q 'recording was paused for' "$T/err"
		rm -rf "$T/run"
		traced $mode -o "$T/run" --start-paused "$PROGRAMS/control" region
		region_is_recorded
		if [[ $mode == -[lt] ]]; then
			report --streams "$T/run"
			region_is_recorded
		fi
		rm -rf "$T/run"
	done
}

@test "C145 a range that was open when recording paused counts, one that began then does not" {
	traced --start-paused "$PROGRAMS/control" region
	check '[r["name"] for r in s["ranges"]] == ["region"]' 'range_of("region")["calls"] == 1' \
		'30e6 < range_of("region")["total_ns"] < 60e6'
	traced -b mpi --start-paused "$PROGRAMS/control" region
	check 's["ranges"] == []' 'out["tool"] == 1'
}

@test "C145 a call that is open when recording pauses counts as a whole, and shares add up" {
	for mode in "" -l; do
		traced $mode -o "$T/run" "$PROGRAMS/control" open
		check 'calls("MPI_Recv") == 2' 'total("MPI_Recv") >= 300e6' 'calls("MPI_Test") == 0' \
			'near(s["run"]["paused_ns"], 200e6, 0.1)' '"negative" not in notes' \
			'near(sum(b["ns"] for b in s["breakdown"]), s["run"]["wall_ns"] - 50e6, 0, 15e6)' 'ledger("calls_unfinished") == 0'
		rm -rf "$T/run"
	done
}

@test "C145 pausing often while other threads make calls loses none that are recorded" {
	for mode in "" -l -t; do
		traced $mode -o "$T/run" "$PROGRAMS/control" often
		check 'unfinished("MPI_Test") == 0' 'ledger("lost") == 0' '"negative" not in notes' '"damaged" not in notes' \
			'any("2000 times" in n["text"] for n in s["notes"])'
		rm -rf "$T/run"
	done
}

@test "C145 a program that never resumes is told so, one that is killed in a pause keeps its record" {
	traced --start-paused "$PROGRAMS/now"
	grep -q 'nothing recorded: recording started paused' "$T/err"
	traced "$PROGRAMS/control" kill
	check 'calls("MPI_Test") == 1' '140e6 < s["run"]["paused_ns"] < s["run"]["wall_ns"]' '"negative" not in notes'
}

@test "C145 a forked child inherits the pause and ends its own" {
	traced "$PROGRAMS/control" fork
	check 'calls("MPI_Test") == 17' 'sorted(p["calls"] for p in s["processes"]) in ([7, 11], [6, 11])' \
		'all(40e6 <= p["paused_ns"] <= p["end_ns"] - p["start_ns"] for p in s["processes"])' '"negative" not in notes'
}

@test "C145 kernels that are started in the region count, wherever their queue and buffers were made" {
	need opencl
	for mode in "" -l -t "-b opencl"; do
		traced $mode -o "$T/run" --start-paused "$PROGRAMS/control_cl"
		if [ "$mode" != "-b opencl" ]; then
			check 'range_of("step")["device_ns"] >= max(k["total_ns"] for k in s["kernels"] if k["name"] == "spin") > 0'
		fi
		check 'kernels("add_one") == 7' 'kernels("spin") == 1' 'calls("clEnqueueNDRangeKernel") == 8' \
			'calls("clCreateBuffer") == 0' 'ledger("untimed") == 0' 'ledger("unfinished") == 0' 'not s["lower_bound"]' \
			's["memory"][0]["peak_bytes"] == 256' 's["memory"][0]["live_bytes"] == 0' '"negative" not in notes' \
			's["devices"][0]["wall_ns"] <= s["run"]["wall_ns"] - 90e6' 'ledger("lost") == 0'
		if [[ $mode == -[lt] ]]; then
			check 'sum(c["ns"] for c in s["overlap"]["classes"]) <= s["run"]["wall_ns"] - 90e6'
			report --streams "$T/run"
			check 'kernels() == 8' 'not s["lower_bound"]' '"negative" not in notes'
		fi
		rm -rf "$T/run"
	done
}

@test "C137 a program can ask whether sonde is there: the header, the symbol, the variable" {
	cat >ask.py <<-'EOF'
		import ctypes, os
		attach = getattr(ctypes.CDLL(None), "sonde_attach", None)
		if attach:
		    attach.restype = ctypes.c_void_p
		print("symbol=%d" % (attach is not None), "answer=%d" % bool(attach and attach(1)),
		      "variable=%d" % ("SONDE_DIR" in os.environ), sep="\n")
	EOF
	for options in "" "-b mpi" --start-paused -l; do
		traced $options -o "$T/rec" -- "$PYTHON" ask.py
		equal "$options" "symbol=1 answer=1 variable=1" "$(tr '\n' ' ' <"$T/out" | sed 's/ $//')"
		rm -rf "$T/rec"
	done
	for command in "" "$SONDE --disable"; do
		bare $command "$PYTHON" ask.py
		equal "$command" "symbol=0 answer=0 variable=0" "$(tr '\n' ' ' <"$T/bare.out" | sed 's/ $//')"
		bare $command "$PROGRAMS/control" kill
		grep -qx tool=0 "$T/bare.out"
	done
	traced "$PROGRAMS/control" fork
	grep -qx tool=1 "$T/out"
}
