#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Copies, memory, builds, devices, calls that fail.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load "$SRC/src/backends/ze/tests/lib"

@test "copies have the direction, the bytes and the memory kind that they have; fills, too" {
	ze_well kinds copies
	complete 'all(sum(t["bytes"] for t in s["transfers"] if t["direction"] == way) == out[key]
		      for key, way in (("h2d", "H2D"), ("d2h", "D2H"), ("d2d", "D2D"), ("h2h", "H2H"), ("fill", "fill")))' \
		'{t["kind"] for t in s["transfers"] if t["direction"] == "H2D"} == {"pageable", "pinned host"}' \
		'{t["kind"] for t in s["transfers"] if t["direction"] == "D2D"} == {"device", "managed"}' \
		'{t["kind"] for t in s["transfers"] if t["direction"] == "fill"} == {"device"}' \
		'row("zeCommandListAppendMemoryCopy")["bytes_in"] == 1000' \
		'row("zeCommandListAppendMemoryCopyRegion")["bytes_in"] == 1024'
	as_logged
}

@test "images: copies with their bytes, memory in use" {
	ze_well kinds images
	complete '(sorted((t["direction"], t["bytes"]) for t in s["transfers"]) ==
		   [("D2D", out["d2d"]), ("D2H", out["d2h"]), ("H2D", out["h2d"])])' \
		'[t["kind"] for t in s["transfers"] if t["direction"] == "D2D"] == ["device"]' \
		'([(m["kind"], m["peak_bytes"], m["live_bytes"]) for m in s["memory"]] ==
		  [("device", 2 * out["h2d"], out["h2d"])])'
	as_logged
}

@test "C148 memory in use: current, peak and what is left, by kind; refused calls change nothing" {
	ze_well kinds memory
	check 'out["refused"] == out["too_much"] == 1' \
		'([(m["kind"], m["peak_bytes"], m["live_bytes"], m["allocs"], m["frees"]) for m in
		  sorted(s["memory"], key=lambda m: m["kind"])] ==
		 [("device", 3 << 20, 2 << 20, 3, 1), ("managed", 2000, 2000, 1, 0), ("pinned host", 1000, 0, 1, 1)])' \
		'failed("zeMemFree") == 1' 'failed("zeMemAllocDevice") == 1'
}

@test "builds of modules, with their source and those that fail" {
	ze_well kinds builds
	says "$T/out" "refused=0x70000004" "unknown=0x78000011"
	check 'sorted((b["source"], b["calls"]) for b in s["builds"]) == [("binary", 1), ("il", 1), ("il", 1)]' \
		'failed("zeModuleCreate") == 1' 'failed("zeKernelCreate") == 1' \
		'all(b["total_ns"] >= 2e6 for b in s["builds"])' \
		'sorted(b["name"] for b in s["builds"]) == ["add_one", "add_one", "module 2"]'
}

@test "two devices, their sub-devices, and engines that only copy" {
	ze_well SIM_DEVICES=2 kinds devices
	complete 'out["devices"] == 2' 'kernels("spin") == 6' 'len(s["devices"]) == 6' \
		'sum(t["calls"] for t in s["transfers"]) == 2' \
		'sorted(d["device"] for d in s["devices"])[0].startswith("Simulated GPU")' \
		'sum("sub-device" in d["device"] for d in s["devices"]) == 4'
}

@test "C071 calls that fail: the program gets its codes, failures are counted, what was refused has no device time" {
	[ -x "$ZE/kinds" ] || omit "no libze-dev"
	for fail in "" zeCommandListAppendLaunchKernel:0 zeCommandListAppendLaunchKernel:3; do
		SIM_FAIL=$fail bare "$ZE/kinds" failing
		ze_well SIM_FAIL=$fail kinds failing
		diff "$T/bare.out" "$T/out"
		check 'ledger("device_seen") == ledger("device_recorded") == kernels()' 'calls("zeEventQueryStatus") == 1' \
			'failed("zeEventQueryStatus") == failed("zeEventHostSynchronize") == 0' 'failed("zeEventCreate") == 1' \
			'failed("zeContextSystemBarrier") == 1'
	done
	check 'kernels() == 3' 'failed("zeCommandListAppendLaunchKernel") == 2'
}

@test "where no events of ours can be had, the program is untouched and its kernels are untimed" {
	ze_well SIM_FAIL=zeEventPoolCreate:0 kinds devices
	check 'kernels() == 0' 'ledger("device_seen") == ledger("untimed") == 4' 'ledger("unfinished") == 0'
}

@test "functions that are newer than Debian's loader: by a stand-in for the rest of it" {
	ze_well newer
	complete 'kernels("add_one") == out["value"] == 14' 'calls("zeInitDrivers") == 1' 'calls("zeInit") == 0' \
		'calls("zeCommandListHostSynchronize") == 11' 'calls("zeCommandListAppendLaunchKernel") == 2' \
		'row("zeCommandListImmediateAppendCommandListsExp")["calls"] == 3' \
		's["kernels"][0]["grid"] == [2, 1, 1]' 's["kernels"][0]["block"] == [32, 1, 1]' \
		'out["flags"] == 1' 'out["counter_flags"] == 4'
	as_logged
	# what is put on a list while it is captured does not run then: the stand-in knows no graphs and runs it all the same
	ze_well newer capture
	complete 'notes == ["simulated"]' 'out["value"] == 15' 'kernels("add_one") == 14' 'calls("zeCommandListAppendLaunchKernel") == 3'
	ze_well newer clone
	complete 'any("lower bound" in note["text"] for note in s["notes"])'
}

@test "events by a function of the driver's own, as SYCL makes them" {
	ze_well kinds extension
	check 'kernels() == out["kernels"] == 10' 'ledger("untimed") == 0' 'out["unknown"] == 1' 'out["flags"] == 5' \
		'calls("zeDriverGetExtensionFunctionAddress") == 2'
	as_logged
}

@test "-t records arguments with the names of their values" {
	options="-t -o rec"
	residue=allowed
	ze_well app matrix 3 immediate sync
	"$SONDE" print rec >print.txt
	says print.txt "zeCommandListAppendLaunchKernel(" "pLaunchFuncArgs.x=2" "zeInit = ZE_RESULT_SUCCESS" "add_one"
}

@test "a launch is tied to its kernel, and an execution to all of its list's" {
	options="-l -o rec"
	residue=allowed
	ze_well app matrix 3 regular async
	"$SONDE" print rec >print.txt
	equal kernels 3 "$(grep -c 'add_one launch.* op 1 ' print.txt)"
	grep -q 'zeCommandQueueExecuteCommandLists started op 1$' print.txt
}
