#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reported failures of comparable tools, section G: numbers that mislead. Several devices (C115) are tested beside
# the OpenCL backend, errors of MPI (C113) beside the MPI backend.
load lib

@test "C112 a call inside a call counts once in every total" {
	traced "$APPS/user_op"
	equal status 0 "$status"
	# MPI_Recv takes 50 of the 100 ms of MPI_Allreduce; together they are 100 ms of communication
	check 'total("MPI_Allreduce") >= 100e6' 'near(ns("comm"), total("MPI_Allreduce"), 0.02)' \
		'near(own("MPI_Allreduce") + own("MPI_Recv"), total("MPI_Allreduce"), 0.01)'
}

@test "C112 C113 calls that go down 10 levels: nothing negative, nothing twice, in table and timeline" {
	traced -l -o "$T/rec" -- "$APPS/nested" 10 20
	equal status 0 "$status"
	# recursion counts once in the inclusive time: not more than the outermost calls took. Less is what others had of
	# the processor between the program's timer and the call.
	check 'calls("MPI_Allreduce") == 200' 'calls("MPI_Recv") == 20' 'near(ns("comm"), total("MPI_Allreduce"), 0.001)' \
		'0.8e3 * out["outer_us"] <= total("MPI_Allreduce") <= 1e3 * (out["outer_us"] + 1)' \
		'near(own("MPI_Allreduce") + own("MPI_Recv"), total("MPI_Allreduce"), 0.001)' \
		'sum(r["self_ns"] for r in s["calls"]) <= s["run"]["wall_ns"]'
	"$PYTHON" -B "$LIB/pftrace.py" --dump "$T/rec/timeline.pftrace" >"$T/dump"
	equal "calls ten deep" 20 "$(grep -c ' \.\.\.\.\.\.\.\.\.MPI_Allreduce ' "$T/dump")"
	equal "calls eleven deep" 20 "$(grep -c ' \.\.\.\.\.\.\.\.\.\.MPI_Recv ' "$T/dump")"
}

@test "C116 kernels, copies, both at once and idle: what overlaps counts once, and the sum is the run" {
	need opencl
	overlap_runs()
	{
		traced "$APPS/cl_overlap" 10
		equal status 0 "$status"
		check 'len(s["devices"]) == 1' 'all(d["kernels_ns"] + d["copies_ns"] - d["overlap_ns"] + d["idle_ns"] == d["wall_ns"]
			for d in s["devices"])' 's["devices"][0]["wall_ns"] == s["run"]["wall_ns"]' \
			's["devices"][0]["kernels_sum_ns"] == sum(k["total_ns"] for k in s["kernels"])'
	}
	# two queues: where the machine is busy, no two of their kernels may have run at once
	thrice overlap_runs 'check "s[\"devices\"][0][\"kernels_ns\"] < s[\"devices\"][0][\"kernels_sum_ns\"]"'
}

@test "C118 a program that waits for its device is not slower, and one that is not traced pays nothing" {
	need opencl cl_modes fake_opencl/libOpenCL.so.1 valgrind
	# 400 kernels of 1 ms, each flushed: the best of three, in turn
	export LD_LIBRARY_PATH=$APPS/fake_opencl FAKE_KERNEL_NS=1000000
	bare=0 with=0
	for _ in 1 2 3; do
		bare "$APPS/cl_modes" 400 flush kernels
		took=$(sed -n s/elapsed_us=//p "$T/bare.out")
		[ $bare -ne 0 ] && [ $bare -le $took ] || bare=$took
		traced -q -l -o "$T/rec" -- "$APPS/cl_modes" 400 flush kernels
		check 'kernels() == 400'
		took=$(sed -n s/elapsed_us=//p "$T/out")
		[ $with -ne 0 ] && [ $with -le $took ] || with=$took
		rm -rf "$T/rec"
	done
	unset LD_LIBRARY_PATH FAKE_KERNEL_NS
	echo "# $bare us bare, $with us with sonde" >&3
	[ $((with * 100)) -le $((bare * 102)) ]
	# an API that is not traced: not one instruction more per call
	counted()
	{
		timeout 120 "$@" valgrind --tool=callgrind --callgrind-out-file="$T/cg" "$APPS/burst" $calls 2>&1 |
			awk '/Collected/ { print $NF }'
	}
	calls=20000
	off=$(counted "$SONDE" -q -b opencl)
	none=$(counted env)
	calls=60000
	off=$(($(counted "$SONDE" -q -b opencl) - off))
	none=$(($(counted env) - none))
	[ $none -gt 100000 ] && [ $off -le $((none + 400)) ] || { echo "$none instructions without, $off with sonde"; return 1; }
}

@test "C119 sonde never makes the runtime wait: as many flushes, finishes and waits as the program calls" {
	need opencl cl_modes fake_opencl/libOpenCL.so.1
	export LD_LIBRARY_PATH=$APPS/fake_opencl FAKE_COUNTS=1
	for mode in async finish events flush free; do
		bare "$APPS/cl_modes" 50 $mode kernels
		equal "bare status with $mode" 0 "$status"
		for streams in "" "--timeline=$T/t.pftrace"; do
			traced $streams -- "$APPS/cl_modes" 50 $mode kernels
			equal "status with $mode" 0 "$status"
			check 'kernels() == 50'
			for what in finishes flushes waits; do
				equal "$what with $mode" "$(grep $what= "$T/bare.out")" "$(grep $what= "$T/out")"
			done
		done
	done
	grep -q finishes=1 "$T/out"
}
