#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The same program on each device API (tests/apps/faces): tables of the same shape with the same counts.
load lib

FACES=$APPS/faces

# Runs the program on an API: its summary is $T/API.json, the table's shape $T/API.shape.
face() # API
{
	[ -x "$FACES/$1" ] || omit "no $1"
	unset ${!SIM_*} CUDA_INJECTION64_PATH CUDA_HOME CUDA_PATH
	export ZE_ENABLE_ALT_DRIVERS=$BUILD/tests/sim/libsim-ze.so LD_LIBRARY_PATH=$BUILD/tests/cuda/cupti
	traced -b "$1" --all -- "$FACES/$1"
	equal "status of $1" 0 "$status"
	says "$T/out" done
	check 'kernels("add_one") == kernels() == 100' 'ledger("device_seen") == ledger("device_recorded") == 109' \
		'ledger("untimed") == ledger("unfinished") == ledger("device_lost") == 0' \
		'(sorted((t["direction"], t["calls"], t["bytes"]) for t in s["transfers"]) ==
		  [("D2H", 3, 3 * 4096), ("H2D", 5, 5 * 4096), ("fill", 1, 8192)])' \
		'([(m["kind"], m["peak_bytes"], m["live_bytes"]) for m in s["memory"]] == [("device", 12288, 0)])' \
		's["memory"][0]["allocs"] == s["memory"][0]["frees"] >= 2' 'len(s["devices"]) == 1' 'share("host") > 0' \
		"{row['backend'] for row in s['kernels'] + s['calls'] + s['devices']} == {'$1'}"
	cp "$T/summary.json" "$T/$1.json"
	# headings and columns of what devices did; which calls there are, and what they tell, is the API's
	sed -n '/^Where/,/^Calls/p' "$T/err" | grep -E '^[A-Z]|^ *(time|kernels|peak) ' |
		sed -e 's/^Calls of.*/Calls/' -e 's/  */ /g' -e 's/ grid block//' >"$T/$1.shape"
	[ -s "$T/$1.shape" ]
}

# The keys of all rows, by section.
keys() # API
{
	"$PYTHON" - "$T/$1.json" <<-'EOF'
	import json, sys
	s = json.load(open(sys.argv[1]))
	for section in ("kernels", "transfers", "memory", "devices", "ledger", "breakdown"):
	    print(section, sorted({tuple(sorted(row)) for row in s[section]}))
	EOF
}

same_as() # API API
{
	keys "$1" >"$T/one"
	keys "$2" >"$T/other"
	diff "$T/one" "$T/other"
	diff "$T/$1.shape" "$T/$2.shape"
}

@test "one program on OpenCL and on Level Zero: the same counts, tables of the same shape" {
	need opencl
	face opencl
	face ze
	same_as opencl ze
}

@test "likewise on CUDA" {
	face ze
	face cuda
	same_as ze cuda
}

@test "likewise on HIP" {
	face ze
	face hip
	same_as ze hip
}
