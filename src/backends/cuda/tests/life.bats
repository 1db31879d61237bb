#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Beginnings and ends of processes that use CUDA, of a simulated one (sim.h).
load lib

# ended STATUS KIND WORD...: as sim(), with another end
ended()
{
	traced -- "$SIM/sim_$2" "${@:3}"
	equal "status of $*" "$1" "$status"
}

# Each launch has either come back or is told as unfinished.
all_accounted() # LAUNCHES
{
	check "calls('cudaLaunchKernel') == $1" "ledger('device_seen') == $1" \
		"ledger('device_recorded') + ledger('unfinished') + ledger('untimed') == $1"
}

@test "C023: a program that ends without waiting has all its kernels" {
	for kind in shared static; do
		ended 0 $kind launch 1000
		complete 'kernels() == 1000'
		ended 7 $kind launch 1000 exit 7
		complete 'kernels() == 1000'
	done
}

@test "_exit and abort deliver what CUPTI holds" {
	for kind in shared static; do
		ended 5 $kind launch 1000 quick-exit 5
		complete 'kernels() == 1000'
		ended 134 $kind launch 1000 abort
		complete 'kernels() == 1000'
	done
}

@test "after SIGKILL each launch is recorded or unfinished" {
	for kind in shared static; do
		ended 137 $kind launch 2000 sleep 100 kill
		all_accounted 2000
		check '0 < ledger("unfinished") < 1000' 's["lower_bound"]' # of the buffer that was being filled
	done
}

@test "work that is started after the last flush is recorded, or counted as unfinished" {
	for kind in shared static; do
		ended 0 $kind late 30 init launch 100
		all_accounted 130
		check 'kernels() >= 100'
	done
}

@test "a flush that hangs holds the program up for two seconds and no longer" {
	for words in "exit 3" "quick-exit 3"; do
		before=$(date +%s%N)
		# shellcheck disable=SC2086
		SIM_HANG=50 ended 3 shared launch 10 $words
		took=$((($(date +%s%N) - before) / 1000000))
		[ $took -lt 6000 ] || { echo "took $took ms"; return 1; }
		all_accounted 10
		check 'ledger("unfinished") == 10' 's["lower_bound"]'
	done
}

@test "a handler that ends the program, wherever it comes, has what CUPTI holds delivered" {
	limit=20
	for _ in 1 2 3 4 5 6; do
		ended 3 shared launch 10 start-threads 1 0 handler-exit
		check 'kernels() == 10' 'ledger("unfinished") == 0'
	done
}

@test "a process forked before CUDA starts has a recording of its own" {
	for kind in shared static; do
		ended 0 $kind fork name child launch 30 sync exit 4 parent name parent launch 20
		complete 'out["child"] == 4' 'processes == 2' 'kernels("child") == 30' 'kernels("parent") == 20' \
			'calls("cudaLaunchKernel") == 50'
	done
}

@test "a process forked after CUDA started has no CUDA, and does not disturb its parent's" {
	for kind in shared static; do
		ended 0 $kind launch 20 fork exit 4 parent launch 10
		complete 'out["child"] == 4' 'kernels() == 30' 'calls("cudaLaunchKernel") == 30'
		ended 0 $kind launch 20 fork quick-exit 4 parent launch 10
		complete 'out["child"] == 4' 'kernels() == 30'
		ended 0 $kind launch 20 fork launch 5 exit 4 parent launch 10
		check 'out["child"] == 4' 'kernels() == 30' 'ledger("device_seen") == 30' 'ledger("unfinished") == 0'
	done
	ended 0 shared launch 20 fork launch 5 exit 4 parent launch 10
	check 'processes == 2' 'calls("cudaLaunchKernel") == 35' 'failed("cudaLaunchKernel") == 5'
}

@test "a thread that has ended keeps its launches" {
	for kind in shared static; do
		ended 0 $kind threads 16 100 threads 16 100 launch 1
		complete 'kernels("threaded") == 3200' 'calls("cudaLaunchKernel") == 3201'
	done
}

@test "what a program prints and how it ends does not depend on being traced" {
	for kind in shared static; do
		bare "$SIM/sim_$kind" launch 100 answer 2 alloc 10 exit 9
		equal "status alone" 9 "$status"
		ended 9 $kind launch 100 answer 2 alloc 10 exit 9
		cmp "$T/out" "$T/bare.out"
	done
}
