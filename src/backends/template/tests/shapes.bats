#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The skeleton is compiled and run, so that it stays true.

setup() {
	objects="$BUILD/tests/fake/template/libsonde-template.so $BUILD/bin/libsonde.so"
	program=$BUILD/tests/template/template_shapes
}

@test "arguments of every shape arrive, without a recording" {
	run env LD_PRELOAD="$objects" timeout 20 "$program"
	[ "$status" -eq 0 ]
	[ "$output" = "every shape arrived" ]
}

@test "arguments of every shape arrive, and the calls are in the recording" {
	mkdir "$BATS_TEST_TMPDIR/run"
	run env LD_PRELOAD="$objects" SONDE_DIR="$BATS_TEST_TMPDIR/run" SONDE_CLOCK=monotonic timeout 20 "$program"
	[ "$status" -eq 0 ]
	[ "$output" = "every shape arrived" ]
	"$SONDE" report --json "$BATS_TEST_TMPDIR/summary.json" "$BATS_TEST_TMPDIR/run"
	"$PYTHON" - "$BATS_TEST_TMPDIR/summary.json" <<-END
	import json, sys
	summary = json.load(open(sys.argv[1]))
	calls = {call["name"]: call for call in summary["calls"]}
	assert calls["template_launch"]["calls"] == 2, calls
	assert calls["template_log"]["calls"] == 2, calls
	assert (calls["template_wait"]["calls"], calls["template_wait"]["failed"]) == (4, 2), calls
	assert calls["template_copy"]["bytes_out"] == 200, calls
	memory = summary["memory"][0]
	assert (memory["allocs"], memory["frees"], memory["peak_bytes"], memory["live_bytes"]) == (2, 2, 1000, 0), memory
	END
}

@test "functions of an absent API answer harmlessly, and leave no recording" {
	mkdir "$BATS_TEST_TMPDIR/run"
	for folder in "" "$BATS_TEST_TMPDIR/run"; do
		run env LD_LIBRARY_PATH="$BUILD/bin" SONDE_DIR="$folder" SONDE_CLOCK=monotonic \
			timeout 20 "$BUILD/tests/template/template_absent"
		[ "$status" -eq 0 ]
		[ "$output" = "absent" ]
	done
	[ -z "$(ls "$BATS_TEST_TMPDIR/run")" ]
}
