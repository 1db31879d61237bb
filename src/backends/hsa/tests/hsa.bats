#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# HSA: the real library, which finds no device here, and a stand-in with devices (sim_hsa.c); programs that are linked with
# it and programs that open it.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib

HSA=$BUILD/tests/hsa
unset HSA_TOOLS_LIB ${!SIM_*}

simulated()
{
	export LD_LIBRARY_PATH=$HSA
}

real()
{
	unset LD_LIBRARY_PATH
	ldd "$HSA/linked" | grep -q 'libhsa-runtime64.so.1 => /' || omit "no libhsa-runtime64 (libhsa-runtime64-1)"
}

# the only line of HSA in the ledger
HOW='[l["attached_by"] for l in s["ledger"] if l["backend"] == "hsa"]'
MEMORY='sorted((m["device"] or "host", m["kind"], m["allocs"], m["frees"], m["peak_bytes"], m["live_bytes"]) for m in s["memory"])'

@test "the real library without a device: the program gets its error and its text, and it is counted as failed" {
	local program
	real
	[ ! -e /dev/kfd ] || omit "there is a device here"
	for program in linked opened; do
		bare "$HSA/$program" init
		traced "$HSA/$program" init
		equal "status" 0 "$status"
		diff "$T/bare.out" "$T/out"
		check 'out["init"] != 0' 'failed("hsa_init") == 1' 'calls("hsa_init") == 1' 'calls("hsa_shut_down") == 1' \
			'failed("hsa_shut_down") == 1' "$HOW == ['preload']"
	done
}

@test "every call is counted once, through wrappers and tables, with its bytes" {
	local program
	simulated
	for program in linked opened; do
		bare "$HSA/$program" work 5
		traced "$HSA/$program" work 5
		diff <(grep -v tools "$T/bare.out") <(grep -v tools "$T/out")
		check 'out["tools"] == 1' 'calls("hsa_init") == 1' 'calls("hsa_amd_memory_pool_allocate") == 6' \
			'calls("hsa_amd_memory_async_copy") == 5' 'calls("hsa_memory_copy") == 5' \
			'calls("hsa_signal_wait_scacquire") == 5' 'calls("hsa_signal_store_screlease") == 5' \
			'calls("hsa_agent_get_info") == 2' 'calls("hsa_iterate_agents") == 1' \
			'the("hsa_amd_memory_async_copy")["bytes_out"] == 5 * 4096' \
			'the("hsa_memory_copy")["bytes_out"] == 5 * 2048' 'sum(c["failed"] for c in s["calls"]) == 0' \
			"$HOW == ['HSA_TOOLS_LIB']" 'ledger("lost") == 0'
	done
}

@test "waiting for a signal is waiting for the device" {
	simulated
	traced "$HSA/linked" work 5
	check 'total("hsa_signal_wait_scacquire") >= 12e6' 'ns("device_wait") >= 12e6' 'ns("device_wait") < ns("host") + 60e6'
}

@test "memory in use by device and host, what is left, and frees that fail" {
	simulated
	traced "$HSA/opened" work 3
	check "$MEMORY == [('gfx0000', 'device', 3, 3, 4096, 0), ('host', 'pinned host', 1, 0, 100, 100)]"
	SIM_DEVICES=1 SIM_FAIL=hsa_amd_memory_pool_free:2 traced "$HSA/opened" work 3
	check 'failed("hsa_amd_memory_pool_free") == 1' \
		"$MEMORY == [('gfx0000', 'device', 3, 2, 8192, 4096), ('host', 'pinned host', 1, 0, 100, 100)]"
	traced "$HSA/linked" keep 3
	check "$MEMORY[0] == ('gfx0000', 'device', 3, 0, 3 * 4096, 3 * 4096)"
}

@test "an allocation that fails is no memory" {
	simulated
	SIM_FAIL=hsa_amd_memory_pool_allocate:1 traced "$HSA/linked" work 2
	check 'failed("hsa_amd_memory_pool_allocate") == 1' "$MEMORY[0] == ('gfx0000', 'device', 1, 1, 4096, 0)"
}

@test "loading a code object is a build" {
	simulated
	traced "$HSA/linked" work 1
	check '[(b["backend"], b["source"], b["calls"]) for b in s["builds"]] == [("hsa", "binary", 1)]' 'ns("build") > 0'
}

@test "an hsa_init that fails says so to the program and in the table" {
	simulated
	SIM_FAIL=hsa_init:0 traced "$HSA/opened" init
	check 'out["init"] == 0x1000' 'failed("hsa_init") == 1' 'out["tools"] == 0'
}

@test "calls that go past the exported names are seen in the tables, and only there" {
	local program
	simulated
	for program in linked opened; do
		traced "$HSA/$program" inside
		check 'out["inside"] == 0' 'calls("hsa_memory_copy") == 1'
		SIM_TABLE_MAJOR=1 traced "$HSA/$program" inside
		check 'out["inside"] == 0' 'calls("hsa_memory_copy") == 0'
	done
}

@test "tables whose order is not known are left alone: names are wrapped all the same" {
	simulated
	SIM_TABLE_MAJOR=1 traced "$HSA/linked" work 2
	check 'calls("hsa_amd_memory_async_copy") == 2' 'out["tools"] == 1' "$HOW == ['preload']"
}

@test "beside a runtime of an API above, calls are told apart by who makes them: tables are left alone" {
	simulated
	LD_PRELOAD=$HSA/libamdhip64.so.6 traced "$HSA/linked" work 2
	check 'calls("hsa_amd_memory_async_copy") == 2' 'out["tools"] == 1' "$HOW == ['preload']"
}

@test "a tool that the user has in HSA_TOOLS_LIB stays, and comes first" {
	simulated
	HSA_TOOLS_LIB=$HSA/libuser-tool.so traced "$HSA/linked" work 1
	check 'out["tools"] == 2' 'calls("hsa_amd_memory_async_copy") == 1'
	HSA_TOOLS_LIB=$HSA/libuser-tool.so traced sh -c 'printf "%s\n" "$HSA_TOOLS_LIB"' || true
	equal list "$HSA/libuser-tool.so $BUILD/bin/libsonde-hsa.so" "$(cat "$T/out")"
}

@test "without HSA among the backends its tables stay as they are" {
	simulated
	traced -b mpi "$HSA/linked" work 1
	check 's["calls"] == []'
}

@test "a child of a fork has its own record, and the parent's goes on" {
	simulated
	traced "$HSA/linked" fork 2
	check 'calls("hsa_amd_memory_async_copy") == 2' "$MEMORY[0] == ('gfx0000', 'device', 2, 2, 4096, 0)"
}
