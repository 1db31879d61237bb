#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Threads, unwinding, handlers, descriptors: what programs do that recorders trip over.
load lib
load same

@test "16 threads at once: every call is counted, and only once" {
	need opencl
	traced "$APPS/cl_threads" 16 1000
	equal status 0 "$status"
	check 'calls("clSetKernelArg") == out["set_arg"]' 'kernels() == 16' 'calls("clCreateKernel") == 18' \
		'ledger("lost") == 0'
}

@test "10^5 short-lived threads with calls in their key destructors: exact, and no bigger than for few" {
	limit=200
	traced -o few "$APPS/thread_churn" 100 4
	check 'calls("MPI_Barrier") == out["barriers"]'
	traced -o many "$APPS/thread_churn" 100000 4
	equal status 0 "$status"
	check 'calls("MPI_Barrier") == out["barriers"]' 'ledger("lost") == 0'
	few=$(du -sk few | cut -f1)
	many=$(du -sk many | cut -f1)
	[ "$many" -le $((few + 256)) ] || { echo "few threads take $few KiB, many $many KiB"; return 1; }
}

@test "64 threads at once, one batch after the other" {
	traced "$APPS/thread_churn" 2000 64
	equal status 0 "$status"
	check 'calls("MPI_Barrier") == out["barriers"]' 'ledger("lost") == 0'
}

@test "destructors of thread_local objects may call the API, also the main thread's" {
	need thread_local
	traced "$APPS/thread_local" 64
	equal status 0 "$status"
	check 'calls("MPI_Barrier") == out["barriers"]' 'ledger("lost") == 0'
}

@test "longjmp out of traced calls: the depth recovers, the calls left are unfinished" {
	traced "$APPS/unwind_longjmp" 100
	equal status 0 "$status"
	check 'unfinished("MPI_Allreduce") == out["unfinished"]' 'unfinished("MPI_Scan") == out["unfinished_scans"]' \
		'calls("MPI_Barrier") == out["barriers"]' 'calls("MPI_Send") == out["sends"]' 'failed("MPI_Send") == out["failed"]' 'ledger("lost") == 0'
}

@test "calls and ranges that a thread left open end with it, not with the process" {
	for how in return _exit abort; do
		traced "$APPS/thread_left" $how
		check 'calls("MPI_Recv") == 0' 'unfinished("MPI_Recv") == 1' 'calls("MPI_Barrier") == 1' \
			'not s["open_calls"]' 'all(c["open_ns"] == 0 for c in s["calls"] + s["ranges"])' \
			'all(range_of(n)["unfinished"] == 1 for n in ("around", "outer", "inner"))' \
			's["run"]["wall_ns"] > 400e6' 'ns("host") > 400e6' 'ledger("lost") == 0'
	done
	streamed "$APPS/thread_left"
	equal status 0 "$status"
	same
	check 'unfinished("MPI_Recv") == 1'
	"$SONDE" print "$T/rec" >"$T/print"
	equal "calls and ranges left" 4 "$(grep -cE ' < (mpi:MPI_Recv|sonde:(around|outer|inner)) left ([0-9.]+ (ns|us)|[0-9]{1,2}(\.[0-9]+)? ms)$' "$T/print")"
}

@test "the same of the initial thread, which the process survives" {
	for how in return _exit abort; do
		traced "$APPS/initial_left" $how
		check 'calls("MPI_Recv") == 0' 'unfinished("MPI_Recv") == 1' 'calls("MPI_Test") == 1' \
			'not s["open_calls"]' 'all(c["open_ns"] == 0 for c in s["calls"] + s["ranges"])' \
			'range_of("around")["unfinished"] == 1' 's["run"]["wall_ns"] > 400e6' 'ledger("lost") == 0'
	done
	for option in -l -t; do
		traced $option -- "$APPS/initial_left"
		equal status 0 "$status"
		check 'out["tested"] == 1' 'unfinished("MPI_Recv") == 1' 'calls("MPI_Test") == 1'
		rm -rf sonde-*
	done
}

@test "a program of one thread that dies of process_vm_readv() ends as it would" {
	for how in return _exit abort; do
		bare "$APPS/filtered" $how
		[ "$status" != 77 ] || omit "no seccomp"
		without=$status
		traced "$APPS/filtered" $how
		equal "status of $how" "$without" "$status"
		check 'calls("MPI_Barrier") == 1' 'len(s["ranges"]) == 1'
	done
}

@test "C++ exceptions pass through traced calls: the calls left are unfinished" {
	need unwind_throw
	traced "$APPS/unwind_throw" 100
	equal status 0 "$status"
	check 'out["caught"] == 100' 'unfinished("MPI_Allreduce") == out["unfinished"]' \
		'calls("MPI_Barrier") == out["barriers"]' 'calls("MPI_Send") == out["sends"]' 'ledger("lost") == 0'
}

@test "first calls of one thread, and of a library's constructor in another, do not wait for each other" {
	limit=20
	traced "$APPS/load_race" "$APPS/load_race_plugin.so"
	equal status 0 "$status"
	check 'out["loaded"] == 1' 'calls("MPI_Barrier") == 1 and calls("MPI_Send") == 1'
}

@test "calls that are open on two stacks of one thread end in any order" {
	for option in -q -l -t; do
		for order in first last; do
			traced $option -- "$APPS/two_stacks" $order
			equal status 0 "$status"
			check 'calls("MPI_Allreduce") == 2 and calls("MPI_Scan") == 2 and calls("MPI_Send") == 3' \
				'unfinished("MPI_Allreduce") == 0 and unfinished("MPI_Scan") == 0' 'not s["open_calls"]' \
				'ledger("calls_unfinished") == 0' 'total("MPI_Allreduce") > 20e6' 'ns("host") >= 0' \
				'sum(c["self_ns"] for c in s["calls"] if c["timed"]) <= s["run"]["wall_ns"]'
			rm -rf sonde-*
		done
	done
}

@test "signal handlers call the API in the middle of other calls: both are exact" {
	traced "$APPS/signal_calls" 500
	equal status 0 "$status"
	check 'out["handled"] > 100' 'calls("MPI_Barrier") == out["handled"]' 'calls("MPI_Test") == out["tests"]' \
		'ledger("lost") == 0' 'unfinished("MPI_Test") == 0'
}

@test "an application that closes all descriptors gets its own numbers and its own file back" {
	need opencl
	bare "$APPS/cl_closeall" "$T/bare.txt"
	grep descriptor "$T/bare.out" >bare.fd
	traced "$APPS/cl_closeall" "$T/traced.txt"
	equal status 0 "$status"
	grep descriptor "$T/out" | cmp bare.fd -
	cmp "$T/bare.txt" "$T/traced.txt"
	equal lines 100 "$(wc -l <"$T/traced.txt")"
	check 'calls("clSetKernelArg") == out["set_arg"] + 2' 'kernels() == 2' 'ledger("lost") == 0'
}
