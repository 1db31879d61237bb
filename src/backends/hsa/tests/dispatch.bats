#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What devices did for programs of HSA, where no rocprofiler-sdk tells it: times from the program's own signals, of a
# stand-in with simulated devices (sim_hsa_queue.c), held against the devices' own log.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib

HSA=$BUILD/tests/hsa
unset HSA_TOOLS_LIB ${!SIM_*}
export LD_LIBRARY_PATH=$HSA

# dispatch WORD...: ends well, and nobody asked for what is gone
dispatch()
{
	rm -f "$T/log"
	# shellcheck disable=SC2086
	SIM_LOG=$T/log traced $options -- "$HSA/dispatch" "$@"
	equal "status of $*" 0 "$status"
	check 'out["misuse"] == 0' 'out["dispatched"] <= ledger("device_seen", "hsa")' 'ledger("lost") == 0' \
		'ledger("device_seen") == ledger("device_recorded") + ledger("untimed") + ledger("unfinished") + ledger("device_lost")' \
		'kernels() + sum(t["calls"] for t in s["transfers"]) == ledger("device_recorded")'
}

# How many of them have times, no times, no end: recorded UNTIMED UNFINISHED
ended()
{
	check "ledger('device_recorded', 'hsa') == $1" "ledger('untimed', 'hsa') == $2" "ledger('unfinished', 'hsa') == $3" \
		'ledger("device_lost") == 0'
}

# Kernels took as long as the device says, all of them, to 2 ns each and the error of the measured rate.
as_logged()
{
	local kernels ns
	read -r kernels ns < <(awk '$1 == "kernel" { n++; ns += $5 - $4 } END { printf "%d %.0f\n", n, ns }' "$T/log")
	check "kernels('spin') == $kernels" "abs(s['kernels'][0]['total_ns'] - $ns) <= 2 * $kernels + $ns * 0.0005"
}

@test "a kernel by its name, with grid, block, queue and the time that the device took" {
	dispatch reuse 20
	ended 20 0 0
	as_logged
	check 'kernels("spin") == 20' '[(d["device"], d["backend"]) for d in s["devices"]] == [("gfx0000", "hsa")]' \
		's["kernels"][0]["grid"] == [2, 1, 1]' 's["kernels"][0]["block"] == [64, 1, 1]' \
		's["devices"][0]["kernels_ns"] == s["devices"][0]["kernels_sum_ns"]' 'not s["lower_bound"]' \
		'calls("hsa_signal_store_screlease") == 40' 'calls("hsa_amd_profiling_set_profiler_enabled") == 0'
}

@test "signals of their own, polled, one of several waited for, and many packets behind one doorbell" {
	for how in own polls any batch; do
		dispatch $how 15
		ended 15 0 0
		as_logged
	done
}

@test "the program is answered as without sonde, and what it reads of times itself stays right" {
	bare "$HSA/dispatch" own 9
	dispatch own 9
	diff <(cat "$T/bare.out") "$T/out"
	dispatch bare 9
	ended 9 0 0
	as_logged
	check 'abs(out["told_ns"] - sum(k["total_ns"] for k in s["kernels"])) <= 2 * 9 + out["told_ns"] * 0.0005'
}

@test "two queues, and four threads with a queue each" {
	dispatch queues 20
	ended 40 0 0
	as_logged
	dispatch threads 25
	ended 100 0 0
	as_logged
}

@test "four threads in one queue without a lock: each packet is seen once, and none has another's time" {
	local longest
	for early in "" 1; do
		SIM_HSA_EARLY=$early dispatch together 50
		longest=$(awk '$1 == "kernel" && $5 - $4 > most { most = $5 - $4 } END { printf "%.0f", most }' "$T/log")
		check 'ledger("device_seen") == 200' 'ledger("unfinished") == 0' 'kernels("spin") > 0' \
			's["kernels"][0]["min_ns"] >= 3e5 * 0.9995 - 2' "s['kernels'][0]['max_ns'] <= $longest * 1.0005 + 2"
	done
}

@test "a device that takes packets before their doorbell: all are counted, and none has another's time" {
	SIM_HSA_EARLY=1 dispatch reuse 100
	check 'ledger("device_seen") == 100' 'ledger("device_recorded") + ledger("untimed") == 100' \
		'sum(k["total_ns"] for k in s["kernels"]) >= 3e5 * kernels()'
	SIM_HSA_EARLY=1 dispatch batch 10
	check 'ledger("device_seen") == 10' 'ledger("device_recorded") + ledger("untimed") == 10'
}

@test "kernels without a signal are counted, and have no time" {
	dispatch silent 12
	ended 0 12 0
	check 's["lower_bound"]'
}

@test "a signal that several count down tells the times of none: kernels, raised before each, and a barrier's" {
	for how in shared counted barrier; do
		dispatch $how 6
		ended 0 6 0
	done
}

@test "a signal that is set past the API before it was read tells the times of none" {
	dispatch past 6
	check 'ledger("device_seen") == 6' 'ledger("device_recorded") + ledger("untimed") == 6' 'ledger("untimed") >= 5'
}

@test "kernels behind doorbells that were rung past the API have no times or are lost, and a note says so" {
	dispatch unheard 10
	ended 0 10 0
	check 's["lower_bound"]' 'any("past the wrappers" in n["text"] for n in s["notes"])'
	dispatch unheard 40 # the queue has 16 places
	check 's["lower_bound"]' 'ledger("device_seen") == 40' 'ledger("untimed") == 16' 'ledger("device_lost") == 24'
	dispatch own 3
	check 'not any("past the wrappers" in n["text"] for n in s["notes"])'
}

@test "kernels that start while recording is paused are not recorded, those before and after are" {
	traced "$HSA/dispatch" paused 8
	check 'out["misuse"] == 0' 'ledger("device_seen") == ledger("device_recorded") == 4' 'kernels("spin") == 4'
}

@test "a child of a fork has none of its parent's kernels" {
	dispatch forks 5
	ended 6 0 0
	as_logged
	check 'processes == 1'
}

@test "C073 C079 C082 times that are zero, backwards or missing are no times" {
	for way in zero negative missing; do
		SIM_TIMES=$way dispatch own 6
		ended 0 6 0
		check 'kernels() == 0' 's["lower_bound"]'
	done
}

@test "where the runtime refuses, kernels are counted and the program goes on" {
	SIM_FAIL=hsa_amd_profiling_set_profiler_enabled:0 dispatch reuse 4
	ended 0 4 0
	SIM_FAIL=hsa_amd_profiling_get_dispatch_time:2 dispatch reuse 4
	ended 3 1 0
}

@test "a program that turns profiling of its queue off has it off" {
	dispatch off 5
	ended 0 5 0
}

@test "a program that exits without waiting has what ended meanwhile, and is not held up by what hangs" {
	dispatch exits 5
	ended 5 0 0
	as_logged
	SIM_HSA_HANG=3 dispatch exits 5
	ended 3 0 2
	check 's["run"]["wall_ns"] < 5e9'
}

@test "a queue that is destroyed, or HSA shut down, with kernels in it: those that never ended are unfinished" {
	for how in destroyed stops; do
		SIM_HSA_HANG=0 dispatch $how 5
		ended 0 0 5
	done
	# both kernels of a round are over, the third is taken or not
	dispatch again 4
	check 'ledger("device_seen") == 12' 'ledger("device_recorded") >= 8' 'ledger("untimed") == 0' 'kernels("spin") >= 8'
}

@test "C080 C092 clocks that drift, of other rates and far ahead: every kernel is there, where it ran" {
	local settings
	for settings in SIM_CLOCK_DRIFT=200 SIM_CLOCK_DRIFT=-200 SIM_CLOCK_HZ=100000000 SIM_CLOCK_OFFSET=86400000000000; do
		export "${settings?}"
		dispatch own 30
		unset "${settings%%=*}"
		ended 30 0 0
		check "near(sum(k['total_ns'] for k in s['kernels']), $(awk '$1 == "kernel" { ns += $5 - $4 } END { printf "%.0f", ns }' "$T/log"), 0.002)" \
			's["devices"][0]["clock_error_ns"] < 1e6' 's["devices"][0]["kernels_ns"] == s["devices"][0]["kernels_sum_ns"]'
	done
}

@test "copies that devices make have times and bytes, with a signal that a kernel had before" {
	dispatch pieces 6
	ended 12 0 0
	check 'kernels("spin") == 6' 'sorted((t["direction"], t["calls"], t["bytes"]) for t in s["transfers"]) == [("D2H", 3, 3 * 4096), ("H2D", 3, 3 * 4096)]' \
		"near(sum(t['total_ns'] for t in s['transfers']), $(awk '$1 == "copy" { ns += $5 - $4 } END { printf "%.0f", ns }' "$T/log"), 0.001)"
	dispatch boxes 3
	ended 3 0 0
	check '[(t["direction"], t["calls"], t["bytes"]) for t in s["transfers"]] == [("H2D", 3, 192)]' \
		'the("hsa_amd_memory_async_copy_rect")["bytes_out"] == 192'
	dispatch within 3
	ended 3 0 0
	check '[(t["direction"], t["kind"], t["bytes"]) for t in s["transfers"]] == [("D2D", "device", 192)]'
	SIM_FAIL=hsa_amd_profiling_async_copy_enable:0 dispatch pieces 6
	ended 6 6 0
	check 's["transfers"] == []'
	SIM_FAIL=hsa_amd_memory_async_copy:0 traced "$HSA/linked" work 0
	check 'ledger("device_seen") == 0'
}

@test "a signal that is polled and set by comparing and exchanging" {
	dispatch swaps 12
	ended 12 0 0
	as_logged
}

@test "copies that share a signal: each has its own times, or none of them has" {
	SIM_HSA_SLOW_COPY=20 dispatch pairs 4
	ended 8 0 0
	check 's["devices"][0]["copies_ns"] == s["devices"][0]["copies_sum_ns"]'
	dispatch pairs 4
	check 'ledger("device_seen") == 8' 's["devices"] == [] or s["devices"][0]["copies_ns"] == s["devices"][0]["copies_sum_ns"]'
}

@test "a handler that stores signals while its thread stores one" {
	limit=60 dispatch handler 200000
	ended 1 0 0
}

@test "a queue that is being destroyed is left alone: by the end, and by a queue that is made in its place" {
	SIM_HSA_SLOW_DESTROY=600 dispatch leaving 1 # status 0: nothing was read that is gone
	ended 1 0 0
	SIM_HSA_SLOW_DESTROY=600 dispatch same 5
	check 'out["same"] == 1'
	ended 6 0 0
	SIM_FAIL=hsa_queue_destroy:0 dispatch kept 5
	check 'out["kept"] != 0'
	ended 5 0 0
}

@test "the end asks for nothing while another thread shuts HSA down" {
	SIM_HSA_HANG=1 SIM_HSA_SLOW_SHUT_DOWN=600 dispatch closing 2
	ended 1 0 2
}

@test "a queue that the runtime would not look at any more is not looked at" {
	bare "$HSA/dispatch" late 1
	dispatch late 1
	diff <(cat "$T/bare.out") "$T/out"
}

@test "streams have the same kernels" {
	options="-l -o $T/rec"
	dispatch own 7
	options=
	ended 7 0 0
	"$SONDE" report --streams --json "$T/summary.json" "$T/rec"
	as_logged
}

@test "without HSA among the backends no queue is touched" {
	options="-b mpi"
	SIM_LOG=$T/log traced -b mpi -- "$HSA/dispatch" bare 3
	check 'out["told_ns"] == 0' 's["ledger"] == []' 's["calls"] == []'
}

@test "HIP above HSA: its kernels are HIP's and counted once, a program's own beside it are HSA's" {
	export LD_LIBRARY_PATH=$HSA/over:$HSA
	SIM_LOG=$T/log traced "$BUILD/tests/hip/sim_app" spin 2000000 5 sync
	equal status 0 "$status"
	check 'kernels("spin") + kernels("spin(unsigned long)") >= 5' 'kernels() == 5' 'ledger("device_seen", "hip") == 5' \
		'ledger("device_seen", "hsa") == 0' 'calls("hsa_queue_create") == 0' \
		"sum(k['total_ns'] for k in s['kernels']) < 2 * $(awk '$1 == "kernel" { ns += $5 - $4 } END { printf "%.0f", ns }' "$T/log")"
	export LD_LIBRARY_PATH=$HSA
	LD_PRELOAD=$HSA/libamdhip64.so.6 dispatch own 5
	ended 5 0 0
}

@test "where rocprofiler-sdk tells what devices do HSA's queues and signals are left alone" {
	LD_PRELOAD=$BUILD/tests/rocprofiler/with/librocprofiler-register.so.0 traced "$HSA/dispatch" bare 5
	equal status 0 "$status"
	check 'out["told_ns"] == 0' 'ledger("device_seen", "hsa") == 0' 'calls("hsa_queue_create") == 2'
	# not installed
	LD_PRELOAD=$BUILD/tests/rocprofiler/without/librocprofiler-register.so.0 dispatch reuse 5
	ended 5 0 0
}
