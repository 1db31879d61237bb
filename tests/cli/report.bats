#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# `sonde report`: a kept recording gives the summary again; what cannot be read is told in one line.
load lib

setup_file() # one recording of cl_run for all tests
{
	T=$BATS_FILE_TMPDIR
	export TMPDIR=$T
	limit=60
	timeout 60 "$APPS/cl_run" 1 >/dev/null 2>&1 || return 0
	traced -o "$T/rec" -- "$APPS/cl_run" 20 return
	equal status 0 "$status"
}

record() # a copy of it in $T/rec, its summary at the end of the run in $T/summary.json
{
	need opencl
	cp -a "$BATS_FILE_TMPDIR/rec" "$BATS_FILE_TMPDIR/summary.json" "$T"
}

# refused WORDS -- ARGUMENTS...: exit status 2 and one line on stderr that holds the words
refused()
{
	local words=$1
	shift 2
	status=0
	"$SONDE" report "$@" >"$T/out" 2>"$T/err" || status=$?
	equal "status of report $*" 2 "$status"
	equal "lines of report $*" 1 "$(wc -l <"$T/err")"
	grep -qF -- "$words" "$T/err" || { cat "$T/err"; return 1; }
}

@test "the summary of a kept recording is the one that the run printed" {
	record
	"$SONDE" report "$T/rec" --json "$T/again.json" >"$T/table"
	grep -q "clEnqueueNDRangeKernel" "$T/table"
	"$PYTHON" - "$T/summary.json" "$T/again.json" <<-'EOF'
		import json, sys
		first, again = (json.load(open(name)) for name in sys.argv[1:])
		for key in first:
		    assert first[key] == again[key], (key, first[key], again[key])
	EOF
}

@test "options of report stand before or behind the directory" {
	record
	"$SONDE" report --top 1 "$T/rec" >"$T/before"
	"$SONDE" report "$T/rec" --top 1 >"$T/behind"
	cmp "$T/before" "$T/behind"
	grep -q "more (--all)" "$T/before"
}

@test "--json - writes nothing but JSON to standard output" {
	record
	"$SONDE" report "$T/rec" --json - | "$PYTHON" -m json.tool >/dev/null
}

@test "--csv writes one file per section" {
	record
	"$SONDE" report "$T/rec" --csv "$T/csv" >/dev/null
	head -1 "$T/csv/calls.csv" | grep -q "^group,backend,layer,name,kind,"
	grep -q "clFinish" "$T/csv/calls.csv"
	equal "first of ledger.csv" backend,attached_by,library,tested_on "$(head -1 "$T/csv/ledger.csv" | cut -d, -f1-4)"
	grep -q "^opencl,.*,real hardware," "$T/csv/ledger.csv"
}

@test "the ledger says what each backend was tested on, and none that was on the real thing has a note for it" {
	record
	for conf in "$SRC"/src/backends/*/attach.conf; do
		sed -n 's/^backend //p; s/^state //p' "$conf" | paste -sd=
	done >"$T/summary.conf"
	"$PYTHON" - "$T/summary.json" "$T/summary.conf" <<-'EOF'
		import json, sys
		s, states = json.load(open(sys.argv[1])), dict(line.strip().split("=") for line in open(sys.argv[2]))
		assert s["ledger"] and all(row["tested_on"] == states[row["backend"]] for row in s["ledger"]), s["ledger"]
	EOF
	check '"simulated" not in notes'
}

@test "a kept recording is small" {
	record
	[ "$(du -s --apparent-size "$T/rec" | cut -f1)" -lt 400 ]
	[ "$(du -s "$T/rec" | cut -f1)" -lt 200 ]
}

@test "what is no recording is refused in one line" {
	mkdir "$T/empty"
	refused "no recording" -- "$T/empty"
	refused "No such file" -- "$T/nowhere"
	refused "magic" -- "$SONDE"
	refused "no recording to report" --
	refused "--by takes" -- --by colour "$T/empty"
	refused "--top takes a number from 1 on" -- --top 0 "$T/empty"
}

@test "a recording of another version is refused, naming the file" {
	record
	for tally in "$T"/rec/*/tally; do
		printf '\x63' | dd of="$tally" bs=1 seek=8 conv=notrunc 2>/dev/null
	done
	mv "$T"/rec/launch.* "$T"
	refused "tally: recorded in format 99.3 by a newer sonde" -- "$T/rec"
	mv "$T"/launch.* "$T/rec"
	for file in "$T"/rec/*/tally "$T"/rec/launch.*; do
		printf '\x01' | dd of="$file" bs=1 seek=8 conv=notrunc 2>/dev/null
	done
	refused "recorded in format 1.3 by an older sonde" -- "$T/rec"
}

@test "a cut-off recording is read as far as it goes and says so" {
	record
	for tally in "$T"/rec/*/tally; do
		truncate -s 3000 "$tally"
	done
	"$SONDE" report "$T/rec" --json "$T/cut.json" >"$T/table"
	grep -q "cut off" "$T/table"
	"$PYTHON" -c 'import json, sys; sys.exit(not json.load(open(sys.argv[1]))["lower_bound"])' "$T/cut.json"
}

@test "colour is for terminals only, and not where NO_COLOR is set" {
	record
	equal "escapes in a file" 0 "$("$SONDE" report "$T/rec" | grep -c $'\x1b')"
	script -qec "stty cols 100; TERM=xterm '$SONDE' report '$T/rec'" /dev/null | grep -q $'\x1b\\[1m'
	script -qec "stty cols 100; TERM=xterm NO_COLOR=1 '$SONDE' report '$T/rec'" /dev/null >"$T/typescript"
	equal "escapes with NO_COLOR" 0 "$(grep -c $'\x1b' "$T/typescript")"
}
