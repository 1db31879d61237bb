#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Recordings with arguments: readable as those without, whatever the arguments hold.
load lib
load streams
how=-t

lines() # PATTERN: exits with 0 when `sonde print` has such a line
{
	"$SONDE" print "$T/rec" >"$T/printed" 2>"$T/print.err" || { cat "$T/print.err"; return 1; }
	grep -qE -- "$1" "$T/printed" || { echo "no line: $1"; grep -m 20 "${1%%[^a-zA-Z:]*}" "$T/printed"; return 1; }
}

@test "threads, forks, handlers and many calls: readable, counts as in the summary" {
	need babeltrace2 opencl signal_calls
	for program in "cl_run 100" "cl_threads 16 50" "cl_fork 3 5" "signal_calls" "thread_churn 100" "burst 20000"; do
		# shellcheck disable=SC2086
		streamed "$APPS"/$program
		equal "status of $program" 0 "$status"
		same_counts || { echo "$program"; return 1; }
	done
}

@test "every call says what it was called with and what it gave" {
	need opencl
	streamed "$APPS/cl_args"
	equal status 0 "$status"
	hex() { sed -n "s/^$1=//p" "$T/out"; }
	lines "> opencl:clBuildProgram\(program=$(hex program), num_devices=1, device_list=\[$(hex device)\], options=\"-DA=1\","
	lines "< opencl:clCreateKernel = $(hex kernel) \(errcode_ret=CL_SUCCESS\)"
	lines "> opencl:clCreateBuffer\(context=$(hex context), flags=CL_MEM_COPY_HOST_PTR\|CL_MEM_READ_ONLY, size=256, "
	lines "global_work_offset=\[\], global_work_size=\[4, 3\], local_work_size=\[2, 1\], num_events_in_wait_list=0"
	lines "num_events_in_wait_list=2, event_wait_list=\[$(hex first), $(hex second)\]\)"
	lines '> opencl:clGetPlatformIDs\(\.\.\.\)' # before there was a record
	# the program asked for the one event and not for the other, whatever the tool asks for
	equal "events that were asked for" 1 "$(grep -c "clEnqueueTask = CL_SUCCESS (event=$(hex first))" "$T/printed")"
	equal "events that were not" 1 "$(grep -c 'clEnqueueMarkerWithWaitList = CL_SUCCESS (event=NULL)' "$T/printed")"
	# a call that fails: its error, and nothing that it did not write
	lines '< opencl:clCreateKernel = 0x0 \(errcode_ret=CL_INVALID_KERNEL_NAME\) failed'
	lines '< opencl:clFinish = CL_INVALID_COMMAND_QUEUE failed'
	# pointers to nowhere are not followed, whatever the call says
	lines '> opencl:clEnqueueNDRangeKernel\(command_queue=0x0, .*global_work_size=\[\], .*event_wait_list=\[\]\)'
	lines '> opencl:clWaitForEvents\(num_events=0, event_list=\[\]\)'
	lines '> opencl:clGetDeviceInfo\(.*param_name=CL_DEVICE_NAME, param_value_size=0, param_value=0x0\)'
}

@test "a name of 4 KiB with quotes, line ends and bytes that are no text" {
	need opencl babeltrace2
	streamed "$APPS/cl_args"
	readable
	lines '> opencl:clCreateKernel\(program=0x[0-9a-f]+, kernel_name="(\\"|\\n|�|x)+"'
	equal "lines of calls" "$(grep -cE '(entry|exit|failed):' "$T/events")" "$(grep -cE '[<>] opencl:' "$T/printed")"
	"$SONDE" print --json "$T/rec" >"$T/json"
	"$PYTHON" - "$T/json" <<-'EOF'
	import json, sys
	events = [json.loads(line) for line in open(sys.argv[1])]
	long = [e for e in events if e["type"] == "entry" and len(e.get("args", {}).get("kernel_name") or "") > 500]
	assert len(long) == 1, long
	assert [e for e in events if e["type"] == "exit" and e.get("result") == "CL_INVALID_COMMAND_QUEUE" and e["failed"]]
	EOF
	"$SONDE" timeline -o "$T/t.pftrace" "$T/rec"
	"$PYTHON" "$SRC/tests/cli/pftrace.py" "$T/t.pftrace" >"$T/t.json"
	"$SONDE" export --to json -o "$T/e.json" "$T/rec"
	"$PYTHON" -c 'import json, sys; [json.loads(line) for line in open(sys.argv[1])]' "$T/e.json"
}

@test "killed at any moment: readable by both" {
	need babeltrace2
	for i in $(seq 4); do
		killed_early -t || continue
		readable
		"$SONDE" print "$T/rec" >"$T/printed" 2>"$T/print.err"
		equal entries "$(grep -c '_entry:' "$T/events")" "$(grep -c ' > mpi:' "$T/printed")"
	done
}

@test "-t says where the calls are, and asks functions for their time" {
	need opencl
	rm -rf sonde-cl_args-*
	traced -t "$APPS/cl_args"
	equal status 0 "$status"
	directory=$(sed -n 's/.*every call: sonde print //p' "$T/err")
	[ -d "$directory" ]
	"$SONDE" print "$directory" >"$T/printed"
	grep -q '< opencl:clGetDeviceInfo = CL_SUCCESS (param_value_size_ret=' "$T/printed"
	check 'the("clGetDeviceInfo")["timed"]'
}

@test "what recording arguments cost is in the last line" {
	traced "$APPS/burst" 20000
	without=$("$PYTHON" -c 'import json; print(json.load(open("summary.json"))["overhead"]["per_call_ns"])')
	traced -q -t "$APPS/burst" 20000
	check 's["overhead"]["per_call_ns"] > 3 * '"$without" 's["overhead"]["total_ns"] < s["run"]["wall_ns"]'
	rm -rf sonde-*
}
