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

region_runs()
{
	traced -b gomp "$GOMP/host" uneven
	here="host.c:$(grep -nF 'num_threads(4)' "$SRC/src/backends/ompt/tests/host.c" | sed -n '2s/:.*//p')"
	check "[(r['calls'], r['comm_size_max']) for r in s['calls'] if r['name'].endswith('$here') and
			r['name'].startswith('parallel ') and r['kind'] == 'compute'] == [(3, 4)]" 'ledger("lost") == 0' 'notes == []'
}

region_measures()
{
	check "near(sum(r['total_ns'] for r in s['calls'] if r['name'].endswith('$here') and r['kind'] == 'compute'
			and r['name'].startswith('parallel ')), out['wall'], 0.02)" \
		"near(sum(r['total_ns'] for r in s['calls'] if r['name'].endswith('$here') and r['name'].startswith('worker')),
			out['work'], 0.02)" \
		"near(sum(r['team_waited_ns'] for r in s['calls'] if r['name'].endswith('$here')), out['waited'], 0.02)"
}

@test "a region's time, work, waiting and imbalance are the program's own to 2 %" {
	needs host
	thrice region_runs region_measures
}

sync_runs()
{
	traced -b gomp "$GOMP/sync"
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("task creation")) == 12' 'ledger("lost") == 0'
}

sync_measures()
{
	check 'near(max(r["total_ns"] for r in s["calls"] if r["name"].startswith("critical")), out["critical"], 0.02, 1e6)' \
		'near(max(r["total_ns"] for r in s["calls"] if r["name"].startswith("lock")), out["lock"], 0.02, 1e6)' \
		'any(near(r["total_ns"], out["barrier"], 0.02, 1e6) for r in s["calls"] if r["name"].startswith("barrier"))'
}

@test "waiting at barriers, for locks and critical parts takes what the program measures" {
	needs sync
	thrice sync_runs sync_measures
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

@test "tasks work on their own copies as without sonde, however they are made, and are timed" {
	needs tasks
	bare "$GOMP/tasks"
	cp "$T/bare.out" "$T/expected"
	traced -b gomp "$GOMP/tasks"
	diff "$T/expected" "$T/out"
	# those with large data or a detach clause are counted where they are made alone
	check 'out["right"] == 130' 'out["live"] == 0' 'ledger("lost") == 0' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("task creation")) == 125' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("task copied")) == 80' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("taskloop ")) == 4' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("task loops")) == 216' \
		'all(r["unfinished"] == 0 for r in s["calls"])'
}

@test "tasks within tasks, 5,000 deep, need no larger stack than the usual one" {
	needs tasks
	ulimit -s 8192
	traced -b gomp "$GOMP/tasks" deep
	equal status 0 "$status"
	check 'out["levels"] == 5000' 'ledger("seen") == 10000' 'ledger("recorded") + ledger("lost") == 10000'
}

@test "tasks, shared work and what is handed over take what the program measures" {
	needs sync
	traced -b gomp "$GOMP/sync"
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("task ") and r["kind"] == "compute") == 12' \
		'near(sum(r["total_ns"] for r in s["calls"] if r["name"].startswith("task ") and r["kind"] == "compute"),
			out["task"], 0.02, 1e6)' \
		'[sum(r["calls"] for r in s["calls"] if r["name"].startswith(n)) for n in ("loop", "sections")] == [3, 3]' \
		'all(r["unfinished"] == 0 for r in s["calls"])'
	needs tasks
	traced -b gomp "$GOMP/tasks"
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("single")) == 1' \
		'sum(r["total_ns"] for r in s["calls"] if r["name"].startswith("single")) >= 30e6' \
		'[r["calls"] for r in s["calls"] if r["name"].startswith("implicit barrier") and "handed_over" in r["name"]
			and r["total_ns"] > 85e6] == [4]'
}

@test "tasks at the end of a region are work, not waiting" {
	needs tasks
	end_runs()
	{
		traced -b gomp -l "$GOMP/tasks" end
		check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("task at_the_end")) == 8' 'ledger("lost") == 0'
	}
	end_measures()
	{
		check 'sum(r["total_ns"] for r in s["calls"] if r["name"].startswith("parallel end")) < 15e6' \
			'[r["team_waited_ns"] < 0.25 * r["team_ns"] for r in s["calls"]
				if r["name"].startswith("parallel at_the_end")] == [True]'
	}
	thrice end_runs end_measures
}

@test "a region that begins as older compilers had it, in threads of one before it" {
	needs older
	traced -b gomp "$GOMP/older"
	check 'out["sum"] == 4' 'out["written"] == 0' 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("barrier")) == 4'
}

@test "reductions over tasks give what they give without sonde" {
	needs reductions
	for mode in -q -l; do
		traced $mode -b gomp "$GOMP/reductions"
		equal status 0 "$status"
		check 'out["region"] == out["loop"] == 44850' 'out["none"] == 1' \
			'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel main")) == 4'
	done
}

@test "target constructs that run on the host for want of a device" {
	needs target
	traced -b gomp "$GOMP/target" maps
	# in each region a, in both directions though it is there already, b, and an int
	check '[(r["calls"], r["bytes_out"], r["bytes_in"]) for n in ("target", "target enter data", "target exit data",
			"target update") for r in s["calls"] if r["name"].startswith(n + " on the host")] == [
			(5, 10 * out["bytes"], 5 * (2 * out["bytes"] + 4)), (1, out["bytes"], 0), (1, 0, 0), (1, 0, out["bytes"])]' \
		's["transfers"] == []' '[r["calls"] for r in s["calls"] if r["name"].startswith("device start-up")] == [1]'
}

@test "the place of a construct in a file that is gone leaves errno alone" {
	needs gone
	cp "$GOMP/gone" "$T/gone"
	traced -b gomp "$T/gone"
	equal status 0 "$status"
	check 'out["lock"] == out["taskwait"] == 0' 'sum(r["calls"] for r in s["calls"] if r["name"] == "lock unknown") == 1'
}

# As packages bring their own: a copy of the runtime, and of what is linked to it, with another name of the same length.
copy_of_runtime()
{
	local runtime
	runtime=$(ldd "$GOMP/plugin.so" | awk '$1 == "libgomp.so.1" { print $3 }')
	[ -r "$runtime" ] || omit "no libgomp.so.1"
	sed 's/libgomp\.so\.1/libgomp-1.so/g' "$runtime" >"$T/libgomp-1.so"
	sed 's/libgomp\.so\.1/libgomp-1.so/g' "$GOMP/plugin.so" >"$T/copy.so"
}

@test "two copies of the runtime: each object's calls reach its own, and those of the second are named, not recorded" {
	needs copies
	copy_of_runtime
	export LD_LIBRARY_PATH=$T
	for mode in -q -l; do
		traced $mode -b gomp "$GOMP/copies" "$GOMP/plugin.so" "$T/copy.so"
		equal status 0 "$status"
		check 'out["right"] == 6' 'ledger("lost") == 0' 's["ledger"][0]["library"].endswith("/libgomp.so.1")' \
			'[(n["code"], "libgomp-1.so provides" in n["text"]) for n in s["notes"]] == [("second_provider", True)]' \
			'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel ") and r["kind"] == "compute") == 9' \
			'all("copy.so" not in r["name"] and r["unfinished"] == 0 for r in s["calls"])'
	done
	traced -b gomp "$GOMP/copies" "$T/copy.so" "$GOMP/plugin.so"
	check 'out["right"] == 6' '[(n["code"], "libgomp.so.1 provides" in n["text"]) for n in s["notes"]] == [
			("second_provider", True)]'
	traced -b gomp "$GOMP/copies" "$T/copy.so"
	check 'out["right"] == 3' 'notes == []' 'ledger("lost") == 0'
}

@test "a second copy of the runtime that is called while recording is paused is named all the same" {
	needs copies
	copy_of_runtime
	LD_LIBRARY_PATH=$T traced -b gomp --start-paused "$GOMP/copies" "$GOMP/plugin.so" "$T/copy.so"
	check 'out["right"] == 6' 'any(n["code"] == "second_provider" and "libgomp-1.so" in n["text"] for n in s["notes"])' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel ") and r["kind"] == "compute") == 6'
}

@test "another runtime's functions of the same name are left to its tool interface" {
	[ -x "$BUILD/tests/ompt/sync" ] || omit "no compiler with OpenMP that has OMPT"
	traced "$BUILD/tests/ompt/sync"
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("lock")) == 3' \
		'{r["backend"] for r in s["calls"]} == {"ompt"}'
}
