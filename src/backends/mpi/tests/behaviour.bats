#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What the tool must not do to an MPI program, and programs that do not go by the book.
load lib

# Hydra kills the other ranks when one ends without MPI_Finalize, and gives 0 or 9 as it reaps them in time or not, on a busy
# machine 1 as well: without us now and then, behind a waiting parent (`mpirun sh -c`) mostly.
same_end() {
	case $mpi/$bare/$status in
	mpich/[019]/[019]) ;;
	*) equal "status of $mpi" "$bare" "$status" ;;
	esac
}

@test "a user operation of 100 ms that calls MPI: total is all of it, self is the rest" {
	for mpi in $MPIS; do
		wants user_op.$mpi
		job $mpi 2 "$PROGRAMS/user_op.$mpi"
		told
		inside=$(said inside_us) called=$(said called_us) outer=$(said outer_us)
		# the program's clock is slewed, ours is not: 1 in 1000; each figure of a rank is rounded to ns
		[ "$inside" -ge 100000 ]
		check "999 * $inside <= total('MPI_Allreduce') <= 1001 * ($outer + 2)" \
			"near(total('MPI_Allreduce') - own('MPI_Allreduce'), total('MPI_Alloc_mem') + total('MPI_Free_mem'), 0, 4)" \
			"total('MPI_Alloc_mem') + total('MPI_Free_mem') <= 1001 * ($called + 2)" \
			"own('MPI_Allreduce') >= 100e6" 'sum(r["self_ns"] for r in s["calls"]) <= 2 * s["run"]["wall_ns"]'
	done
}

@test "MPI_Comm_spawn is setup, not communication; MPI_Comm_disconnect waits for some" {
	for mpi in $MPIS; do
		wants spawn.$mpi
		# Debian's MPICH cannot start processes from a program
		mpirun_of $mpi 1 "$PROGRAMS/spawn.$mpi" >"$T/bare.out" 2>&1 || continue
		spawned=$mpi
		job $mpi 1 "$PROGRAMS/spawn.$mpi"
		check 'the("MPI_Comm_spawn")["kind"] == "setup"' 'the("MPI_Comm_disconnect")["kind"] == "coll"' \
			'calls("MPI_Comm_spawn") == 1' 'total("MPI_Comm_spawn") > 1e6' \
			'sum(p["breakdown"]["other_api"] for p in s["processes"]) >= 0.999 * total("MPI_Comm_spawn")' \
			'sum(p["breakdown"]["comm"] for p in s["processes"]) <= 1.001 * sum(r["total_ns"] for r in s["calls"]
				if r["name"] in ("MPI_Send", "MPI_Recv", "MPI_Comm_disconnect"))'
	done
	[ -n "${spawned:-}" ] || omit "no MPI that starts processes from a program"
}

@test "the launcher of another MPI, which starts each rank as a job of its own, is told of as that" {
	for mpi in mpich openmpi; do
		other=openmpi
		[ $mpi = mpich ] || other=mpich
		wants messages.$mpi
		command -v mpirun.$other >/dev/null || omit "no mpirun.$other"
		mpirun_of $other 2 "$SONDE" --json "$T/summary.json" "$PROGRAMS/messages.$mpi" >"$T/out" 2>"$T/err" || :
		check 'processes == 2' '"alone" in notes' '"several_programs" not in notes'
		"$SONDE" --json "$T/summary.json" mpirun.$other -n 2 "$PROGRAMS/messages.$mpi" >"$T/out" 2>"$T/err" || :
		check 'processes == 2' '"alone" in notes' '"several_programs" not in notes'
		job $mpi 2 "$PROGRAMS/messages.$mpi"
		check '"alone" not in notes'
	done
}

@test "C050 a program with sessions only" {
	wants sessions.mpich
	job mpich 2 "$PROGRAMS/sessions.mpich"
	told --all
	check 'sorted(p["rank"] for p in s["processes"]) == [0, 1]' 'ranks == 2'
}

@test "C050 exit(0) without MPI_Finalize" {
	for mpi in $MPIS; do
		wants ends.$mpi
		status=0
		rm -f told.*
		mpirun_of $mpi 2 "$PROGRAMS/ends.$mpi" exit >"$T/bare.out" 2>"$T/bare.err" || status=$?
		bare=$status
		rm -f told.*
		traced_job $mpi 2 "$PROGRAMS/ends.$mpi" exit
		same_end
		told --all
		check 'calls("MPI_Finalize") == 0' 'calls("MPI_Bcast") == 20'
	done
}

@test "C052 the tool asks nothing before MPI_Init and after MPI_Finalize, and never communicates" {
	for mpi in $MPIS; do
		wants below_linked.$mpi
		mpirun_of $mpi 2 "$PROGRAMS/below_linked.$mpi" >"$T/bare.out"
		rm -f told.*
		job $mpi 2 "$PROGRAMS/below_linked.$mpi"
		told --all
		for key in asked_outside communicated; do
			equal "$key with $mpi" "$(grep $key "$T/bare.out" | sort)" "$(grep $key "$T/out" | sort)"
		done
		# it did ask, through the same library: otherwise the above says nothing
		[ "$(sed -n s/asked_inside=//p "$T/out" | awk '{ sum += $1 } END { print sum + 0 }')" -gt \
			"$(sed -n s/asked_inside=//p "$T/bare.out" | awk '{ sum += $1 } END { print sum + 0 }')" ]
	done
}

@test "C053 one rank never reaches MPI_Finalize: same status, no hang, what was called is there" {
	limit=30
	for mpi in $MPIS; do
		wants ends.$mpi
		status=0
		begin=$(date +%s%N)
		mpirun_of $mpi 2 "$PROGRAMS/ends.$mpi" never >"$T/bare.out" 2>"$T/bare.err" || status=$?
		bare=$status bare_ms=$((($(date +%s%N) - begin) / 1000000))
		begin=$(date +%s%N)
		rm -f told.*
		traced_job $mpi 2 "$PROGRAMS/ends.$mpi" never
		ms=$((($(date +%s%N) - begin) / 1000000))
		same_end
		check 'calls("MPI_Bcast") == 20' 'row("MPI_Bcast")["bytes_in"] == 400' 'calls("MPI_Init") == 2'
		[ $ms -le $((bare_ms + 3000)) ]
	done
}

@test "C055 waiting for a late rank is the waiting ranks' time, the tool's own cost is a figure of its own" {
	for mpi in $MPIS; do
		wants ends.$mpi
		job $mpi 3 "$PROGRAMS/ends.$mpi" late
		told --all
		# rank 1 sleeps 2 s before the barrier: the others wait there, it does not
		check 'the("MPI_Barrier")["max_ns"] >= 1.5e9' 'the("MPI_Barrier")["min_ns"] < 0.5e9' \
			"3e9 <= total('MPI_Barrier') <= 1001 * ($(said barrier_us) + 3)" \
			'the("MPI_Barrier")["ranks"]["max_rank"] in (0, 2)' 'the("MPI_Barrier")["ranks"]["min"] < 0.5e9' \
			's["overhead"]["total_ns"] < 1e6'
	done
}

@test "C113 errors and a handler that calls MPI: the program sees the same, failed calls are counted" {
	for mpi in $MPIS; do
		wants errors.$mpi
		bare "$PROGRAMS/errors.$mpi"
		equal "bare status" 0 "$status"
		traced "$PROGRAMS/errors.$mpi"
		equal status 0 "$status"
		diff "$T/bare.out" "$T/out"
		# the handler calls these; failed calls move nothing
		handled=$(grep -c failed "$T/out")
		check "calls('MPI_Comm_size') == $handled" "calls('MPI_Reduce') == $handled + 1" 'failed("MPI_Reduce") == 1' \
			"row('MPI_Reduce')['bytes_out'] == 8 * $handled" 'row("MPI_Send")["bytes_out"] == 0' \
			'failed("MPI_Recv") == 2' 'row("MPI_Recv")["bytes_in"] == 40' 'ledger("calls_unfinished") == 0' \
			'("MPI_Recv", "MPI_ERR_TRUNCATE", 2) in [(f["name"], f["answer_name"], f["calls"]) for f in s["failures"]]' \
			'all(f["answer_name"].startswith("MPI_ERR_") for f in s["failures"])'
	done
}

@test "calls that fail before MPI is there, and after it, end no program" {
	for mpi in $MPIS; do
		wants outside.$mpi
		bare "$PROGRAMS/outside.$mpi"
		equal "bare status of $mpi" 0 "$status"
		for option in --queries -t; do
			traced $option -o "$T/rec.$mpi$option" "$PROGRAMS/outside.$mpi"
			equal "status of $mpi with $option" 0 "$status"
			diff "$T/bare.out" "$T/out"
			check 'failed("MPI_T_cvar_get_index") == 3'
		done
	done
}

@test "failed calls of Fortran whose error argument is absent are counted, and nothing is asked about them" {
	for mpi in $MPIS; do
		wants errors.f08.$mpi
		bare "$PROGRAMS/errors.f08.$mpi"
		equal "bare status of $mpi" 0 "$status"
		traced "$PROGRAMS/errors.f08.$mpi"
		equal "status of $mpi" 0 "$status"
		diff "$T/bare.out" "$T/out"
		check 'failed("MPI_Send") == 1' 'calls("MPI_Bcast") == 3' 'failed("MPI_Bcast") == 2' \
			'row("MPI_Bcast")["bytes_out"] == 40' 'row("MPI_Sendrecv")["bytes_in"] == 12' \
			'{f["answer_name"] for f in s["failures"]} == {"MPI_ERR_TYPE"}'
	done
}
