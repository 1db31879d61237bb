#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reported failures of comparable tools, section B: launch and environment.
load lib

@test "C034 the user's LD_PRELOAD stays, in front of what is appended" {
	echo 'int user_library;' >user.c
	${CC:-cc} -shared -fPIC -o libuser.so user.c
	LD_PRELOAD=$T/libuser.so traced env
	equal status 0 "$status"
	line=$(grep ^LD_PRELOAD= "$T/out")
	[[ $line == "LD_PRELOAD=$T/libuser.so"[:\ ]*libsonde* ]] || { echo "$line"; return 1; }
	LD_PRELOAD=$T/libuser.so traced cat /proc/self/maps
	says "$T/out" libuser.so libsonde.so
}

@test "C034 the user's OPENCL_LAYERS stay" {
	OPENCL_LAYERS=/nonexistent/layer.so traced env
	grep -q '^OPENCL_LAYERS=/nonexistent/layer.so:.*libsonde' "$T/out" || { grep LAYERS "$T/out"; return 1; }
}

@test "C035 the preload reaches the program and nothing beside it" {
	"$SONDE" -q sleep 2 &
	launcher=$!
	wait_for 5 pgrep -P $launcher -x sleep
	never grep -q libsonde "/proc/$launcher/environ"
	never grep -q libsonde.so "/proc/$launcher/maps"
	child=$(pgrep -P $launcher)
	equal "children of sonde" 1 "$(wc -w <<<"$child")"
	tr '\0' '\n' <"/proc/$child/environ" | grep -q '^LD_PRELOAD=.*libsonde.so'
	wait $launcher
}

@test "C037 when a program dies by a signal, the summary says so and that it was traced" {
	traced "$APPS/burst" 100 segv
	equal status 139 "$status"
	says "$T/err" sonde "signal 11"
	check 'end == "signal 11"' '"signal" in notes' 'calls("MPI_Test") == 100'
}

@test "C037 --disable runs the same program untraced" {
	status=0
	timeout 20 "$SONDE" --disable "$APPS/burst" 100 segv >"$T/out" 2>"$T/err" || status=$?
	equal status 139 "$status"
	status=0
	timeout 20 "$SONDE" --disable cat /proc/self/maps >"$T/out" || status=$?
	equal status 0 "$status"
	never grep libsonde "$T/out"
}

@test "C038 a relative -o stays where the user was, wherever the program goes" {
	need opencl
	mkdir w w/below
	cd w
	traced -o out "$APPS/cl_chdir" below
	equal status 0 "$status"
	[ -n "$(ls -A "$T/w/out")" ]
	[ -z "$(ls -A "$T/w/below")" ]
	report "$T/w/out"
	check 'kernels() == 2'
}

@test "C040 a 64 MiB, a 1 MiB, a full and an absent /dev/shm make no difference" {
	need opencl root
	for size in 64m 1m full none; do
		cat >in.sh <<-EOF2
		if [ $size = none ]; then
			mount --bind "\$1" /dev # a /dev without shm
		elif [ $size = full ]; then
			mount -t tmpfs -o size=64k tmpfs /dev/shm
			dd if=/dev/zero of=/dev/shm/filler bs=4k 2>/dev/null
		else
			mount -t tmpfs -o size=$size tmpfs /dev/shm
		fi
		exec "$SONDE" --json "$T/summary.json" "$APPS/cl_threads" 16 50
		EOF2
		mkdir -p dev
		for node in null zero urandom random tty full; do
			[ -e dev/$node ] || cp -a /dev/$node dev/
		done
		status=0
		timeout 60 unshare -m sh in.sh "$T/dev" >"$T/out" 2>"$T/err" </dev/null || status=$?
		equal "status with $size" 0 "$status"
		check 'calls("clSetKernelArg") == out["set_arg"]' 'kernels() == 16' 'ledger("lost") == 0'
	done
}

@test "C041 an unset, a wrong and an unwritable TMPDIR are no obstacle" {
	need opencl
	for directory in /nonexistent "" /proc; do
		TMPDIR=$directory traced "$APPS/cl_run" 3
		equal "status with TMPDIR=$directory" 0 "$status"
		check 'kernels() == 3' 'ledger("lost") == 0'
	done
	status=0
	env -u TMPDIR timeout 60 "$SONDE" --json "$T/summary.json" "$APPS/cl_run" 3 >"$T/out" 2>"$T/err" || status=$?
	equal status 0 "$status"
	check 'kernels() == 3'
}

@test "C041 SONDE_TMPDIR is where recordings go" {
	need opencl
	mkdir mine
	SONDE_TMPDIR=$T/mine "$SONDE" -q "$APPS/cl_loop" 1000 >/dev/null &
	launcher=$!
	wait_for 10 eval '[ -n "$(ls -A mine)" ]'
	[ -z "$(ls -A "$TMPDIR" | grep -v pocl)" ]
	wait $launcher
	[ -z "$(ls -A mine)" ]
}

@test "C043 defaults show something, and there is a line per API: how reached, what was seen" {
	need opencl mpich
	traced --ledger "$APPS/truth.mpich" "$T"
	equal status 0 "$status"
	check '{line["backend"] for line in s["ledger"]} >= {"mpi", "opencl"}' \
		'all(line["hooked"] > 50 and line["seen"] > 0 and line["attached_by"] for line in s["ledger"])' \
		'all("lib" in line["library"] for line in s["ledger"])'
	says "$T/err" mpi opencl clFinish MPI_Barrier spin
}
