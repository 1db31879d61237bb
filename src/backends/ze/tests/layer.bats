#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The loader's tracing layer: calls that no wrapper sees, calls that both see, tracers of the program's own.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load "$SRC/src/backends/ze/tests/lib"

how='s["ledger"][0]["attached_by"]'

@test "a library that calls the loader past all symbols: nothing without the layer, everything with it" {
	deep_well ZE_ENABLE_TRACING_LAYER=0 app matrix 3 regular sync
	check 'notes == ["nothing"]'
	for list in regular immediate; do
		for way in sync async inorder; do
			deep_well app matrix 101 $list $way
			complete "kernels('add_one') == 101" 'calls("zeCommandListAppendLaunchKernel") == 101' \
				'calls("zeInit") == calls("zeDriverGet") == calls("zeModuleCreate") == 1' \
				'all(sum(t["bytes"] for t in s["transfers"] if t["direction"] == way) == out["bytes"]
				     for way in ("H2D", "D2H"))' 's["memory"][0]["live_bytes"] == 0' \
				's["builds"][0]["name"] == "add_one"' 's["kernels"][0]["grid"] == [2, 1, 1]' \
				's["kernels"][0]["block"] == [32, 1, 1]' "$how == 'preload, tracing layer'" 'notes == ["simulated"]'
			as_logged
		done
	done
}

@test "by the layer: events of the program's own, lists executed again, threads, clocks that wrap" {
	for flags in 1 5; do
		deep_well app event 500 $flags
		complete 'kernels("add_one") == 500' 'calls("zeEventHostReset") == 500' \
			"$flags == 1 or near(s['kernels'][0]['total_ns'], out['ticks'], 0.002, 1000)"
		as_logged
	done
	deep_well app reuse 50 fence
	complete 'kernels("add_one") == out["kernels"] == 100' 'calls("zeCommandQueueExecuteCommandLists") == 50'
	as_logged
	deep_well app threads 16 200
	complete 'kernels("add_one") == out["kernels"] == 3200' 's["memory"][0]["allocs"] == 16'
	as_logged
	deep_well SIM_CLOCK_BITS=32 SIM_CLOCK_HZ=10000000000 app spins 20 30000000
	complete 'kernels("spin") == 20'
	as_logged
}

@test "by the layer: copies, memory in use, failures, with the codes of the bare run" {
	deep_well kinds copies
	complete 'all(sum(t["bytes"] for t in s["transfers"] if t["direction"] == way) == out[key]
		      for key, way in (("h2d", "H2D"), ("d2h", "D2H"), ("d2d", "D2D"), ("h2h", "H2H"), ("fill", "fill")))'
	as_logged
	deep_well kinds memory
	check '([(m["kind"], m["peak_bytes"], m["live_bytes"], m["allocs"], m["frees"]) for m in
		  sorted(s["memory"], key=lambda m: m["kind"])] ==
		 [("device", 3 << 20, 2 << 20, 3, 1), ("managed", 2000, 2000, 1, 0), ("pinned host", 1000, 0, 1, 1)])' \
		'failed("zeMemFree") == 1' 'failed("zeMemAllocDevice") == 1'
	SIM_FAIL=zeCommandListAppendLaunchKernel:3 bare "$ZE/kinds" failing
	deep_well SIM_FAIL=zeCommandListAppendLaunchKernel:3 kinds failing
	diff "$T/bare.out" "$T/out"
	check 'kernels() == 3' 'failed("zeCommandListAppendLaunchKernel") == 2' 'ledger("unfinished") == 0'
	deep_well SIM_FAIL=zeEventPoolCreate:0 kinds devices
	check 'kernels() == 0' 'ledger("device_seen") == ledger("untimed") == 4' 'ledger("unfinished") == 0'
}

@test "by the layer: forks, and a destructor that uses Level Zero when the layer tells of nothing any more" {
	deep_well forks before
	check 'processes == 2' 'kernels("spin") == 8' 'ledger("device_seen") == ledger("device_recorded") == 8'
	deep_well forks late
	check 'kernels("spin") == 1' 'ledger("unfinished") == 0' 'end == "exit 0"'
}

@test "memory is followed while recording is paused, once" {
	options="--start-paused"
	for way in ze_well deep_well; do
		$way ZE_ENABLE_TRACING_LAYER=1 kinds memory
		check 's["calls"] == []' '([(m["kind"], m["peak_bytes"], m["live_bytes"]) for m in
			sorted(s["memory"], key=lambda m: m["kind"])] ==
			[("device", 3 << 20, 2 << 20), ("managed", 2000, 2000), ("pinned host", 1000, 0)])'
	done
}

@test "a loader of the program's own that calls through the tables and uses no other function" {
	[ -x "$ZE/tables" ] || omit "no libze-dev with its layers"
	ze_well tables 101
	check 'kernels() == 0' 'any("ZE_ENABLE_TRACING_LAYER=1 shows them" in note["text"] for note in s["notes"])'
	ze_well ZE_ENABLE_TRACING_LAYER=1 tables 101
	complete 'kernels("add_one") == out["kernels"] == 101' 'calls("zeInit") == calls("zeDriverGet") == 1' \
		'notes == ["simulated"]'
	as_logged
}

@test "C112 calls that wrappers and the layer see count once, also those that are only counted" {
	[ -x "$ZE/layer" ] || omit "no libze-dev with its layers"
	for options in "" --queries -l; do
		residue=allowed
		ze_well ZE_ENABLE_TRACING_LAYER=1 layer both 7 50
		complete 'kernels("add_one") == 64' 'calls("zeCommandListAppendLaunchKernel") == 64' \
			'calls("zeInit") == calls("zeModuleCreate") == 2' 'calls("zeEventQueryKernelTimestamp") == 14' \
			'sum(m["allocs"] for m in s["memory"]) == 3' 'notes == ["simulated"]'
		as_logged
	done
}

@test "a tracer of the program's own is called as ever, and what it calls itself counts once" {
	[ -x "$ZE/layer" ] || omit "no libze-dev with its layers"
	ze_well ZE_ENABLE_TRACING_LAYER=1 layer tracer 9
	cp "$T/out" "$T/traced.out"
	ZE_ENABLE_TRACING_LAYER=1 bare "$ZE/layer" tracer 9
	diff "$T/bare.out" "$T/traced.out"
	complete 'out["begun"] == out["ended"] == 9' 'out["same"] == 1' 'kernels("add_one") == 18' \
		'calls("zeDeviceGetProperties") == 9'
	as_logged
}

@test "a loader without the layer: wrappers see what they see, and one line says so" {
	ze_well ZE_ENABLE_TRACING_LAYER=1 ZEL_LIBRARY_PATH="$T" app matrix 50 immediate async
	complete 'kernels("add_one") == 50' "$how == 'preload'" \
		'[note["text"] for note in s["notes"] if "no libze_tracing_layer.so.1" in note["text"]]' 'len(s["notes"]) == 2'
	as_logged
}

@test "doctor says that the layer is there, and whether it is switched on" {
	"$SONDE" doctor >"$T/doctor"
	grep -q '^ *ze .* preload, or also ZE_ENABLE_TRACING_LAYER ' "$T/doctor"
	ZE_ENABLE_TRACING_LAYER=1 "$SONDE" doctor >"$T/doctor"
	grep -q '^ *ze .* preload, ZE_ENABLE_TRACING_LAYER ' "$T/doctor"
	[ ! -e "$ZE/deep-app.so" ] || grep -q 'libze_tracing_layer.so.1' "$T/doctor"
}
