#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reported failures of comparable tools, section A: the end of a process.
load lib

@test "C010 calls that threads never left are closed at the end and flagged as unfinished (OpenCL)" {
	need opencl
	traced "$APPS/cl_detached"
	equal status 0 "$status"
	check 'out["inside"] == 1' 'unfinished("clFinish") == 1' 'calls("clFinish") == 1' \
		'any(c["name"] == "clFinish" and c["ns"] > 100e6 for c in s["open_calls"])' \
		'ledger("unfinished") + ledger("untimed") == 1'
}

@test "C010 calls that threads never left are closed at the end and flagged as unfinished (MPI)" {
	for mpi in mpich openmpi; do
		need $mpi
		traced "$APPS/mpi_detached.$mpi"
		equal status 0 "$status"
		check 'unfinished("MPI_Recv") == 1' 'calls("MPI_Barrier") == 3' 'calls("MPI_Recv") == 0' \
			'any(c["name"] == "MPI_Recv" and c["ns"] > 200e6 for c in s["open_calls"])'
	done
}

@test "C011 kernel names and counts are complete after _exit, quick_exit and exit_group" {
	need opencl
	for how in _exit quick_exit exit_group; do
		traced "$APPS/cl_run" 7 $how
		equal "status of $how" 0 "$status"
		check 'kernels("add_one") == 7' 'calls("clEnqueueNDRangeKernel") == 7' 'calls("clFinish") == 1' \
			'ledger("lost") == 0' 'end == "exit 0"'
	done
}

@test "C013 kill -9 after 1000 kernels: every one of them is in the summary" {
	need opencl
	traced "$APPS/cl_run" 1000 kill
	equal status 137 "$status"
	check 'calls("clEnqueueNDRangeKernel") == 1000' 'kernels("add_one") >= 990' 'end == "signal 9"' \
		'kernels() + ledger("unfinished") + ledger("untimed") + ledger("device_lost") == 1000'
}

@test "C014 no signal handler, mask or disposition is changed" {
	need opencl
	for program in "$APPS/signal_state" "$APPS/signal_state cl"; do
		bare $program
		traced $program
		equal status 0 "$status"
		diff "$T/bare.out" "$T/out"
	done
}

@test "C016 a SIGABRT handler that restores the default and raises again ends the program at once" {
	limit=10
	traced "$APPS/abort_handler"
	equal status 134 "$status"
	check 'end == "signal 6"'
}

@test "C017 exit statuses and signals are those of the program" {
	for code in 0 1 2 7 125 126 127 255; do
		bare "$APPS/end_with" $code
		equal "bare $code" $code "$status"
		traced "$APPS/end_with" $code
		equal "exit $code" $code "$status"
		check "end == 'exit $code'"
	done
	for number in 6 9 11 15; do
		traced "$APPS/end_with" signal $number
		equal "signal $number" $((128 + number)) "$status"
		check "end == 'signal $number'"
	done
}

@test "C017 a parent sees the same wait status with and without sonde" {
	"$PYTHON" - "$SONDE" "$APPS/end_with" <<-'EOF2'
	import subprocess, sys
	sonde, program = sys.argv[1:]
	for arguments in (["0"], ["7"], ["255"], ["signal", "6"], ["signal", "9"], ["signal", "11"], ["signal", "15"]):
	    codes = [subprocess.run(command + [program] + arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
	                            timeout=20).returncode for command in ([], [sonde])]
	    assert codes[0] == codes[1], (arguments, codes)
	EOF2
}
