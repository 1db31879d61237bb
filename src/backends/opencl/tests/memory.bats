#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Memory in use and builds of programs.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib
load lib

@test "C148 3 x 1 MiB, one freed: 3 MiB at most, 2 MiB at the end; what lies in other memory is not counted again" {
	for ways in ocl ocl_wrapped; do
		$ways memory
		check 'all(dict((k, m[k]) for k in ("allocs", "frees", "peak_bytes", "live_bytes")) == wanted
			   for kind, wanted in {
			"device": {"allocs": 3 + (out["image"] > 0), "frees": 1 + (out["image"] > 0),
				   "peak_bytes": 3 << 20, "live_bytes": 2 << 20},
			"pinned host": {"allocs": 2, "frees": 1, "peak_bytes": 131072, "live_bytes": 65536},
			"svm": {"allocs": 2, "frees": 2, "peak_bytes": 2 << 20, "live_bytes": 0}}.items()
			   for m in s["memory"] if m["kind"] == kind)' \
			'len(s["memory"]) == 2 + (out["svm"] > 0)' \
			'sum(m["alloc_bytes"] for m in s["memory"]) == (3 << 20) + out["image"] + 131072 + (out["svm"] << 20)' \
			'failed("clCreateBuffer") == 1' \
			'[(f["name"], f["answer_name"], f["calls"]) for f in s["failures"]] == [
				("clCreateBuffer", "CL_INVALID_BUFFER_SIZE", 1)]'
	done
}

builds='lambda **want: [b for b in s["builds"] if all(b[k] == v for k, v in want.items())]'

@test "builds: from source and binary, in parts, with a callback, failed" {
	for ways in ocl ocl_wrapped; do
		$ways build
		check 'sum(b["calls"] for b in s["builds"]) == 7' 'sum(b["failed"] for b in s["builds"]) == 2' \
			"[b['calls'] for b in ($builds)(name='add_one', source='source')] == [1]" \
			"[b['calls'] for b in ($builds)(name='add_one', source='binary')] == [1]" \
			"[b['calls'] for b in ($builds)(name='told', source='source')] == [1]" \
			"[b['calls'] for b in ($builds)(name='joined', source='source')] == [1]" \
			"[b['calls'] for b in ($builds)(failed=2)] == [2]" \
			"0 < ($builds)(source='binary')[0]['total_ns'] <= out['binary_ns']" \
			"($builds)(failed=2)[0]['total_ns'] >= out['broken_ns'] * 0.98" \
			'out["broken"] == -11 and out["broken2"] == -11' 'failed("clBuildProgram") == 2'
	done
}
