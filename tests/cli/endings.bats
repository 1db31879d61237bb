#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# However a program ends: every completed call is in the summary, the end is named, status and signal are
# the program's own.
load lib

ends_of()
{
	echo return _exit quick_exit exit_group abort segv term kill 3
}

expected_end() # STATUS: as the summary says it
{
	if [ "$1" -gt 128 ]; then echo "signal $(($1 - 128))"; else echo "exit $1"; fi
}

@test "an OpenCL program: return, _exit, quick_exit, exit_group, abort, SIGSEGV, SIGTERM, SIGKILL, exit 3" {
	need opencl
	for how in $(ends_of); do
		bare "$APPS/cl_run" 20 $how
		expected=$status
		traced "$APPS/cl_run" 20 $how
		equal "status of $how" $expected "$status"
		check 'calls("clEnqueueNDRangeKernel") == 20' 'calls("clFinish") == 1' 'kernels("add_one") == 20' \
			'calls("clSetKernelArg") == 2' "end == '$(expected_end $expected)'" 'ledger("lost") == 0'
	done
}

@test "a program in the middle of a million calls: SIGKILL loses none of those it knows to be complete" {
	"$SONDE" --json "$T/summary.json" "$APPS/burst" 1000000000 >"$T/out" 2>"$T/err" &
	launcher=$!
	wait_for 5 pgrep -P $launcher -x burst
	sleep 0.5
	kill -9 "$(pgrep -P $launcher -x burst)"
	status=0
	wait $launcher || status=$?
	equal status 137 "$status"
	check 'calls("MPI_Test") > 100000' 'end == "signal 9"' 'ledger("lost") == 0'
}

# Hydra kills all ranks as soon as one is gone without MPI_Finalize, and makes its own status of the one that
# it happens to reap first. So its status after such ends is not always the same, without sonde too.
same_status() # MPI HOW EXPECTED
{
	case $1.$2.$status in
	mpich._exit.[19] | mpich.nofinalize.[19] | mpich.3.[19] | mpich.abort.15 | mpich.abort.9) return ;;
	esac
	equal "mpirun's status after $2" "$3" "$status"
}

# mpi_ending MPI HOW
mpi_ending()
{
	local mpi=$1 how=$2
	bare mpirun.$mpi -n 2 "$APPS/mpi_end.$mpi" $how
	expected=$status
	traced_job $mpi 2 "$APPS/mpi_end.$mpi" $how
	same_status $mpi $how $expected
	check 'calls("MPI_Bcast") == 20' 'calls("MPI_Barrier") == 2' 'calls("MPI_Init") == 2' 'ranks == 2' \
		'ledger("lost") == 0' \
		"calls('MPI_Abort') + unfinished('MPI_Abort') == $([ $how = mpi_abort ] && echo 1 || echo 0)"
	equal "tables" 1 "$(grep -c '^ *Where the time went\|^Where the time went' "$T/err")"
}

for_both() # HOW
{
	for mpi in mpich openmpi; do
		need $mpi
		mpi_ending $mpi "$1"
	done
}

@test "two MPI ranks that end well" { for_both ok; }
@test "two MPI ranks, no MPI_Finalize" { for_both nofinalize; }
@test "two MPI ranks, one ends by _exit" { for_both _exit; }
@test "two MPI ranks, one ends with status 3" { for_both 3; }
@test "two MPI ranks, one aborts" { for_both abort; }
@test "two MPI ranks, one ends by SIGSEGV" { for_both segv; }
@test "two MPI ranks, one ends by SIGTERM" { for_both term; }
@test "two MPI ranks, one ends by SIGKILL" { for_both kill; }
@test "two MPI ranks, one calls MPI_Abort" { for_both mpi_abort; }

@test "the same under one sonde for all: sonde mpirun -n 2" {
	for mpi in mpich openmpi; do
		need $mpi
		for how in ok kill mpi_abort; do
			bare mpirun.$mpi -n 2 "$APPS/mpi_end.$mpi" $how
			expected=$status
			traced mpirun.$mpi -n 2 "$APPS/mpi_end.$mpi" $how
			same_status $mpi $how $expected
			check 'calls("MPI_Bcast") == 20' 'calls("MPI_Barrier") == 2' 'ranks == 2' 'ledger("lost") == 0'
		done
	done
}

@test "killing sonde itself leaves the program running and a recording that report reads" {
	need opencl
	residue=allowed
	"$SONDE" -o rec "$APPS/cl_loop" 1500 >"$T/ks" 2>"$T/err" &
	launcher=$!
	wait_for 20 test -s "$T/ks"
	child=$(pgrep -P $launcher -x cl_loop)
	kill -9 $launcher
	wait $launcher || true
	kill -0 $child
	wait_for 10 eval "! kill -0 $child"
	report rec
	equal "status of report" 0 "$status"
	check "calls('clFinish') == $(wc -c <"$T/ks")" '"end_unknown" in notes or end == "unknown" or end == "exit 0"'
}

@test "SIGTERM to sonde ends the program by SIGTERM, and the summary is there" {
	need opencl
	"$SONDE" --json "$T/summary.json" "$APPS/cl_loop" >"$T/ks" 2>"$T/err" &
	launcher=$!
	wait_for 20 test -s "$T/ks"
	kill -TERM $launcher
	status=0
	wait $launcher || status=$?
	equal status 143 "$status"
	check "calls('clFinish') in ($(wc -c <"$T/ks"), $(wc -c <"$T/ks") + 1)" 'end == "signal 15"'
}
