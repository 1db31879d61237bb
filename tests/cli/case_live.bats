#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reported failures of comparable tools, section A: sonde killed, recordings of running programs.
load lib

@test "C022 kill -9 of sonde itself at any moment: the recording is readable" {
	need opencl
	residue=allowed
	killed=0
	mkfifo pipe
	for i in $(seq 1 15); do
		rm -rf rec
		timeout 20 cat pipe >out &
		reader=$!
		"$SONDE" -q -o rec "$APPS/cl_loop" 200 >pipe 2>err &
		launcher=$!
		sleep 0.$((100 + i * 61 % 300))
		kill -9 $launcher || true
		status=0
		wait $launcher || status=$?
		[ "$status" != 137 ] || killed=$((killed + 1))
		wait $reader # the program goes on alone; its output ends when it does
		report rec
		if [ ! -s out ] && ! ls rec/*/tally 2>/dev/null; then
			# killed before it had started the program
			[ "$status" = 0 ] || equal "report $i without a record" 2 "$status"
			continue
		fi
		equal "report $i" 0 "$status"
		check "calls('clFinish') == $(wc -c <out)"
	done
	echo "# killed $killed of 15"
	[ "$killed" -ge 5 ]
}

@test "C026 a recording can be read while the program runs" {
	need opencl
	"$SONDE" -q -o rec "$APPS/cl_loop" 3000 >"$T/live" 2>"$T/err" &
	launcher=$!
	wait_for 20 test -s "$T/live"
	sleep 0.5
	before=$(wc -c <"$T/live")
	report rec
	after=$(wc -c <"$T/live")
	equal "report of a live run" 0 "$status"
	check "$before <= calls('clFinish') <= $after + 1" 'end == "running"'
	wait $launcher
	report rec
	check "calls('clFinish') == $(wc -c <"$T/live")" 'end == "exit 0"'
}

@test "C029 runs are independent: a killed run changes nothing for the next one" {
	need opencl
	traced -q "$APPS/cl_run" 2
	equal status 0 "$status"
	residue=allowed
	"$SONDE" "$APPS/cl_loop" >/dev/null 2>&1 &
	launcher=$!
	wait_for 10 pgrep -P $launcher -x cl_loop
	sleep 0.3 # amid its kernels
	victim=$(pgrep -P $launcher -x cl_loop)
	kill -9 $launcher $victim
	wait $launcher || true
	traced "$APPS/cl_run" 3
	equal status 0 "$status"
	check 'kernels() == 3' 'processes == 1'
}
