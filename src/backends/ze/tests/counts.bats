#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Kernels in every way: exact counts, and times as the simulated device logs them.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load "$SRC/src/backends/ze/tests/lib"

matrix() # COUNT
{
	for list in regular immediate; do
		for way in sync async inorder; do
			ze_well app matrix "$1" $list $way
			complete "kernels('add_one') == out['kernels'] == $1" 'kernels() == out["kernels"]' \
				'calls("zeCommandListAppendLaunchKernel") == out["kernels"]' \
				'all(sum(t["bytes"] for t in s["transfers"] if t["direction"] == way) == out["bytes"]
				     for way in ("H2D", "D2H"))' 's["memory"][0]["live_bytes"] == 0' \
				's["devices"][0]["overlap_ns"] == 0' || { echo "$list $way"; return 1; }
			as_logged || { echo "$list $way"; return 1; }
		done
	done
}

@test "C097 one kernel: regular and immediate lists, synchronous, asynchronous, in order" {
	matrix 1
}

@test "C097 101 kernels" {
	matrix 101
}

@test "C097 10,000 kernels" {
	matrix 10000
}

@test "C062 C064 a program that opens the loader with RTLD_LOCAL and RTLD_DEEPBIND and asks for functions by name" {
	for list in regular immediate; do
		ze_well app_by_name matrix 101 $list async
		complete 'kernels("add_one") == 101' 'calls("zeCommandListAppendLaunchKernel") == 101' 'calls("zeInit") == 1'
		as_logged
	done
}

@test "C098 an event pool of size 1: the program's event, with and without times of its own, again and again" {
	for flags in 1 5; do
		ze_well app event 500 $flags
		complete 'kernels("add_one") == 500' 'calls("zeEventHostReset") == 500' \
			"$flags == 1 or near(s['kernels'][0]['total_ns'], out['ticks'], 0.002, 1000)"
		as_logged
	done
}

@test "C098 kernels behind an event that nobody signals: no hang, those that ran are there" {
	limit=20
	ze app gate 10 exit
	equal status 0 "$status"
	check 'kernels() == 1' 'ledger("device_seen") == 10' 'ledger("unfinished") == 9' 's["lower_bound"]'
	ze app gate 10 signal
	complete 'kernels() == 10' 's["kernels"][0]["max_ns"] < 40e6'
}

@test "a list executed 50 times: each execution counts, by queue, by fence" {
	for way in sync fence; do
		ze_well app reuse 50 $way
		complete 'kernels("add_one") == out["kernels"] == 100' \
			'sum(t["calls"] for t in s["transfers"]) == out["copies"] == 50' \
			'calls("zeCommandQueueExecuteCommandLists") == 50' 'calls("zeCommandListAppendLaunchKernel") == 2'
		as_logged
	done
}

@test "a list executed again while it may still run: executions without times are counted as such" {
	ze_well app reuse 50 async
	check 'ledger("device_seen") == 150' 'ledger("device_recorded") + ledger("untimed") == 150' \
		'0 < kernels() <= 100' 'ledger("unfinished") == 0'
}

@test "an event that the list itself resets: kernels before the last have no times, and are counted" {
	ze_well kinds resets
	check 'ledger("device_seen") == 4' 'kernels() == 1' 'ledger("untimed") == 3' 'ledger("unfinished") == 0'
}

@test "16 threads at once, with lists, kernels and events of their own" {
	ze_well app threads 16 200
	complete 'kernels("add_one") == out["kernels"] == 3200' 'sum(t["calls"] for t in s["transfers"]) == out["copies"]' \
		's["memory"][0]["allocs"] == 16' 's["memory"][0]["live_bytes"] == 0'
	as_logged
}

@test "8 threads on one queue, each with a list that it executes again and again" {
	ze_well app shared 8 40
	complete 'kernels("spin") == out["kernels"] == 640' 'calls("zeCommandQueueExecuteCommandLists") == 320' \
		'calls("zeFenceReset") == 320'
	as_logged
}
