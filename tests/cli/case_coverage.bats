#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reported failures of comparable tools, section D: what is intercepted. What concerns one API alone is
# tested beside its backend.
load lib

@test "C064 a library opened with RTLD_DEEPBIND is seen" {
	need opencl
	traced "$APPS/cl_dlopen" libOpenCL.so.1 deep
	equal status 0 "$status"
	check 'calls("clFlush") == 4' 'calls("clFinish") == 2' 'calls("clCreateContext") == 1' 'ledger("lost") == 0'
}

@test "C065 OpenCL loaded at run time by any name, path or copy is seen once" {
	need opencl
	real=$(readlink -f "$(ldconfig -p | awk '/libOpenCL.so.1 /{print $NF; exit}')")
	cp "$real" "$T/libOpenCL-copy.so"
	names="libOpenCL.so.1 $real $T/libOpenCL-copy.so"
	[ -e "$(dirname "$real")/libOpenCL.so" ] && names="$names libOpenCL.so"
	for name in $names; do
		for deep in "" deep; do
			traced "$APPS/cl_dlopen" $name $deep
			equal "status with $name" 0 "$status"
			check 'calls("clFlush") == 4' 'calls("clFinish") == 2' 'ledger("lost") == 0'
		done
	done
}

@test "C068 sonde's own folder first in LD_LIBRARY_PATH, and its layer named twice: one count, no recursion" {
	need opencl
	libraries=$(dirname "$(dirname "$SONDE")")/bin
	LD_LIBRARY_PATH=$libraries OPENCL_LAYERS=$libraries/libsonde-opencl.so LD_PRELOAD=$libraries/libsonde.so \
		traced "$APPS/cl_run" 5
	equal status 0 "$status"
	check 'calls("clEnqueueNDRangeKernel") == 5' 'kernels() == 5' 'processes == 1'
}

@test "C073 device work without device times is stated, with the reason" {
	need opencl fake_opencl/libOpenCL.so.1
	FAKE_STAMPS=none LD_LIBRARY_PATH=$APPS/fake_opencl traced "$APPS/cl_run" 5
	equal status 0 "$status"
	check 'calls("clEnqueueNDRangeKernel") == 5' 'ledger("untimed", "opencl") == 5' \
		'sum(k["total_ns"] for k in s["kernels"]) == 0'
	says "$T/err" untimed "note: opencl: 5 device operations have no time: the runtime gave none"
	check '"untimed" in notes'
	FAKE_STAMPS=good LD_LIBRARY_PATH=$APPS/fake_opencl traced "$APPS/cl_run" 5
	check 'kernels() == 5' '"untimed" not in notes'
}
