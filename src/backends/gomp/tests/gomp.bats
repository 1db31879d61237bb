#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Programs that GCC has built: the constructs that its runtime is asked for.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib
GOMP=$BUILD/tests/gomp

needs()
{
	[ -x "$GOMP/$1" ] || omit "not built by GCC with OpenMP"
}

@test "a region's time, work, waiting and imbalance are the program's own to 2 %" {
	needs host
	traced -b gomp "$GOMP/host" uneven
	local here
	here="host.c:$(grep -nF 'num_threads(4)' "$SRC/src/backends/ompt/tests/host.c" | sed -n '2s/:.*//p')"
	check "[(r['calls'], r['comm_size_max']) for r in s['calls'] if r['name'].endswith('$here') and
			r['name'].startswith('parallel ') and r['kind'] == 'compute'] == [(3, 4)]" \
		"near(sum(r['total_ns'] for r in s['calls'] if r['name'].endswith('$here') and r['kind'] == 'compute'
			and r['name'].startswith('parallel ')), out['wall'], 0.02)" \
		"near(sum(r['total_ns'] for r in s['calls'] if r['name'].endswith('$here') and r['name'].startswith('worker')),
			out['work'], 0.02)" \
		"near(sum(r['team_waited_ns'] for r in s['calls'] if r['name'].endswith('$here')), out['waited'], 0.02)" \
		'ledger("lost") == 0' 'notes == []'
}

@test "waiting at barriers, for locks and critical parts takes what the program measures" {
	needs sync
	traced -b gomp "$GOMP/sync"
	check 'near(max(r["total_ns"] for r in s["calls"] if r["name"].startswith("critical")), out["critical"], 0.02, 1e6)' \
		'near(max(r["total_ns"] for r in s["calls"] if r["name"].startswith("lock")), out["lock"], 0.02, 1e6)' \
		'any(near(r["total_ns"], out["barrier"], 0.02, 1e6) for r in s["calls"] if r["name"].startswith("barrier"))' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("task creation")) == 12' 'ledger("lost") == 0'
}

@test "nested regions, sixteen threads, threads and forks of the program's own" {
	needs host
	traced -b gomp "$GOMP/host" nested
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel ") and r["kind"] == "compute") == 15' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("worker")) == 25'
	traced -b gomp "$GOMP/host" small 16 50
	check 'out["sum"] == 800' 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("worker")) == 15 * 51'
	traced -b gomp "$GOMP/host" threads
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel ") and r["kind"] == "compute") == 20'
}

@test "target constructs that run on the host for want of a device" {
	needs target
	traced -b gomp "$GOMP/target" maps
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("target on the host")) == 5' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("target enter or exit data on the host")) == 2' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("target update on the host")) == 1'
}

@test "another runtime's functions of the same name are left to its tool interface" {
	[ -x "$BUILD/tests/ompt/sync" ] || omit "no compiler with OpenMP that has OMPT"
	traced "$BUILD/tests/ompt/sync"
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("lock")) == 3' \
		'{r["backend"] for r in s["calls"]} == {"ompt"}'
}
