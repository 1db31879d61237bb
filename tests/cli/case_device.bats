#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reported failures of comparable tools, section F: device activity that is missing, doubled or waited for.
load lib

@test "C097 1, 101 and 10,000 kernels beside one copy, however they are waited for: exact counts, everywhere" {
	need opencl cl_modes
	for mode in async finish events free flush; do
		for kernels in 1 101 10000; do
			rm -rf "$T/rec"
			traced -q -l -o "$T/rec" -- "$APPS/cl_modes" $kernels $mode
			equal "status of $kernels $mode" 0 "$status"
			check "kernels('add_one') == $kernels" "ledger('device_seen') == $kernels + 1" 'ledger("lost") == 0' \
				'ledger("untimed") == 0' 'ledger("unfinished") == 0' \
				'sum(t["calls"] for t in s["transfers"]) == 1'
			"$SONDE" print "$T/rec" >"$T/events"
			equal "operations of $kernels $mode" $((kernels + 1)) "$(grep -c ' \* opencl:' "$T/events")"
			equal "launches of $kernels $mode" $kernels "$(grep -c ' > opencl:clEnqueueNDRangeKernel' "$T/events")"
		done
	done
}

# Fakes of a clock of the device's own: one that started an hour before, one of 32 bits.
@test "C104 device clocks that are an hour off or narrow: nothing is dropped, everything lies within its call" {
	need opencl fake_opencl/libOpenCL.so.1
	for stamps in early narrow; do
		rm -rf "$T/rec"
		FAKE_KERNEL_NS=1000000 FAKE_STAMPS=$stamps LD_LIBRARY_PATH=$APPS/fake_opencl \
			traced -q -l -o "$T/rec" -- "$APPS/cl_run" 50
		equal "status with $stamps" 0 "$status"
		check 'kernels() + ledger("untimed", "opencl") == 50' 'ledger("lost") == 0'
		check 'kernels() == 50' 'near(sum(k["total_ns"] for k in s["kernels"]), 50e6, 0.001)'
		"$SONDE" print --json "$T/rec" >"$T/events"
		"$PYTHON" - "$T/events" <<-'EOF'
			import json, sys
			events = [json.loads(line) for line in open(sys.argv[1])]
			calls = [(e["time_ns"] - e["duration_ns"], e["time_ns"]) for e in events
			         if e["type"] == "exit" and e["function"] == "clEnqueueNDRangeKernel"]
			runs = [(e["time_ns"], e["time_ns"] + e["duration_ns"], e["error_ns"]) for e in events
			        if e["type"] == "operation"]
			assert len(calls) == len(runs) == 50
			# the stand-in runs a kernel inside the call that launches it
			for (begin, end), (started, ended, error) in zip(calls, runs):
			    assert begin - error <= started and ended <= end + error, (begin, started, ended, end, error)
			    assert error < 1e9, error # of an hour
		EOF
	done
}

# Something is lost in the midst of it: the disk is full, and then there is room again.
@test "C106 entries and exits find each other only on one side of a gap, and what is lost is counted" {
	need babeltrace2 root busy fake_opencl/libOpenCL.so.1
	mkdir "$T/small"
	cat >run.sh <<-'EOF'
		mount -t tmpfs -o size=8m tmpfs "$1/small" || exit 90
		LD_LIBRARY_PATH=$3 "$2" -q -l --on-loss drop --max-size 1G --json "$1/summary.json" -o "$1/small/rec" "$4" 4 3 &
		sleep 1
		dd if=/dev/zero of="$1/small/filler" bs=4k 2>/dev/null
		sleep 1
		rm "$1/small/filler"
		wait $!
		status=$?
		cp -r "$1/small/rec" "$1/rec"
		exit $status
	EOF
	status=0
	timeout 60 unshare -m sh run.sh "$T" "$SONDE" "$APPS/fake_opencl" "$APPS/busy" >out 2>"$T/err" || status=$?
	equal status 0 "$status"
	check 'calls("MPI_Test") == calls("MPI_Allreduce") > 0' '"timeline_lost" in notes' # the table lacks nothing
	"$SONDE" print --json "$T/rec" >"$T/events"
	"$PYTHON" - "$T/events" "$T/summary.json" <<-'EOF'
		import collections, json, sys
		events = [json.loads(line) for line in open(sys.argv[1])]
		summary = json.load(open(sys.argv[2]))
		gaps, exits = collections.defaultdict(list), []
		for event in events:
		    if event["type"] == "gap" and "tid" in event:
		        gaps[event["tid"]].append((event["time_ns"], event["time_ns"] + event["duration_ns"]))
		    elif event["type"] == "exit" and "duration_ns" in event:
		        exits.append(event)
		assert gaps and any(end < events[-1]["time_ns"] - 1e8 for rows in gaps.values() for _, end in rows), dict(gaps)
		behind = 0
		for event in exits:
		    begin, end = event["time_ns"] - event["duration_ns"], event["time_ns"]
		    for first, last in gaps[event["tid"]]:
		        assert end <= first or begin >= last, (event, first, last)
		        behind += begin >= last
		assert behind > 100, behind # it went on where there was room again
		lost = sum(event["lost"] for event in events if event["type"] == "gap")
		assert lost > 0, lost
		# with what is counted as lost, nothing is missing: two events a call, one or two more of some
		seen = sum(1 for event in events if event["type"] in ("entry", "exit", "bytes", "link") and not event.get("ended"))
		calls = sum(row["calls"] for row in summary["calls"] if row["timed"])
		assert seen + lost >= 2 * calls, (seen, lost, calls)
	EOF
	babeltrace2 "$T/rec" >"$T/bt" 2>"$T/bt.err"
	grep -q discarded "$T/bt.err"
	never grep -qv discarded "$T/bt.err"
}
