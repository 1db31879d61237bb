#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# `sonde timeline` and `sonde export`: what they say of real programs, held against the programs, the runtime and
# another reader of the same streams. pftrace.py fails where a rule of timelines does not hold.
load lib

setup_file() # one recording of two out-of-order queues for all tests
{
	T=$BATS_FILE_TMPDIR
	export TMPDIR=$T
	limit=60
	timeout 60 "$APPS/cl_run" 1 >/dev/null 2>&1 || return 0
	traced -l -o "$T/rec" -- "$APPS/cl_overlap" 10
	equal status 0 "$status"
	mv "$T/out" "$T/rec.out"
}

record()
{
	need opencl
	cp -a "$BATS_FILE_TMPDIR/rec" "$BATS_FILE_TMPDIR/rec.out" "$BATS_FILE_TMPDIR/summary.json" "$T"
}

# holds 'EXPRESSION' FILE [OPTION]: Python over t, the counts of pftrace.py, and s, the summary
holds()
{
	"$PYTHON" -B "$LIB/pftrace.py" ${3:+"$3"} "$2" >"$T/counts.json" || return 1
	"$PYTHON" - "$1" "$T/counts.json" "$T/summary.json" <<-'EOF' || { cat "$T/counts.json"; return 1; }
		import json, sys
		t, s = (json.load(open(name)) for name in sys.argv[2:])
		assert eval(sys.argv[1].replace(chr(10), ' ')), sys.argv[1]
	EOF
}

# refused WORDS -- COMMAND ARGUMENTS...: exit status 2 and one line on stderr that holds the words
refused()
{
	local words=$1
	shift 2
	status=0
	"$SONDE" "$@" >"$T/out" 2>"$T/err" || status=$?
	equal "status of $*" 2 "$status"
	equal "lines of $*" 1 "$(wc -l <"$T/err")"
	grep -qF -- "$words" "$T/err" || { cat "$T/err"; return 1; }
}

# Calls that only look which devices there are stand in the tally alone when they come before the recording.
ALL_CALLS='{n: c for n, c in t["names"].items() if n not in ("clGetPlatformIDs", "clGetDeviceIDs")} ==
	{c["name"]: c["calls"] for c in s["calls"]
	 if c["timed"] and c["name"] not in ("clGetPlatformIDs", "clGetDeviceIDs")}'

@test "a timeline goes into the recording, and has every call of the summary" {
	record
	"$SONDE" timeline "$T/rec" >"$T/out"
	grep -q "^$T/rec/timeline.pftrace: " "$T/out"
	holds "$ALL_CALLS" "$T/rec/timeline.pftrace"
	"$SONDE" report "$T/rec" >"$T/table" # the timeline in it is no trouble
	holds 't["slices"] > 40 and t["failed"] == 0 and not t["ended"]' "$T/rec/timeline.pftrace"
}

@test "device slices last exactly as long as the runtime says, and stand where it says" {
	record
	"$SONDE" timeline -o "$T/t.pftrace" "$T/rec"
	"$PYTHON" -B "$LIB/pftrace.py" --dump "$T/t.pftrace" >"$T/dump"
	"$PYTHON" - "$T/rec.out" "$T/dump" <<-'EOF'
		import json, sys
		said = sorted(tuple(map(int, line.split()[2:])) for line in open(sys.argv[1]) if line.startswith('command '))
		seen = [json.loads(line[6:]) for line in open(sys.argv[2]) if line.startswith('stage ')]
		seen.sort(key=lambda stage: (stage['begin'], stage['end']))
		assert len(said) == len(seen) == 21, (len(said), len(seen))
		for (begin, end), stage in zip(said, seen):
		    assert end - begin == stage['end'] - stage['begin'], (begin, end, stage)
		    assert stage['api'] == 3, stage # OpenCL
		    error = stage['clock_error_ns'] + seen[0]['clock_error_ns']
		    assert abs((begin - said[0][0]) - (stage['begin'] - seen[0]['begin'])) <= error, (begin, stage)
	EOF
}

@test "rows of plain slices hold every operation, and never two at once" {
	record
	"$SONDE" timeline --gpu-rows tracks -o "$T/t.pftrace" "$T/rec"
	holds 't["stages"] == 0 and t["names"]["spin"] == 20' "$T/t.pftrace"
}

@test "a compressed timeline holds the same" {
	record
	"$SONDE" timeline -o "$T/a.pftrace" "$T/rec"
	"$SONDE" timeline -o "$T/a.pftrace.gz" "$T/rec"
	gzip -dc "$T/a.pftrace.gz" | cmp - "$T/a.pftrace"
	"$SONDE" timeline -o - "$T/rec" | cmp - "$T/a.pftrace"
}

@test "another reader counts the same calls and operations" {
	record
	need babeltrace2
	"$SONDE" timeline -o "$T/t.pftrace" "$T/rec"
	"$SONDE" export --to ctf -o "$T/ctf" "$T/rec"
	babeltrace2 "$T/ctf" >"$T/events" 2>"$T/err"
	[ ! -s "$T/err" ]
	holds "t['slices'] == $(grep -c '_entry: ' "$T/events") and t['stages'] == $(grep -c 'sonde:operation: ' "$T/events")" \
		"$T/t.pftrace"
	"$SONDE" export --to csv -o "$T/t.csv" "$T/rec"
	holds "t['slices'] == $(grep -c '^call,' "$T/t.csv") and t['stages'] == $(grep -c '^operation,' "$T/t.csv")" \
		"$T/t.pftrace"
}

@test "filters leave out what they should" {
	record
	"$SONDE" timeline --include 'clEnqueue*' -o "$T/t.pftrace" "$T/rec"
	holds 'set(t["names"]) == {"clEnqueueNDRangeKernel", "clEnqueueReadBuffer"}' "$T/t.pftrace" --loose
	"$SONDE" timeline --min-duration 1000s -o "$T/none.pftrace" "$T/rec" && return 1
	[ ! -e "$T/none.pftrace" ]
}

@test "C130 ranks have tracks of their own in one timeline, which one command makes" {
	need mpich
	traced_job mpich 3 -l -o "$T/rec" -- "$APPS/mpi_ring.mpich"
	equal status 0 "$status"
	"$SONDE" timeline "$T/rec"
	holds "$ALL_CALLS" "$T/rec/timeline.pftrace"
	holds 't["threads"] == 3 and sorted(p.split(":")[0] for p in t["processes"]) == ["rank 0", "rank 1", "rank 2"]' \
		"$T/rec/timeline.pftrace"
	"$SONDE" timeline --ranks 1 -o "$T/one.pftrace" "$T/rec"
	holds 't["threads"] == 1 and t["processes"][0].startswith("rank 1: ")' "$T/one.pftrace"
}

@test "two recordings make one timeline" {
	record
	traced -l -o "$T/second" -- "$APPS/cl_overlap" 1
	refused "say where it goes by --output" -- timeline "$T/rec" "$T/second"
	"$SONDE" timeline -o "$T/t.pftrace" "$T/rec" "$T/second"
	holds 't["threads"] == 2 and t["stage_names"]["spin"] == 22' "$T/t.pftrace"
}

@test "calls of a killed program are there, and say that they did not return" {
	need opencl
	traced -l -o "$T/rec" -- "$APPS/cl_run" 5 kill
	"$SONDE" timeline "$T/rec"
	holds 't["names"]["clEnqueueNDRangeKernel"] == 5' "$T/rec/timeline.pftrace" --loose
}

@test "every format is what it says" {
	record
	local format
	for format in csv json chrome speedscope; do
		"$SONDE" export --to $format -o "$T/out.$format" "$T/rec" >"$T/said"
		grep -q "^$T/out.$format$" "$T/said"
	done
	"$PYTHON" - "$T" <<-'EOF'
		import csv, json, sys
		rows = list(csv.DictReader(open(sys.argv[1] + '/out.csv', newline='')))
		lines = [json.loads(line) for line in open(sys.argv[1] + '/out.json')]
		assert len(rows) == len(lines) > 60
		for row, line in zip(rows, lines):
		    for key in ('type', 'name', 'begin_ns', 'duration_ns', 'pid'):
		        assert row[key] == str(line.get(key, '')), (row, line)
		slices = [row for row in rows if row['type'] in ('call', 'operation')]
		chrome = [e for e in json.load(open(sys.argv[1] + '/out.chrome'))['traceEvents'] if e['ph'] == 'X']
		assert len(chrome) == len(slices)
		assert [round(e['dur'] * 1000) for e in chrome] == [int(row['duration_ns']) for row in slices]
		scope = json.load(open(sys.argv[1] + '/out.speedscope'))
		opened = 0
		for profile in scope['profiles']:
		    stack, last = [], profile['startValue']
		    for event in profile['events']:
		        assert last <= event['at'] <= profile['endValue']
		        last = event['at']
		        if event['type'] == 'O':
		            stack.append(event['frame'])
		            opened += 1
		        else:
		            assert stack.pop() == event['frame']
		    assert not stack
		assert opened == sum(1 for row in rows if row['type'] == 'call')
	EOF
}

@test "wrong use and bad input are told in one line" {
	mkdir "$T/empty"
	refused "no recording is given" -- timeline
	refused "$T/empty" -- timeline "$T/empty"
	refused "$T/absent" -- timeline "$T/absent"
	refused "--gpu-rows takes typed or tracks, not 'wide'" -- timeline --gpu-rows wide "$T/empty"
	refused "--split-size takes 1M or more, not '5K'" -- timeline --split-size 5K "$T/empty"
	refused "--to takes one of csv, json, chrome, speedscope, ctf, not 'xml'" -- export --to xml "$T/empty"
	refused "say by --to what to export to: csv, json, chrome, speedscope, ctf" -- export "$T/empty"
	refused "--html is for --to speedscope" -- export --to csv --html "$T" "$T/empty"
}

@test "a recording without streams is told, and no file is made" {
	need opencl
	traced -o "$T/rec" -- "$APPS/cl_run" 1
	refused "recorded without -l" -- timeline "$T/rec"
	refused "recorded without -l" -- export --to csv "$T/rec"
	[ ! -e "$T/rec/timeline.pftrace" ] && [ ! -e "$T/rec/timeline.pftrace.partial" ]
}

@test "what cannot be written is told, and nothing is left that looks whole" {
	record
	need root
	refused "/nowhere/t.pftrace: No such file or directory" -- timeline -o /nowhere/t.pftrace "$T/rec"
	refused "/dev/full: No space left on device" -- timeline -o /dev/full "$T/rec"
	refused "/dev/full: No space left on device" -- export --to chrome -o /dev/full "$T/rec"
	mkdir "$T/small"
	unshare -m sh -c 'mount -t tmpfs -o size=4k none "$1/small" && cd "$1/small" &&
		! "$2" timeline -o t.pftrace "$1/rec" 2>"$1/err" && ! "$2" export --to csv -o t.csv "$1/rec" 2>>"$1/err" &&
		! "$2" export --to ctf -o ctf "$1/rec" 2>>"$1/err" && ls -A' small "$T" "$SONDE" >"$T/left"
	equal "lines told" 3 "$(wc -l <"$T/err")"
	equal "lines with the cause" 3 "$(grep -c 'No space left on device' "$T/err")"
	[ ! -s "$T/left" ]
}

@test "-l writes the timeline when the program ends, into a directory of its own or where it is told" {
	need opencl
	cd "$T"
	status=0
	"$SONDE" -q -l "$APPS/cl_run" 5 >out 2>err || status=$?
	equal status 0 "$status"
	[ -s sonde-cl_run-*/timeline.pftrace ]
	"$SONDE" report sonde-cl_run-* >/dev/null
	"$SONDE" -q --timeline=other.pftrace "$APPS/cl_run" 5 >out 2>err
	[ -s other.pftrace ]
	equal "directories" 1 "$(ls -d sonde-* | wc -l)"
	status=0
	"$SONDE" --timeline=/nonexistent/x "$APPS/cl_run" 5 >out 2>err || status=$?
	equal "status for a place that is not there" 2 "$status"
	equal output "" "$(cat out)"
}
