#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Clocks of devices, and stamps that cannot be right.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load "$SRC/src/backends/ze/tests/lib"

longest='max([k["max_ns"] for k in s["kernels"]] + [0]) <= s["run"]["wall_ns"]'

@test "C080 a clock of 32 bits that wraps twice in the run: no slice is longer than the run, times are the device's" {
	# 10 GHz: a wrap takes 0.43 s
	ze_well SIM_CLOCK_BITS=32 SIM_CLOCK_HZ=10000000000 app spins 100 10000000
	complete "$longest" 'kernels("spin") == 100' 'out["ran_ns"] > 2 * 2**32 / 10' \
		'near(s["kernels"][0]["min_ns"], 10e6, 0.05)' 's["devices"][0]["kernels_ns"] >= 100 * 10e6'
	as_logged
}

@test "C080 where everything is waited for at once, times that a wrap leaves open are none" {
	ze_well SIM_CLOCK_BITS=28 app exits 5
	complete 'kernels() == 5'
	ze_well SIM_CLOCK_BITS=20 app exits 5
	check "$longest" 'ledger("device_seen") == 5' \
		'ledger("device_recorded") + ledger("untimed") + ledger("unfinished") == 5' 'ledger("untimed") > 0'
}

@test "clocks of other rates: 12.5 MHz, 19.2 MHz, with 36 bits" {
	for hz in 12500000 19200000; do
		ze_well SIM_CLOCK_BITS=36 SIM_CLOCK_HZ=$hz app spins 20 2000000
		complete 'kernels("spin") == 20' 's["kernels"][0]["min_ns"] > 19e5'
		as_logged
	done
}

@test "C092 C104 a clock that drifts, far ahead of the host's: every kernel is there, where it ran" {
	for drift in 100 -100; do
		ze_well SIM_CLOCK_DRIFT=$drift SIM_CLOCK_OFFSET=86400000000000 app spins 50 2000000
		complete 'kernels("spin") == 50' 's["devices"][0]["clock_error_ns"] < 1000000' \
			's["devices"][0]["kernels_ns"] == s["devices"][0]["kernels_sum_ns"]'
		as_logged
	done
}

@test "C079 C082 C086 stamps that are zero or backwards are no times: counted, the program is untouched" {
	for way in zero negative; do
		for list in regular immediate; do
			ze_well SIM_TIMES=$way app matrix 20 $list async
			check "$longest" 'ledger("device_seen") == 22' 'ledger("untimed") == 22' 'kernels() == 0' \
				'not s["transfers"]' 'ledger("unfinished") == 0' 's["lower_bound"]'
		done
	done
}

@test "C079 stamps that come late are read late" {
	for list in regular immediate; do
		ze_well SIM_TIMES=late:20 app exits 5
		complete 'kernels("spin") == 5'
		as_logged
	done
	ze_well SIM_TIMES=late:20 app matrix 20 immediate sync
	check 'ledger("device_seen") == 22' 'ledger("device_recorded") + ledger("untimed") == 22'
}

@test "C073 stamps that never come: no kernels, and the ledger says how many ran" {
	ze_well SIM_TIMES=missing app matrix 20 regular sync
	check 'ledger("device_seen") == 22' 'ledger("untimed") == 22' 'kernels() == 0' 's["lower_bound"]'
	ze_well SIM_TIMES=missing app exits 5
	check 'ledger("device_seen") == 5' 'ledger("unfinished") == 5'
	grep -q "ze" "$T/err"
}

@test "C085 kernels of an in-order list do not overlap" {
	ze_well app matrix 1000 immediate inorder
	complete 's["devices"][0]["kernels_ns"] == s["devices"][0]["kernels_sum_ns"]'
}
