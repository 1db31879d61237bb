#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reported failures of comparable tools, section E: times. summary.py holds every summary of every test
# against negative and impossible times, pftrace.py every timeline; here are programs that are likely to produce some.
load lib

faked() # STAMPS COMMAND...: a recording in $T/rec, with the stand-in for OpenCL
{
	local stamps=$1
	shift
	need opencl fake_opencl/libOpenCL.so.1
	rm -rf "$T/rec"
	FAKE_STAMPS=$stamps LD_LIBRARY_PATH=$APPS/fake_opencl traced -q -l -o "$T/rec" -- "$@"
	equal "status with $stamps" 0 "$status"
}

# No time in any output of $T/rec is negative, impossible or outside the run, and all calls nest.
times_are_sound() # [--loose: work of devices may have no time]
{
	"$PYTHON" -B "$LIB/pftrace.py" $1 "$T/rec/timeline.pftrace" >"$T/counts.json" || return 1
	"$SONDE" print --json "$T/rec" >"$T/events"
	"$SONDE" export --to csv -o "$T/rows.csv" "$T/rec" >"$T/said"
	"$SONDE" report -q --json "$T/summary.json" "$T/rec"
	check
	"$PYTHON" - "$T" <<-'EOF'
		import collections, csv, json, sys
		folder = sys.argv[1]
		wall = json.load(open(folder + "/summary.json"))["run"]["wall_ns"] + 1000
		stacks, last = collections.defaultdict(list), 0
		for line in open(folder + "/events"):
		    event = json.loads(line)
		    begin, span = event["time_ns"], event.get("duration_ns", 0)
		    assert 0 <= last <= begin <= wall and 0 <= span <= wall, event
		    last = begin
		    stack = stacks[event["pid"], event.get("tid")]
		    if event["type"] == "entry":
		        assert event["depth"] == len(stack), event
		        stack.append((event["function"], begin))
		    elif event["type"] == "exit": # never of anything but the innermost
		        function, entry = stack.pop()
		        assert function == event["function"] and begin - entry == span, (event, entry)
		    elif event["type"] == "operation":
		        assert begin + span <= wall, event
		assert not any(stacks.values())
		rows = list(csv.DictReader(open(folder + "/rows.csv", newline="")))
		assert rows and all(0 <= int(row["begin_ns"]) and 0 <= int(row["duration_ns"] or 0) and
		                    int(row["begin_ns"]) + int(row["duration_ns"] or 0) <= wall for row in rows)
	EOF
}

@test "C079 C080 C082 C086 impossible device stamps are counted, never shown as times" {
	need fake_opencl/libOpenCL.so.1
	for stamps in zero ones half backwards; do
		FAKE_STAMPS=$stamps LD_LIBRARY_PATH=$APPS/fake_opencl traced "$APPS/cl_run" 5
		equal "status with $stamps" 0 "$status"
		check 'calls("clEnqueueNDRangeKernel") == 5' 'ledger("untimed", "opencl") == 5' \
			'all(k["max_ns"] <= s["run"]["wall_ns"] for k in s["kernels"])' \
			'all(d["kernels_ns"] <= d["wall_ns"] for d in s["devices"])'
	done
}

@test "C083 no duration is negative or longer than the run, in any kind of program" {
	need opencl
	for program in "cl_run 20" "cl_fork fork" "cl_threads 8 50" "cl_detached" "cl_exec 2" "unwind_longjmp 50" "user_op" \
			"burst 1000 kill"; do
		traced "$APPS/"$program
		check 'all(r["max_ns"] <= s["run"]["wall_ns"] for r in s["calls"] + s["kernels"])' \
			'all(p["start_ns"] <= p["end_ns"] for p in s["processes"])' \
			'all(d["kernels_ns"] + d["idle_ns"] + d["copies_ns"] - d["overlap_ns"] == d["wall_ns"] for d in s["devices"])'
	done
}

@test "C079 C083 C091 C095 with any device clock: no output has a negative, endless or misplaced time" {
	for stamps in good zero ones half backwards none early narrow touching overlapping; do
		faked $stamps "$APPS/cl_run" 20
		case $stamps in
		zero | ones | half | backwards | none) expected=0 loose=--loose ;;
		*) expected=20 loose= ;;
		esac
		times_are_sound $loose
		equal "operations with $stamps" $expected "$(grep -c '"type":"operation"' "$T/events")"
	done
}

@test "C083 C091 C095 of nested calls, threads and programs that are killed, every output is sound" {
	for program in "nested 10 5" "user_op" "busy 0.5" "unwind_longjmp 50" "burst 1000 kill" "thread_churn 50"; do
		rm -rf "$T/rec"
		LD_LIBRARY_PATH=$APPS/fake_opencl traced -q -l -o "$T/rec" -- "$APPS/"$program
		times_are_sound
	done
}

@test "C085 kernels that touch, last 0 ns or overlap by 27 ns stand one behind the other" {
	faked touching "$APPS/cl_run" 30
	"$SONDE" timeline --gpu-rows tracks -o "$T/t.pftrace" "$T/rec" >"$T/said"
	"$PYTHON" -B "$LIB/pftrace.py" "$T/t.pftrace" >"$T/counts.json"
	"$PYTHON" - "$T/counts.json" <<-'EOF'
		import json, sys
		counts = json.load(open(sys.argv[1]))
		assert counts["names"]["add_one"] == 30, counts # pftrace.py has refused any that stands on another
		assert sum(row.startswith("queue 1") for row in counts["rows"]) <= 1, counts["rows"]
	EOF
	"$PYTHON" -B "$LIB/pftrace.py" --dump "$T/t.pftrace" >"$T/dump"
	equal "of no duration" 9 "$(grep -c ' add_one \([0-9]*\)-\1 ' "$T/dump")"
	faked overlapping "$APPS/cl_run" 30
	"$SONDE" timeline --gpu-rows tracks -o "$T/t.pftrace" "$T/rec" >"$T/said"
	"$PYTHON" -B "$LIB/pftrace.py" --dump "$T/t.pftrace" >"$T/dump" # none of them stands on another
	equal "kernels" 30 "$(grep -c ' add_one ' "$T/dump")"
	equal "stacked kernels" 0 "$(grep -c ' \.*\.add_one ' "$T/dump")"
}

# Operations are delivered late and in any order; what other readers get is sorted.
@test "C088 every exported stream is in order of time, whatever the order of delivery was" {
	need opencl babeltrace2 mpich
	traced_job mpich 2 -q -l -o "$T/rec" -- "$APPS/truth.mpich" "$T"
	equal status 0 "$status"
	traced -q -l -o "$T/rec2" -- "$APPS/cl_overlap" 20
	for format in csv ctf; do
		"$SONDE" export --to $format -o "$T/out.$format" "$T/rec" "$T/rec2" >"$T/said"
	done
	babeltrace2 "$T/out.ctf" >"$T/events" 2>"$T/bt.err"
	silent "$T/bt.err"
	"$PYTHON" - "$T/out.csv" <<-'EOF'
		import csv, sys
		last = {}
		for row in csv.DictReader(open(sys.argv[1], newline="")):
		    key = row["pid"], row["tid"], row["type"] == "operation"
		    assert last.get(key, 0) <= int(row["begin_ns"]), row
		    last[key] = int(row["begin_ns"])
		assert len(last) >= 4, last
	EOF
}

@test "C092 a time namespace with other clocks: kernels stay in their calls, the run stays its length" {
	need opencl root
	unshare --time --boottime 1000000 --monotonic 5000 true || omit "no time namespaces"
	traced -q -l -o "$T/rec" -- "$APPS/cl_run" 20
	times_are_sound
	for launcher in outside inside; do
		rm -rf "$T/rec"
		status=0
		case $launcher in
		outside) timeout 60 "$SONDE" -q -l -o "$T/rec" unshare --time --boottime 1000000 "$APPS/cl_run" 20 \
			>"$T/out" 2>"$T/err" || status=$? ;;
		inside) timeout 60 unshare --time --boottime 1000000 --monotonic 5000 "$SONDE" -q -l -o "$T/rec" \
			"$APPS/cl_run" 20 >"$T/out" 2>"$T/err" || status=$? ;;
		esac
		equal "status with sonde $launcher" 0 "$status"
		times_are_sound
		check 'kernels() == 20' 's["run"]["wall_ns"] < 30e9' 'len(s["kernels"]) == 1'
		"$PYTHON" - "$T/events" <<-'EOF'
			import json, sys
			events = [json.loads(line) for line in open(sys.argv[1])]
			first = min(e["time_ns"] for e in events if e.get("function") == "clEnqueueNDRangeKernel")
			last = max(e["time_ns"] for e in events if e.get("function") == "clFinish")
			for e in events:
			    if e["type"] == "operation":
			        assert first - e["error_ns"] <= e["time_ns"] <= last + e["error_ns"], (first, e, last)
		EOF
	done
}

@test "C089 a blocking call of 1.0 s is 1.0 s within 1 %" {
	traced "$APPS/timed_recv" 1000
	equal status 0 "$status"
	check 'near(total("MPI_Recv"), out["recv_ns"], 0.01)' 'near(total("MPI_Recv"), 1e9, 0.01)' \
		'near(ns("comm"), out["recv_ns"], 0.01)'
	traced -q -l -o "$T/rec" -- "$APPS/timed_recv" 1000
	"$PYTHON" -B "$LIB/pftrace.py" --dump "$T/rec/timeline.pftrace" >"$T/dump"
	"$SONDE" print --json "$T/rec" >"$T/events"
	"$PYTHON" - "$T" <<-'EOF'
		import json, re, sys
		folder = sys.argv[1]
		recv, = [int(line.split("=")[1]) for line in open(folder + "/out") if line.startswith("recv_ns=")]
		spans = [int(end) - int(begin) for begin, end in re.findall(r" MPI_Recv (\d+)-(\d+) ", open(folder + "/dump").read())]
		spans += [event["duration_ns"] for event in map(json.loads, open(folder + "/events"))
		          if event["type"] == "exit" and event["function"] == "MPI_Recv"]
		assert len(spans) == 2 and all(abs(span - recv) < 0.01 * recv for span in spans), (spans, recv)
	EOF
}

@test "C091 what is nested lies within what it is nested in" {
	traced "$APPS/user_op"
	equal status 0 "$status"
	check 'near(total("MPI_Allreduce"), 1e3 * out["outer_us"], 0.01)' \
		'near(total("MPI_Recv"), 1e3 * out["inner_us"], 0.01)' \
		'abs(own("MPI_Allreduce") + total("MPI_Recv") + total("MPI_Comm_rank") - total("MPI_Allreduce")) < 1e5' \
		'total("MPI_Allreduce") >= 100e6' \
		'sum(r["self_ns"] for r in s["calls"]) <= s["run"]["wall_ns"]'
}

@test "C095 a start before the program's or an end after the run's appears nowhere" {
	need opencl
	traced "$APPS/cl_run" 50
	check 'all(p["start_ns"] >= 0 and p["end_ns"] <= s["run"]["wall_ns"] for p in s["processes"])' \
		'all(d["kernels_ns"] > 0 and d["idle_ns"] >= 0 for d in s["devices"])' \
		'all(k["min_ns"] > 0 for k in s["kernels"])'
}
