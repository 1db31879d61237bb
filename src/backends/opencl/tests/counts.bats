#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# 1,000 kernels on two queues and known copies: counts and bytes are exact, times agree with the program's own.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib
load lib

exact()
{
	equal status 0 "$status"
	check 'kernels("add_one") == out["kernels"]' 'kernels() == out["kernels"]' \
		'near(sum(row["total_ns"] for row in s["kernels"]), out["kernels_ns"], 0.01)' \
		'all(sum(t["bytes"] for t in s["transfers"] if t["direction"] == name) == out[key]
		     for key, name in (("h2d", "H2D"), ("d2h", "D2H"), ("d2d", "D2D"), ("fill", "fill")))' \
		'calls("clEnqueueNDRangeKernel") == out["kernels"]' \
		'row("clEnqueueReadBuffer")["bytes_in"] == out["d2h"]' \
		'row("clEnqueueWriteBuffer")["bytes_out"] == out["h2d"]' \
		'ledger("unfinished") == 0' 'ledger("untimed") == 0' 'ledger("lost") == 0' 'ledger("device_lost") == 0' \
		's["devices"][0]["kernels_sum_ns"] == sum(row["total_ns"] for row in s["kernels"])' \
		's["devices"][0]["kernels_ns"] <= s["devices"][0]["kernels_sum_ns"]' \
		'0 < s["devices"][0]["clock_error_ns"] < 5000000'
}

@test "a linked program" {
	need opencl
	traced "$PROGRAMS/counts"
	exact
}

@test "a program that opens OpenCL with RTLD_LOCAL and RTLD_DEEPBIND and calls it by address" {
	need opencl
	traced "$PROGRAMS/counts" libOpenCL.so.1
	exact
}

@test "a Python program through ctypes" {
	need opencl
	traced "$PYTHON" "$SRC/src/backends/opencl/tests/counts.py"
	exact
}

@test "by wrappers alone, where the loader knows no layers" {
	need opencl
	traced env -u OPENCL_LAYERS "$PROGRAMS/counts"
	exact
	check 'ledger("device_seen") == 1042' 's["ledger"][0]["attached_by"] == "preload"'
	traced env -u OPENCL_LAYERS "$PROGRAMS/counts" libOpenCL.so.1
	exact
	traced env -u OPENCL_LAYERS "$PYTHON" "$SRC/src/backends/opencl/tests/counts.py"
	exact
}
