#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Layers that report themselves: a small one of our own, one compiled by the header's version 1, and a second tool.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib

PROGRAMS=$BUILD/tests/layer
PROGRAM=$PROGRAMS/program
export LATE_TOOL=$PROGRAMS/libtool.so LAYER=$PROGRAMS/libsecond.so

@test "the header compiles alone on both sides, in C99 and in C++ from C++98 to C++20" {
	printf '#define SONDE_LAYER_PREFIX x\n#define SONDE_LAYER_IMPLEMENT\n#include <sonde/sonde_layer.h>\n' >side.c
	echo '#include <sonde/sonde_layer.h>' >tool.c
	for file in side.c tool.c; do
		"${CC:-cc}" -std=c99 -Wall -Wextra -Werror -pedantic -I"$SRC/include" -fsyntax-only -xc $file
		command -v c++ >/dev/null || omit "no C++ compiler"
		for standard in 98 11 17 20; do
			c++ -std=c++$standard -Wall -Wextra -Werror -pedantic -I"$SRC/include" -fsyntax-only -xc++ $file
		done
	done
}

@test "operations are calls by the layer's names, of a backend that has the layer's name" {
	traced --ledger "$PROGRAM" each
	check 'calls("on device") == 2 and failed("on device") == 1' '3e6 < total("on device") < s["run"]["wall_ns"]' \
		'the("on host")["kind"] == "compute" and the("on device")["kind"] == "launch"' \
		'the("finish")["kind"] == "wait" and total("finish") > 4e6' 'row("copyFrom H2D")["bytes_out"] == 1000' \
		'row("copy D2H")["bytes_in"] == 70' 'row("fill")["bytes_out"] == 8' \
		'all(c["backend"] == "demo" for c in s["calls"])' 'ledger("seen") == 22 and ledger("lost") == 0' \
		's["ledger"][0]["library"] == "demo 1.5"' 'the("set up device")["kind"] == "setup"' \
		'range_of("step")["calls"] == 1 and range_of("here")["kind"] == "mark"'
}

@test "parts of a launch are not added up, and host kernels are the program's own time" {
	traced "$PROGRAM" each
	check 'calls("split") == 1 and total("split") > 6e6 and own("split") == total("split")' 'calls("part") == 0' \
		'ns("launch") == total("on device") + total("split")' 'ns("host") >= total("on host") > 5e6'
}

@test "memory counts blocks once, pools within them not, and builds tell hits from misses" {
	traced "$PROGRAM" each
	check '[(m["kind"], m["device"], m["peak_bytes"], m["live_bytes"], m["allocs"]) for m in s["memory"]] == [
		("device", "Fancy", 4096, 0, 1), ("pinned host", "", 512, 512, 1)]' \
		'sorted((b["name"], b["source"], b["calls"], b["failed"], b["processes"]) for b in s["builds"]) == [
		("broken", "source", 1, 1, 2), ("saxpy", "cache", 1, 0, 0), ("saxpy", "source", 1, 0, 2)]' \
		'calls("build") == 3 and failed("build") == 1 and calls("compile") == 2 and calls("load") == 1' \
		'own("build") < total("build") - total("load")'
}

@test "without sonde a layer needs nothing and tells nobody" {
	bare "$PROGRAM" each
	equal status 0 "$status"
	silent "$T/bare.err"
	equal needed "" "$(readelf -d "$PROGRAMS/libdemo.so" | grep NEEDED | grep -v 'libc.so\|libdl.so\|ld-linux')"
}

@test "sixteen threads that come first at once lose nothing" {
	traced "$PROGRAM" threads
	check 'calls("outer") == 32000 and calls("split") == 32000' 'ledger("lost") == 0 and unfinished("outer") == 0'
}

@test "two layers in one process are two backends, one of them compiled by version 1 and opened late" {
	traced "$PROGRAM" two
	check '{(c["backend"], c["name"], c["calls"]) for c in s["calls"]} == {("demo", "of demo", 1), ("demo", "still", 1),
		("second", "opened late", 1)}'
	traced -b layer "$PROGRAM" two
	check 'calls("opened late") == 1 and calls("still") == 1'
	traced -b sonde "$PROGRAM" two
	check 's["calls"] == []'
}

@test "a second tool sees the same with and without sonde, from two layers" {
	for how in preload list; do
		if [ $how = preload ]; then
			export LD_PRELOAD=$LATE_TOOL
		else
			export SONDE_LAYER_TOOLS=/nowhere.so:$LATE_TOOL
		fi
		bare "$PROGRAM" two
		equal status 0 "$status"
		traced "$PROGRAM" two
		unset LD_PRELOAD SONDE_LAYER_TOOLS
		grep -q tool_layers=2 "$T/out"
		diff "$T/bare.out" "$T/out"
		check 'out["tool_begun"] == 3 and out["tool_ended"] == 3' 'calls("still") == 1 and calls("opened late") == 1'
	done
}

@test "SONDE_LAYER=off keeps all tools away" {
	SONDE_LAYER=off traced "$PROGRAM" each
	check 's["calls"] == []'
}

@test "a tool that comes late hears of whole operations alone, and may go and come again" {
	traced "$PROGRAM" late
	check 'out["tool_begun"] == 3 and out["tool_ended"] == 3' 'out["tool_strangers"] == 0' \
		'[calls(n) for n in ("before", "around", "inside", "after", "without", "again")] == [1] * 6'
	bare "$PROGRAM" late
	grep -qx tool_begun=3 "$T/bare.out"
}

@test "tools come and go while four threads are at work" {
	traced "$PROGRAM" detach
	equal status 0 "$status"
	check 'calls("outer") == 8000' 'out["tool_strangers"] == 0'
}

@test "what exceptions leave has failed, what a longjmp leaves is unfinished" {
	traced "$PROGRAM" jump
	check 'unfinished("left") == 1 and calls("next") == 1' 'own("next") == total("next")'
	[ -x "$PROGRAMS/throws" ] || omit "no C++ compiler"
	traced "$PROGRAMS/throws"
	check 'out["caught"] == 3' 'calls("outer") == 6 and failed("outer") == 3' 'calls("inner") == 9 and failed("inner") == 6' \
		'unfinished("outer") == 0 and unfinished("inner") == 0' '15e6 < total("outer") < s["run"]["wall_ns"]'
}

@test "names of any bytes and length are kept" {
	traced "$PROGRAM" names
	check 'calls("say \"hello\", {world} \\ $(rm) %s") == 1' 'calls("line\nbreak\tand\x1b[31m") == 1' 'len(s["calls"]) == 6' \
		'calls("unnamed") == 1' 'len([c for c in s["calls"] if c["name"].startswith("x" * 4000)]) == 2'
	traced -l "$PROGRAM" names
	check 'len(s["calls"]) == 6'
	command -v babeltrace2 >/dev/null || omit "no babeltrace2"
	babeltrace2 sonde-program-*/*/ctf >text
	equal events 12 "$(grep -c 'demo:' text)"
}

@test "a child of a fork has a record of its own" {
	traced "$PROGRAM" fork
	check 'processes == 3' 'calls("parent") == 1 and calls("child") == 1 and calls("second child") == 1' \
		'unfinished("parent") == 0' 'sum(m["live_bytes"] for m in s["memory"]) == 100'
}

@test "times that come later make devices and kernels, with what started them" {
	traced --ledger "$PROGRAM" later
	check 'kernels("timed") == 3 and kernels("untimed") == 0' 'ledger("device_seen") == 5' \
		'ledger("device_recorded") == 3 and ledger("untimed") == 1 and ledger("unfinished") == 1' \
		'30e6 < s["devices"][0]["kernels_ns"] < s["run"]["wall_ns"]' 's["devices"][0]["name"] == "Fancy"' \
		'near(range_of("region")["device_ns"], s["devices"][0]["kernels_sum_ns"], 1e-6, 1)' \
		'calls("timed") == 3 and total("timed") < 30e6'
}

@test "calls and kernels of the API below belong to the layer's operation, and are counted once" {
	need opencl
	[ -x "$PROGRAMS/below" ] || omit "no OpenCL headers"
	for option in -q -l; do
		traced $option "$PROGRAMS/below"
		check 'kernels() == kernels("add_one") == 4' 'sum(d["kernels_sum_ns"] for d in s["devices"]) == sum(
			k["total_ns"] for k in s["kernels"])' 'len(s["devices"]) == 1' \
			'near(the("three")["device_ns"] + the("one")["device_ns"], s["devices"][0]["kernels_sum_ns"], 1e-6, 4)' \
			'the("three")["device_ns"] > 0 and the("one")["device_ns"] > 0 and the("wait")["device_ns"] == 0' \
			'near(own("wait") + total("clFinish"), total("wait"), 0, 2)' 'own("three") < total("three")' \
			'ledger("device_seen", "demo") == 0' 'ledger("unfinished") == 0'
	done
}

# A range, a layer's operation, an OpenMP region and OpenCL, each around the next: one tree in every view.
@test "all layers at once: each nanosecond once, device time with whatever started it, in every view" {
	need opencl
	[ -x "$PROGRAMS/stack" ] || omit "no OpenCL headers or no OpenMP"
	traced -t -o rec "$PROGRAMS/stack"
	check 'calls("step") == 3 and range_of("phase")["calls"] == 3 and kernels("spin") == 4' \
		'range_of("phase")["total_ns"] >= total("step")' 'range_of("phase")["device_ns"] == the("step")["device_ns"]' \
		'0 < the("step")["device_ns"] < s["devices"][0]["kernels_sum_ns"]' \
		'sum(c["self_ns"] for c in s["calls"] if c["timed"]) <= s["run"]["wall_ns"]' \
		'sum(b["ns"] for b in s["breakdown"]) == s["run"]["wall_ns"]'
	cp summary.json tally.json
	"$SONDE" report --streams --json summary.json rec 2>/dev/null
	check 'calls("step") == 3 and range_of("phase")["device_ns"] == the("step")["device_ns"]'
	"$SONDE" print --json rec >events
	"$SONDE" export --to chrome -o chrome.json rec >/dev/null
	"$PYTHON" "$BATS_TEST_DIRNAME/stack.py" tally.json events chrome.json
	rm -r rec
}

@test "times by other clocks keep their length, however often the reader is interrupted" {
	traced --ledger "$PROGRAM" short
	check 'kernels("short") == 160000 and ledger("untimed") == 0' \
		'[(k["min_ns"], k["max_ns"]) for k in s["kernels"]] == [(100, 100)]'
}

@test "the timeline and the list of events have a layer's operations" {
	traced -t "$PROGRAM" each
	timeout 20 "$SONDE" print sonde-program-* >text
	says text "on device" "copyFrom H2D" "split" "step"
	report --streams sonde-program-*
	check 'calls("on device") == 2 and failed("on device") == 1' 'calls("split") == 1' 'row("copy D2H")["bytes_in"] == 70'
}

@test "more layers than are kept: the record says so and names the first; what a layer loses is counted" {
	for option in -q "-b layer"; do
		traced $option "$PROGRAMS/many" 8
		check 'out["taken"] == 8' 'not any("more than 8 layers" in n["text"] for n in s["notes"])' \
			'all((l["recorded"], l["lost"]) == (1, 1) for l in s["ledger"]) and len(s["ledger"]) == 8'
		traced $option "$PROGRAMS/many" 10
		check 'out["taken"] == 8' 'any("more than 8 layers: nothing of ly8, and" in n["text"] for n in s["notes"])' \
			'sum(l["recorded"] for l in s["ledger"]) == 8'
	done
}
