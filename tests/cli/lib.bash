# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Helpers of the bats files in tests/cli and tests/transparency: run a program of tests/apps under sonde
# with its summary as JSON, and hold that against what the program said of itself.
#
#   traced [SONDE OPTIONS --] PROGRAM ARGS...    -> $status, $T/out, $T/err, $T/summary.json
#   check 'EXPRESSION'...                        Python, see summary.py; prints the values when false
#   need THING...                                skips the test, loudly, when THING is missing
#
# A test leaves nothing behind: teardown fails where a recording is left in TMPDIR, unless the test said
# `residue=allowed`.

SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
BUILD=${BUILD:-$SRC/build}
SONDE=${SONDE:-$BUILD/bin/sonde}
PYTHON=${PYTHON:-/usr/bin/python3}
APPS=$BUILD/tests/apps
LIB=$SRC/tests/cli
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
export POCL_CACHE_DIR=$BUILD/tests/pocl
unset SONDE_DIR SONDE_JOB SONDE_TMPDIR SONDE_BACKENDS SONDE_QUERIES SONDE_EXCLUDE SONDE_INCLUDE SONDE_DISABLE

setup()
{
	T=$BATS_TEST_TMPDIR
	export TMPDIR=$T/tmp
	mkdir -p "$TMPDIR" "$POCL_CACHE_DIR"
	residue=forbidden
	limit=60
	cd "$T" || return 1
}

teardown()
{
	cd /
	local left
	left=$(ls -A "$T/tmp" 2>/dev/null | grep -v '^pocl\|^ompi\|^openmpi\|^pymp-') || true
	if [ "$residue" = forbidden ] && [ -n "$left" ]; then
		echo "left in TMPDIR:"
		ls -lR "$T/tmp"
		return 1
	fi
}

# Skips the test and says why. CI sets SONDE_TESTS_STRICT where everything must be there.
omit()
{
	echo "# left out: $BATS_TEST_DESCRIPTION: $*" >&3
	if [ -n "$SONDE_TESTS_STRICT" ]; then
		echo "missing: $*"
		return 1
	fi
	skip "$*"
}

# need THING...: a program of tests/apps or a command; `opencl` is a working OpenCL device, `root` the right to
# mount, mpich and openmpi an MPI with its compiler.
need()
{
	local thing
	for thing in "$@"; do
		case $thing in
		root) unshare -m true 2>/dev/null || omit "no right to mount" ;;
		opencl) [ -x "$APPS/cl_run" ] && timeout 60 "$APPS/cl_run" 1 >/dev/null 2>&1 || omit "no OpenCL device" ;;
		mpich | openmpi)
			[ -x "$APPS/mpi_idle.$thing" ] && command -v mpirun.$thing >/dev/null || omit "no $thing" ;;
		*) [ -x "$APPS/$thing" ] || command -v "$thing" >/dev/null || omit "no $thing" ;;
		esac
	done
}

mpirun_of() # MPI RANKS COMMAND...
{
	local mpi=$1 ranks=$2
	shift 2
	timeout -k 5 "$limit" mpirun.$mpi -n "$ranks" "$@" </dev/null
}

# Runs a command without sonde: $status, $T/bare.out, $T/bare.err.
bare()
{
	status=0
	timeout -k 5 "$limit" "$@" >"$T/bare.out" 2>"$T/bare.err" </dev/null || status=$?
}

traced()
{
	rm -f "$T/summary.json"
	status=0
	timeout -k 5 "$limit" "$SONDE" --json "$T/summary.json" "$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
}

# traced_job MPI RANKS COMMAND...: mpirun -n RANKS sonde COMMAND; one summary for the job.
traced_job()
{
	local mpi=$1 ranks=$2
	shift 2
	rm -f "$T/summary.json"
	status=0
	mpirun_of "$mpi" "$ranks" "$SONDE" --json "$T/summary.json" "$@" >"$T/out" 2>"$T/err" || status=$?
}

# Waits until the condition holds: wait_for SECONDS COMMAND...
wait_for()
{
	local left=$(($1 * 20))
	shift
	until "$@" >/dev/null 2>&1; do
		left=$((left - 1))
		[ "$left" -gt 0 ] || { echo "waited in vain for: $*"; return 1; }
		sleep 0.05
	done
}

# own_processes PGREP ARGS...: those of this test, by its TMPDIR: others may run on the machine, and one of the test
# before may be on its way out.
own_processes()
{
	local pid found=1
	for pid in $(pgrep "$@"); do
		if grep -qzxF "TMPDIR=$TMPDIR" "/proc/$pid/environ" 2>/dev/null; then
			echo "$pid"
			found=0
		fi
	done
	return $found
}

# The summary of a kept recording as $T/summary.json.
report()
{
	rm -f "$T/summary.json"
	status=0
	timeout -k 5 60 "$SONDE" report --json "$T/summary.json" "$@" >"$T/report.out" 2>"$T/report.err" || status=$?
}

# check EXPRESSION...: all must be true of $T/summary.json and $T/out.
check()
{
	"$PYTHON" "$LIB/summary.py" "$T" "$@" || { show; return 1; }
}

# thrice RUN TIMES: a run with what must hold each time, and what holds its times against those that the program took
# itself. Another process may have the processor between the program's clock and ours: then its time is in one figure and
# not in the other. That does not happen three times in a row; what is wrong is wrong each time.
thrice()
{
	for _ in 1 2 3; do
		eval "$1" || return 1
		if eval "$2"; then
			return 0
		fi
	done
	return 1
}

show()
{
	echo "status $status"
	head -c 600 "$T/err" 2>/dev/null
}

# equal WHAT A B
equal()
{
	[ "$2" = "$3" ] || { echo "$1: expected $2, got $3"; show; return 1; }
}

# says FILE TEXT...: each text stands somewhere in the file.
says()
{
	local file=$1 text
	shift
	for text in "$@"; do
		grep -qF -- "$text" "$file" || { echo "no '$text' in $(basename "$file"):"; head -c 4000 "$file"; return 1; }
	done
}

# never COMMAND...: fails when the command succeeds. A line with '!' does not fail a bats test unless it is the last.
never()
{
	! "$@" || { echo "held, and must not: $*"; return 1; }
}

silent() # FILE: nothing in it
{
	[ ! -s "$1" ] || { echo "unexpected output:"; head -c 3000 "$1"; return 1; }
}
