#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Who has the one place for a tool, and what a runtime does wrong.
load lib

# The same counts on standard output, whatever sonde traces.
same_counts() # VARIABLE=VALUE PROGRAM SONDE-OPTIONS...
{
	local setting=$1 program=$2
	shift 2
	bare env "$setting" "$program" nested
	grep -q 'tool_parallel=15' "$T/bare.out" || { cat "$T/bare.out"; return 1; }
	status=0
	env "$setting" timeout 60 "$SONDE" "$@" "$program" nested >"$T/out" 2>"$T/err" </dev/null || status=$?
	equal status 0 "$status"
	diff "$T/bare.out" "$T/out"
}

@test "C136 a tool that the user named in OMP_TOOL_LIBRARIES sees what it sees without sonde" {
	needs host
	same_counts "OMP_TOOL_LIBRARIES=$OMPT/libuser_tool.so" "$OMPT/host"
	grep -q 'OMP_TOOL_LIBRARIES is set to' "$T/err"
	same_counts "OMP_TOOL_LIBRARIES=$OMPT/libuser_tool.so" "$OMPT/host" -b sonde
	never grep -q 'OMP_TOOL_LIBRARIES' "$T/err"
}

@test "C136 a tool that is linked with the program, too" {
	needs linked_tool
	same_counts X=1 "$OMPT/linked_tool"
	grep -q 'linked_tool has a tool of its own (ompt_start_tool), which stays: nothing of ompt is traced' "$T/err"
	same_counts X=1 "$OMPT/linked_tool" -b ompt
	equal lines 1 "$(grep -c 'tool of its own' "$T/err")"
	same_counts X=1 "$OMPT/linked_tool" -b sonde
	never grep -q 'tool of its own' "$T/err"
	needs host
	traced "$OMPT/host" nested
	never grep -q 'tool of its own' "$T/err"
}

@test "C136 -b ompt takes the place of a tool in OMP_TOOL_LIBRARIES" {
	needs host
	OMP_TOOL_LIBRARIES=$OMPT/libuser_tool.so traced -b ompt "$OMPT/host" nested
	never grep -q tool_parallel "$T/out"
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel") and r["kind"] == "compute") == 15'
}

@test "C136 without ompt the place stays empty" {
	traced -b sonde "$OMPT/runtime" "$BUILD/bin/libsonde-ompt.so" unmatched
	check 'out["started"] == 0' 's["calls"] == []'
}

@test "C139 what is begun and never ended is closed by what is around it, and ends of nothing are nothing" {
	traced -b ompt "$OMPT/runtime" "$BUILD/bin/libsonde-ompt.so" unmatched
	check 'out["started"] == 1' 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel ")) == 2' \
		'sum(r["unfinished"] for r in s["calls"]) == 9' 'sum(r["calls"] for r in s["calls"]) == 2' \
		'total([r["name"] for r in s["calls"] if r["name"].startswith("parallel ")][0]) >= 20e6' \
		's["open_calls"] == []' 's["transfers"] == []' 'ledger("lost") == 0'
}

@test "C139 more that never ends than there is room for" {
	traced -b ompt "$OMPT/runtime" "$BUILD/bin/libsonde-ompt.so" many
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel ")) == 3' 's["open_calls"] == []'
}

@test "C139 an address in the runtime, in no object or missing is called unknown" {
	traced -b ompt "$OMPT/runtime" "$BUILD/bin/libsonde-ompt.so" nowhere
	check 'sorted(r["name"] for r in s["calls"]) == ["loop unknown", "target unknown"]' 'ledger("lost") == 0'
}

@test "a runtime that lets go of its tools is told of; one that goes on is recorded on" {
	needs host
	local regions='sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel paused"))'
	export OMP_NUM_THREADS=2
	traced -b ompt "$OMPT/host" pause_hard
	check 'out["paused"] == 0 and out["threads"] == 4' "$regions == 1" \
		'any("let go of its tools" in note["text"] for note in s["notes"])'
	traced -b ompt "$OMPT/host" pause_soft
	check 'out["paused"] == 0 and out["threads"] == 4' "$regions == 2" 's["notes"] == []'
}

# The recording takes up to 40 MB of address space. Where that is missing the runtime may say that it has none, as it does
# without sonde where there is less; nothing else may happen. Where even its message finds no memory, libomp reports that, and
# so on, until its stack is full: signal 11, without sonde as well (28,300 KiB here).
@test "C140 a program that is short of memory does what it does without sonde" {
	needs host
	local limit fine=0
	for limit in 30000 38000 46000 60000 100000 140000 240000 400000; do
		bare sh -c "ulimit -v $limit; exec '$OMPT/host' small 4 5"
		local bare=$status
		traced -b ompt sh -c "ulimit -v $limit; exec '$OMPT/host' small 4 5"
		if [ "$limit" -lt 100000 ] && [ "$status" -ne 0 ]; then
			[ "$status" -eq 139 ] ||
				grep -q 'unable to allocate\|allocation failed\|cannot allocate memory\|failed to map' "$T/err" ||
				{ show; return 1; }
			continue
		fi
		[ "$limit" -lt 100000 ] || equal "status without sonde" 0 "$bare"
		equal "status with $limit KiB" "$bare" "$status"
		diff "$T/bare.out" "$T/out"
		fine=$((fine + 1))
	done
	[ "$fine" -ge 4 ]
	check 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel ") and r["kind"] == "compute") == 6'
}

@test "where the user has switched the interface off, a line says so" {
	needs host
	OMP_TOOL=disabled traced "$OMPT/host" nested
	says "$T/err" "sonde: OMP_TOOL is set to disabled: nothing of ompt is traced"
	OMP_TOOL=enabled traced "$OMPT/host" nested
	never grep -q 'OMP_TOOL' "$T/err"
}
