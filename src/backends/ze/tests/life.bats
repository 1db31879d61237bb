#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Ends of programs, forks, other loaders; what is never done to the runtime.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load "$SRC/src/backends/ze/tests/lib"

@test "a program that ends without waiting: its kernels are collected" {
	ze_well app exits 20
	complete 'kernels("spin") == 20'
	as_logged
}

@test "a program that is killed: what it has waited for is there" {
	residue=allowed
	ze app kills
	check 'kernels("spin") == 20' 'end == "signal 9"' 'calls("zeCommandListAppendLaunchKernel") == 20'
}

@test "what the loader refuses may be no address, with arguments recorded as well" {
	[ -x "$ZE/app" ] || omit "no libze-dev"
	cat >"$T/wild.py" <<-'END'
		import ctypes
		ze = ctypes.CDLL("libze_loader.so.1")
		made, wild = ctypes.c_void_p(), ctypes.c_void_p(4097)
		print(ze.zeModuleCreate(None, None, wild, ctypes.byref(made), None))
		print(ze.zePhysicalMemCreate(None, None, wild, ctypes.byref(made)))
		print(ze.zeEventPoolCreate(None, wild, 0, None, ctypes.byref(made)))
		print(ze.zeCommandQueueExecuteCommandLists(None, 3, wild, None))
		print(ze.zeCommandListAppendLaunchKernel(None, None, ctypes.c_void_p(-4), None, 0, None))
	END
	bare "$PYTHON" "$T/wild.py"
	cp "$T/bare.out" "$T/wanted"
	for option in -q -t; do
		traced $option -- "$PYTHON" "$T/wild.py"
		equal "status" 0 "$status"
		diff "$T/wanted" "$T/out"
		rm -rf sonde-*
	done
}

@test "C001 a child of a fork that uses Level Zero has a record of its own" {
	ze_well forks before
	check 'processes == 2' 'kernels("spin") == 8' 'ledger("device_seen") == ledger("device_recorded") == 8'
	ze_well forks after
	check 'kernels("spin") == 3' 'ledger("unfinished") == 0'
}

@test "C119 no call that waits is added, and none that makes a queue or puts something on a list" {
	[ -x "$ZE/app" ] || omit "no libze-dev"
	for words in "matrix 50 regular sync" "matrix 50 immediate async" "event 50 1" "reuse 50 fence"; do
		# shellcheck disable=SC2086
		SIM_ZE_CALLS=$T/bare.calls bare "$ZE/app" $words
		# shellcheck disable=SC2086
		ze_well SIM_ZE_CALLS="$T/calls" app $words
		for file in bare.calls calls; do
			grep -E 'Synchronize|Append|Execute|Close|Fence|QueueCreate|ListCreate|Kernel(Create|Set)|MemAlloc|MemFree' \
				"$T/$file" | grep -v Timestamp | sort >"$T/$file.sorted"
		done
		# the program polls the event: as often as it happens to
		if [[ $words == event* ]]; then
			sed -i '/zeEventHostSynchronize/d' "$T"/*.sorted
		fi
		diff "$T/bare.calls.sorted" "$T/calls.sorted"
		[ -s "$T/calls.sorted" ]
	done
}

@test "a destructor that uses Level Zero after main has ended" {
	ze_well forks late
	check 'ledger("device_seen") == 2' 'kernels() == 2'
}

@test "C076 a program with a loader linked in, as oneAPI does it: all is seen; one that calls through tables: said so" {
	ze_well app_static_loader matrix 101 immediate async
	complete 'kernels("add_one") == 101' 'calls("zeInit") == 1' 'notes == ["simulated"]'
	as_logged
	ze_well own_loader
	check 'calls("zeInit") == 0' \
		'any("loader that is part of the program" in note["text"] for note in s["notes"])'
}

@test "two drivers, for which the loader hands out handles of its own" {
	ze_well "ZE_ENABLE_ALT_DRIVERS=$ZE_ENABLE_ALT_DRIVERS,$ZE_ENABLE_ALT_DRIVERS" app matrix 50 immediate async
	complete 'kernels("add_one") == 50'
}

@test "C077 no driver: the program gets its code, and sonde says that there is nothing" {
	[ -x "$ZE/app" ] || omit "no libze-dev"
	export ZE_ENABLE_ALT_DRIVERS=/nonexistent
	bare "$ZE/app" exits 1
	code=$status
	ze app exits 1
	equal status $code "$status"
	cmp "$T/bare.err" <(grep '^line' "$T/err")
	check 'notes == ["nothing", "exit_status"]'
}

@test "with the loader's own layers, tracing and validation" {
	ze_well ZE_ENABLE_TRACING_LAYER=1 ZE_ENABLE_VALIDATION_LAYER=1 ZE_ENABLE_PARAMETER_VALIDATION=1 \
		app matrix 50 regular async
	complete 'kernels("add_one") == 50'
}

@test "without sonde's backend the program runs as ever" {
	options="-b mpi"
	ze_well app matrix 50 immediate async
	equal kernels 50 "$(sed -n 's/kernels=//p' "$T/out")"
}
