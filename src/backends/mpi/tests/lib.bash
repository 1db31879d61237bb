# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What the bats files of this folder share, on top of tests/cli/lib.bash.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load "$SRC/tests/cli/lib"

PROGRAMS=$BUILD/tests/mpi
MPIS="mpich openmpi"

# wants PROGRAM...: skips the test, loudly, when one is not there
wants()
{
	local program
	for program in "$@"; do
		[ -x "$PROGRAMS/$program" ] || omit "no $program"
	done
}

# job MPI RANKS COMMAND...: mpirun -n RANKS sonde COMMAND in a folder without remains of the one before
job()
{
	rm -f told.*
	traced_job "$@"
	equal "status of $*" 0 "$status"
}

# told [--all]: the summary is what the program's processes said of themselves
told()
{
	"$PYTHON" "$BATS_TEST_DIRNAME/told.py" "$T" "$@" || { show; return 1; }
}

# said KEY: sum over the processes
said()
{
	cat told.* | sed -n "s/^$1=//p" | awk '{ sum += $1 } END { print sum + 0 }'
}
