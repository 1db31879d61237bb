#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A real GPU: 1,000 kernels on two queues and known copies, through whatever loader is there and through the vendor's
# own, which knows no layers. Prints what docs/TESTED.md records.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib
load lib

CUDA=${CUDA:-/usr/local/cuda/targets/x86_64-linux/lib}

gpu()
{
	[ -x "$PROGRAMS/counts" ] || omit "no OpenCL headers"
	card=$(nvidia-smi -L 2>/dev/null | head -1) && [ -n "$card" ] || omit "no NVIDIA GPU"
	export OCL_PLATFORM=NVIDIA
}

exact()
{
	equal status 0 "$status"
	check 'kernels("add_one") == out["kernels"]' \
		'near(sum(row["total_ns"] for row in s["kernels"]), out["kernels_ns"], 0.001)' \
		'all(sum(t["bytes"] for t in s["transfers"] if t["direction"] == name) == out[key]
		     for key, name in (("h2d", "H2D"), ("d2h", "D2H"), ("d2d", "D2D"), ("fill", "fill")))' \
		'ledger("unfinished") == 0' 'ledger("untimed") == 0' 'ledger("lost") == 0' 'ledger("device_lost") == 0' \
		's["devices"][0]["clock_error_ns"] < 5000000' '"NVIDIA" in s["devices"][0]["name"]'
	"$PYTHON" -c '
import json, sys
s = json.load(open(sys.argv[1])); d = s["devices"][0]; l = s["ledger"][0]
print("# %s; %s, attached by %s" % (sys.argv[3], d["name"], l["attached_by"]))
print("# kernels: sonde %.3f ms, program %.3f ms, union %.3f ms; %d calls of %d recorded; clock known to %.3f ms" % (
    d["kernels_sum_ns"] / 1e6, int(sys.argv[2]) / 1e6, d["kernels_ns"] / 1e6, l["recorded"], l["seen"],
    d["clock_error_ns"] / 1e6))' "$T/summary.json" "$(sed -n 's/^kernels_ns=//p' "$T/out")" "$card" >&3
}

@test "1,000 kernels and known copies" {
	gpu
	traced "$PROGRAMS/counts"
	exact
}

@test "the same through the vendor's own loader" {
	gpu
	[ -e "$CUDA/libOpenCL.so.1" ] || omit "no $CUDA/libOpenCL.so.1"
	LD_LIBRARY_PATH=$CUDA traced "$PROGRAMS/counts"
	exact
	check 's["ledger"][0]["attached_by"] == "preload"' '"cuda" in s["ledger"][0]["library"]'
}

@test "a timeline of it" {
	gpu
	status=0
	"$SONDE" -q -l -o "$T/rec" "$PROGRAMS/counts" >"$T/out" 2>"$T/err" || status=$?
	equal status 0 "$status"
	"$PYTHON" "$SRC/tests/cli/pftrace.py" "$T/rec/timeline.pftrace" >"$T/trace.json"
	"$PYTHON" -c '
import json, sys
t = json.load(open(sys.argv[1]))
assert t["stages"] == 1042 and t["stage_names"]["add_one"] == 1000 and t["submitted"] == 1042, t
print("# timeline: %d calls, %d device operations, each connected to its call" % (t["slices"], t["stages"]))' \
		"$T/trace.json" >&3
}
