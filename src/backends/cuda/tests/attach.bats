#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# How CUPTI is found, and what happens where it is not, or belongs to another tool; of a simulated CUDA (sim.h).
load lib

# without CUPTI: wrappers see the calls of a shared runtime, nothing is known of the device, and the summary says why
calls_alone()
{
	sim shared launch 5 alloc 100
	check 'calls("cudaLaunchKernel") == 5' 'calls("cudaMalloc") == 1' 'kernels() == 0' 'ledger("device_seen") == 0' \
		'ledger("lost") == 0'
	note "$1"
}

# no_cupti MAJOR: this machine has none of that version of CUDA where it would be found
no_cupti()
{
	local folder
	for folder in /usr/local/cuda /usr/local/cuda-$1; do
		[ -z "$(find -L "$folder" -maxdepth 4 -name "libcupti.so.$1" 2>/dev/null | head -1)" ] || omit "CUPTI $1 is here"
	done
	! ldconfig -p 2>/dev/null | grep -q "libcupti.so.$1 " || omit "CUPTI $1 is here"
}

@test "the ledger names the version of CUPTI, which was found by the loader's own search" {
	sim shared launch 1
	check 's["ledger"][0]["attached_by"].startswith("CUPTI 130001")'
	no_notes
}

@test "a variable that serialises is told of, once for all processes, and not where it is 0" {
	CUDA_LAUNCH_BLOCKING=1 traced sh -c "$SIM/sim_shared launch 1; $SIM/sim_shared launch 1"
	check '[n["text"] for n in s["notes"] if n["code"] == "serialised"] == ["cuda: CUDA_LAUNCH_BLOCKING=1 was set: "
		"work of devices and the program wait for each other, and do not overlap as they do without"]'
	CUDA_LAUNCH_BLOCKING=0 sim shared launch 1
	no_notes
}

@test "without CUPTI calls are recorded, and a note says what is missing" {
	no_cupti 12
	LD_LIBRARY_PATH= SIM_DRIVER_VERSION=12040 calls_alone "CUPTI of CUDA 12 or 13 was not found"
}

@test "without CUPTI, or where it is refused, a program that holds the runtime itself runs, and the summary says why" {
	no_cupti 12
	LD_LIBRARY_PATH= SIM_DRIVER_VERSION=12040 sim static launch 5
	check 'calls("cudaLaunchKernel") == 0' 'notes == ["backend", "nothing"]' 's["run"]["processes"] == 1'
	note "CUPTI of CUDA 12 or 13 was not found"
	SIM_SUBSCRIBE=39 sim static launch 5
	check 'calls("cudaLaunchKernel") == 0' 'notes == ["backend", "nothing"]'
	note "another tool of the program holds CUPTI"
}

@test "a CUPTI that is too old is left alone" {
	SIM_VERSION=17 calls_alone "CUPTI of CUDA 12 or 13 was not found"
}

@test "a CUPTI that lacks a function is left alone" {
	LD_LIBRARY_PATH=$SIM/lacking calls_alone "CUPTI of CUDA 12 or 13 was not found"
}

@test "where another tool holds CUPTI, calls are recorded and a note says so" {
	SIM_SUBSCRIBE=39 calls_alone "another tool of the program holds CUPTI"
}

@test "C110: where CUPTI refuses to start, calls are recorded and a note says so" {
	SIM_SUBSCRIBE=15 calls_alone "CUPTI refused to start"
}

@test "CUPTI is found in CUDA_HOME and beside the runtime" {
	no_cupti 12
	CUDA_HOME=$SIM/cupti12 LD_LIBRARY_PATH= SIM_DRIVER_VERSION=12040 sim static launch 3
	complete 's["ledger"][0]["attached_by"].startswith("CUPTI 24")' 'kernels() == 3'
	mkdir "$T/lib"
	cp "$SIM/libcudart.so.13" "$SIM/libcuda.so.1" "$SIM/cupti12/lib64/libcupti.so.12" "$T/lib"
	cp "$SIM/sim_shared" "$T/lib/program"
	SIM_DRIVER_VERSION=12040 LD_LIBRARY_PATH= traced -- "$T/lib/program" launch 3
	complete 's["ledger"][0]["attached_by"].startswith("CUPTI 24")' 'kernels() == 3'
}

@test "a CUPTI that the program has mapped already is the one that is used" {
	for kind in shared static; do
		sim $kind open "$SIM/cupti12/lib64/libcupti.so.12" launch 3
		complete 's["ledger"][0]["attached_by"].startswith("CUPTI 24")' 'kernels() == 3'
	done
}

@test "a tool that asks for CUPTI later gets it, and all of it" {
	for kind in shared static; do
		for how in subscribe register; do
			sim $kind launch 10 facts client $how launch 20 client-print facts
			check 'out["client_error"] == 0' 'out["client_kernels"] == 20' 'out["client_foreign"] == 0' \
				'out["client_old"] == 0' 'kernels() == 10' 'ledger("device_seen") == 10' \
				'ledger("unfinished") == 0' 'ledger("device_lost") == 0'
			equal "clock of CUPTI" "raw wall" "$(sed -n 's/^cupti_clock=//p' "$T/out" | paste -sd' ' | sed 's/none/wall/')"
			note "the program brought a tool of its own"
			[ $how = register ] || check 'out["client_calls"] == 20'
		done
	done
}

@test "calls go on being recorded by wrappers when another tool has taken CUPTI" {
	sim shared launch 10 client subscribe launch 20 client-print
	check 'calls("cudaLaunchKernel") == 30' 'failed("cudaLaunchKernel") == 0'
}

@test "a tool that looks CUPTI's functions up by name gets it, too" {
	sim shared launch 10 client lookup launch 20 client-print
	check 'out["client_error"] == 0' 'out["client_kernels"] == 20' 'out["client_foreign"] == 0' 'kernels() == 10'
}

@test "a tool that was there before CUDA started keeps CUPTI" {
	for how in subscribe register; do
		sim shared client $how launch 20 client-print
		check 'out["client_error"] == 0' 'out["client_kernels"] == 20' 'out["client_foreign"] == 0' \
			'out["client_old"] == 0' 'calls("cudaLaunchKernel") == 20' 'kernels() == 0' 'ledger("device_seen") == 0'
		note "another tool of the program"
	done
}

@test "a tool that takes CUPTI while threads launch leaves neither side with the other's buffers" {
	for kind in shared static; do
		sim $kind launch 2000 start-endless 8 client subscribe launch 10 join-threads client-print
		check 'out["client_error"] == 0' 'out["client_foreign"] == 0' 'out["client_kernels"] >= 10' \
			'kernels() >= 2000' 'ledger("device_recorded") == kernels()'
		# calls of a static runtime are CUPTI's to tell
		[ $kind = static ] || check 'kernels() <= calls("cudaLaunchKernel") - out["client_kernels"]'
	done
}

@test "an injection library that the user has set stays, with one line" {
	CUDA_INJECTION64_PATH=$T/other.so sim shared launch 3
	says "$T/err" "CUDA_INJECTION64_PATH"
	check 'calls("cudaLaunchKernel") == 3' 'kernels() == 0'
	CUDA_INJECTION64_PATH=$T/other.so options="-b cuda" sim shared launch 3
	complete 'kernels() == 3'
}

@test "a program that never starts CUDA leaves no trace of it" {
	sim static
	check 's["ledger"] == []' 's["devices"] == []'
}

@test "of two runtimes in a process each answers the library that is linked to it" {
	cat > two.py << 'EOF'
import ctypes, sys
for version in (12, 13, 12):
    plugin = ctypes.CDLL("%s/second/plugin%d.so" % (sys.argv[1], version))
    assert {plugin.plugin_registered(), plugin.plugin_version(), plugin.plugin_synchronize()} == {version}, version
EOF
	traced "$PYTHON" two.py "$SIM"
	equal status 0 "$status"
	check '"second_provider" in notes' 'calls("cudaStreamSynchronize") == 3'
}

@test "a runtime that was tried and closed is there for the library that is linked to it" {
	cat > closed.py << 'EOF'
import _ctypes, ctypes, sys
runtime, version = ctypes.CDLL(sys.argv[1] + "/second/libcudart.so.12"), ctypes.c_int()
assert runtime.cudaRuntimeGetVersion(ctypes.byref(version)) == 0 and version.value == 12
_ctypes.dlclose(runtime._handle)
plugin = ctypes.CDLL(sys.argv[1] + "/second/plugin12.so")
assert plugin.plugin_version() == plugin.plugin_synchronize() == 12
EOF
	traced "$PYTHON" closed.py "$SIM"
	equal status 0 "$status"
	check 'calls("cudaRuntimeGetVersion") == 2' 'calls("cudaStreamSynchronize") == 1'
}

@test "of launches while CUPTI is given up at most one of each thread is told as unfinished" {
	for kind in shared static; do
		sim $kind start-endless 4 sleep 50 client subscribe sleep 50 join-threads client-print
		check 'ledger("unfinished") <= 4' 'ledger("device_seen") - ledger("device_recorded") <= 4' 'kernels() > 0'
	done
}
