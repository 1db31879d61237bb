#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reported failures of comparable tools, section C: MPI. What concerns the wrappers themselves is
# tested in src/backends/mpi/tests.
load lib

@test "C056 a Python MPI program through ctypes with 1, 2 and 12 ranks" {
	declare -A library=([mpich]=libmpich.so.12 [openmpi]=libmpi.so.40)
	for mpi in mpich openmpi; do
		need $mpi
		for ranks in 1 2 12; do
			traced_job $mpi $ranks "$PYTHON" "$SRC/tests/apps/mpi_ctypes.py" ${library[$mpi]}
			equal "status of $mpi with $ranks" 0 "$status"
			check "ranks == $ranks" "calls('MPI_Barrier') == 3 * $ranks" "calls('MPI_Bcast') == $ranks" \
				"out['rank'] == $ranks * ($ranks - 1) // 2" 'ledger("lost") == 0'
		done
	done
}

@test "C058 no event at all is a valid result: the program's status and the reason" {
	traced true
	equal status 0 "$status"
	check 'len(s["calls"]) == 0' '"nothing" in notes' 'end == "exit 0"'
	equal "lines that say so" 1 "$(grep -c . "$T/err")"
	says "$T/err" sonde
	traced false
	equal status 1 "$status"
}

@test "C058 a program that only initialises and finalises has a summary" {
	for mpi in mpich openmpi; do
		need $mpi
		traced_job $mpi 2 "$APPS/mpi_idle.$mpi"
		equal "status of $mpi" 0 "$status"
		check 'calls("MPI_Init") == 2' 'calls("MPI_Finalize") == 2' 'ranks == 2' 'end == "exit 0"'
	done
}

@test "C061 ranks in pid namespaces, where pids collide, are processes of their own" {
	need root
	tried=
	for mpi in mpich openmpi; do
		need $mpi
		# MPICH's own shared memory may not work across pid namespaces: then there is nothing to compare
		mpirun_of $mpi 2 unshare -p -f "$APPS/mpi_ring.$mpi" 5 100 >/dev/null 2>&1 || continue
		tried=yes
		traced_job $mpi 2 true # a warm start: both namespaces are made within one clock tick
		status=0
		mpirun_of $mpi 2 "$SONDE" --json "$T/summary.json" unshare -p -f "$APPS/mpi_ring.$mpi" 5 100 \
			>"$T/out" 2>"$T/err" || status=$?
		equal "status of $mpi" 0 "$status"
		check 'calls("MPI_Sendrecv") == 10' 'sorted(p["rank"] for p in s["processes"]) == [0, 1]' 'ranks == 2'
	done
	[ -n "$tried" ] || omit "neither MPI runs across pid namespaces here"
}
