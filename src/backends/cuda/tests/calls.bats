#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Calls, as wrappers see them and as CUPTI reports them, of a simulated CUDA (sim.h).
load lib

kinds="shared static"

@test "a launch is one call and one operation, whether the runtime is a library or in the program" {
	for kind in $kinds; do
		sim $kind name saxpy launch 7 sync
		complete 'calls("cudaLaunchKernel") == 7' 'calls("cuLaunchKernel") == 0' 'kernels("saxpy") == 7' \
			'ledger("device_seen") == 7' 'calls("cudaDeviceSynchronize") == 1' 'calls("cuCtxSynchronize") == 0'
		no_notes
	done
}

@test "where wrappers see the launches of the runtime, CUPTI is asked for the driver's part alone" {
	sim shared launch 7 sync facts
	complete 'calls("cudaLaunchKernel") == 7' 'kernels() == 7' 'out["cupti_driver_reports"] == 16' \
		'out["cupti_runtime_reports"] == 2'
	sim static launch 7 sync facts
	complete 'out["cupti_driver_reports"] == 16' 'out["cupti_runtime_reports"] == 16'
	options=--queries sim shared launch 7 sync facts
	complete 'calls("cudaLaunchKernel") == 7' 'out["cupti_runtime_reports"] == 16'
}

@test "C074: launches that go straight to the driver are counted under the driver's names" {
	for kind in $kinds; do
		sim $kind launch 2 driver 3 driver-ptsz 4
		complete 'calls("cudaLaunchKernel") == 2' 'calls("cuLaunchKernel") == 7' 'ledger("device_seen") == 9' \
			'kernels() == 9'
	done
}

@test "forms for a stream of each thread are the same function" {
	for kind in $kinds; do
		sim $kind launch 2 launch-ptsz 5
		complete 'calls("cudaLaunchKernel") == 7' 'kernels() == 7' \
			'not any("ptsz" in row["name"] for row in s["calls"])'
	done
}

@test "what nvcc makes of <<< >>> is a launch, also where nobody reports it" {
	for kind in $kinds; do
		sim $kind launch 2 launch-handle 3 launch-handle-ptsz 4
		complete 'calls("cudaLaunchKernel") == 9' 'calls("cuLaunchKernel") == 0' 'kernels() == 9' \
			'not any("__cudaLaunch" in row["name"] for row in s["calls"])'
	done
	LD_LIBRARY_PATH=$SIM/lacking sim shared launch 2 launch-handle 3 launch-handle-ptsz 4
	check 'calls("cudaLaunchKernel") == 9' 'kernels() == 0'
}

@test "older forms of functions of the driver are reported under today's names" {
	sim shared init old-alloc 100 driver-alloc 200 # the first has no wrapper: CUPTI tells of it
	check 'calls("cuMemAlloc_v2") == 2' 's["memory"][0]["alloc_bytes"] == 300'
	sim static init old-alloc 100 driver-alloc 200
	check 'calls("cuMemAlloc_v2") == 2' 's["memory"][0]["alloc_bytes"] == 300'
}

@test "calls of all kinds are counted once, with their own names" {
	for kind in $kinds; do
		sim $kind copy 1 1 3 10 copy-async 2 3 2 20 peer 30 fill 40 alloc 50 alloc-host 60 free 50 free-host 60 \
			graph 2 sync
		complete 'all(calls(name) == 1 for name in ("cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyPeerAsync",
			"cudaMemsetAsync", "cudaMalloc", "cudaMallocHost", "cudaFree", "cudaFreeHost", "cudaGraphLaunch",
			"cudaDeviceSynchronize"))' \
			'all(not row["calls"] for row in s["calls"] if row["name"].startswith("cu") and row["timed"]
				and not row["name"].startswith(("cuda", "cuInit")))'
	done
}

@test "what CUPTI is not asked to report stands in the ledger, and is reported with --queries" {
	sim static init ask 5 launch 1
	check 'calls("cuCtxGetCurrent") == 0' 'calls("cudaLaunchKernel") == 1' \
		'"was not asked for 2 functions" in s["ledger"][0]["attached_by"]'
	options=--queries sim static init ask 5 launch 1
	check 'calls("cuCtxGetCurrent") == 5' 'calls("cudaLaunchKernel") == 1' \
		's["ledger"][0]["attached_by"] == "CUPTI 130001"'
	options=--queries sim shared init ask 5 launch 1
	check 'calls("cuCtxGetCurrent") == 5' 'calls("cudaLaunchKernel") == 1'
}

@test "what NVRTC compiles is a build from source, under the program's name" {
	local library
	library=$(ls /usr/local/cuda*/lib*/libnvrtc.so.1[23] 2> /dev/null | head -n 1)
	[ -n "$library" ] || omit "no NVRTC"
	cat > compile.py << 'EOF'
import ctypes, sys
rtc = ctypes.CDLL(sys.argv[1])
for name, text in ((b"saxpy.cu", b"__global__ void f(int *p) { *p = 1; }"), (None, b"int"), (b"saxpy.cu", b"__device__ int i;")):
    program = ctypes.c_void_p()
    rtc.nvrtcCreateProgram(ctypes.byref(program), text, name, 0, None, None)
    print(rtc.nvrtcCompileProgram(program, 0, None))
    rtc.nvrtcDestroyProgram(ctypes.byref(program))
EOF
	traced -b cuda -- "$PYTHON" compile.py "$library"
	check 'sorted((b["name"], b["source"], b["calls"], b["failed"]) for b in s["builds"]) == \
			[("default_program", "source", 1, 1), ("saxpy.cu", "source", 2, 0)]' \
		'calls("nvrtcCompileProgram") == 3' \
		'near(sum(b["total_ns"] for b in s["builds"]), total("nvrtcCompileProgram"), 0, 9)'
}

@test "failed calls are counted as failed, and start nothing" {
	for kind in $kinds; do
		sim $kind launch 3 answer 1 launch 2 answer 2 alloc 100 answer 0 launch 1
		check 'calls("cudaLaunchKernel") == 6' 'failed("cudaLaunchKernel") == 2' \
			'(calls("cudaMalloc"), failed("cudaMalloc")) == (1, 1)' 'kernels() == 4' \
			'ledger("device_recorded") == 4' 's["memory"] == []' 'ledger("unfinished") == 0' 'not s["lower_bound"]' \
			'[(f["name"], f["answer"], f["answer_name"], f["calls"]) for f in s["failures"]] == [
				("cudaLaunchKernel", 1, "cudaErrorInvalidValue", 2),
				("cudaMalloc", 2, "cudaErrorMemoryAllocation", 1)]'
		sim $kind answer 700 threads 16 500
		check '[(f["name"], f["answer_name"], f["calls"]) for f in s["failures"]] == [
			("cudaLaunchKernel", "cudaErrorIllegalAddress", 8000)]'
	done
}

@test "the time of a call is what the program waited, and is its own" {
	for kind in $kinds; do
		sim $kind launch 1 took 3000000 launch 4 sync took 0
		check 'total("cudaLaunchKernel") >= 12e6' 'own("cudaDeviceSynchronize") >= 3e6' \
			'total("cudaLaunchKernel") + own("cudaDeviceSynchronize") < s["run"]["wall_ns"]' \
			'ns("launch") >= 12e6' 'ns("device_wait") >= 3e6' 'near(own("cudaLaunchKernel"), total("cudaLaunchKernel"), 0.2)'
	done
}

@test "what a call of the runtime asks of the driver stays hidden behind a call of its own" {
	for kind in $kinds; do
		sim $kind starts-more 1 launch 5
		complete 'calls("cudaLaunchKernel") == 5' 'calls("cuLaunchKernel") == 0' 'kernels() == 5' \
			'calls("cuStreamSynchronize") == 0' 'calls("cuCtxSynchronize") == 0'
	done
}

@test "sixteen threads launch, and nothing is lost or counted twice" {
	for kind in $kinds; do
		sim $kind threads 16 500
		complete 'calls("cudaLaunchKernel") == 8000' 'kernels("threaded") == 8000' 'ledger("device_seen") == 8000'
	done
}

@test "with streams each launch is tied to its kernel" {
	need babeltrace2
	for kind in $kinds; do
		rm -rf "$T/rec"
		options="-l -o $T/rec" sim $kind name saxpy launch 20 driver 5 copy-async 1 1 3 100 sync
		complete 'kernels("saxpy") == 25'
		"$SONDE" print "$T/rec" >"$T/events"
		equal "operations" 26 "$(grep -c ' \* cuda:' "$T/events")"
		grep -o ' \* cuda:.*, op [0-9]*' "$T/events" | grep -o 'op [0-9]*' | sort >"$T/operations"
		grep -o ' - cuda:.* started op [0-9]*' "$T/events" | grep -o 'op [0-9]*' | sort >"$T/started"
		equal "different numbers" 26 "$(uniq "$T/operations" | wc -l)"
		diff "$T/started" "$T/operations"
		equal "launches tied" 20 "$(grep -c 'cuda:cudaLaunchKernel started op' "$T/events")"
		"$SONDE" timeline "$T/rec" >/dev/null
		"$PYTHON" -B "$LIB/pftrace.py" "$T/rec/timeline.pftrace" >"$T/counts"
		"$PYTHON" -c 'import json, sys
t = json.load(open(sys.argv[1]))
assert t["names"]["cudaLaunchKernel"] == 20 and t["stages"] == 26 and t["flows"] + t["submitted"] >= 26, t' "$T/counts"
		"$SONDE" report -q --json "$T/tally.json" "$T/rec"
		"$SONDE" report -q --streams --json "$T/streams.json" "$T/rec"
		"$PYTHON" -B "$LIB/same_summary.py" "$T/tally.json" "$T/streams.json"
	done
}

@test "with arguments recorded the counts are the same" {
	for kind in $kinds; do
		rm -rf "$T/rec"
		options="-t -o $T/rec" sim $kind launch 20 driver 5 alloc 4096 copy 1 1 3 100 sync
		complete 'kernels() == 25' 'calls("cudaLaunchKernel") == 20' 'calls("cudaMalloc") == 1'
		"$SONDE" print "$T/rec" >"$T/events"
		equal "operations" 26 "$(grep -c ' \* cuda:' "$T/events")"
	done
}

@test "C145 cudaProfilerStart and cudaProfilerStop begin and end what is recorded, and are no pairs" {
	for kind in shared static; do
		options="--start-paused"
		sim $kind alloc 1000 launch 3 copy 1 1 3 100 sleep 30 start start launch 5 copy 1 1 3 200 graph 4 stop stop \
			launch 7 graph 9 alloc 500 start fill 64 hand-out 1 stop sleep 30
		complete 'calls("cudaLaunchKernel") == 5' 'kernels() == 9' 'calls("cudaGraphLaunch") == 1' \
			'sorted((t["direction"], t["calls"], t["bytes"]) for t in s["transfers"]) == [("H2D", 1, 200), ("fill", 1, 64)]' \
			'calls("cudaProfilerStop") >= 1' 'calls("cudaMalloc") == 0' 's["memory"][0]["peak_bytes"] == 1500' \
			'"paused" in notes' '"negative" not in notes' 's["run"]["paused_ns"] > 60e6'
		options=
		sim $kind start launch 2 stop launch 3
		complete 'calls("cudaLaunchKernel") == 2' 'kernels() == 2'
	done
}
