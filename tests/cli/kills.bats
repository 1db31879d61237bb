#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Recordings with streams whose program, or everything, was killed: two readers must find the same in them.
load lib

@test "recordings killed at random moments: readable by babeltrace2 and print, with the same events" {
	# SONDE_KILLS=100 for a thorough run
	need babeltrace2 busy fake_opencl/libOpenCL.so.1
	LD_LIBRARY_PATH=$APPS/fake_opencl timeout 280 "$PYTHON" -B "$LIB/kills.py" "$SONDE" "$APPS/busy" "$T" \
		"${SONDE_KILLS:-15}" $SONDE_KILLS_SEED >"$T/out" 2>&1 || { cat "$T/out"; return 1; }
	echo "# $(cat "$T/out")" >&3
}

@test "a recording is readable by babeltrace2 and print while the program runs" {
	need babeltrace2 busy fake_opencl/libOpenCL.so.1
	# it calls nothing new while it is read: babeltrace2 reads the metadata once, before the streams
	LD_LIBRARY_PATH=$APPS/fake_opencl "$SONDE" -q -l --max-size 1G -o rec "$APPS/busy" 100 1 >out 2>err </dev/null &
	launcher=$!
	program_writes()
	{
		grep -aq MPI_Test rec/*/ctf/metadata
	}
	wait_for 20 program_writes
	sleep 1
	last=0
	# it finds all packets before it reads the first: where a file grew in that moment, those at its end are no more
	thrice_if_grown()
	{
		for _ in 1 2 3; do
			babeltrace2 rec >events 2>bt.err && return 0
			grep -q "Invalid CTF magic number" bt.err || return 1
		done
		return 1
	}
	for _ in 1 2 3 4; do
		thrice_if_grown || { cat bt.err; return 1; }
		silent bt.err
		timeout 60 "$SONDE" print rec >lines 2>print.err
		silent print.err
		now=$(wc -l <events)
		[ "$now" -ge "$last" ] # nothing that was there is gone
		[ "$(wc -l <lines)" -ge "$now" ] # read later
		last=$now
	done
	[ "$last" -gt 1000 ]
	kill -9 $(pgrep -P $launcher)
	wait $launcher || true
}
