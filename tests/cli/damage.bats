#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Recordings that are damaged or none, and outputs that cannot be written: one clear line, exit status 2, and nothing
# partial that looks whole. Every command that reads a recording is held to the same.
load lib

setup_file() # one recording for all tests
{
	T=$BATS_FILE_TMPDIR
	export TMPDIR=$T
	limit=60
	[ -x "$APPS/fake_opencl/../busy" ] || return 0
	LD_LIBRARY_PATH=$APPS/fake_opencl traced -q -l --max-size 64M -o "$T/rec" -- "$APPS/busy" 0.2 2
	equal status 0 "$status"
	rm -f "$T/rec/timeline.pftrace"
}

record()
{
	need busy fake_opencl/libOpenCL.so.1
	rm -rf "$T/rec"
	cp -a "$BATS_FILE_TMPDIR/rec" "$T/rec"
}

COMMANDS=("report" "print" "print --json" "print --follow" "timeline -o $BATS_TMPDIR/x.pftrace" "export --to csv" "export --to json"
	"export --to chrome" "export --to speedscope" "export --to ctf")

# run_command N: COMMANDS[N] on $T/rec; $status, $T/said, $T/said.err; $output is where it writes
run_command()
{
	local words=${COMMANDS[$1]} name
	name=${words##* }
	output=
	case $words in
	timeline*) words=timeline output=$T/made.pftrace ;;
	export*) output=$T/made.$name ;;
	esac
	rm -rf "$T"/made.*
	status=0
	timeout 60 "$SONDE" $words ${output:+-o "$output"} "$T/rec" >"$T/said" 2>"$T/said.err" || status=$?
}

# all_refuse WORDS: every command ends with 2, one line that has the words, and no output
all_refuse()
{
	local i
	for i in "${!COMMANDS[@]}"; do
		run_command $i
		equal "status of ${COMMANDS[$i]}" 2 "$status"
		equal "lines of ${COMMANDS[$i]}" 1 "$(wc -l <"$T/said.err")"
		says "$T/said.err" "$1"
		silent "$T/said"
		[ -z "$(ls -d "$T"/made.* 2>/dev/null)" ] || { ls -d "$T"/made.*; return 1; }
	done
}

@test "an empty directory, a file, a directory of other things, nothing at all" {
	mapfile -t all < <(printf '%s\n' "${COMMANDS[@]}")
	mapfile -t COMMANDS < <(printf '%s\n' "${all[@]}" | grep -v -e --follow) # which waits for it
	rm -rf "$T/rec"
	all_refuse "No such file or directory"
	mkdir "$T/rec"
	all_refuse "no recording"
	COMMANDS=("${all[@]}")
	mkdir -p "$T/rec/host.1.2/ctf" "$T/rec/src"
	echo "int main" >"$T/rec/src/main.c"
	: >"$T/rec/host.1.2/ctf/thread.0"
	all_refuse "no recording"
	rm -rf "$T/rec"
	echo "a table" >"$T/rec"
	all_refuse "no recording"
	head -c 100000 /dev/zero >"$T/rec"
	all_refuse "magic"
	: >"$T/rec"
	all_refuse "$T/rec"
}

@test "a directory that may not be read" {
	record
	chmod 000 "$T/rec"
	if [ "$(id -u)" = 0 ]; then # root may
		command -v setpriv >/dev/null || omit "no setpriv"
		chmod 755 "$T" "$BATS_FILE_TMPDIR" "$(dirname "$T")" "$(dirname "$(dirname "$T")")"
		status=0
		setpriv --reuid 65534 --clear-groups "$SONDE" print "$T/rec" >"$T/said" 2>"$T/said.err" || status=$?
		equal status 2 "$status"
		equal lines 1 "$(wc -l <"$T/said.err")"
		says "$T/said.err" "Permission denied"
	else
		all_refuse "Permission denied"
	fi
	chmod 755 "$T/rec"
}

@test "a recording of a newer version" {
	record
	for tally in "$T"/rec/*/tally; do
		printf '\x63' | dd of="$tally" bs=1 seek=8 conv=notrunc 2>/dev/null
	done
	rm "$T"/rec/launch.*
	all_refuse "recorded in format 99."
}

@test "a stream that is cut off, at any place" {
	record
	stream=$(ls -S "$T"/rec/*/ctf/thread.* | head -1)
	cp "$stream" "$T/whole"
	bytes=$(stat -c %s "$stream")
	"$SONDE" print "$T/rec" >"$T/all"
	last=0
	for at in 40 700 5000 $((bytes / 4 + 100)) $((bytes / 3 + 100)); do # within a packet
		cp "$T/whole" "$stream"
		truncate -s $at "$stream"
		run_command 1
		equal "status at $at" 0 "$status"
		equal "lines at $at" 1 "$(wc -l <"$T/said.err")"
		says "$T/said.err" "$(basename "$stream")"
		[ "$(wc -l <"$T/said")" -lt "$(wc -l <"$T/all")" ]
		[ "$(wc -l <"$T/said")" -gt $last ] # all that is there is read
		last=$(wc -l <"$T/said")
		equal "gaps at $at" 1 "$([ $at = 40 ] && echo 1 || grep -c 'events are missing' "$T/said")"
	done
	cp "$T/whole" "$stream"
	truncate -s 5000 "$stream"
	for i in 1 2 3 4 5 6 7 8; do
		run_command $i
		equal "status of ${COMMANDS[$i]}" 0 "$status"
		says "$T/said.err" "$(basename "$stream")" "cut off"
		# and what is written says itself that it is a part
		case ${COMMANDS[$i]} in
		"print --json") says "$T/said" '"type":"gap"' ;;
		timeline*) "$PYTHON" -B "$LIB/pftrace.py" --loose --dump "$output" >"$T/dump"
			says "$T/dump" "events lost" ;;
		*csv) [ "$(grep -c ^gap, "$output")" = 1 ] ;;
		*json) says "$output" '"type": "gap"' ;;
		esac
	done
}

@test "a program or an end that no file tells is said to be unknown" {
	record
	rm "$T"/rec/launch.*
	"$SONDE" report "$T/rec" >"$T/said"
	grep -Eq "busy 0.2 2: .*, 1 process, .*exit \(status unknown\)$" "$T/said" || { head -3 "$T/said"; return 1; }
	for bytes in 1000 100; do
		truncate -s $bytes "$T"/rec/*/tally
		"$SONDE" report --by process "$T/rec" >"$T/said"
		grep -Eq '^\(unknown program\): .*, 1 process, .*(exit \(status|end) unknown\)?$' "$T/said" || { head -3 "$T/said"; return 1; }
		says "$T/said" ' (unknown program) ('
	done
}

@test "200 recordings with flipped bits: every command ends, none by a signal, and says what it met" {
	record
	"$PYTHON" - "$SONDE" "$T/rec" "$T/made" ${SONDE_FLIPS_SEED:-} <<-'EOF'
		import glob, os, random, subprocess, sys
		sonde, recording, made = sys.argv[1:4]
		seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.SystemRandom().randrange(1 << 32)
		generator = random.Random(seed)
		files = [name for name in glob.glob(recording + "/**", recursive=True) if os.path.isfile(name)]
		commands = [["report"], ["print"], ["print", "--json"], ["timeline", "-o", made], ["export", "--to", "json", "-o", made],
		            ["export", "--to", "speedscope", "-o", made]]
		spoken = 0
		for number in range(200):
		    name = generator.choice(files)
		    whole = open(name, "rb").read()
		    damaged = bytearray(whole)
		    for _ in range(generator.choice((1, 3, 20))):
		        at = generator.randrange(min(len(damaged), generator.choice((64, 512, 1 << 30))))
		        damaged[at] ^= 1 << generator.randrange(8)
		    open(name, "r+b").write(damaged)
		    command = generator.choice(commands)
		    run = subprocess.run([sonde] + command + [recording], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
		    what = "seed %d, number %d, %s, %s: status %d, %s" % (seed, number, command, name, run.returncode, run.stderr[:300])
		    assert run.returncode in (0, 2), what
		    lines = run.stderr.decode().splitlines() # valid text, whatever the damage
		    assert run.returncode == 0 or len(lines) == 1, what
		    assert run.returncode == 0 or not os.path.exists(made), what
		    # a line for each section that is damaged, and 20 flips may hit as many
		    assert len(lines) <= 24 and all(line.startswith("sonde: ") and len(line) < 1000 for line in lines), what
		    spoken += bool(lines) or b"\nnote: " in run.stdout
		    if os.path.exists(made):
		        os.unlink(made)
		    open(name, "r+b").write(whole)
		assert spoken > 20, spoken
	EOF
}

@test "an output that is full or cannot be written: one line, status 2, nothing left" {
	record
	for words in "report" "report -a" "report -q --json /dev/full" "print" "print --json" "print --follow" "timeline -o /dev/full" \
			"timeline -o -" "export --to csv -o -" "export --to json -o /dev/full" "export --to chrome -o -" \
			"export --to speedscope -o -"; do
		status=0
		timeout 60 "$SONDE" $words "$T/rec" >/dev/full 2>"$T/said.err" || status=$?
		equal "status of $words" 2 "$status"
		equal "lines of $words" 1 "$(wc -l <"$T/said.err")"
		says "$T/said.err" "No space left on device"
	done
	for words in "report -q --json /nowhere/x" "report -q --csv /proc/x" "timeline -o /nowhere/x" "export --to csv -o /nowhere/x" \
			"export --to ctf -o /proc/x"; do
		status=0
		timeout 60 "$SONDE" $words "$T/rec" >"$T/said" 2>"$T/said.err" || status=$?
		equal "status of $words" 2 "$status"
		equal "lines of $words" 1 "$(wc -l <"$T/said.err")"
	done
	for words in "print" "report" "export --to csv -o -"; do
		status=0
		"$SONDE" $words "$T/rec" >&- 2>"$T/said.err" || status=$?
		equal "status of $words, closed" 2 "$status"
		equal "lines of $words, closed" 1 "$(wc -l <"$T/said.err")"
	done
}
