#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The example computes what it says, and sonde sees what the example measured of itself.

setup() {
	T=$BATS_TEST_TMPDIR
	HEAT=$BUILD/examples/heat
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
	cd "$T" || return 1
	[ -x "$HEAT/heat-single" ] || skip "examples/heat is not built: no OpenCL"
	"$HEAT/heat-single" --size 16 --steps 1 >/dev/null || skip "no OpenCL device"
}

mpirun_of() { # MPI RANKS COMMAND...
	local mpi=$1 ranks=$2
	shift 2
	timeout -k 5 100 mpirun."$mpi" -n "$ranks" "$@" </dev/null
}

need_mpi() {
	[ -x "$HEAT/heat-$1" ] || skip "no $1"
}

correct_on() { # MPI
	need_mpi "$1"
	for ranks in 1 2 3; do
		for way in wait-each-step overlap; do
			mpirun_of "$1" $ranks "$HEAT/heat-$1" --size 101 --steps 50 --$way >out
			grep -q "heat: $ranks ranks, 101 x 101, 50 steps, $way: .*: correct" out
		done
	done
}

@test "heat is right on one, two and three ranks of MPICH, both ways" {
	correct_on mpich
}

@test "heat is right on one, two and three ranks of Open MPI, both ways" {
	correct_on openmpi
}

@test "heat notices a wrong result: a stale halo row makes its exit status 1" {
	need_mpi mpich
	mkdir src
	cp "$SRC"/examples/heat/*.[ch] src
	sed -i 's/edge->receive\[step % 2\],/edge->receive[(step + 1) % 2],/' src/steps.c
	if cmp -s src/steps.c "$SRC/examples/heat/steps.c"; then return 1; fi
	mpicc.mpich -DHEAT_MPI src/*.c -o broken -lOpenCL -lm
	run mpirun_of mpich 2 ./broken --size 101 --steps 50
	[ "$status" -eq 1 ]
	[[ $output == *WRONG* ]]
}

@test "heat tells wrong use in one line and exits with 2" {
	run "$HEAT/heat-single" --steps none
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 1 ]
}

# Runs under sonde and holds the summary against the ranks' own timers. Another process may have the processor between the
# program's clock and ours, which does not happen three times in a row: what is wrong is wrong each time.
agrees_with_sonde() { # MPI WAY
	need_mpi "$1"
	for _ in 1 2 3; do
		mpirun_of "$1" 2 "$SONDE" -q --json "$T/s.json" "$HEAT/heat-$1" --size 1024 --steps 300 --"$2" >out
		cat out
		if "$PYTHON" "$SRC/examples/heat/agree.py" out s.json; then
			return 0
		fi
	done
	return 1
}

@test "sonde agrees with the timers of heat that waits after each step (MPICH)" {
	agrees_with_sonde mpich wait-each-step
}

@test "sonde agrees with the timers of heat that overlaps (MPICH)" {
	agrees_with_sonde mpich overlap
}

@test "sonde agrees with the timers of heat that overlaps (Open MPI)" {
	agrees_with_sonde openmpi overlap
}

@test "the summary shows the mistake: the cure copies a hundredth of the bytes and spends less of its time in copies" {
	need_mpi mpich
	for way in wait-each-step overlap; do
		mpirun_of mpich 2 "$SONDE" -q --json "$T/$way.json" "$HEAT/heat-mpich" --size 1024 --steps 200 --$way
	done
	"$PYTHON" - "$T" <<-'EOF2'
	import json, sys
	def figures(way):
	    with open("%s/%s.json" % (sys.argv[1], way)) as stream:
	        s = json.load(stream)
	    return (sum(t["bytes"] for t in s["transfers"] if t["direction"] in ("H2D", "D2H")),
	            {b["category"]: b["share"] for b in s["breakdown"]}["copy"])
	wrong, right = figures("wait-each-step"), figures("overlap")
	# two ranks: 400 copies each way of 514 rows and few besides, against a row each way per step and rank
	row, rows = 1026 * 8, 514
	assert wrong[0] == 2 * (2 + 2 * 200 + 1) * rows * row, wrong
	assert right[0] == 2 * (2 * rows + rows + 2 * 200) * row, right
	assert right[1] < wrong[1], (wrong, right)
	EOF2
}
