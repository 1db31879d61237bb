#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What devices of AMD did, as rocprofiler-sdk tells it: a simulated one (table.h), under a little of HIP.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib

ROCP=$BUILD/tests/rocprofiler
unset ROCP_TOOL_LIBRARIES ROCPROFILER_REGISTER_LIBRARY ROCPROFILER_REGISTER_FORCE_LOAD HSA_TOOLS_LIB ${!SIM_*}
export LD_LIBRARY_PATH=$ROCP/with

# what is in the ledger for rocprofiler alone
LEDGER='(lambda key: sum(l[key] for l in s["ledger"] if l["backend"] == "rocprofiler"))'
HOW='[l["attached_by"] for l in s["ledger"] if l["backend"] == "rocprofiler"]'
DEVICE='[(d["device"], d["backend"]) for d in s["devices"]]'
# rows of transfers: direction, calls, bytes
MOVED='sorted((t["direction"], t["calls"], t["bytes"]) for t in s["transfers"])'

# run PROGRAM WORD...: with a timeline; ends well
run()
{
	rm -rf "$T/rec"
	traced -l -o "$T/rec" -- "$ROCP/$1" "${@:2}"
	equal status 0 "$status"
}

# Everything that was started has come back, with its times.
complete()
{
	check 'not s["lower_bound"]' "$LEDGER('device_seen') == $LEDGER('device_recorded')" 'ledger("untimed") == 0' \
		'ledger("unfinished") == 0' 'ledger("device_lost") == 0' 'ledger("lost") == 0' "$@"
}

# The times that the simulated devices really took, by their own log: kernels, sum of ns
logged()
{
	awk -v kind="$1" '$1 == kind { n++; ns += $5 - $4 } END { printf "%d %d\n", n, ns }' "$T/log"
}

@test "kernels and copies, one row each, with the times that the device took" {
	for program in linked opened deep; do
		rm -f "$T/log"
		SIM_LOG=$T/log run "$program" launch 101 copy 1 4096 copy 2 100 sync
		read -r count ns <<<"$(logged kernel)"
		complete 'kernels() == 101' 'len(s["kernels"]) == 1' 's["kernels"][0]["name"] == "_Z6vectorPf"' \
			's["kernels"][0]["backend"] == "rocprofiler"' "$DEVICE == [('Simulated GPU', 'rocprofiler')]" \
			"$MOVED == [('D2H', 1, 100), ('H2D', 1, 4096)]" "$count == 101" \
			"near(s['kernels'][0]['total_ns'], $ns, 0.001, 1000)" 'calls("hipModuleLaunchKernel") == 101' \
			"$LEDGER('device_seen') == 103" "$HOW == ['rocprofiler-sdk 1.0.0']"
	done
}

@test "the program is answered as without, and what fails is not waited for" {
	for program in linked opened; do
		SIM_FAIL=hipModuleLaunchKernel:2 bare "$ROCP/$program" launch 5 sync
		SIM_FAIL=hipModuleLaunchKernel:2 run "$program" launch 5 sync
		diff <(grep -v force "$T/bare.out") <(grep -v force "$T/out")
		complete 'kernels() == 4' 'failed("hipModuleLaunchKernel") == 1'
	done
}

@test "C043 rocprofiler-register without the library: the program runs, and is not ended by it" {
	export LD_LIBRARY_PATH=$ROCP/without
	for program in linked opened deep; do
		bare "$ROCP/$program" launch 3 sync
		traced "$ROCP/$program" launch 3 sync
		equal status 0 "$status"
		diff "$T/bare.out" "$T/out"
		check 'calls("hipModuleLaunchKernel") == 3' '"rocprofiler" not in [l["backend"] for l in s["ledger"]]'
	done
}

@test "a library that refuses leaves the program alone" {
	for what in force_configure create_context start_context configure_buffer_tracing_service; do
		SIM_REFUSE=$what traced "$ROCP/linked" launch 3 sync
		check 'calls("hipModuleLaunchKernel") == 3' '"rocprofiler" not in [l["backend"] for l in s["ledger"]]'
	done
}

@test "older versions of the library, whose callbacks differ" {
	for version in 0.5.0 0.6.0 1.0.0; do
		SIM_VERSION=$version traced "$ROCP/linked" launch 5 stream launch 3 copy 1 10 sync
		complete 'kernels("_Z6vectorPf") == 8' "$HOW == ['rocprofiler-sdk $version']"
	done
}

@test "3,000 kernels are 3,000 kernels, whatever the order in which records come" {
	for order in "" back; do
		[ -z "$order" ] || export SIM_ORDER=$order
		run linked launch 3000 sync
		complete 'kernels() == 3000' "near(s['devices'][0]['kernels_ns'], s['devices'][0]['kernels_sum_ns'], 0.01)"
	done
}

@test "streams are queues of their own" {
	run opened launch 2 stream launch 3 stream launch 4 copy 1 8 sync
	complete 'kernels() == 9'
	"$SONDE" print "$T/rec" >"$T/print"
	equal "kernels of stream 1" 3 "$(grep 'vector' "$T/print" | grep -c 'stream 1')"
	equal "operations of stream 2" 5 "$(grep -c 'stream 2' "$T/print")"
}

@test "what a range or a call starts on a device is its time there" {
	run linked range outer launch 4 sync end launch 2 sync
	complete 'kernels() == 6' 'near(range_of("outer")["device_ns"] / 4, s["kernels"][0]["total_ns"] / 6, 0.5)' \
		'range_of("outer")["device_ns"] < s["kernels"][0]["total_ns"]' \
		'the("hipModuleLaunchKernel")["device_ns"] == s["kernels"][0]["total_ns"]'
}

@test "each kernel and copy has the call that started it" {
	run opened launch 3 copy 1 8 sync
	"$SONDE" print --json "$T/rec" >"$T/print"
	"$PYTHON" - "$T/print" <<-EOF
		import json, sys
		events = [json.loads(line) for line in open(sys.argv[1])]
		links = {e["correlation"]: e["function"] for e in events if e["type"] == "link"}
		begun = [links[e["correlation"]] for e in events if e["type"] == "operation"]
		assert sorted(begun) == ["hipMemcpyAsync"] + 3 * ["hipModuleLaunchKernel"], (begun, links)
	EOF
}

@test "how kernels were launched" {
	run linked launch 3 sync
	complete '(s["kernels"][0]["grid"], s["kernels"][0]["block"]) == ([5, 2, 1], [64, 1, 1])'
}

@test "C079 C082 C086 times that cannot be right are counted as untimed, and in no sum" {
	for times in zero negative; do
		SIM_TIMES=$times traced "$ROCP/linked" launch 5 copy 1 8 sync
		check "$LEDGER('device_seen') == 6" "$LEDGER('untimed') == 6" "$LEDGER('device_recorded') == 0" \
			's["lower_bound"]' 's["kernels"] == []'
	done
}

@test "C073 records that never come are unfinished, and the sums lower bounds" {
	SIM_TIMES=missing traced "$ROCP/opened" launch 5 sync
	check "$LEDGER('device_seen') == 5" "$LEDGER('unfinished') == 5" 's["lower_bound"]'
}

@test "records that the library had no room for are lost, not forgotten" {
	SIM_DROP=7 traced "$ROCP/linked" launch 20 sync
	check "$LEDGER('device_seen') == 20" "$LEDGER('device_recorded') == 13" "$LEDGER('device_lost') == 7" \
		"$LEDGER('unfinished') == 0" 's["lower_bound"]'
}

@test "C092 C104 a clock far from the host's, that gains and loses: times are the host's" {
	local drift
	for drift in 300 -300; do
		rm -f "$T/log"
		SIM_LOG=$T/log SIM_CLOCK_OFFSET=99999999999999 SIM_CLOCK_DRIFT=$drift traced "$ROCP/linked" launch 20 sync \
			sleep 1500 launch 20 sync
		read -r count ns <<<"$(logged kernel)"
		complete 'kernels() == 40' "near(s['kernels'][0]['total_ns'], $ns, 0.002, 2000)" \
			's["devices"][0]["kernels_ns"] <= s["run"]["wall_ns"]'
	done
}

@test "C119 nothing is waited for but what the program waits for" {
	run linked launch 5 copy 1 8 sync
	check 'calls("hipDeviceSynchronize") == 1' 'calls("hipEventSynchronize") == 0' 'calls("hipEventRecord") == 0'
}

@test "killed: what was not delivered is unfinished, what was is there" {
	residue=allowed
	traced "$ROCP/linked" launch 1000 sync launch 3 sync end-with kill
	check 's["run"]["end"] == "signal 9"' "$LEDGER('device_seen') == 1003" \
		"$LEDGER('device_recorded') >= 800" "$LEDGER('device_recorded') + $LEDGER('unfinished') == 1003" 's["lower_bound"]'
}

@test "ended without exit handlers: what the library holds is asked for" {
	for how in _exit abort quick_exit; do
		traced "$ROCP/linked" launch 7 sync end-with $how
		check 'kernels() == 7' "$LEDGER('unfinished') == 0"
	done
}

@test "a child of a fork leaves the parent's operations alone" {
	run linked launch 5 sync fork launch 5 sync
	complete 'kernels() == 10'
}

@test "names that are long, or no text" {
	need jq
	traced "$ROCP/linked" kernel odd launch 1 kernel long launch 2 sync
	complete 'kernels() == 3' 'len(s["kernels"]) == 2' 'all(len(k["name"]) <= 4200 for k in s["kernels"])'
	jq . "$T/summary.json" >/dev/null
	never grep -q "$(printf '\033\\[31m')" "$T/err"
}

@test "the user's tool in ROCP_TOOL_LIBRARIES, or preloaded, gets all that it would" {
	ROCP_TOOL_LIBRARIES=$ROCP/libuser-tool.so traced "$ROCP/linked" launch 9 sync
	complete 'kernels() == 9' 'out["user_tool"] == 9'
	LD_PRELOAD=$ROCP/libuser-tool.so traced "$ROCP/linked" launch 9 sync
	complete 'kernels() == 9' 'out["user_tool"] == 9'
}

@test "memory is HIP's to tell; without it, what was allocated on the device, and what kernels spill to" {
	traced "$ROCP/linked" alloc 1000 free alloc 500 sync
	check '[(m["allocs"], m["frees"], m["live_bytes"]) for m in s["memory"] if m["backend"] == "rocprofiler"] == [(2, 1, 4096)]'
	traced -b rocprofiler "$ROCP/linked" alloc 1000 free alloc 500 launch 1 sync
	check '[(m["allocs"], m["frees"], m["live_bytes"]) for m in s["memory"] if m["backend"] == "rocprofiler"] == [(4, 2, 4596)]' \
		'kernels() == 1'
}

@test "while recording is paused nothing that devices do is recorded" {
	traced --start-paused "$ROCP/linked" launch 5 sync
	check 's["kernels"] == []' "$LEDGER('device_seen') == 0" "$LEDGER('unfinished') == 0"
}
