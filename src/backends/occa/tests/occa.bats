#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# OCCA unmodified, with stand-ins for its library: see stand_in.hpp. What the real one gave is in docs/TESTED.md.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib

# with LIBRARY WHAT MODE
with()
{
	[ -x "$BUILD/tests/occa/program" ] || omit "no C++ compiler"
	LD_LIBRARY_PATH=$BUILD/tests/occa/$1 traced --ledger "$BUILD/tests/occa/program" "$2" "$3"
}

occa='[c for c in s["calls"] if c["backend"] == "occa"]'
builds='{(b["name"], b["source"]): (b["calls"], b["failed"], b["processes"]) for b in s["builds"] if b["backend"] == "occa"}'

# what program.cpp's everything() does, but for the time
counted()
{
	check 'the("axpy")["calls"] == 3' 'the("text")["calls"] == 5' 'the("binary")["calls"] == 1' \
		'the("device::malloc")["calls"] == 1' 'the("device::malloc H2D")["bytes_out"] == 400' \
		'(the("memory::copyFrom H2D")["calls"], the("memory::copyFrom H2D")["bytes_out"]) == (2, 880)' \
		'(the("memory::copyTo D2H")["calls"], the("memory::copyTo D2H")["bytes_in"]) == (1, 160)' \
		'the("memory::copyFrom D2D")["bytes_out"] == 240' 'the("memory::copyTo D2D")["bytes_out"] == 320' \
		'the("memory::free")["calls"] == 2' 'the("memoryPool::reserve")["calls"] == 2' \
		'the("memoryPool::resize")["calls"] == 1' 'the("memoryPool::setAlignment")["calls"] == 1' \
		'[the(n)["calls"] for n in ("device::setup", "device::createStream")] == [1, 1]' \
		'[the("device::" + n)["kind"] for n in ("finish", "finishAll", "waitFor", "timeBetween")] == ["wait"] * 4' \
		'[the(n)["calls"] for n in ("stream::finish", "streamTag::wait", "device::tagStream")] == [1, 1, 2]' \
		"$builds == {('axpy (axpy.okl)', 'source'): (1, 0, 2), ('text', 'cache'): (1, 0, 0), \
			('binary (x)', 'binary'): (1, 0, 0)}" \
		'the("sys::call sleep")["calls"] == 1 and the("sys::call echo")["calls"] == 1' \
		'5e7 < the("sys::call sleep")["total_ns"] < the("device::buildKernel")["total_ns"]' \
		"len($occa) == 28" 'ledger("lost") == 0' 'ledger("seen", "occa") == 38' "processes == 1"
}

# launches, waits and builds take what the program's own clock says
timed()
{
	check 'near(the("axpy")["total_ns"], out["axpy"] * 1e9, 0.02, 1e6)' \
		'near(the("device::timeBetween")["total_ns"], out["between"] * 1e9, 0.02, 1e6)' \
		'near(the("device::buildKernel")["total_ns"], out["build"] * 1e9, 0.02, 1e6)'
}

figures='("allocs", "frees", "alloc_bytes", "peak_bytes", "live_bytes")'
memory="{m['kind']: [m[k] for k in $figures] for m in s['memory'] if m['backend'] == 'occa'}"

@test "in mode Serial a launch is the host's own work, counted once, as the program's clock has it" {
	thrice "with plain everything Serial && counted" timed
	check 'the("axpy")["kind"] == "compute"' 'share("launch") == 0' "s['notes'] == []"
}

@test "memory is what was allocated, with pools as they grow and without what the program gave" {
	with plain everything Serial
	# 800, 400; the pool of 8000, then 4000
	check "$memory == {'pageable': [4, 4, 13200, 9200, 0]}"
	with plain everything OpenCL
	check "$memory == {'device': [4, 4, 13200, 9200, 0]}"
}

@test "C149 in a mode with a device a launch has its launcher and parts inside, with their device time" {
	need opencl
	thrice "with plain everything OpenCL && counted" timed
	check 'the("axpy")["kind"] == "launch"' 'kernels("spin") == 16' \
		'not [c for c in s["calls"] if c["name"].startswith("_occa_")]' \
		'the("axpy")["device_ns"] + the("text")["device_ns"] == sum(k["total_ns"] for k in s["kernels"])' \
		'near(sum(the(n)["total_ns"] - the(n)["self_ns"] for n in ("axpy", "text")), \
			total("clEnqueueNDRangeKernel") + total("clSetKernelArg"), 0.001, 1000)'
}

@test "a library that has kernel::run() inside its callers is seen by its virtual functions" {
	for mode in Serial OpenCL; do
		thrice "with inlined everything $mode && counted" timed
	done
}

@test "tables that the loader has not made read-only stay writable, with what lies beside them" {
	with open everything Serial
	equal status 0 "$status"
	counted
}

@test "an exception through calls leaves the books right" {
	for library in plain inlined; do
		with $library throw Serial
		check 'out["caught"] == 2' '(the("thrower")["calls"], the("thrower")["failed"]) == (10, 1)' \
			'unfinished("thrower") == 0' 'failed("device::buildKernel") == 1' \
			"$builds[('wrong (wrong.okl)', 'source')][:2] == (1, 1)" 'ledger("lost") == 0'
		with $library throw OpenCL
		check 'out["caught"] == 2' '(the("thrower")["calls"], the("thrower")["failed"]) == (10, 1)' \
			'unfinished("thrower") == 0'
	done
}

@test "a program that ends by an exception has its table, with the call that it was in" {
	residue=allowed
	with plain terminate Serial
	[ "$status" -eq 134 ]
	check 'end == "signal 6"' 'unfinished("last") == 1' 'the("device::setup")["calls"] == 1'
	grep -q 'in last for' "$T/err"
}

@test "a plugin that was opened privately is traced, whether it links OCCA or has it inside" {
	[ -x "$BUILD/tests/occa/opener" ] || omit "no C++ compiler"
	for plugin in linked inside; do
		for mode in Serial OpenCL; do
			traced "$BUILD/tests/occa/opener" "$BUILD/tests/occa/$plugin.so" throw $mode
			[ "$status" -eq 0 ]
			check 'out["caught"] == 2' '(the("thrower")["calls"], the("thrower")["failed"]) == (10, 1)' \
				'unfinished("thrower") == 0' 'not [c for c in s["calls"] if c["name"].startswith("_occa_")]' \
				"'not found' not in str(s['notes'])"
		done
	done
}

@test "16 threads launch one kernel" {
	for library in plain inlined; do
		with $library threads Serial
		check 'the("shared")["calls"] == 16000' 'ledger("lost") == 0'
	done
}

@test "a forked child has its own books" {
	with plain fork Serial
	check 'processes == 2' 'the("forked")["calls"] == 2' "$memory == {'pageable': [1, 1, 800, 800, 0]}"
}

@test "what a library lacks is named" {
	[ -x "$BUILD/tests/occa/lacking" ] || omit "no C++ compiler"
	traced "$BUILD/tests/occa/lacking" everything Serial
	[ "$status" -eq 0 ]
	grep -q 'not found in this OCCA, and so not recorded: device::timeBetween' "$T/err"
	check 'the("axpy")["calls"] == 3' 'calls("device::timeBetween") == 0'
	[ -x "$BUILD/tests/occa/stranger" ]
	LD_LIBRARY_PATH=$BUILD/tests/occa/foreign traced "$BUILD/tests/occa/stranger"
	[ "$status" -eq 0 ]
	grep -q 'libocca.so has none of the functions by which OCCA is traced' "$T/err"
}

@test "a library that reports by the layer interface is not recorded twice" {
	with speaks everything Serial
	check "$occa == []"
	SONDE_LAYER=off with speaks everything Serial
	check 'the("axpy")["calls"] == 3'
}

@test "with -b occa, without layer, its functions are recorded as of any other OCCA" {
	[ -x "$BUILD/tests/occa/program" ] || omit "no C++ compiler"
	export LD_LIBRARY_PATH=$BUILD/tests/occa/speaks
	traced --ledger -b occa "$BUILD/tests/occa/program" everything Serial
	counted
	traced -b occa,layer "$BUILD/tests/occa/program" everything Serial
	check "$occa == []"
}

@test "a timeline nests the device API's calls in those of OCCA" {
	need opencl
	[ -x "$BUILD/tests/occa/program" ] || omit "no C++ compiler"
	LD_LIBRARY_PATH=$BUILD/tests/occa/plain traced -t -o "$T/rec" "$BUILD/tests/occa/program" everything OpenCL
	"$SONDE" print --json "$T/rec" >"$T/print"
	"$PYTHON" - "$T/print" <<-'END'
		import json, sys
		events = [json.loads(line) for line in open(sys.argv[1])]
		launches, inside, started = {'axpy': [], 'text': []}, None, set()
		for event in events:
		    name = event.get('function')
		    if event['type'] == 'entry' and event['backend'] == 'occa' and name in launches:
		        assert inside is None and event['depth'] == 0, event
		        inside = name
		        launches[name].append(0)
		    elif event['type'] == 'exit' and name == inside and event['backend'] == 'occa':
		        inside = None
		    elif event['type'] == 'entry' and name == 'clEnqueueNDRangeKernel':
		        assert inside and event['depth'] == 1, event
		        launches[inside][-1] += 1
		    elif event['type'] == 'link' and name == 'clEnqueueNDRangeKernel':
		        assert inside, event
		        started.add(event['correlation'])
		assert launches == {'axpy': [2] * 3, 'text': [2] * 5}, launches
		kernels = [event for event in events if event['type'] == 'operation' and event['kind'] == 'launch']
		assert len(kernels) == 16 and {kernel['correlation'] for kernel in kernels} == started, (len(kernels), started)
	END
	rm -r "$T/rec"
}
