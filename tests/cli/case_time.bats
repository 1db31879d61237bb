#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reported failures of comparable tools, section E: times. summary.py holds every summary of every test
# against negative and impossible times; here are programs that are likely to produce some.
load lib

@test "C079 C080 C082 C086 impossible device stamps are counted, never shown as times" {
	need fake_opencl/libOpenCL.so.1
	for stamps in zero ones half backwards; do
		FAKE_STAMPS=$stamps LD_LIBRARY_PATH=$APPS/fake_opencl traced "$APPS/cl_run" 5
		equal "status with $stamps" 0 "$status"
		check 'calls("clEnqueueNDRangeKernel") == 5' 'ledger("untimed", "opencl") == 5' \
			'all(k["max_ns"] <= s["run"]["wall_ns"] for k in s["kernels"])' \
			'all(d["kernels_ns"] <= d["wall_ns"] for d in s["devices"])'
	done
}

@test "C083 no duration is negative or longer than the run, in any kind of program" {
	need opencl
	for program in "cl_run 20" "cl_fork fork" "cl_threads 8 50" "cl_detached" "cl_exec 2" "unwind_longjmp 50" "user_op" \
			"burst 1000 kill"; do
		traced "$APPS/"$program
		check 'all(r["max_ns"] <= s["run"]["wall_ns"] for r in s["calls"] + s["kernels"])' \
			'all(p["start_ns"] <= p["end_ns"] for p in s["processes"])' \
			'all(d["kernels_ns"] + d["idle_ns"] + d["copies_ns"] - d["overlap_ns"] == d["wall_ns"] for d in s["devices"])'
	done
}

@test "C089 a blocking call of 1.0 s is 1.0 s within 1 %" {
	traced "$APPS/timed_recv" 1000
	equal status 0 "$status"
	check 'near(total("MPI_Recv"), out["recv_ns"], 0.01)' 'near(total("MPI_Recv"), 1e9, 0.01)' \
		'near(ns("comm"), out["recv_ns"], 0.01)'
}

@test "C091 what is nested lies within what it is nested in" {
	traced "$APPS/user_op"
	equal status 0 "$status"
	check 'near(total("MPI_Allreduce"), 1e3 * out["outer_us"], 0.01)' \
		'near(total("MPI_Recv"), 1e3 * out["inner_us"], 0.01)' \
		'abs(own("MPI_Allreduce") + total("MPI_Recv") + total("MPI_Comm_rank") - total("MPI_Allreduce")) < 1e5' \
		'total("MPI_Allreduce") >= 100e6' \
		'sum(r["self_ns"] for r in s["calls"]) <= s["run"]["wall_ns"]'
}

@test "C095 a start before the program's or an end after the run's appears nowhere" {
	need opencl
	traced "$APPS/cl_run" 50
	check 'all(p["start_ns"] >= 0 and p["end_ns"] <= s["run"]["wall_ns"] for p in s["processes"])' \
		'all(d["kernels_ns"] > 0 and d["idle_ns"] >= 0 for d in s["devices"])' \
		'all(k["min_ns"] > 0 for k in s["kernels"])'
}
