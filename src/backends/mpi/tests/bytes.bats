#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Calls and bytes against what the programs worked out themselves, with both MPIs and all bindings.
load lib

each() # PROGRAM RANKS [ARGS]
{
	local mpi program=$1 ranks=$2
	shift 2
	for mpi in $MPIS; do
		wants "$program.$mpi"
		job "$mpi" "$ranks" "$PROGRAMS/$program.$mpi" "$@"
		told --all
		check 'ledger("lost") == 0' "ranks == $ranks"
	done
}

@test "C044 C046 C047 the same calls from C, mpif.h, use mpi and use mpi_f08 give the same counts and bytes" {
	for mpi in $MPIS; do
		for binding in 1 2 3; do
			wants same.$mpi same.$binding.$mpi
			# the C program says what all of them do
			job $mpi 4 "$PROGRAMS/same.$mpi"
			told --all
			traced_job $mpi 4 "$PROGRAMS/same.$binding.$mpi"
			equal "status of binding $binding, $mpi" 0 "$status"
			told --all
			check 'not [r for r in s["calls"] if "f2c" in r["name"] or "c2f" in r["name"]]' \
				'sorted(p["rank"] for p in s["processes"]) == [0, 1, 2, 3]'
		done
	done
}

@test "messages: modes, matched and persistent ones, derived types, a status that is ignored or the program's" {
	each messages 4
}

@test "collectives: by root, in place, with arrays of counts and types, between groups, among neighbours" {
	each collectives 4
}

@test "one-sided calls, files, memory" {
	each onesided 4 "$T/data"
	check '{m["kind"]: (m["allocs"], m["frees"], m["alloc_bytes"], m["live_bytes"]) for m in s["memory"]} == {
		"pageable": (12, 8, 4 * 12500, 4 * 500), "rma window": (8, 8, 4 * 5096, 0)}'
}

@test "M07 more than 2^31 bytes in one call" {
	each large 1
}

@test "M05 16 threads under MPI_THREAD_MULTIPLE: counts and bytes are exact, the level provided is unchanged" {
	for mpi in $MPIS; do
		wants threads16.$mpi
		mpirun_of $mpi 2 "$PROGRAMS/threads16.$mpi" >"$T/bare.out"
		job $mpi 2 "$PROGRAMS/threads16.$mpi"
		told --all
		equal "level of $mpi" "$(grep provided "$T/bare.out")" "$(grep provided "$T/out")"
		check 'ledger("lost") == 0'
	done
}
