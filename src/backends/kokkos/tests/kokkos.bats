#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Kokkos: a real program where there is one to compile, and the hooks as Kokkos calls them for devices that are not here.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib

PROGRAM=$BUILD/tests/kokkos/program
HOST=$BUILD/tests/kokkos/host
ADAPTER=$BUILD/bin/libsonde-kokkos.so
TOOL=$BUILD/tests/layer/libtool.so
unset KOKKOS_TOOLS_LIBS KOKKOS_PROFILE_LIBRARY

kokkos()
{
	[ -x "$PROGRAM" ] || omit "no Kokkos (libtrilinos-kokkos-dev) or no C++ compiler"
}

@test "loops have their labels, counts and times" {
	kokkos
	traced "$PROGRAM"
	check 'calls("slow loop") == 3 and calls("axpy") == 5 and calls("norm") == 1 and calls("prefix") == 1' \
		'12e6 < total("slow loop") <= out["loop"]' 'near(total("slow loop"), out["loop"], 0.1, 5e6)' \
		'all(c["backend"] == "kokkos" and c["kind"] in ("compute", "copy") for c in s["calls"])' 'out["sum"] == 2497500' \
		'ns("host") > total("slow loop")' 'ledger("lost") == 0'
}

@test "copies have bytes and a direction, and views are memory in use" {
	kokkos
	traced "$PROGRAM"
	check 'the("deep_copy H2H")["calls"] == 1 and the("deep_copy H2H")["bytes_out"] == 8000' \
		's["memory"][0]["kind"] == "pageable" and s["memory"][0]["live_bytes"] == 0' \
		'16000 <= s["memory"][0]["peak_bytes"] < 64000' 's["memory"][0]["allocs"] == s["memory"][0]["frees"] >= 3'
}

@test "regions and sections are ranges, events are marks" {
	kokkos
	traced "$PROGRAM"
	check 'range_of("solve")["calls"] == 1 and range_of("inner")["total_ns"] > 3e6' \
		'range_of("solve")["total_ns"] > range_of("inner")["total_ns"] + out["loop"]' \
		'2e6 < range_of("section")["total_ns"] < s["run"]["wall_ns"]' 'range_of("mark")["kind"] == "mark"'
}

@test "a program of Kokkos says the same with sonde, also with streams" {
	kokkos
	bare "$PROGRAM"
	for option in -q -l; do
		traced $option "$PROGRAM"
		equal status 0 "$status"
		diff <(grep -v loop "$T/bare.out") <(grep -v loop "$T/out")
		check 'calls("axpy") == 5'
	done
}

@test "a tool that the user has named stays, under either name, and -b takes its place" {
	kokkos
	for name in KOKKOS_TOOLS_LIBS KOKKOS_PROFILE_LIBRARY; do
		export $name=$TOOL
		traced "$PROGRAM"
		check 's["calls"] == []'
		says "$T/err" "$name is set to $TOOL and stays so"
		traced -b kokkos "$PROGRAM"
		check 'calls("axpy") == 5'
		unset $name
	done
}

@test "a tool that the program's arguments name stays, also within a command for a shell and with -b" {
	kokkos
	for option in -q "-b kokkos"; do
		traced $option "$PROGRAM" --kokkos-tools-library="$TOOL"
		equal status 0 "$status"
		says "$T/err" "--kokkos-tools-library gives the program a tool, which stays: nothing of kokkos is traced"
		traced $option sh -c "'$PROGRAM' --kokkos-tools-library='$TOOL'"
		equal status 0 "$status"
		says "$T/err" "--kokkos-tools-library gives the program a tool, which stays: nothing of kokkos is traced"
	done
	for argument in --kokkos-tools-library --kokkos-tools-libs=x --kokkos-tools-libs; do
		traced sh -c true sh "$argument"
		says "$T/err" "${argument%%=*} gives the program a tool"
	done
	traced sh -c 'echo tools=[$KOKKOS_TOOLS_LIBS] profile=[$KOKKOS_PROFILE_LIBRARY]' sh --kokkos-tools-libs x
	grep -qxF 'tools=[] profile=[]' "$T/out"
	traced sh -c 'echo tools=[$KOKKOS_TOOLS_LIBS]' sh --kokkos-tools-libraries x # another option
	grep -qxF "tools=[$ADAPTER]" "$T/out"
}

@test "devices, their memory and copies to and from them are told apart; no fences are asked for" {
	KOKKOS_TOOLS_LIBS='' traced "$HOST" "$ADAPTER"
	check 'out["fencing"] == 0' 'calls("k0") == 20 and calls("k1") == 20' 'the("k0")["kind"] == "launch"' \
		'row("deep_copy H2D")["bytes_out"] == 64 and row("deep_copy D2H")["bytes_in"] == 32' \
		'row("deep_copy D2D")["bytes_out"] == 16' 'the("fence")["kind"] == "wait"' 'unfinished("k0") == 0' \
		'sorted((m["kind"], m["device"], m["peak_bytes"]) for m in s["memory"]) == [("device", "Cuda", 1000),
		("managed", "Cuda", 30), ("pageable", "", 4), ("pinned host", "", 200)]'
}

@test "loops that an exception leaves are unfinished, and what follows is recorded; sections may race" {
	for option in -q -l; do
		KOKKOS_TOOLS_LIBS='' traced $option "$HOST" "$ADAPTER" left
		check 'unfinished("left") == 5000 and calls("left") == 0' 'unfinished("left within") == 100' \
			'calls("around") == 1 and unfinished("around") == 0' 'calls("after") == 1' 'ledger("lost") == 0' \
			'0 < range_of("shared section")["calls"] <= 20000' 'range_of("shared section")["unfinished"] == 0'
	done
}

@test "regions that are never popped leave the places of loops alone; what has no place is counted as lost" {
	KOKKOS_TOOLS_LIBS='' traced --ledger "$HOST" "$ADAPTER" many regions
	check 'calls("loop") == 5000 and unfinished("loop") == 0' 'range_of("around")["calls"] == 1' \
		'range_of("around")["total_ns"] >= range_of("deep")["total_ns"]' \
		'ledger("lost") == (1 + 100 - 56) + (5000 - 56) + (100 * 50 - (4096 - 64))' \
		'ledger("recorded") == 5000 + 56 and ledger("seen") == ledger("recorded") + ledger("lost")'
	KOKKOS_TOOLS_LIBS='' traced --ledger "$HOST" "$ADAPTER" many loops
	check 'ledger("seen") == 5000 and ledger("lost") >= 5000 - 4096'
}

@test "numbers of sections that were destroyed are given again; beyond 256 at once they are lost" {
	KOKKOS_TOOLS_LIBS='' traced --ledger "$HOST" "$ADAPTER" many sections
	check 'range_of("odd")["calls"] == 500 and range_of("even and longer")["calls"] == 500' \
		'range_of("at once")["calls"] == 256' 'ledger("lost") == 44 and ledger("seen") == 1300'
}

@test "a loop of Kokkos itself that throws is unfinished" {
	kokkos
	traced "$PROGRAM" throw
	check 'out["caught"] == 100' 'unfinished("throws") == 100' 'calls("axpy") == 5' 'ledger("lost") == 0'
}

@test "without sonde the adapter serves other tools" {
	SONDE_LAYER_TOOLS=$TOOL bare "$HOST" "$ADAPTER"
	equal status 0 "$status"
	grep -qx tool_begun=44 "$T/bare.out"
	grep -qx tool_ended=44 "$T/bare.out"
	bare "$HOST" "$ADAPTER"
	equal status 0 "$status"
}
