#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Commands of all kinds, in all orders: what is counted as what.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib
load lib

moved='all(sum(t["bytes"] for t in s["transfers"] if t["direction"] == name) == out[key]
	   for key, name in (("h2d", "H2D"), ("d2h", "D2H"), ("d2d", "D2D"), ("fill", "fill")))'

@test "C070 one command of each kind: every one has its time, its direction and its bytes" {
	ocl kinds
	complete 'ledger("device_seen") == out["commands"]' 'out["commands"] >= 20' 'kernels() == out["kernels"]' \
		'kernels("clEnqueueNativeKernel") <= 1' "$moved" 'calls("clEnqueueBarrier") == 1'
	ocl_wrapped kinds
	complete 'ledger("device_seen") == out["commands"]' 'kernels() == out["kernels"]' "$moved"
}

@test "C071 refused commands: the program's error codes stay, failures are counted, nothing has a device time" {
	need opencl
	bare "$PROGRAMS/kinds" fail
	for ways in "" "env -u OPENCL_LAYERS"; do
		traced $ways "$PROGRAMS/kinds" fail
		equal status 0 "$status"
		cmp "$T/bare.out" "$T/out"
		complete 'failed("clEnqueueNDRangeKernel") == 1' 'failed("clEnqueueReadBuffer") == 1' \
			'failed("clEnqueueMarker") == 1' 'failed("clEnqueueMapBuffer") == 1' \
			'failed("clCreateCommandQueue") == 2' 'ledger("device_seen") == 0' 'not s["kernels"]' \
			'not s["transfers"]' 'out["dimension"] == -53'
	done
}

@test "L7 queues, properties, event counts and missing times look as without sonde" {
	need opencl
	bare "$PROGRAMS/visible"
	for ways in "" "env -u OPENCL_LAYERS"; do
		traced $ways "$PROGRAMS/visible"
		equal status 0 "$status"
		diff "$T/bare.out" "$T/out"
		complete 'ledger("device_seen") == 6'
	done
	says "$T/out" "done: -7 -7 -7 -7 -7" "done: 0 0 0 0"
}

@test "C094 commands that depend on each other do not overlap" {
	ocl order chain
	complete 'kernels("add_one") == 50' 'ledger("device_seen") == 150' 's["devices"][0]["overlap_ns"] == 0' \
		's["devices"][0]["kernels_ns"] == s["devices"][0]["kernels_sum_ns"]' \
		's["devices"][0]["copies_ns"] == s["devices"][0]["copies_sum_ns"]'
}

@test "out-of-order queues, events of the program's across two queues" {
	ocl order free
	complete 'kernels("add_one") == out["kernels"]' 'ledger("device_seen") == out["commands"]' \
		's["devices"][0]["overlap_ns"] == 0'
}

@test "commands behind a user event: their time is that on the device, not that of the wait" {
	ocl order gate
	complete 'kernels("add_one") == 50' 'ledger("device_seen") == 52' 's["kernels"][0]["max_ns"] < 90e6' \
		's["transfers"][0]["total_ns"] < 90e6'
}

@test "a command whose user event reports an error has no time" {
	ocl order failed
	check 'out["status"] < 0' 'ledger("device_seen") == 1' 'ledger("untimed") == 1' 'ledger("unfinished") == 0' \
		'not s["kernels"]'
}

@test "everything released before the commands have run" {
	ocl order released
	complete 'kernels("add_one") == 50' 's["memory"][0]["live_bytes"] == 0'
}

@test "a blocking read behind a long kernel is waiting, not copying" {
	for ways in ocl ocl_wrapped; do
		$ways order wait
		complete 'ns("copy") <= out["busy_ns"] * 1.01 + 1000' 'near(ns("copy"), out["busy_ns"], 0.01)' \
			'ns("device_wait") >= (out["waited_ns"] - out["busy_ns"]) * 0.98' \
			'near(row("clEnqueueReadBuffer")["total_ns"], out["waited_ns"], 0.02)'
	done
}

@test "command buffers, whose functions the program asks for by name" {
	for ways in ocl ocl_wrapped; do
		$ways extension
		complete 'kernels("clEnqueueCommandBufferKHR") == out["buffers"]' \
			'calls("clEnqueueCommandBufferKHR") == out["buffers"]' \
			'not out["buffers"] or out["times"] == -7'
	done
}

# The runtime may hold a buffer a little longer than the last command that uses it: past the end of a busy program.
@test "16 threads at once, with buffers, kernels and queues of their own" {
	runs()
	{
		$ways threads 16 100
		complete 'kernels("add_one") == out["kernels"]' 'ledger("device_seen") == 3 * out["kernels"]' \
			'all(t["bytes"] == out["bytes"] and t["calls"] == out["kernels"] for t in s["transfers"])' \
			'len(s["transfers"]) == 2' 's["memory"][0]["allocs"] == out["kernels"]' \
			'calls("clReleaseEvent") == out["kernels"]' 'calls("clRetainEvent") == 0'
	}
	for ways in ocl ocl_wrapped; do
		thrice runs "check 's[\"memory\"][0][\"live_bytes\"] == 0'"
	done
}
