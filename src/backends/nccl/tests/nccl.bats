#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Calls of a stand-in for NCCL that launches kernels of the simulated CUDA.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load "$SRC/src/backends/cuda/tests/lib"

call() # NAME KEY
{
	echo "[row['$2'] for row in s['calls'] if row['name'] == '$1'][0]"
}

@test "collectives have their bytes and the sizes of their communicators" {
	traced -- "$BUILD/tests/nccl/program"
	equal status 0 "$status"
	check 'calls("ncclAllReduce") == 16' 'failed("ncclAllReduce") == 1' \
		"$(call ncclAllReduce bytes_out) == $(call ncclAllReduce bytes_in) == 4 * (10 * 100 + 5 * 10)" \
		"($(call ncclAllReduce comm_size_min), $(call ncclAllReduce comm_size_max)) == (2, 4)" \
		"($(call ncclAllGather bytes_out), $(call ncclAllGather bytes_in)) == (400, 1600)" \
		"($(call ncclReduceScatter bytes_out), $(call ncclReduceScatter bytes_in)) == (1600, 400)" \
		"($(call ncclSend bytes_out), $(call ncclRecv bytes_in)) == (1200, 600)" \
		"($(call ncclSend comm_size_min), $(call ncclSend comm_size_max)) == (2, 2)" \
		"$(call ncclCommDestroy comm_size_max) == 0"
}

@test "a collective that is in progress when it returns has not failed, and has its bytes" {
	traced -- "$BUILD/tests/nccl/program" no-blocking
	equal status 0 "$status"
	check 'failed("ncclAllGather") == 0' "$(call ncclAllGather comm_size_max) == 4" \
		"($(call ncclAllGather bytes_out), $(call ncclAllGather bytes_in)) == (400, 1600)"
}

@test "a communicator is asked for its size once, and one that takes its place anew" {
	traced -- "$BUILD/tests/nccl/program"
	check 'out["asked"] == 3' "($(call ncclBroadcast comm_size_min), $(call ncclBroadcast comm_size_max)) == (8, 8)"
}

@test "kernels are tied to the collective that launched them, or to the end of the group" {
	for options in "" "-l"; do
		cd "$T"
		# shellcheck disable=SC2086
		traced $options -- "$BUILD/tests/nccl/program"
		check 'kernels() == 25' "$(call ncclGroupEnd device_ns) > 0" "$(call ncclSend device_ns) == 0" \
			"$(call cudaLaunchKernel device_ns) == 0" \
			'0 < sum(row["device_ns"] for row in s["calls"]) <= sum(row["total_ns"] for row in s["kernels"])'
	done
}

@test "the table tells the sizes of communicators" {
	timeout 30 "$SONDE" --all "$BUILD/tests/nccl/program" 2>table.txt
	grep -q 'comm size' table.txt
	grep -q '2 to 4 .*ncclAllReduce' table.txt || { cat table.txt; return 1; }
}

# torchrun N COMMAND...: what torchrun sets for the processes that it starts, under its name
make_torchrun()
{
	cat >torchrun <<-'EOF2'
	#!/bin/bash
	ranks=$1
	shift
	for ((rank = 0; rank < ranks; rank++)); do
	    RANK=$rank WORLD_SIZE=$ranks LOCAL_RANK=$rank LOCAL_WORLD_SIZE=$ranks TORCHELASTIC_RUN_ID=none "$@" &
	done
	wait
	EOF2
	chmod +x torchrun
}

@test "processes of torchrun are ranks, whether sonde stands above or below it" {
	cd "$T"
	make_torchrun
	traced -- ./torchrun 3 "$BUILD/tests/nccl/program"
	check 'ranks == 3' 'sorted(row["rank"] for row in s["processes"]) == [0, 1, 2]' 'calls("ncclAllReduce") == 48'
	traced --ranks=1,2 -- ./torchrun 3 "$BUILD/tests/nccl/program"
	check 'sorted(row["rank"] for row in s["processes"]) == [1, 2]'
	timeout 60 ./torchrun 3 "$SONDE" --json "$T/summary.json" "$BUILD/tests/nccl/program" 2>err.txt
	equal tables 1 "$(grep -c '^Where the time went' err.txt)"
	check 'ranks == 3' 'sorted(row["rank"] for row in s["processes"]) == [0, 1, 2]'
}

@test "what is no number is no rank, whether sonde stands above or below it" {
	cd "$T"
	for word in abc -3 1,2 4294967297; do
		set -- env RANK=$word WORLD_SIZE=$word TORCHELASTIC_RUN_ID=none
		traced -- "$@" "$BUILD/tests/nccl/program"
		check 'ranks == 0' 'calls("ncclAllReduce") == 16'
		timeout 60 "$@" "$SONDE" --json "$T/summary.json" "$BUILD/tests/nccl/program" 2>err.txt
		check 'ranks == 0' 'calls("ncclAllReduce") == 16'
	done
}

@test "below a launcher of nodes, and above a shell, the ranks are those of torchrun" {
	cd "$T"
	make_torchrun
	export SLURM_PROCID=5 SLURM_STEP_ID=1 SLURM_STEP_NUM_TASKS=8 # of the process that is the node's torchrun
	timeout 60 ./torchrun 2 sh -c "'$SONDE' --json '$T/summary.json' '$BUILD/tests/nccl/program'; exit 0" 2>err.txt
	equal tables 1 "$(grep -c '^Where the time went' err.txt)"
	check 'sorted(row["rank"] for row in s["processes"]) == [0, 1]'
}
