#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What CUPTI's records become, of a simulated CUDA (sim.h). Times are given in ns; copies by CUPTI's numbers: which
# way, memory from, memory to, bytes (1 pageable, 2 pinned, 3 device, 4 array, 5 managed).
load lib

# the only transfer of a direction: calls, bytes, ns, kind of the host's memory
TRANSFER='(lambda way: [(t["calls"], t["bytes"], t["total_ns"], t["kind"]) for t in s["transfers"] if t["direction"] == way])'

@test "code that the driver compiles or has in its cache is a build, with its time and file" {
	for kind in shared static; do
		sim $kind init name /cache/ab/cd at 10 3000000 load 3 load 2 load 1 load 0
		check 'calls("cuModuleLoadData") == 4' \
			'sorted((b["source"], b["name"], b["calls"]) for b in s["builds"]) == [("cache", "cd", 1), ("il", "cd", 1)]' \
			'all(abs(b["total_ns"] - 3000000) < 30000 for b in s["builds"])'
	done
}

@test "what is compiled while recording is paused is no build" {
	local kind
	for kind in shared static; do
		options="--start-paused" sim $kind name cd at 10 1000 load 3 start load 1 load 3 stop load 1 load 3 start launch 1
		check 'sorted((b["source"], b["calls"]) for b in s["builds"]) == [("cache", 1), ("il", 1)]'
	done
}

@test "kernels of several devices, contexts and streams: sums, unions and names of devices" {
	sim static at 0 1000 launch 1 at 500 1000 stream 1 launch 1 at 3000 1000 context 2 launch 1 \
		device 1 context 3 at 100 50 name other launch 2
	complete 'kernels("kernel") == 3' 'kernels("other") == 2' \
		'[(d["device"], d["kernels_ns"], d["kernels_sum_ns"]) for d in s["devices"]] == [
			("Simulated GPU 0", 2500, 3000), ("Simulated GPU 1", 50, 100)]' \
		'[k["total_ns"] for k in s["kernels"] if k["name"] == "other"] == [100]' \
		'[(k["min_ns"], k["max_ns"]) for k in s["kernels"] if k["name"] == "kernel"] == [(1000, 1000)]'
	no_notes
}

@test "how kernels were launched: what is the same for all, in the summary" {
	sim static grid 64 2 1 block 128 4 1 registers 40 shared 1024 256 launch 2 name other launch 1 grid 65 2 1 launch 1 \
		shared 1024 0 launch 1
	complete '[(k["calls"], k["grid"], k["block"], k["registers"], k["static_shared_bytes"], k["dynamic_shared_bytes"])
			for k in sorted(s["kernels"], key=lambda k: k["name"])] == [
			(2, [64, 2, 1], [128, 4, 1], 40, 1024, 256), (3, None, [128, 4, 1], 40, 1024, None)]'
}

@test "how each kernel was launched: in every line, and in the table with all rows" {
	options="-l -o rec" sim static grid 64 2 1 block 128 4 1 registers 40 shared 1024 256 launch 1 fill 10
	report --all rec
	says "$T/report.out" ' 64x2x1  128x4x1         40  1.250 KiB  kernel'
	"$SONDE" print rec >"$T/print"
	says "$T/print" ', grid 64x2x1, block 128x4x1, registers 40, static_shared_bytes 1024, dynamic_shared_bytes 256, op '
	equal lines 1 "$(grep -c grid "$T/print")"
}

@test "kernels and copies at the same time: busy, copying and both" {
	sim static at 0 1000 launch 1 at 600 1000 copy-async 1 2 3 5000
	complete '[(d["kernels_ns"], d["copies_ns"], d["overlap_ns"]) for d in s["devices"]] == [(1000, 1000, 400)]'
}

@test "C100 all kernels of a graph share its launch, and none of them is unfinished" {
	for kind in shared static; do
		sim $kind name node graph 50 graph 50 graph 1 launch 3
		complete 'calls("cudaGraphLaunch") == 3' 'kernels("node") == 104' 'ledger("device_seen") == 104'
	done
}

@test "C101 C103 a graph of 31 nodes replayed 100 times is 3,100 kernels, by graph and node; other graphs apart" {
	local replays=() i
	for ((i = 0; i < 100; i++)); do replays+=(graph 31); done
	for kind in shared static; do
		sim $kind at 0 10 name inner graph-number 7 "${replays[@]}" launch 5 graph-number 8 graph 2 name other graph 2
		complete 'kernels("inner") == 3107' \
			'[(g["graph"], g["launches"], g["kernels"], g["total_ns"]) for g in s["graphs"]] == [
				(7, 100, 3100, 31000), (8, 2, 4, 40)]' \
			'[(n["node"], n["name"], n["calls"], n["total_ns"], n["max_ns"]) for n in s["graphs"][0]["nodes"]] == [
				(i + 1, "inner", 100, 1000, 10) for i in range(31)]' \
			'sorted((n["node"], n["name"], n["calls"]) for n in s["graphs"][1]["nodes"]) == [
				(1, "inner", 1), (1, "other", 1), (2, "inner", 1), (2, "other", 1)]'
		no_notes
	done
	says "$T/err" 'Graphs: 100 % of what ran on devices' '31.00 us       100      310 ns     31     3100  cuda graph 7' '       20 ns      2        4  cuda graph 8'
}

@test "copies of every direction, with the memory on the host's side" {
	sim static at 0 10 copy 1 1 3 100 copy-async 1 2 3 200 copy 2 3 1 300 copy-async 2 3 2 400 copy 8 3 3 500 \
		copy 9 1 1 600 copy-async 3 2 4 700 copy-async 4 4 2 800 copy 5 4 4 900 copy-async 1 5 3 1000 \
		copy-async 10 3 3 1100 peer 1200
	complete "sorted($TRANSFER('H2D')) == [(1, 100, 10, 'pageable'), (1, 1000, 10, 'managed'), (2, 900, 20, 'pinned host')]" \
		"sorted($TRANSFER('D2H')) == [(1, 300, 10, 'pageable'), (2, 1200, 20, 'pinned host')]" \
		"[t[:3] for t in $TRANSFER('D2D')] == [(2, 1400, 20)]" "[t[:2] for t in $TRANSFER('H2H')] == [(1, 600)]" \
		"[t[:3] for t in $TRANSFER('P2P')] == [(2, 2300, 20)]" 'ledger("device_recorded") == 12'
}

@test "fills are fills, with their bytes" {
	sim static at 0 10 fill 4096 fill 4096
	complete "[t[:3] for t in $TRANSFER('fill')] == [(2, 8192, 20)]" 'calls("cudaMemsetAsync") == 2'
}

@test "memory in use on each device and of the host, its peak and what is left" {
	sim static memory 3 alloc 1000 alloc 500 free 1000 alloc 200 device 1 alloc 70 device 0 \
		memory 2 alloc-host 4096 free-host 4096 memory 5 alloc 30 memory 6 alloc 200 alloc 300
	check 'sorted((m["device"] or "", m["kind"], m["allocs"], m["frees"], m["peak_bytes"], m["live_bytes"])
			for m in s["memory"]) == [("", "pinned host", 1, 1, 4096, 0), ("Simulated GPU 0", "device", 3, 1, 1500, 700),
		 ("Simulated GPU 0", "device static", 2, 0, 500, 500), ("Simulated GPU 0", "managed", 1, 0, 30, 30), ("Simulated GPU 1", "device", 1, 0, 70, 70)]'
}

@test "records without a begin, or that end before they begin, are counted as untimed and not in any sum" {
	sim static at 0 100 launch 2 untimed 1 launch 3 untimed 0 backwards launch 4
	check 'ledger("device_seen") == 9' 'ledger("device_recorded") == 2' 'ledger("untimed") == 7' \
		'ledger("unfinished") == 0' 's["lower_bound"]' 's["devices"][0]["kernels_sum_ns"] == 200'
}

@test "launches whose records never come are unfinished, and the sums lower bounds" {
	for kind in shared static; do
		sim $kind at 0 100 launch 5 silent 1 launch 3
		check 'calls("cudaLaunchKernel") == 8' 'kernels() == 5' 'ledger("device_seen") == 8' \
			'ledger("unfinished") == 3' 's["lower_bound"]'
	done
}

@test "records that CUPTI had no room for are lost, not forgotten" {
	sim static launch 5 silent 1 launch 3 drop 3 silent 0 launch 1
	check 'ledger("device_seen") == 9' 'ledger("device_recorded") == 6' 'ledger("device_lost") == 3' \
		'ledger("unfinished") == 0' 's["lower_bound"]'
}

@test "buffers that come back from the last to the first give the same sums" {
	SIM_ORDER=back sim static at 0 10 launch 1000 at 20 10 launch 1000 at 5000 10 name last launch 1000
	complete 'kernels("kernel") == 2000' 'kernels("last") == 1000' \
		'[(d["kernels_ns"], d["kernels_sum_ns"]) for d in s["devices"]] == [(30, 30000)]'
}

@test "empty buffers do no harm and come back" {
	sim static launch 3 hand-out 600 launch 3 sleep 100 hand-out 5 sleep 100 facts
	complete 'kernels() == 6' 'out["cupti_buffers_out"] == 0'
}

@test "without memory for buffers the program goes on, and says that records are missing" {
	sim static launch 10 hand-out 1 starve 1 launch 2000 starve 0 launch 10
	check 'calls("cudaLaunchKernel") == 2020' 'ledger("device_recorded") + ledger("device_lost") + ledger(
			"unfinished") == 2020' 'kernels() >= 20' 'ledger("unfinished") == 0 or s["lower_bound"]'
}

@test "names that are missing, long, or no text" {
	need jq
	sim static launch 1 odd-name null launch 2 odd-name long launch 3 odd-name longer launch 4 odd-name bad launch 5
	complete 'kernels() == 15' 'kernels("n" * 4096) == 3' 'len(s["kernels"]) == 5' \
		'sorted(k["calls"] for k in s["kernels"]) == [1, 2, 3, 4, 5]' \
		'all(len(k["name"]) <= 4200 for k in s["kernels"])'
	jq . "$T/summary.json" >/dev/null
	never grep -q "$(printf '\033\\[31m')" "$T/err"
}

@test "200,000 kernels are 200,000 kernels" {
	for kind in shared static; do
		sim $kind launch 200000
		complete 'calls("cudaLaunchKernel") == 200000' 'kernels() == 200000' 'ledger("device_seen") == 200000' \
			'near(s["devices"][0]["kernels_ns"], s["devices"][0]["kernels_sum_ns"], 0.05)'
		no_notes
	done
}

@test "an operation whose record comes after 262,144 further calls has lost its call: a note says so" {
	for kind in shared static; do
		sim $kind launch 1 capture launch 1000 captured hand-out 1
		no_notes
		sim $kind launch 1 capture launch 262144 captured hand-out 1
		note "more than 262,144 calls came between some operations and their records"
		check 'kernels() == 1' 'ledger("device_seen") == ledger("device_recorded") == 1'
	done
}

@test "calls that fail take nothing from the ledger of kernels that were launched long before" {
	for kind in shared static; do
		SIM_ORDER=back sim $kind launch 262200 answer 1 launch 3 # the failed calls stand in places of the first launches
		check 'calls("cudaLaunchKernel") == 262203' 'failed("cudaLaunchKernel") == 3' 'kernels() == 262200' \
			'ledger("device_seen") == ledger("device_recorded") == 262200' 'ledger("unfinished") == 0'
	done
}

@test "what is captured into a graph counts when it runs, and is not unfinished before" {
	for kind in shared static; do
		sim $kind launch 2 capture launch 10 captured graph 10 graph 10 launch 3
		complete 'calls("cudaLaunchKernel") == 15' 'kernels() == 25' 'ledger("device_seen") == 25' \
			'calls("cudaStreamBeginCapture") == 1' 'calls("cudaStreamEndCapture") == 1'
	done
}

@test "after a capture launches count again when they are made" {
	for kind in shared static; do
		sim $kind capture launch 10 captured silent 1 launch 3 answer 1 capture answer 0 launch 1
		check 'ledger("unfinished") == 4' 'failed("cudaStreamBeginCapture") == 1'
	done
}

@test "a blocking copy is a copy while its data move, and else waiting for the device" {
	for kind in shared static; do
		sim $kind init took 20000000 at 0 1000 copy 2 3 1 100 sleep 20 took 0
		check 'total("cudaMemcpy") >= 20e6' 'ns("device_wait") >= 19e6' 'ns("copy") < 5e6'
	done
}

@test "the first launch of a process counts from its beginning" {
	for kind in shared static; do
		sim $kind silent 1 launch 1
		check 'ledger("device_seen") == 1' 'ledger("unfinished") == 1'
	done
}
