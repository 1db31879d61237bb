#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# `sonde print`: every event of a recording as a line; the same calls as in the summary.
load lib

setup_file() # one recording of cl_run for all tests
{
	T=$BATS_FILE_TMPDIR
	export TMPDIR=$T
	limit=60
	timeout 60 "$APPS/cl_run" 1 >/dev/null 2>&1 || return 0
	traced -l -o "$T/rec" -- "$APPS/cl_run" 20 return
	equal status 0 "$status"
}

record() # where it is, in $rec
{
	need opencl
	rec=$BATS_FILE_TMPDIR/rec
}

# refused WORDS -- ARGUMENTS...: exit status 2 and one line on stderr that holds the words
refused()
{
	local words=$1
	shift 2
	status=0
	"$SONDE" print "$@" >"$T/out" 2>"$T/err" || status=$?
	equal "status of print $*" 2 "$status"
	equal "lines of print $*" 1 "$(wc -l <"$T/err")"
	grep -qF -- "$words" "$T/err" || { cat "$T/err"; return 1; }
}

@test "events are the calls of the summary, with the same times" {
	record
	"$SONDE" print --json "$rec" >"$T/events"
	"$SONDE" report -q "$rec" --json "$T/summary.json"
	"$PYTHON" - "$T/events" "$T/summary.json" <<-'EOF'
		import collections, json, sys
		calls, total, ops, last = collections.Counter(), collections.Counter(), collections.Counter(), None
		for line in open(sys.argv[1]):
		    event = json.loads(line)
		    assert last is None or event["time_ns"] >= last
		    last = event["time_ns"]
		    if event["type"] == "exit":
		        calls[event["function"]] += 1
		        total[event["function"]] += event["duration_ns"]
		    elif event["type"] == "operation" and event["kind"] == "launch":
		        ops[event["name"]] += 1
		summary = json.load(open(sys.argv[2]))
		timed = {row["name"]: row for row in summary["calls"] if row["name"] in calls}
		assert set(timed) == set(calls) and len(calls) > 10, set(calls) ^ set(timed)
		for name, row in timed.items():
		    assert row["calls"] == calls[name], (name, row["calls"], calls[name])
		    assert abs(row["total_ns"] - total[name]) <= row["calls"], (name, row["total_ns"], total[name])
		for row in summary["kernels"]:
		    assert row["calls"] == ops[row["name"]] == 20, (row["name"], row["calls"], ops)
	EOF
}

@test "a reader that goes away ends it without a word" {
	record
	set -o pipefail
	"$SONDE" print "$rec" 2>"$T/err" | head -1 >"$T/out"
	equal lines 1 "$(wc -l <"$T/out")"
	equal errors "" "$(cat "$T/err")"
}

@test "filters of print" {
	record
	equal "other functions" "" "$("$SONDE" print "$rec" --include 'clEnqueue*' | grep -v ' opencl:clEnqueue\|^2')"
	equal launches 20 "$("$SONDE" print "$rec" --include opencl:clEnqueueNDRangeKernel | grep -c ' > ')"
	equal operations 20 "$("$SONDE" print "$rec" --include add_one | grep -c ' \* opencl:add_one launch')"
	[ "$("$SONDE" print "$rec" | grep -c ' + ')" -gt 0 ]
	equal "memory by its name" "$("$SONDE" print "$rec" | grep -c ' + ')" "$("$SONDE" print "$rec" --include memory | grep -c ' + ')"
	equal "all but memory" "$("$SONDE" print "$rec" | grep -v ' + ')" "$("$SONDE" print "$rec" --exclude opencl:mem*)"
	equal "nothing" "" "$("$SONDE" print "$rec" --exclude '*')"
	equal "no such API" "" "$("$SONDE" print "$rec" -b mpi)"
	equal "before the run" "" "$("$SONDE" print "$rec" --to 0)"
	equal "long calls" "" "$("$SONDE" print "$rec" --min-duration 100s)"
	equal "no such rank" "" "$("$SONDE" print "$rec" --ranks 3)"
	equal "no such thread" "" "$("$SONDE" print "$rec" --threads 1)"
}

@test "what cannot be printed is told in one line" {
	record
	refused "no recording" -- "$T"
	refused "no recording to print" --
	refused "--from takes a time" -- "$rec" --from x
	refused "--from takes a time" -- "$rec" --from -1
	refused "--to takes a time" -- "$rec" --to=-2ms
	refused "--min-duration takes a time" -- "$rec" --min-duration -1
	refused "ranks are a list" -- "$rec" --ranks a
	refused "ranks are a list" -- "$rec" --ranks 0-99999999999
	refused "threads are a list" -- "$rec" --threads 5-4
	refused "unknown backend 'nope' (there are: " -- "$rec" -b opencl,nope
	refused "unknown backend 'nope' (there are: " -- "$rec" -b nope --follow
	refused "no event is left to print (see the filters" -- "$rec" --include "nosuch*"
	traced -o "$T/plain" -- "$APPS/cl_run" 1 return
	refused "no events in it" -- "$T/plain"
}

@test "a stream that is cut off is printed up to there, with one warning" {
	record
	cp -a "$rec" "$T/rec"
	thread=$(ls "$T"/rec/*/ctf/thread.0)
	truncate -s 700 "$thread"
	"$SONDE" print "$T/rec" >"$T/out" 2>"$T/err"
	grep -q ' > opencl:' "$T/out"
	grep -q 'events are missing until\|open ' "$T/out"
	equal warnings 1 "$(wc -l <"$T/err")"
	says "$T/err" "thread.0" "cut off"
}

@test "calls that a jump leaves are over where the next call shows it" {
	traced -l -o "$T/rec" -- "$APPS/unwind_longjmp" 100
	equal status 0 "$status"
	"$SONDE" print "$T/rec" >"$T/events"
	equal "left Allreduce" 100 "$(grep -c '< mpi:MPI_Allreduce left' "$T/events")"
	equal "left Scan" 50 "$(grep -c '< mpi:MPI_Scan left' "$T/events")"
	equal "open at the end" 0 "$(grep -c ' open ' "$T/events")"
	# none of them is still around the calls that follow
	equal "sends within others" 0 "$(grep -c ' 0  *  > mpi:MPI_Send' "$T/events")"
}
