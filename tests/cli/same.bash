# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Recordings with streams, and their summary from both sides; for bats files that have loaded lib.

streamed() # PROGRAM ARGS...: a recording with streams in $T/rec
{
	rm -rf "$T/rec"
	status=0
	timeout -k 5 "$limit" "$SONDE" -l -o "$T/rec" "$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
}

streamed_job() # MPI RANKS PROGRAM ARGS...
{
	local mpi=$1 ranks=$2
	shift 2
	rm -rf "$T/rec"
	status=0
	mpirun_of "$mpi" "$ranks" "$SONDE" -l -o "$T/rec" "$@" >"$T/out" 2>"$T/err" || status=$?
}

# The summaries of $T/rec from tally and streams, plain and by thread, say the same.
same()
{
	local by
	for by in "" "--by thread"; do
		# shellcheck disable=SC2086
		"$SONDE" report -q $by --json "$T/tally.json" "$T/rec" && "$SONDE" report -q $by --streams \
			--json "$T/streams.json" "$T/rec" || return 1
		"$PYTHON" -B "$LIB/same_summary.py" "$T/tally.json" "$T/streams.json" ||
			{ echo "after $BATS_TEST_DESCRIPTION $by"; return 1; }
	done
	cp "$T/tally.json" "$T/summary.json"
	check 'True' # sound in itself
}
