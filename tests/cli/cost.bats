#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Instructions per traced call, the only cost that does not depend on the machine's mood, and the time from
# a program's end to its summary.
load lib

# Instructions of a program with CALLS calls, by callgrind. OUT COMMAND...
instructions()
{
	local out=$1
	shift
	timeout 120 "$@" >"$out.txt" 2>&1 || { cat "$out.txt"; return 1; }
	awk '/Collected/ { print $NF }' "$out.txt"
}

# Instructions per call of a program that makes traced ones, in tenths, with these options of sonde: $with; the
# program's own: $bare.
instructions_per_call() # OPTIONS...
{
	few=20000
	many=60000
	declare -A bare_count traced_count
	callgrind="valgrind --tool=callgrind --callgrind-out-file=$T/cg"
	for n in $few $many; do
		bare_count[$n]=$(instructions "$T/bare.$n" $callgrind "$APPS/burst" $n)
		traced_count[$n]=$(instructions "$T/traced.$n" "$SONDE" --json "$T/summary.json" "$@" $callgrind "$APPS/burst" $n)
	done
	status=0
	check "calls('MPI_Test') == $many" 's["calls"][0]["timed"]'
	# the difference of two runs leaves start-up and end out
	bare=$(((${bare_count[$many]} - ${bare_count[$few]}) * 10 / (many - few)))
	with=$(((${traced_count[$many]} - ${traced_count[$few]}) * 10 / (many - few)))
	echo "# instructions per call, in tenths: $with with sonde, $bare of them the program's own" >&3
	[ $with -gt $((bare + 200)) ] || { echo "not traced at all?"; return 1; }
}

@test "at most 110 instructions per traced call pair, the program's loop and call included" {
	need valgrind
	instructions_per_call
	[ $with -le 1100 ]
}

@test "at most 160 with streams" {
	need valgrind
	instructions_per_call -q --timeline="$T/timeline.pftrace"
	[ $with -le 1600 ]
}

@test "the table is there within 0.1 s of the end, after 10 million calls" {
	best=1000000
	for _ in 1 2 3 4 5; do
		rm -f summary.json
		"$SONDE" --json summary.json "$APPS/burst" 10000000 >out 2>err
		now=${EPOCHREALTIME/[.,]/}
		# the program's own exit is in it, and other tests run beside this one: the best of five
		took=$((now - $(sed -n 's/ended_us=//p' out)))
		[ $took -ge $best ] || best=$took
	done
	status=0
	check 'calls("MPI_Test") == 10000000'
	echo "# $best us from the program's last call to the end of sonde" >&3
	[ $best -le 100000 ]
}

@test "a script with 200 short children leaves no file and costs less than 3 ms of CPU time per child, or than a child" {
	cat >script.sh <<-'EOF2'
	for i in $(seq 200); do /bin/true; done
	EOF2
	"$PYTHON" - "$SONDE" <<-'EOF2'
	import resource, subprocess, sys
	def used():  # of one child after the other: what they take on a quiet machine, whatever runs beside them here
	    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
	    return usage.ru_utime + usage.ru_stime
	def once(command):
	    before = used()
	    subprocess.run(command, check=True, timeout=60, stderr=subprocess.DEVNULL)
	    return used() - before
	pairs = [(once(["bash", "script.sh"]), once([sys.argv[1], "-q", "bash", "script.sh"])) for _ in range(7)]
	bare, traced = (min(column) for column in zip(*pairs))
	each = 1e3 * (traced - bare) / 200
	alone = 1e3 * bare / 200
	print("# %.2f ms per child, %.2f of its own" % (each, alone))
	assert each < max(3, alone), each  # page faults make up most of both: they are dear in some virtual machines
	EOF2
	[ -z "$(ls -A "$TMPDIR")" ]
}
