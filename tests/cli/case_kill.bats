#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reported failures of comparable tools, section A: a program killed at any moment.
load lib

@test "C022 kill -9 at any moment, also of its last 200 ms: the recording is always readable" {
	need opencl
	killed=0
	for i in $(seq 1 20); do
		rm -rf rec
		"$SONDE" -q -o rec "$APPS/cl_loop" 250 >out 2>err &
		launcher=$!
		wait_for 20 test -s out
		sleep "$(printf '0.%03d' $((i * 37 % 250)))"
		victim=$(pgrep -P $launcher -x cl_loop || true)
		[ -z "$victim" ] || kill -9 $victim || true
		status=0
		wait $launcher || status=$?
		[ "$status" != 137 ] || killed=$((killed + 1))
		report rec
		equal "report $i" 0 "$status"
		done_kernels=$(tr -d '\n' <out | wc -c)
		check "calls('clFinish') >= $done_kernels" "calls('clFinish') <= $done_kernels + 1" \
			"end == 'signal 9' or end == 'exit 0'"
	done
	echo "# killed $killed of 20"
	[ "$killed" -ge 4 ]
}
