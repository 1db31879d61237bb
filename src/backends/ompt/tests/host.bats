#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Constructs on the host, through LLVM's runtime; times against the program's own clock.
load lib

region_runs()
{
	traced -b ompt "$OMPT/host" uneven
	here="main host.c:$(grep -nF 'num_threads(4)' "$SRC/src/backends/ompt/tests/host.c" | sed -n '2s/:.*//p')"
	check "calls('parallel $here') == 3" "calls('worker $here') == 9" "calls('parallel end $here') == 12" \
		"the('parallel $here')['comm_size_min'] == the('parallel $here')['comm_size_max'] == 4" \
		'ledger("lost") == 0' 'notes == []'
}

region_measures()
{
	check "near(total('parallel $here'), out['wall'], 0.02)" "near(total('worker $here'), out['work'], 0.02)" \
		"near(total('parallel end $here'), out['waited'], 0.02)" \
		"near(the('parallel $here')['team_waited_ns'], out['waited'], 0.02)" \
		"near(the('parallel $here')['team_ns'], 4 * out['wall'], 0.02)"
}

@test "a region's time, its threads, their work and their waiting are the program's own to 2 %" {
	needs host
	thrice region_runs region_measures
}

sync_runs()
{
	traced -b ompt "$OMPT/sync"
	barrier=$(line_of sync.c '#pragma omp barrier') critical=$(line_of sync.c '#pragma omp critical')
	lock=$(line_of sync.c 'omp_set_lock(') task=$(line_of sync.c '#pragma omp task')
	check "calls('lock main sync.c:$lock') == 3" \
		"sum(r['calls'] for r in s['calls'] if r['name'].endswith('sync.c:$task')) == 12" \
		"[sum(r['calls'] for r in s['calls'] if r['name'].startswith(n)) for n in ('loop', 'sections', 'single')] == [3, 3, 2]" \
		'all(row["unfinished"] == 0 for row in s["calls"])' 'ledger("lost") == 0'
}

sync_measures()
{
	check "near(total('barrier main sync.c:$barrier'), out['barrier'], 0.02, 1e6)" \
		"near(total('critical main sync.c:$critical'), out['critical'], 0.02, 1e6)" \
		"near(total('lock main sync.c:$lock'), out['lock'], 0.02, 1e6)" \
		"near(sum(r['total_ns'] for r in s['calls'] if r['name'].endswith('sync.c:$task')), out['task'], 0.02, 1e6)"
}

@test "waiting at barriers, for locks and critical parts, and tasks take what the program measures" {
	needs sync
	thrice sync_runs sync_measures
}

@test "with every backend there, functions that GCC's runtime has as well are named by the program's place" {
	needs sync
	traced "$OMPT/sync"
	check "calls('lock main sync.c:$(line_of sync.c 'omp_set_lock(')') == 3" \
		"calls('critical main sync.c:$(line_of sync.c '#pragma omp critical')') == 3" \
		'[r["name"] for r in s["calls"] if r["name"].startswith("lock in parallel")] == []' 'ledger("lost") == 0'
}

ends_runs()
{
	traced -b ompt "$OMPT/tasks" end
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("task at_the_end")) == 8' 'ledger("lost") == 0'
}

ends_measures()
{
	check 'near(sum(r["total_ns"] for r in s["calls"] if r["name"].startswith("task at_the_end")), 80e6, 0.1)' \
		'[r["team_waited_ns"] < 0.25 * r["team_ns"] for r in s["calls"]
			if r["name"].startswith("parallel ") and r["kind"] == "compute"] == [True]'
}

@test "tasks at the end of a region are work, not waiting" {
	needs tasks
	thrice ends_runs ends_measures
}

@test "untied tasks are told in parts, wherever they go on; undeferred and included ones where they were made" {
	needs untied
	traced -b ompt -l -o "$T/rec" "$OMPT/untied"
	local parts undeferred outer included
	parts="part of untied task untied untied.c:$(line_of untied.c '#pragma omp task untied')"
	undeferred=$(line_of untied.c '#pragma omp task if') outer=$(line_of untied.c '#pragma omp task final')
	included=$(line_of untied.c '#pragma omp task mergeable')
	# what lies between the program's clocks and the runtime's events is the system's, too
	check "calls('$parts') >= 6 * 4" "out['untied'] <= the('$parts')['self_ns'] + 1e5 <= out['untied'] + 8e6" \
		"[out[w] <= sum(r['self_ns'] for r in s['calls'] if r['name'].startswith('task ') and
			r['name'].endswith(':' + n)) + 1e5 <= out[w] + 3e6 for n, w in (('$undeferred', 'undeferred'),
			('$outer', 'outer'), ('$included', 'included'))] == 3 * [True]" \
		'all(row["unfinished"] == 0 for row in s["calls"])' 'ledger("lost") == 0' 's["lower_bound"] is False'
	! "$SONDE" print "$T/rec" | grep -q ' left \| ?$'
}

@test "nested regions, of which the inner ones begin with a jump" {
	needs host
	traced -b ompt "$OMPT/host" nested
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel main")) == 5' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith(("parallel in parallel", "parallel nested"))) == 10' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("worker")) == 25' 'ledger("lost") == 0'
}

@test "sixteen threads, regions in a row: each is counted, and streams say the same as the tally" {
	needs host
	traced -b ompt -l -o "$T/rec" "$OMPT/host" small 16 50
	check 'out["sum"] == 800' 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel small")
		or r["name"].startswith("parallel main")) == 51' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("worker")) == 15 * 51' 'ledger("lost") == 0' \
		'"streams" not in notes' 'max(r["comm_size_max"] for r in s["calls"]) == 16'
	streams_agree "$T/rec"
}

@test "threads of the program's own that each have a region and end" {
	needs host
	traced -b ompt "$OMPT/host" threads
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel of_thread")) == 20' 'ledger("lost") == 0' \
		'all(row["unfinished"] == 0 for row in s["calls"])'
}

@test "a forked child has a record of its own, and parent and child go on" {
	needs host
	traced -b ompt "$OMPT/host" forks
	check 'out["status"] == 0' 'processes == 2' 'ledger("lost") == 0' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel") and r["kind"] == "compute") == 4'
}

@test "omp_pause_resource_all: what came before is whole, and the program goes on" {
	needs host
	traced -b ompt "$OMPT/host" pauses
	check 'out["paused"] == 1' 'end == "exit 0"' 'ledger("lost") == 0' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel") and r["kind"] == "compute") >= 1'
}

@test "exceptions that are caught in a region leave the books right" {
	needs throws
	traced -b ompt "$OMPT/throws"
	check 'out["caught"] == 20' 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel main")) == 10' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("critical")) == 20' \
		'all(row["unfinished"] == 0 for row in s["calls"])' 'ledger("lost") == 0'
}

cancel_runs() # MODE, REGION'S THREADS...: what is true each time
{
	rm -rf "$T/rec"
	OMP_CANCELLATION=true traced -b ompt -l -o "$T/rec" "$OMPT/cancels" "$@"
	check 'out["cancels"] == 1' 'out["after"] == 0' 'ledger("lost") == 0' 's["lower_bound"] is False' \
		'all(row["unfinished"] == 0 for row in s["calls"])' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("task ")) == out["begun"]' &&
		streams_agree "$T/rec" && check 's["lower_bound"] is False'
}

cancel_measures() # NAME: constructs that are called so took what the program says, within 2 % and a ms
{
	check "near(sum(r['total_ns'] for r in s['calls'] if r['name'].startswith('$1')), out['taken'], 0.02, 1e6)"
}

@test "what is cancelled ends where the thread leaves it, also where the runtime tells of no end" {
	needs cancels
	thrice 'cancel_runs shared' 'cancel_measures "loop shared"'
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("loop ")) == 3'
	thrice 'cancel_runs alone 1' 'cancel_measures "loop alone"'
	thrice 'cancel_runs alone 2' 'cancel_measures "loop alone"'
	thrice 'cancel_runs outside' 'cancel_measures "loop outside"'
	thrice 'cancel_runs nested' "cancel_measures 'loop nested cancels.c:$(line_of cancels.c '/* inner */')'"
	thrice 'cancel_runs sections' 'cancel_measures "sections in_sections"'
}

@test "regions and groups that are cancelled: tasks that are thrown away are none, and waiting goes on" {
	needs cancels
	# the other thread waits as well, when it comes to the end
	thrice 'cancel_runs group' \
		'check "sum(r[\"total_ns\"] for r in s[\"calls\"] if r[\"name\"].startswith(\"parallel end\")) > out[\"taken\"] - 2e6"'
	cancel_runs region
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel ") and r["kind"] == "compute") == 1'
}

@test "constructs stand with function and line, with the function alone, or with the module alone, by what the program has" {
	needs host
	cp "$OMPT/host" "$T/bare_lines" && strip -g "$T/bare_lines"
	cp "$OMPT/host" "$T/bare_symbols" && strip "$T/bare_symbols"
	traced -b ompt "$T/bare_lines" nested
	check 'any(r["name"].startswith("parallel main+0x") for r in s["calls"])'
	traced -b ompt "$T/bare_symbols" nested
	check 'any(r["name"].startswith("parallel bare_symbols+0x") for r in s["calls"])'
}

@test "a module that was built anew since then is not asked for lines" {
	needs host
	cp "$OMPT/host" "$T/program"
	traced -b ompt -o "$T/rec" "$T/program" nested
	check 'any(r["name"].startswith("parallel main host.c:") for r in s["calls"])'
	cp "$OMPT/sync" "$T/program"
	report "$T/rec"
	check 'any(r["name"].startswith("parallel program+0x") for r in s["calls"])'
}

@test "the numbers of the interface are those of the standard's header" {
	needs layout
	bare "$OMPT/layout"
	says "$T/bare.out" 'same=1'
}
