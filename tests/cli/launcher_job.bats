#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Parallel jobs on one machine: which launchers belong together, who prints, and that nothing is left.
# (endings.bats has the kinds of endings.)
load lib

tables() # FILE: summaries in it
{
	grep -c '^Where the time went' "$1" || true
}

one_table() # RANKS: of the job just run
{
	equal tables 1 "$(tables "$T/err")"
	check "ranks == $1" 'ledger("lost") == 0'
}

for_both() # FUNCTION ARGUMENTS...
{
	for mpi in mpich openmpi; do
		need $mpi
		"$@"
	done
}

keepers()
{
	own_processes -x sonde-keeper
}

# Nothing of a job may stay: no process of ours, no directory.
nothing_left()
{
	wait_for 5 eval '! keepers >/dev/null && [ -z "$(ls -d "$TMPDIR"/sonde-* 2>/dev/null)" ]'
}

spread_out()
{
	traced_job $mpi 3 sh -c "\"$APPS/mpi_idle.$mpi\" 0"
	equal status 0 "$status"
	one_table 3
}

@test "shells between the parallel launcher and sonde, and between sonde and the program" {
	for_both spread_out
	for mpi in mpich openmpi; do
		mpirun_of $mpi 3 sh -c "sh -c '\"$SONDE\" \"$APPS/mpi_idle.$mpi\" 0; exit 0'" 2>"$T/err" >"$T/out"
		equal tables 1 "$(tables "$T/err")"
		nothing_left
	done
}

two_programs()
{
	mpirun.$mpi -n 1 "$SONDE" "$APPS/mpi_idle.$mpi" 0 : -n 2 "$SONDE" "$APPS/mpi_idle.$mpi" 0 2>"$T/err" >"$T/out" </dev/null
	equal tables 1 "$(tables "$T/err")"
	says "$T/err" "3 ranks"
}

@test "several programs in one job: one table" {
	for_both two_programs
}

in_turn()
{
	# the first rank is long through both when the others begin the second
	mpirun_of $mpi 3 sh -c "\"$SONDE\" \"$APPS/burst\" 2; \"$SONDE\" \"$APPS/burst\" 3" 2>"$T/err" >"$T/out"
	equal tables 2 "$(tables "$T/err")"
	nothing_left
}

@test "a rank that runs sonde twice, one after the other: two tables" {
	for_both in_turn
}

side_by_side()
{
	mpirun_of $mpi 2 "$SONDE" --json a.json "$APPS/mpi_idle.$mpi" 500 2>"$T/err.a" >"$T/out" &
	mpirun_of $mpi 2 "$SONDE" --json b.json "$APPS/mpi_idle.$mpi" 500 2>"$T/err.b" >"$T/out"
	wait $!
	for run in a b; do
		equal "tables of $run" 1 "$(tables "$T/err.$run")"
		equal "processes of $run" 2 "$("$PYTHON" -c 'import json, sys
print(len(json.load(open(sys.argv[1]))["processes"]))' $run.json)"
	done
}

@test "two jobs at once do not meet" {
	for_both side_by_side
}

partly()
{
	local start=$SECONDS
	mpirun.$mpi -n 1 "$SONDE" --json "$T/summary.json" "$APPS/mpi_idle.$mpi" 0 : -n 2 "$APPS/mpi_idle.$mpi" 0 \
		2>"$T/err" >"$T/out" </dev/null
	one_table 1
	check '"missing_ranks" in notes'
	says "$T/err" "2 of 3 ranks never came: 1-2"
	[ $((SECONDS - start)) -lt 20 ]
	nothing_left
}

@test "ranks that never come under sonde are named, and nobody waits long for them" {
	for_both partly
}

chosen()
{
	traced_job $mpi 4 --ranks 0,2-3 "$APPS/mpi_idle.$mpi" 0
	equal status 0 "$status"
	one_table 3
	check '{p["rank"] for p in s["processes"]} == {0, 2, 3}' '"missing_ranks" not in notes'
	traced --ranks 1 mpirun.$mpi -n 3 "$APPS/mpi_idle.$mpi" 0
	equal status 0 "$status"
	check '{p["rank"] for p in s["processes"]} == {1}'
	traced_job $mpi 2 --ranks 7 "$APPS/mpi_idle.$mpi" 0
	equal status 0 "$status"
	equal lines 1 "$(grep -c 'ranks 7: the job has ranks 0 to 1: nothing was recorded' "$T/err")"
}

@test "--ranks traces only those, in both orders of sonde and the parallel launcher" {
	for_both chosen
}

results()
{
	rm -rf rec csv
	traced_job $mpi 3 -o rec --csv csv "$APPS/mpi_idle.$mpi" 0
	equal status 0 "$status"
	one_table 3
	equal "launch files" 3 "$(ls rec/launch.* | wc -l)"
	[ -n "$(ls csv)" ]
	report rec
	check 'ranks == 3'
}

@test "-o, --json and --csv give one result for the job" {
	for_both results
}

refused()
{
	mkdir -p full
	touch full/x
	traced_job $mpi 3 -o full "$APPS/mpi_idle.$mpi" 0
	[ "$status" != 0 ]
	equal "told" 1 "$(grep -c 'full: is not empty' "$T/err")"
	silent "$T/out"
	nothing_left
}

@test "an output that cannot be used: told once, no rank starts its program" {
	for_both refused
}

told_once()
{
	traced_job $mpi 3 "$APPS/hello.static"
	equal "told" 1 "$(grep -c 'is statically linked' "$T/err")"
}

@test "what cannot be traced is told once for all ranks" {
	need hello.static
	for_both told_once
}

no_table_but_a_line()
{
	traced_job $mpi 3 true
	equal status 0 "$status"
	equal tables 0 "$(tables "$T/err")"
	equal told 1 "$(grep -c 'nothing recorded' "$T/err")"
}

@test "a job without any traced call: one line" {
	for_both no_table_but_a_line
}

spinning()
{
	cat >spin.c <<-'EOF2'
		#include <mpi.h>
		int main(int argc, char **argv)
		{
			int rank;
			MPI_Init(&argc, &argv);
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
			if (rank == 1)
				MPI_Abort(MPI_COMM_WORLD, 7);
			for (;;)
				;
		}
	EOF2
	mpicc.$mpi -o spin.$mpi spin.c
	traced_job $mpi 2 ./spin.$mpi
	equal status 7 "$status"
	wait_for 10 eval '! keepers >/dev/null' # mpirun killed who would have waited for it
	one_table 2
	wait_for 5 eval "! pgrep -r R,S -x spin.$mpi"
}

@test "a rank that computes on and on does not outlive a job that is aborted" {
	for_both spinning
}

keeper_killed()
{
	mpirun_of $mpi 2 "$SONDE" "$APPS/mpi_idle.$mpi" 1500 2>"$T/err" >"$T/out" &
	wait_for 10 keepers
	sleep 0.5
	kill -KILL "$(keepers)"
	wait $!
	equal tables 1 "$(tables "$T/err")"
}

@test "without its keeper a job still has its table" {
	for_both keeper_killed
}

@test "the keeper holds nothing of the job: no descriptor, no directory, no session" {
	need mpich
	mpirun_of mpich 1 "$SONDE" -q sleep 1 5>five &
	wait_for 10 keepers
	sleep 0.3
	keeper=$(keepers)
	equal directory / "$(readlink /proc/$keeper/cwd)"
	equal session "$(ps -o sess= -p $keeper | tr -d ' ')" "$(ps -o pgid= -p $keeper | tr -d ' ')"
	equal "descriptors of the job" 0 "$(ls -l /proc/$keeper/fd | grep -c five)"
	[ "$(ls /proc/$keeper/fd | wc -l)" -le 5 ] || ls -l /proc/$keeper/fd
	wait $!
}

@test "a stranger's directory of the job's name is not used" {
	need mpich setpriv
	[ "$(id -u)" = 0 ] || omit "not root"
	chmod 1777 "$TMPDIR"
	export SONDE_JOB=guessed
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" "$T"
	setpriv --reuid=65534 --regid=65534 --clear-groups mkdir "$TMPDIR/sonde-0-job-$(hostname)-guessed"
	traced_job mpich 2 "$APPS/mpi_idle.mpich" 0
	equal status 0 "$status"
	one_table 2
	equal "the stranger's" "" "$(ls -A "$TMPDIR/sonde-0-job-$(hostname)-guessed")"
	rmdir "$TMPDIR/sonde-0-job-$(hostname)-guessed"
}

@test "a traced program that starts a parallel job of its own: one table" {
	need mpich
	traced sh -c "mpirun.mpich -n 2 \"$APPS/mpi_idle.mpich\" 0; mpirun.mpich -n 2 \"$SONDE\" \"$APPS/mpi_idle.mpich\" 0"
	equal status 0 "$status"
	equal tables 1 "$(tables "$T/err")"
	check 'calls("MPI_Init") == 4'
}

@test "12 ranks, and a thread of time: one table" {
	need mpich
	traced_job mpich 12 "$APPS/mpi_idle.mpich" 0
	equal status 0 "$status"
	one_table 12
}

two_jobs()
{
	traced sh -c "mpirun.$mpi -n 2 $APPS/mpi_ring.$mpi && mpirun.$mpi -n 2 $APPS/mpi_ring.$mpi"
	equal status 0 "$status"
	check 'ranks == 2 and s["run"]["processes"] == 4' '[n["text"] for n in s["notes"]] == ["up to 2 programs were the same '\
'rank: of a rank their times are added up, and may exceed the run'"'"'s"]'
	traced sh -c "mpirun.$mpi -n 2 $APPS/mpi_ring.$mpi"
	check 'ranks == 2 and not s["notes"]'
}

@test "jobs in a row below one sonde: that their ranks are added up is said" {
	for_both two_jobs
}
