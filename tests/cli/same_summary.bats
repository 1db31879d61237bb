#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Every figure of the table that comes from streams, by `sonde report --streams`, against the tally, which is counted
# in another place by other code.
load lib
load same

@test "streams and tally agree: OpenCL, threads, many and short ones, commands of all kinds" {
	need opencl
	local words
	for words in "cl_run 100" "cl_overlap 20" "cl_threads 16 50" "thread_churn 300"; do
		# shellcheck disable=SC2086
		streamed "$APPS"/$words
		equal "status of $words" 0 "$status"
		same
	done
	for words in counts kinds memory extension build; do
		[ -x "$BUILD/tests/opencl/$words" ] || continue
		streamed "$BUILD/tests/opencl/$words"
		equal "status of $words" 0 "$status"
		same
	done
}

@test "streams and tally agree: more kernels than a tally keeps intervals of" {
	need opencl
	streamed "$APPS/cl_run" 4500
	equal status 0 "$status"
	same
}

@test "streams and tally agree: fork, exec, an end by a signal" {
	need opencl
	local how
	for how in fork clone; do
		streamed "$APPS/cl_fork" $how
		equal "status of $how" 0 "$status"
		same
	done
	streamed "$APPS/cl_exec" 3
	equal status 7 "$status"
	same
	streamed "$APPS/cl_run" 5 kill
	equal status 137 "$status"
	same
}

@test "streams and tally agree: signal handlers, calls within calls, jumps and exceptions out of them" {
	local words
	need signal_calls
	for words in signal_calls user_op unwind_longjmp unwind_throw "burst 100000"; do
		[ -x "$APPS/${words%% *}" ] || continue
		# shellcheck disable=SC2086
		streamed "$APPS"/$words
		equal "status of $words" 0 "$status"
		same
	done
}

@test "streams and tally agree: both MPIs, messages, collectives, one-sided, threads, user operations" {
	local mpi words
	for mpi in mpich openmpi; do
		need $mpi
		streamed_job $mpi 3 "$APPS/mpi_ring.$mpi" 50
		equal "status of ring" 0 "$status"
		same
		for words in messages collectives onesided threads16 user_op errors; do
			[ -x "$BUILD/tests/mpi/$words.$mpi" ] || continue
			streamed_job $mpi 2 "$BUILD/tests/mpi/$words.$mpi"
			equal "status of $words" 0 "$status"
			same
		done
	done
}

@test "streams and tally agree: an application with two ranks on one device" {
	local mpi
	need opencl
	for mpi in mpich openmpi; do
		[ -x "$BUILD/examples/heat/heat-$mpi" ] || omit "no heat-$mpi"
		streamed_job $mpi 2 "$BUILD/examples/heat/heat-$mpi" --size 256 --steps 40
		equal status 0 "$status"
		same
	done
}
