#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reported failures of comparable tools, section I: many calls, many ranks, many files.
load lib

# Peak memory of a command in KiB, and its output in $T/said.
peak() # COMMAND...
{
	"$PYTHON" -c 'import resource, subprocess, sys
with open(sys.argv[1], "wb") as out:
    status = subprocess.run(sys.argv[2:], stdout=out, timeout=200).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)' "$T/said" "$@"
}

@test "C127 the memory of exporters and of print does not grow with the number of events" {
	traced -q -l --max-size 1G -o "$T/few" -- "$APPS/burst" 300000
	traced -q -l --max-size 1G -o "$T/many" -- "$APPS/burst" 3000000
	check 'calls("MPI_Test") == 3000000' '"timeline_lost" not in notes'
	for what in "timeline -o /dev/null" "timeline --split-size 4M -o $T/split.pftrace" "export --to json -o /dev/null" \
			"export --to csv -o /dev/null" "export --to chrome -o /dev/null" \
			"export --to speedscope -o /dev/null" "report"; do
		few=$(peak "$SONDE" $what "$T/few")
		many=$(peak "$SONDE" $what "$T/many")
		echo "# $what: $few KiB, ten times the events: $many KiB" >&3
		[ "$many" -le $((few + 8192)) ] && [ "$many" -le 200000 ]
		rm -f "$T"/split*
	done
	few=$(peak "$SONDE" print "$T/few")
	equal "events of few" 600002 "$(grep -c MPI_ "$T/said")"
	many=$(peak "$SONDE" print "$T/many")
	equal "events of many" 6000002 "$(grep -c MPI_ "$T/said")"
	[ "$many" -le $((few + 8192)) ]
}

@test "C128 a million different message sizes take no room, and 10,000 ranks take seconds" {
	traced -q -o "$T/one" -- "$APPS/sizes" 1000
	small=$(stat -c %s "$T"/one/*/tally)
	traced -q -o "$T/rec" -- "$APPS/sizes" 1000000
	equal status 0 "$status"
	check 's["calls"][0]["bytes_out"] == out["bytes"]' 'calls("MPI_Send") == 1000000'
	equal "bytes of the record" "$small" "$(stat -c %s "$T"/rec/*/tally)"
	# as many records of other processes
	"$PYTHON" - "$T/rec" <<-'EOF'
		import glob, os, struct, sys
		source, = glob.glob(sys.argv[1] + "/*/tally")
		raw = bytearray(open(source, "rb").read())
		host, pid, start = os.path.basename(os.path.dirname(source)).rsplit(".", 2)
		at = raw.find(struct.pack("<I", int(pid)))
		while struct.unpack_from("<I", raw, at)[0] != int(pid):
		    at = raw.find(struct.pack("<I", int(pid)), at + 1)
		for number in range(1, 10000):
		    struct.pack_into("<I", raw, at, 1000000 + number)
		    folder = "%s/%s.%d.%s" % (sys.argv[1], host, 1000000 + number, start)
		    os.mkdir(folder)
		    with open(folder + "/tally", "wb") as file:
		        file.write(raw)
	EOF
	begin=$SECONDS
	report "$T/rec"
	equal "status of report" 0 "$status"
	[ $((SECONDS - begin)) -lt 60 ]
	echo "# 10,000 records: $((SECONDS - begin)) s" >&3
	check 'calls("MPI_Send") == 10000 * 1000000' 'len([r for r in s["calls"] if r["name"] == "MPI_Send"]) == 1'
}

@test "C133 every kind of recording with every command: it works, or one line says what is missing" {
	need opencl babeltrace2
	traced -q -o "$T/table" -- "$APPS/cl_run" 5
	traced -q -l -o "$T/streams" -- "$APPS/cl_run" 5
	mkdir "$T/moved"
	mv "$T/streams" "$T/moved/elsewhere" # nothing in it knows where it was
	for command in report print timeline "export --to csv" "export --to json" "export --to chrome" \
			"export --to speedscope" "export --to ctf"; do
		name=${command##* }
		case $command in
		report | print) output= ;;
		*) output="-o $T/out.$name" ;;
		esac
		status=0
		"$SONDE" $command $output "$T/moved/elsewhere" >"$T/said" 2>"$T/err" || status=$?
		equal "status of $command" 0 "$status"
		silent "$T/err"
		[ -s "$T/said" ]
		status=0
		"$SONDE" $command ${output:+$output.table} "$T/table" >"$T/said" 2>"$T/err" || status=$?
		case $command in
		report)
			equal "status of $command" 0 "$status"
			silent "$T/err" ;;
		*)
			equal "status of $command without streams" 2 "$status"
			equal "lines of $command without streams" 1 "$(wc -l <"$T/err")"
			says "$T/err" "-l" ;;
		esac
		# what one part of the tool has written is no recording for another: told, not misread
		[ -z "$output" ] && continue
		status=0
		"$SONDE" report "$T/out.$name" >"$T/said" 2>"$T/err" || status=$?
		equal "status of report of $name" 2 "$status"
		equal "lines of report of $name" 1 "$(wc -l <"$T/err")"
	done
	babeltrace2 "$T/out.ctf" >"$T/events"
	equal "kernels in the exported trace" 5 "$(grep -c 'sonde:operation: ' "$T/events")"
}

says_text() # FILE
{
	local odd
	odd=$(grep -avP '^[\x09\x20-\x7e]*\r?$' "$1" | head -1 | cut -c1-300 | cat -A)
	[ -z "$odd" ] || { echo "not text: $odd"; return 1; }
}

@test "C134 the result is text unless something else is asked for" {
	need opencl
	cd "$T"
	"$SONDE" "$APPS/cl_run" 5 >out 2>err
	says err "Calls of opencl"
	says_text err
	equal "files left" "err
out
tmp" "$(ls)"
	for command in report print "export --to json -o -" "export --to csv -o -" "export --to chrome -o -"; do
		[ -d rec ] || "$SONDE" -q -l -o rec "$APPS/cl_run" 5 >out
		"$SONDE" $command rec >said
		says_text said
	done
}
