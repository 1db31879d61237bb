#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The real libamdhip64 on a machine without a GPU: host calls, and the errors that a program must get.
load lib

same_as_bare() # PROGRAM ARGS...: traced, with the output and the end that it has without
{
	bare "$@"
	cp "$T/bare.out" "$T/wanted"
	local wanted=$status
	traced -- "$@"
	equal "status" "$wanted" "$status"
	diff "$T/wanted" "$T/out"
}

# What errors.c does, in figures.
errors_counted()
{
	check '(calls("hipMalloc"), failed("hipMalloc")) == (10, 10)' \
		'(calls("hipMemcpy"), failed("hipMemcpy")) == (10, 10)' \
		'calls("hipDeviceSynchronize") == 10' 'calls("hipInit") == 1' 'calls("hipGetDeviceCount") == 1' \
		'calls("hipGetLastError") == 2' 'failed("hipGetLastError") == 0' \
		'(calls("hipLaunchKernel"), failed("hipLaunchKernel")) == (1, 1)' \
		'(calls("hipModuleLoadData"), failed("hipModuleLoadData")) == (1, 1)' \
		'(calls("hipStreamCreate"), failed("hipStreamCreate")) == (1, 1)' \
		'ledger("lost", "hip") == 0' 'ledger("device_seen", "hip") == 0' 'not s["lower_bound"]' 's["memory"] == []' \
		's["kernels"] == []' 's["transfers"] == []'
}

@test "hipErrorNoDevice reaches the program unchanged, and calls and failures are counted" {
	need_real
	same_as_bare "$PROGRAMS/errors"
	grep -qx "hipGetDeviceCount 100" "$T/out"
	grep -qx "hipErrorNoDevice" "$T/out"
	errors_counted
}

@test "variables that serialise are told of" {
	need_real
	for variable in HIP_LAUNCH_BLOCKING=1 AMD_SERIALIZE_KERNEL=3 AMD_SERIALIZE_COPY=1; do
		traced -- env "$variable" "$PROGRAMS/errors"
		says "$T/err" "note: hip: $variable was set: "
	done
}

@test "a program that only finds that there is no device is told that this alone is not recorded" {
	need_real
	LOOK_ONLY=1 same_as_bare "$PROGRAMS/errors"
	grep -qx "hipGetDeviceCount 100" "$T/out"
	says "$T/err" "nothing recorded: $PROGRAMS/errors is linked with libamdhip64.so.5" \
		"made no call that counts" "sonde doctor $PROGRAMS/errors"
	equal lines 1 "$(wc -l <"$T/err")"
}

@test "C062 C064 a program that opens the library by its path with RTLD_LAZY and RTLD_DEEPBIND, as AMDGPU.jl does, is fully seen" {
	need_real
	same_as_bare "$PROGRAMS/errors_opened" "$REAL"
	grep -qx "hipGetDeviceCount 100" "$T/out"
	errors_counted
}

@test "Python's ctypes is seen" {
	need_real
	cat > "$T/calls.py" << END
import ctypes
hip = ctypes.CDLL("$REAL")
count = ctypes.c_int(-1)
print(hip.hipGetDeviceCount(ctypes.byref(count)), count.value)
pointer = ctypes.c_void_p()
for i in range(5):
    print(hip.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(100)), pointer.value)
print(hip.hipFree(None))
END
	same_as_bare "$PYTHON" "$T/calls.py"
	check '(calls("hipMalloc"), failed("hipMalloc")) == (5, 5)' 'calls("hipGetDeviceCount") == 1' 'calls("hipFree") == 1'
}

@test "what the library refuses may be no address, with arguments recorded as well" {
	need_real
	cat > "$T/wild.py" << END
import ctypes
hip = ctypes.CDLL("$REAL")
made = ctypes.c_void_p()
print(hip.hipThreadExchangeStreamCaptureMode(ctypes.c_void_p(-1)))
print(hip.hipModuleLoad(ctypes.byref(made), ctypes.c_void_p(4097)))
END
	same_as_bare "$PYTHON" "$T/wild.py"
	traced -t -o "$T/rec" -- "$PYTHON" "$T/wild.py"
	equal "status" 0 "$status"
	diff "$T/wanted" "$T/out"
}

@test "with arguments recorded the sizes of a launch and the names of errors are told" {
	need_real
	traced -t -o "$T/rec" -- "$PROGRAMS/errors"
	equal "status" 0 "$status"
	"$SONDE" print "$T/rec" > "$T/events"
	grep "hipLaunchKernel" "$T/events" > "$T/launch"
	cat "$T/launch"
	grep -q "numBlocks.x=4, numBlocks.y=5, numBlocks.z=6, dimBlocks.x=64, dimBlocks.y=2, dimBlocks.z=1" "$T/launch"
	grep -q "sharedMemBytes=1024" "$T/launch"
	grep "hipMemcpy" "$T/events" | grep -q "kind=hipMemcpyHostToHost"
	equal "errors with their names" 10 "$(grep "hipMalloc" "$T/events" | grep -c "hipError[A-Z][A-Za-z]*")"
}

@test "a program that asks for no more than devices leaves a summary, and one without HIP has none of it" {
	need opencl
	need_real
	traced -- "$PYTHON" -c "
import ctypes
ctypes.CDLL('$REAL').hipGetDeviceCount(ctypes.byref(ctypes.c_int()))"
	equal "status" 0 "$status"
	[ -s "$T/err" ]
	traced -- "$APPS/cl_run" 1
	check 'not any(row["backend"] == "hip" for row in s["ledger"])'
}
