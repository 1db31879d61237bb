#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What devices do, of a simulated HIP (tests/sim/hip.h).
load lib

@test "a launch is one call and one kernel, under the name that its compiler registered" {
	sim add 7 sync
	complete 'calls("hipLaunchKernel") == 7' 'kernels("add_one(int*)") + kernels("_Z7add_onePi") == 7' \
		'ledger("device_seen") == 7' 'out["data"] == 7' 's["devices"][0]["key"] == "pci 0000:41:00.0"'
	no_notes
}

@test "kernels of modules have the name by which they were looked up, and a module that is loaded is a build" {
	sim module add_one 3 module spin 2 sync
	complete 'kernels("add_one") == 3' 'kernels("spin") == 2' 'calls("hipModuleLaunchKernel") == 5' \
		'[(b["name"], b["source"], b["calls"]) for b in s["builds"]] == [("module in memory", "binary", 2)]'
}

@test "functions that hipGetProcAddress gave are wrapped, and forms for a thread's own stream are the same function" {
	sim address 4 sync thread 3
	complete 'calls("hipLaunchKernel") == 11' 'kernels() == 11' 'not any("_spt" in c["name"] for c in s["calls"])' \
		'calls("hipGetProcAddress") == 2'
}

@test "launches by the function of C++, whose name is mangled, are kernels like others" {
	sim ext 6 sync
	complete 'calls("hipExtModuleLaunchKernel") == 6' 'kernels("add_one") == 6' 'out["data"] == 6' \
		's["kernels"][0]["block"] == [64, 1, 1]' 's["kernels"][0]["grid"] is None' \
		's["kernels"][0]["dynamic_shared_bytes"] == 32'
}

@test "C062 a program that opens the library when it runs has its kernels timed, too" {
	cat > "$T/launch.py" << END
import ctypes
hip = ctypes.CDLL("$BUILD/tests/sim/libamdhip64.so.5", ctypes.RTLD_LOCAL)
module, function, device = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
ns = ctypes.c_uint64(2000000)
arguments = (ctypes.c_void_p * 1)(ctypes.addressof(ns))
failed = hip.hipModuleLoadData(ctypes.byref(module), b"image")
failed += hip.hipModuleGetFunction(ctypes.byref(function), module, b"spin")
failed += hip.hipMalloc(ctypes.byref(device), ctypes.c_size_t(4096))
for i in range(9):
    failed += hip.hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, arguments, None)
failed += hip.hipMemset(device, 0, ctypes.c_size_t(4096))
failed += hip.hipDeviceSynchronize()
print("failed=%d" % failed)
END
	traced -- "$PYTHON" "$T/launch.py"
	check 'out["failed"] == 0' 'kernels("spin") == 9' 'ledger("device_recorded") == ledger("device_seen") == 10' \
		's["transfers"][0]["bytes"] == 4096' 's["memory"][0]["live_bytes"] == 4096' 'not s["lower_bound"]' \
		's["kernels"][0]["min_ns"] >= 1.9e6'
}

@test "C074 launches by the host's functions and by modules are counted once each" {
	sim add 5 module add_one 5 sync
	complete 'calls("hipLaunchKernel") == 5' 'calls("hipModuleLaunchKernel") == 5' 'kernels() == 10'
}

@test "the time of kernels is what the device took, within 1 %" {
	for try in 1 2 3; do # a thread of the simulated device may not get its processor at once
		sim spin 20000000 8 sync spin-each 20000000 4
		complete 'kernels("spin") == 12'
		near_log kernel spin 0.01 && return 0
	done
	return 1
}

@test "a kernel that began before the first one that was collected keeps its time" {
	sim stream 1 spin 200000000 1 sleep 50 stream 2 spin 1000000 1 sync-stream stream 1 sync-stream
	complete 'kernels() == 2' 'max(k["max_ns"] for k in s["kernels"]) >= 199e6'
}

@test "copies have their bytes, direction and memory, fills their bytes" {
	sim copy h2d 1000 copy d2h 3000 copy d2d 70 copy h2h 90 copy-async h2d 5000 copy-pinned h2d 11 copy any-h2d 13 \
		copy any-d2h 17 copy-registered h2d 9 fill 64 fill32 100
	complete 'sorted((t["direction"], t["kind"], t["calls"], t["bytes"]) for t in s["transfers"]) == [
		("D2D", "device", 1, 70), ("D2H", "pageable", 2, 3017), ("H2D", "pageable", 3, 6013),
		("H2D", "pinned host", 2, 20), ("H2H", "pageable", 1, 90), ("fill", "device", 2, 464)]' \
		'row("hipMemcpy")["bytes_out"] == 1000 + 70 + 90 + 11 + 13 + 9' 'row("hipMemcpy")["bytes_in"] == 3017' \
		'calls("hipMemcpy") == 8' 'calls("hipMemsetD32Async") == 1' \
		'not any(m["kind"] == "pinned host" and m["peak_bytes"] > 11 for m in s["memory"])'
}

@test "a copy that the program waits for is a copy while its data moves, and waiting for the rest" {
	export SIM_COPY_NS=20000000
	sim spin 40000000 1 copy h2d 1000
	complete '18e6 < ns("copy") < 60e6' '35e6 < ns("device_wait") < 120e6'
}

@test "C148 memory in use by kind and device: now, at most, and what was left" {
	sim alloc 1048576 alloc 1048576 alloc 1048576 free host 500 managed 700 alloc-async 2000 free-async sync
	complete 'sorted((m["kind"], m["allocs"], m["frees"], m["peak_bytes"], m["live_bytes"]) for m in s["memory"]) == [
		("device", 4, 2, 3 << 20, 2 << 20), ("managed", 1, 0, 700, 700), ("pinned host", 1, 0, 500, 500)]'
}

@test "streams are queues, and the null stream and a thread's own are others" {
	need babeltrace2
	options="-l -o $T/rec"
	sim stream 1 add 2 stream 2 add 3 stream 0 add 4 stream t add 5 sync stream 1 add 1 sync
	complete 'kernels() == 15'
	"$SONDE" print "$T/rec" > "$T/events"
	for queue in "3 stream 1" "3 stream 2" "4 null stream" "5 default stream of a thread"; do
		equal "kernels of ${queue#* }" "${queue%% *}" "$(grep ' \* hip:' "$T/events" | grep -c "${queue#* }")"
	done
	# each launch is tied to its kernel
	grep -o ' \* hip:.*, op [0-9]*' "$T/events" | grep -o 'op [0-9]*' | sort > "$T/operations"
	grep -o ' - hip:.* started op [0-9]*' "$T/events" | grep -o 'op [0-9]*' | sort > "$T/started"
	equal "operations" 15 "$(uniq "$T/operations" | wc -l)"
	diff "$T/started" "$T/operations"
	check 's["kernels"][0]["grid"] == [4, 1, 1]' 's["kernels"][0]["block"] == [64, 1, 1]' \
		's["kernels"][0]["dynamic_shared_bytes"] == 128'
}

@test "C115 two devices are two, with their own streams and memory" {
	export SIM_DEVICES=2
	sim alloc 100 add 3 sync device 1 alloc 50 add 5 sync copy h2d 10 device 0 stream 1 device 1 stream 1 add 1 sync \
		device 0 sync
	complete 'len(s["devices"]) == 2' 'sorted(k["calls"] for k in s["kernels"]) == [4, 5]' \
		'sorted(m["peak_bytes"] for m in s["memory"]) == [60, 100]'
}

@test "a graph is a span of its launch, and no event of ours is in it" {
	sim graph 3
	complete 'out["nodes"] == 3' 'calls("hipGraphLaunch") == 3' 'kernels("graph 1: 2 kernels, 1 other") == 3' \
		's["graphs"] == []'
	thrice 'sim graph 60' "near_total 'graph 1: 2 kernels, 1 other' 120000000"
}

@test "while a stream is captured its launches are none, and the capture is left alone" {
	sim capture 3
	complete 'out["nodes"] == 3' 'calls("hipLaunchKernel") == 2' 'kernels() == 3' 'out.get("failed") is None'
	sim add 2 sync in-capture
	check 'out["nodes"] == 3' 'out.get("failed") is None' 'calls("hipLaunchKernel") == 2 + 2 + 3' \
		'ledger("device_seen") == 2 + 3 + 1' 'ledger("device_recorded") + ledger("untimed") == 6'
}

@test "a capture ends with its device: what comes after a reset has its times" {
	sim reset-in-capture add 3 sync
	check 'ledger("device_seen") == 3' 'ledger("device_recorded") == 3' 'failed("hipStreamEndCapture") == 1'
	sim reset-in-capture reset-in-capture capture 3 add 2 sync
	check 'out["nodes"] == 3' 'ledger("device_seen") == 5' 'ledger("device_recorded") == 5'
	sim device 1 reset-in-capture device 0 capture 3 add 2 sync
	check 'out["nodes"] == 3' 'ledger("device_seen") == 5' 'ledger("device_recorded") == 5'
}

@test "what hiprtc compiles is a build from source, under the program's name" {
	sim build saxpy.hip build saxpy.hip build -
	complete 'sorted((b["name"], b["source"], b["calls"]) for b in s["builds"]) == [
		("saxpy.hip", "source", 2), ("unnamed program", "source", 1)]'
	SIM_FAIL=hiprtcCompileProgram:1 sim build saxpy.hip
	check 's["builds"][0]["failed"] == 1' 'failed("hiprtcCompileProgram") == 1'
}

@test "hipProfilerStop and hipProfilerStart pause and resume" {
	sim add 2 profiler off add 3 alloc 100 profiler on add 4 sync
	complete 'calls("hipLaunchKernel") == 6' 'kernels() == 6' 's["memory"][0]["live_bytes"] == 100'
}

@test "C071 failed calls are counted as failed, and start nothing" {
	SIM_FAIL=hipLaunchKernel:2 sim add 5 sync
	check 'calls("hipLaunchKernel") == 5' 'failed("hipLaunchKernel") == 1' 'kernels() == 4' \
		'ledger("device_seen") == 4' 'ledger("device_recorded") == 4' 'out["failed"] == 1'
	SIM_FAIL=hipMemcpy:1 sim copy h2d 1000 copy h2d 500
	check 'failed("hipMemcpy") == 1' 's["transfers"][0]["bytes"] == 500' 'row("hipMemcpy")["bytes_out"] == 500'
	SIM_FAIL=hipMalloc:0 sim alloc 1000
	check 's["memory"] == []' 'failed("hipMalloc") == 1'
	SIM_FAIL=hipFree:1 sim alloc 1000 free
	check 's["memory"][0]["live_bytes"] == 1000' 's["memory"][0]["frees"] == 0'
}

@test "C073 where events cannot be had kernels are untimed, which is told, and the program goes on" {
	for call in hipEventCreateWithFlags hipEventRecord hipGetDevice; do
		SIM_FAIL=$call:0 sim add 5 sync
		check 'calls("hipLaunchKernel") == 5' 'out["data"] == 5' 'ledger("untimed") == 5' 'kernels() == 0' \
			's["lower_bound"]' 'out.get("failed") is None'
	done
}

@test "the last error is the program's own, whichever calls set it" {
	for when in fails always; do
		export SIM_LAST_ERROR=$when
		bare "$PROGRAMS/sim_app" last-error
		sim last-error
		diff "$T/bare.out" "$T/out"
		check 'out["malloc"] == 2' 'out["peek"] == 2' 'out["errno"] == 77' 'ledger("device_seen") == 3'
	done
}

@test "C119 no call is added that waits: those that reach the runtime are the program's own" {
	local words="add 100 sync copy h2d 10 spin-each 1000 5 graph 3 add 100 sync stream 1 add 5000 sync-stream"
	export SIM_HIP_WAITS=$T/waits
	# shellcheck disable=SC2086
	bare "$PROGRAMS/sim_app" $words
	cp "$T/waits" "$T/bare.waits"
	# shellcheck disable=SC2086
	sim $words
	cat "$T/bare.waits"
	diff "$T/bare.waits" "$T/waits"
	complete 'calls("hipDeviceSynchronize") == 2' 'calls("hipStreamSynchronize") == 5 + 1 + 1' \
		'calls("hipEventRecord") == 0' 'calls("hipEventQuery") == 0' 'kernels("_Z7add_onePi") == 5200'
}

@test "C085 C094 operations of a stream come one after the other, in the program's order" {
	need babeltrace2
	options="-l -o $T/rec"
	SIM_CLOCK_DRIFT=200 sim copy h2d 100000 add 300 fill 500 spin-each 100000 200 copy d2h 100000 add 300 sync
	complete 'kernels() == 800'
	"$SONDE" export --to csv "$T/rec" > /dev/null
	"$PYTHON" - "$T/rec/events.csv" << 'END'
import csv, sys
spans = sorted((int(row["begin_ns"]), int(row["begin_ns"]) + int(row["duration_ns"]), row["kind"], row["name"])
               for row in csv.DictReader(open(sys.argv[1], newline="")) if row["type"] == "operation")
assert len(spans) == 803, len(spans)
for before, after in zip(spans, spans[1:]):
    assert before[1] <= after[0], (before, after)
order = [kind for _, _, kind, _ in spans]
assert order == ["copy"] + ["launch"] * 300 + ["fill"] + ["launch"] * 200 + ["copy"] + ["launch"] * 300, order
END
}

@test "C104 recording that stops and starts loses no kernel, also where the device's clock drifts" {
	local words="" i
	for i in {1..20}; do
		words+=" profiler off add 3 profiler on add 1 sync sleep 20"
	done
	# shellcheck disable=SC2086
	SIM_CLOCK_DRIFT=400 sim $words
	complete 'kernels() == 20' 'calls("hipLaunchKernel") == 20' 'ledger("device_seen") == 20'
}

@test "C121 names are kept as they are, and read as the program has them in the table" {
	sim add 3 sync
	check 's["kernels"][0]["name"] == "_Z7add_onePi"'
	grep -q "add_one(int\*)" "$T/err"
}

@test "C092 a device whose clock runs apart, with an offset and few bits, gives the same times" {
	for clock in "SIM_CLOCK_OFFSET=-5000000000 SIM_CLOCK_DRIFT=300" "SIM_CLOCK_HZ=100000000" "SIM_CLOCK_BITS=32"; do
		export ${clock?}
		sim spin 3000000 20 sync sleep 300 spin 3000000 20 sync sleep 700 spin-each 3000000 10
		complete 'kernels("spin") == 50' 's["devices"][0]["clock_error_ns"] < 20e6'
		near_log kernel spin 0.2
		unset ${clock//=*([^ ])/}
	done
}

@test "C079 times that cannot be are flagged and counted, not repaired" {
	for times in zero negative missing; do
		export SIM_TIMES=$times
		sim spin 3000000 12 sync
		check 'out.get("failed") is None' 'ledger("device_seen") == 12' \
			'ledger("device_recorded") + ledger("untimed") == 12' 'ledger("device_lost") == 0' \
			'all(k["max_ns"] < 1 << 62 for k in s["kernels"])' 'ledger("untimed") > 0' 's["lower_bound"]'
	done
}

@test "times that come late are waited for, a while" {
	SIM_TIMES=late:50 sim add 12 sync
	complete 'kernels() == 12'
}

# The device's thread sleeps 10 ms for each and may be woken late: twice the time is what must not be there.
@test "C112 HIP over Level Zero: a copy of 10 ms counts as 10 ms, and once" {
	[ -x "$BUILD/tests/ze/stacked" ] || omit "no libze-dev"
	export ZE_ENABLE_ALT_DRIVERS=$BUILD/tests/sim/libsim-ze.so SIM_ZE_COPY_NS=10000000
	traced -- "$BUILD/tests/ze/stacked"
	equal "status" 0 "$status"
	check 'calls("hipMemcpy") == 3' 'calls("zeCommandListAppendMemoryCopy") == 3' \
		'30e6 <= sum(t["total_ns"] for t in s["transfers"]) <= total("hipMemcpy")' \
		'sum(t["calls"] for t in s["transfers"]) == 3' 'own("hipMemcpy") < 0.5 * total("hipMemcpy")' \
		'ledger("device_seen", "hip") == 0' 'ledger("untimed") == 0' 'len(s["devices"]) == 1' \
		'near(ns("copy") + ns("device_wait"), total("hipMemcpy"), 0.3)'
}
