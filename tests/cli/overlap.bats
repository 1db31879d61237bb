#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The overlap matrix, against what programs and the runtime know of themselves.
load lib
load same

@test "kernels and copies overlap by what the runtime says of them, to the nanosecond of the clocks" {
	need opencl cl_mixed
	streamed "$APPS/cl_mixed"
	equal status 0 "$status"
	report "$T/rec"
	"$PYTHON" -B "$LIB/overlap.py" "$T/summary.json" clock "$T/out"
	# the program's own pattern has all three of them, each of some milliseconds
	check 'all(c["ns"] > 1e6 for c in s["overlap"]["classes"] if c["class"] in ("kernels", "copies", "kernels+copies"))'
	says "$T/report.out" "Overlap (what went on" " kernels only" " kernels and copies" " host only"
	same
}

@test "ranks that sleep, receive and compute in a known pattern" {
	need opencl
	local mpi
	for mpi in mpich openmpi; do
		need $mpi
		rm -f "$T"/intervals.*
		streamed_job $mpi 2 "$APPS/mpi_overlap.$mpi" "$T"
		equal status 0 "$status"
		report "$T/rec"
		"$PYTHON" -B "$LIB/overlap.py" "$T/summary.json" 5000000 "$T/intervals.0" "$T/intervals.1"
		# in a receive for 300 ms, less where the other came late; for 200 ms beside the kernel
		check '[c for c in s["overlap"]["classes"] if c["class"] == "comm"][0]["ranks"]["max"] > 100e6' \
			'100e6 < [c for c in s["overlap"]["classes"] if c["class"] == "kernels+comm"][0]["ranks"]["max"] < 300e6'
		says "$T/report.out" "kernels and MPI" "MPI only"
		same
	done
}

@test "lost events: the matrix is partial, the table whole, the summary from streams a lower bound" {
	streamed --max-size 1M -- "$APPS/burst" 200000
	equal status 0 "$status"
	report "$T/rec"
	check 'not s["overlap"]["complete"]' 's["overlap"]["events_lost"] > 1000' 'not s["lower_bound"]' \
		'calls("MPI_Test") == 200000' '"timeline_lost" in notes' 's["source"] == "tally"'
	says "$T/report.out" "  partial: " "events are missing"
	report --streams "$T/rec"
	check 's["lower_bound"]' '1000 < calls("MPI_Test") < 200000' '"from_streams" in notes' 's["source"] == "streams"'
}

@test "the table at the end has it, unless it would have to wait for it" {
	need opencl
	streamed "$APPS/cl_run" 20
	says "$T/err" "Overlap (what went on"
	streamed "$APPS/burst" 1000000
	says "$T/err" "Overlap: many events were recorded"
	report "$T/rec"
	says "$T/report.out" "Overlap (what went on" "MPI only"
	"$SONDE" report -q --csv "$T/csv" "$T/rec"
	equal "rows" 10 "$(wc -l <"$T/csv/overlap.csv")"
	grep -q '^comm,[0-9]*,' "$T/csv/overlap.csv"
}

@test "without streams there is no overlap, and nothing to compute the figures from" {
	rm -rf "$T/rec"
	traced -o "$T/rec" -- "$APPS/burst" 10
	report "$T/rec"
	check 's["overlap"] is None'
	never grep -q Overlap "$T/report.out"
	report --streams "$T/rec"
	equal status 2 "$status"
	says "$T/report.err" "recorded without -l"
}
