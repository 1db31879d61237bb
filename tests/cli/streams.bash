# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Recordings with streams, held against babeltrace2 and the summary.
streamed() # PROGRAM ARGS...: a recording with streams in $T/rec; how: -l or -t
{
	rm -rf "$T/rec" "$T/summary.json"
	status=0
	timeout -k 5 "$limit" "$SONDE" "${how:--l}" -o "$T/rec" --json "$T/summary.json" "$@" >"$T/out" 2>"$T/err" </dev/null ||
		status=$?
}

# killed_early OPTION: a recording in $T/rec of a program that was killed some hundredths of a second after its start;
# false: before its first call
killed_early()
{
	local sonde
	rm -rf "$T/rec"
	"$SONDE" -q "$1" --max-size 1G -o "$T/rec" "$APPS/burst" 100000000 >"$T/out" 2>"$T/err" </dev/null &
	sonde=$!
	wait_for 10 pgrep -P $sonde burst
	sleep "0.0$((RANDOM % 4))$((RANDOM % 10))"
	pkill -9 -P $sonde burst || true
	status=0
	wait $sonde || status=$?
	[ "$status" = 137 ] || { echo "status $status, not 137" >&2; exit 1; }
	[ -d "$T/rec"/*/ctf ]
}

# Events of $T/rec in $T/events, one a line; fails when babeltrace2 has anything to say about it.
readable()
{
	babeltrace2 "$T/rec" >"$T/events" 2>"$T/bt.err" && [ ! -s "$T/bt.err" ] ||
		{ head -5 "$T/bt.err"; find "$T/rec" -type f -exec ls -l {} +; return 1; }
}

# Exits of each timed function, read from both sides.
same_counts()
{
	readable || return 1
	grep -oE '[a-z]+:[A-Za-z_0-9]+_(exit|failed):' "$T/events" | sed -E 's/^[a-z]+://; s/_(exit|failed):$//' |
		sort | uniq -c | awk '{ print $2, $1 }' | sort >"$T/from_streams"
	"$PYTHON" -c 'import json, sys
for row in json.load(open(sys.argv[1]))["calls"]:
    if row["timed"] and row["calls"]:
        print(row["name"], row["calls"])' "$T/summary.json" >"$T/from_summary"
	LC_ALL=C sort -o "$T/from_summary" "$T/from_summary"
	LC_ALL=C sort -o "$T/from_streams" "$T/from_streams"
	diff "$T/from_summary" "$T/from_streams"
}
