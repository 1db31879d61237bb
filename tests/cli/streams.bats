#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Streams as another reader of CTF sees them: babeltrace2 takes every recording without a warning, and
# its counts are those of the summary, which does not come from the streams.
load lib
load streams

@test "calls and operations of an OpenCL program" {
	need opencl babeltrace2
	streamed "$APPS/cl_run" 100
	equal status 0 "$status"
	same_counts
	[ "$(grep -c 'sonde:operation:' "$T/events")" -ge 100 ]
	# every operation was started by a call that is there
	[ "$(grep -o 'sonde:link:.*' "$T/events" | grep -oE 'correlation = [0-9]+' | sort | uniq | wc -l)" = \
		"$(grep -o 'sonde:operation:.*' "$T/events" | grep -oE 'correlation = [1-9][0-9]*' | sort | uniq | wc -l)" ]
}

@test "calls of both MPIs, ranks in one recording" {
	need babeltrace2 mpich openmpi
	for mpi in mpich openmpi; do
		rm -rf "$T/rec" "$T/summary.json"
		status=0
		mpirun_of $mpi 3 "$SONDE" -l -o "$T/rec" --json "$T/summary.json" "$APPS/mpi_ring.$mpi" 50 \
			>"$T/out" 2>"$T/err" || status=$?
		equal status 0 "$status"
		same_counts
		equal processes 3 "$(find "$T/rec" -name metadata | wc -l)"
	done
}

@test "many calls fill many packets" {
	need babeltrace2
	streamed "$APPS/burst" 300000
	equal status 0 "$status"
	readable
	equal events 600000 "$(grep -c MPI_Test "$T/events")"
}

@test "threads, many at once and many one after another" {
	need babeltrace2 opencl
	streamed "$APPS/cl_threads" 16 50
	equal status 0 "$status"
	same_counts
	streamed "$APPS/thread_churn" 300
	equal status 0 "$status"
	same_counts
	# short threads one after another share a file
	[ "$(find "$T/rec" -name 'thread.*' | wc -l)" -le 32 ]
}

@test "a forked child has streams of its own" {
	need babeltrace2 opencl
	streamed "$APPS/cl_fork" 3 5
	equal status 0 "$status"
	same_counts
	equal processes 2 "$(find "$T/rec" -name metadata | wc -l)"
}

@test "signal handlers that call traced functions" {
	need babeltrace2 signal_calls
	streamed "$APPS/signal_calls"
	equal status 0 "$status"
	same_counts
}

@test "killed at any moment: readable, and no call that had ended is missing" {
	need babeltrace2
	for i in $(seq "${SONDE_KILLS:-2}"); do
		killed_early -l || continue
		report "$T/rec"
		readable
		# the tally is written after the exit's event: at most the last call may be in one of them only
		entries=$(grep -c _entry "$T/events") exits=$(grep -c _exit "$T/events")
		counted=$("$PYTHON" -c 'import json,sys; print(sum(r["calls"] for r in json.load(open(sys.argv[1]))["calls"]))' \
			"$T/summary.json")
		[ $((entries - exits)) -le 1 ] && [ $((entries - exits)) -ge 0 ]
		[ $((exits - counted)) -le 1 ] && [ $((exits - counted)) -ge 0 ] || { echo "$exits exits, $counted counted"; return 1; }
	done
}

@test "a full disk: the program goes on, the table is whole, what the streams lack is stated" {
	need babeltrace2
	streamed --max-size 1M -- "$APPS/burst" 200000
	equal status 0 "$status"
	check 'calls("MPI_Test") == 200000'
	readable_with_loss
	says "$T/err" "are missing from the timeline"
	rm -rf "$T/rec"
	(ulimit -f 40000 && exec timeout 60 "$SONDE" -l -o "$T/rec" --json "$T/summary.json" "$APPS/burst" 3000000) \
		>"$T/out" 2>"$T/err" || status=$?
	equal status 0 "$status"
	check 'calls("MPI_Test") == 3000000' '"timeline_lost" in notes'
	readable_with_loss
}

# babeltrace2 reads everything and says that something was discarded.
readable_with_loss()
{
	babeltrace2 "$T/rec" >"$T/events" 2>"$T/bt.err"
	grep -q discarded "$T/bt.err"
	[ "$(grep -c MPI_Test "$T/events")" -gt 1000 ]
}

@test "--on-loss stop gives the streams up" {
	need babeltrace2
	streamed --max-size 1M --on-loss stop -- "$APPS/burst" 200000
	equal status 0 "$status"
	check 'calls("MPI_Test") == 200000'
	readable_with_loss
}

@test "--on-loss block waits for room on the disk, but not where none can come" {
	need babeltrace2 root
	streamed --max-size 1M --on-loss block -- "$APPS/burst" 200000
	equal status 0 "$status"
	readable_with_loss
	mkdir "$T/small"
	rm -rf "$T/rec"
	status=0
	unshare -m sh -c '
		mount -t tmpfs -o size=8m tmpfs "$1/small" || exit 90
		head -c 5M /dev/zero >"$1/small/filler"
		"$2" --timeline="$1/t.pftrace" -o "$1/small/rec" --on-loss block --max-size 1G --json "$1/summary.json" "$3" 150000 >"$1/out" 2>"$1/err" &
		sleep 1.5
		[ ! -s "$1/out" ] || exit 91 # it must be waiting
		rm "$1/small/filler"
		wait $! || exit $?
		cp -r "$1/small/rec" "$1/rec"' sh "$T" "$SONDE" "$APPS/burst" || status=$?
	equal status 0 "$status"
	[ -d "$T/rec" ]
	check 'calls("MPI_Test") == 150000' '"timeline_lost" not in notes'
	readable
	equal events 300000 "$(grep -c MPI_Test "$T/events")"
}
