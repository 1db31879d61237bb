#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# How programs and runtimes begin and end.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib
load lib

@test "C020 100 kernels and an end without waiting: completed and unfinished add up, the status is the program's" {
	for how in exit _exit; do
		for ways in ocl ocl_wrapped; do
			$ways end $how
			check 'ledger("device_seen") == 100' 'kernels("add_one") + ledger("unfinished") == 100' \
				'ledger("untimed") == 0' 'ledger("device_lost") == 0' 's["lower_bound"] == (kernels() < 100)'
		done
	done
}

@test "a kernel that is still being built at exit is waited for before the runtime is taken apart" {
	for _ in 1 2 3; do
		POCL_CACHE_DIR=$(mktemp -d "$T/cache.XXXX")
		ocl end exit
		check 'kernels("add_one") == 100' 'ledger("unfinished") == 0' 'not s["lower_bound"]'
	done
}

@test "C098 a kernel that nobody lets run is unfinished, and is not waited for" {
	need opencl
	bare "$PROGRAMS/end" never
	ocl end never
	check 'ledger("device_seen") == 11' 'kernels("add_one") == 10' 'ledger("unfinished") == 1' 's["lower_bound"]' \
		's["run"]["wall_ns"] < 20e9'
}

@test "a kernel that runs on when the program ends is unfinished, and is not waited for" {
	ocl end long
	check 'ledger("device_seen") == 2' 'kernels("spin") == 1' 'ledger("unfinished") == 1' 's["lower_bound"]'
}

# The runtime may hold a buffer a little longer than the last command that uses it, on a thread that the end comes before.
@test "C019 memory that a library's destructor gives back" {
	gives_back()
	{
		$ways end late
		complete 'calls("clReleaseMemObject") == 1' 'end == "exit 0"'
	}
	for ways in ocl ocl_wrapped; do
		thrice gives_back "check 's[\"memory\"][0][\"live_bytes\"] == 0'"
	done
}

@test "C028 the runtime opened and closed 100 times" {
	limit=200
	ocl cycles libOpenCL.so.1 100
	complete 'kernels("add_one") == 300' 'calls("clCreateContext") == 100' 's["memory"][0]["allocs"] == 100' \
		's["memory"][0]["live_bytes"] == 0'
	ocl_wrapped cycles libOpenCL.so.1 10
	complete 'kernels("add_one") == 30' 'calls("clCreateContext") == 10'
}

@test "C067 a library that lacks functions: they stay absent, and it is named" {
	for ways in ocl ocl_wrapped; do
		$ways cycles "$PROGRAMS/old/libOpenCL.so.1" 2
		complete 'out["with_il"] == 0' 'kernels("add_one") == 6' 'calls("clCreateContext") == 2'
	done
	check 's["ledger"][0]["library"].endswith("tests/opencl/old/libOpenCL.so.1")'
}

@test "C115 several devices: each has its kernels" {
	need opencl
	export POCL_DEVICES="basic pthread"
	ocl devices
	complete 'out["devices"] == 2' 'sorted(row["calls"] for row in s["kernels"]) == [10, 20]' \
		'len(set(row["device"] for row in s["kernels"])) == 2' 'len(s["devices"]) == 2' \
		'all(near(d["kernels_sum_ns"], sum(r["total_ns"] for r in s["kernels"] if r["device"] == d["device"]), 0)
		     for d in s["devices"])'
	export POCL_DEVICES="basic basic pthread"
	ocl devices
	complete 'out["devices"] == 3' 'kernels() == 60' 'len(set(d["key"] for d in s["devices"])) == 3'
}

@test "C115 sub-devices: each has its kernels" {
	ocl devices sub
	complete 'out["devices"] >= 2' 'kernels("add_one") == 10 * sum(range(1, out["devices"] + 1))' \
		'len(set(row["device"] for row in s["kernels"])) == out["devices"]'
}
