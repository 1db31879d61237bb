#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A runtime on top of Level Zero: a stand-in for chipStar's HIP (hip_over.c) above the real loader and the simulated driver.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load "$SRC/src/backends/ze/tests/lib"

@test "C112 HIP on Level Zero: a copy of 10 ms counts as 10 ms in every total" {
	ze_well SIM_ZE_COPY_NS=10000000 stacked
	check 'calls("hipMemcpy") == calls("zeCommandListAppendMemoryCopy") == 3' 'out["took_ns"] >= 30e6' \
		'near(total("hipMemcpy"), out["took_ns"], 0.05, 1e6)' \
		'total("zeCommandListAppendMemoryCopy") <= total("hipMemcpy")' \
		'own("hipMemcpy") <= total("hipMemcpy") - total("zeCommandListAppendMemoryCopy") + 1000' \
		'near(ns("copy") + ns("device_wait"), out["took_ns"], 0.05)' \
		'30e6 <= sum(t["total_ns"] for t in s["transfers"] if t["backend"] == "ze") <= total("hipMemcpy")' \
		'sum(c["self_ns"] for c in s["calls"]) <= s["run"]["wall_ns"]'
}

@test "C091 a call inside another ends before it, also in the timeline" {
	options="-l -o rec"
	residue=allowed
	ze_well SIM_ZE_COPY_NS=1000000 stacked
	"$SONDE" print rec >print.txt
	"$PYTHON" - print.txt <<-'EOF2'
	import re, sys
	stack, calls = [], 0
	for line in open(sys.argv[1]):
	    found = re.search(r" ([<>]) (\w+:\w+)", line)
	    if not found:
	        continue
	    if found.group(1) == ">":
	        stack.append(found.group(2))
	    else:
	        calls += 1
	        assert stack.pop() == found.group(2), line
	assert not stack and calls > 10, calls
	EOF2
	grep -q '> hip:hipMemcpy' print.txt
}
