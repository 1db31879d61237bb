#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Memory of the commands that go through a recording does not grow with it.
load lib

# The most memory in KiB that a command had resident, its output thrown away. Not below that of the Python that starts it.
peak() # COMMAND...
{
	"$PYTHON" - "$@" <<-'EOF'
		import os, subprocess, sys
		process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
		_, status, usage = os.wait4(process.pid, 0)
		if status:
		    sys.exit("%s ended with status %d" % (sys.argv[1:], status))
		print(usage.ru_maxrss)
	EOF
}

# record CALLS: $T/CALLS, its streams of some 24 bytes per call
record()
{
	traced -q -l -o "$T/$1" --timeline="$T/$1.pftrace" -- "$APPS/burst" "$1"
	equal status 0 "$status"
	[ "$(cat "$T/$1"/*/ctf/thread.* | wc -c)" -gt $((24 * $1)) ]
}

@test "print, timeline and export take as much memory for a million calls as for 50,000" {
	few=50000
	many=1000000
	record $few
	record $many
	# the measure sees what is there
	[ "$(peak "$PYTHON" -c 'x = b"1" * 60000000')" -gt 60000 ]
	for command in "print" "print --json" "timeline -o /dev/null" "export --to csv -o -" "export --to json -o -" \
		"export --to chrome -o -" "export --to speedscope -o -"; do
		small=$(peak "$SONDE" $command "$T/$few")
		large=$(peak "$SONDE" $command "$T/$many")
		echo "# $command: $small KiB, $large KiB" >&3
		[ "$large" -le $((small + 1024)) ] || { echo "sonde $command: $small KiB, then $large KiB"; return 1; }
	done
}
