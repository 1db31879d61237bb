#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# `sonde print --follow`: what it has shown when the run has ended is what `sonde print` shows.
load lib

begin() # PROGRAM...: under sonde in the background, until its streams are there; $launcher
{
	rm -rf "$T/rec"
	"$SONDE" -q -l --max-size 256M -o "$T/rec" "$@" >"$T/out" 2>"$T/err" </dev/null &
	launcher=$!
	streams_are_there()
	{
		ls "$T"/rec/*/ctf/thread.0
	}
	wait_for 20 streams_are_there
}

end() # what still runs
{
	pkill -9 -P $launcher || true
	wait $launcher || true
}

# Lines without what is known better later: the last digits of times and durations, and a rank before MPI_Init ends.
without_times() # FILE
{
	sed -E 's/^[0-9:.]+ //; s/^([^ ]+ [0-9]+ [-0-9]+) [-0-9]+ /\1 /; s/ until [0-9:.]+//; s/ [0-9.]+ [nmu]?s$//' "$1"
}

# The output of --follow, $T/followed, is that of print with the same options, in the same order: of each thread, and by
# time. The clock is known better at the end, so that what two threads did within a nanosecond may change places, and what
# devices did within the error of theirs.
same_as_print() # [OPTIONS...]
{
	local of
	timeout 60 "$SONDE" print "$@" "$T/rec" >"$T/printed"
	for of in threads devices; do
		for file in followed printed; do
			without_times "$T/$file" | { [ $of = threads ] && grep -v '^[^ ]* [0-9]* - ' || grep '^[^ ]* [0-9]* - '; } \
				>"$T/$file.$of" || true
		done
		for file in followed printed; do # of a thread in its order; threads one after the other
			sort -s -k1,3 "$T/$file.$of" >"$T/$file.$of.each"
		done
		cmp "$T/followed.$of.each" "$T/printed.$of.each" || { diff "$T/followed.$of" "$T/printed.$of" | head -20; return 1; }
	done
	equal lines "$(wc -l <"$T/printed")" "$(wc -l <"$T/followed")"
	"$PYTHON" - "$T/followed" "$T/printed" <<-'EOF'
		import re, sys
		def times(path):
		    found = (re.match(r"(\d\d):(\d\d):(\d\d\.\d{9}) ", line) for line in open(path))
		    return [3600 * int(m[1]) + 60 * int(m[2]) + float(m[3]) for m in found if m]
		ours, theirs = times(sys.argv[1]), times(sys.argv[2])
		assert ours and len(ours) == len(theirs)
		assert max(abs(a - b) for a, b in zip(ours, theirs)) < 1e-3
		assert all(one <= next + 1e-9 for one, next in zip(ours, ours[1:])), "not in order of time"
	EOF
}

@test "threads in nested calls and kernels, followed to the end: the lines of print, in its order" {
	need busy fake_opencl/libOpenCL.so.1
	export LD_LIBRARY_PATH=$APPS/fake_opencl
	for options in "" "--include MPI_Allreduce,add_one"; do
		begin "$APPS/busy" 2 3
		timeout 60 "$SONDE" print --follow $options "$T/rec" >"$T/followed" 2>"$T/follow.err"
		wait $launcher
		silent "$T/follow.err"
		[ "$(wc -l <"$T/followed")" -gt 2500 ]
		same_as_print $options
	done
}

@test "a process runs on when its initial thread has ended" {
	begin "$APPS/initial_left" 3 300
	sleep 0.5
	report "$T/rec"
	check 'end == "running"' 'range_of("alone")["calls"] > 0'
	timeout 60 "$SONDE" print -f "$T/rec" >"$T/followed" 2>"$T/follow.err"
	wait $launcher || equal "status of the program" 3 $?
	silent "$T/follow.err"
	# what the initial thread left open is known late, and does not stand in print's order
	timeout 60 "$SONDE" print "$T/rec" >"$T/printed"
	equal "ranges followed" 300 "$(grep -c '> sonde:alone$' "$T/followed")"
	for file in followed printed; do
		without_times "$T/$file" | sort >"$T/$file.sorted"
	done
	diff "$T/followed.sorted" "$T/printed.sorted"
	report "$T/rec"
	check 'end == "exit 3"' 'range_of("alone")["calls"] == 300'
}

@test "processes and threads that come later, of both MPIs" {
	need mpich openmpi opencl
	for mpi in mpich openmpi; do
		begin sh -c "'$APPS/thread_churn' 300; sleep 1.3; mpirun.$mpi -n 3 '$APPS/mpi_ring.$mpi' 50; sleep 1.3; '$APPS/cl_fork' 3 5"
		timeout 60 "$SONDE" print -f "$T/rec" >"$T/followed" 2>"$T/follow.err"
		wait $launcher
		silent "$T/follow.err"
		same_as_print
	done
}

@test "a recording that is yet to come is waited for, which is told; a wrong place is not" {
	need busy fake_opencl/libOpenCL.so.1
	export LD_LIBRARY_PATH=$APPS/fake_opencl
	for there in "" "$T/rec"; do
		rm -rf "$T/rec"
		[ -z "$there" ] || mkdir "$there"
		timeout 60 "$SONDE" print --follow "$T/rec" >"$T/followed" 2>"$T/follow.err" &
		follower=$!
		wait_for 20 test -s "$T/follow.err"
		sleep 0.5
		kill -0 $follower
		"$SONDE" -q -l --max-size 256M -o "$T/rec" "$APPS/busy" 2 1 >/dev/null 2>&1
		wait $follower
		equal "lines told" 1 "$(wc -l <"$T/follow.err")"
		says "$T/follow.err" "$T/rec: no recording yet, waiting for it"
		same_as_print
	done
	touch "$T/file"
	for wrong in "$T/file" "$T/file/below" "$T"; do
		status=0
		timeout 20 "$SONDE" print --follow "$wrong" >"$T/out" 2>"$T/err" || status=$?
		equal "status of $wrong" 2 "$status"
	done
	(
		status=0
		timeout --preserve-status -s INT 1 "$SONDE" print --follow "$T/nowhere" >"$T/out" 2>"$T/err" || status=$?
		equal "status after Ctrl-C" 130 "$status"
	)
}

@test "--json, with a filter: the objects of print" {
	need busy fake_opencl/libOpenCL.so.1
	LD_LIBRARY_PATH=$APPS/fake_opencl begin "$APPS/busy" 3 2
	timeout 60 "$SONDE" print --follow --json -b mpi "$T/rec" >"$T/followed"
	wait $launcher
	"$SONDE" print --json -b mpi "$T/rec" >"$T/printed"
	"$PYTHON" - "$T/followed" "$T/printed" <<-'EOF'
		import json, sys
		ours, theirs = (sorted((json.loads(line) for line in open(name)), key=lambda event: (event["pid"], event["tid"]))
		                for name in sys.argv[1:])
		assert len(ours) == len(theirs) > 1000
		for a, b in zip(ours, theirs):
		    for key in ("time_ns", "wall_ns", "duration_ns"):
		        assert abs(a.pop(key, 0) - b.pop(key, 0)) < 1e6
		    assert a == b and a.get("backend") == "mpi", (a, b)
	EOF
}

@test "events are shown while the program runs, and threads that do nothing hold nobody back" {
	need opencl
	begin "$APPS/burst" 2000 hang
	timeout 60 "$SONDE" print --follow "$T/rec" >"$T/followed" 2>"$T/follow.err" &
	follower=$!
	all_there()
	{
		[ "$(grep -c 'MPI_Test' "$T/followed")" = 4000 ]
	}
	wait_for 20 all_there
	kill -0 $follower
	# it waits, and takes next to nothing meanwhile
	before=$(awk '{ print $14 + $15 }' /proc/$follower/stat)
	sleep 2
	all_there
	child=$(pgrep -P $follower || echo $follower)
	after=$(awk '{ print $14 + $15 }' "/proc/$follower/stat")
	[ $((after - before)) -le 60 ] # hundredths of a second
	end
	wait $follower
	silent "$T/follow.err"
	same_as_print
}

@test "SIGINT and SIGTERM end it behind a whole line, a reader that goes away without a word" {
	need busy fake_opencl/libOpenCL.so.1
	LD_LIBRARY_PATH=$APPS/fake_opencl begin "$APPS/busy" 60 2
	for signal in INT TERM; do
		status=0
		timeout --preserve-status -s $signal 3 "$SONDE" print --follow "$T/rec" >"$T/followed" 2>"$T/follow.err" ||
			status=$?
		equal "status after $signal" $((128 + $(kill -l $signal))) "$status"
		silent "$T/follow.err"
		[ "$(wc -l <"$T/followed")" -gt 100 ]
		equal "last character after $signal" "" "$(tail -c 1 "$T/followed")"
	done
	set -o pipefail
	timeout 20 "$SONDE" print --follow "$T/rec" 2>"$T/follow.err" | head -5 >"$T/followed"
	silent "$T/follow.err"
	end
	# also where nothing more is to be shown
	begin "$APPS/burst" 10 hang
	begun=$SECONDS
	timeout 20 "$SONDE" print --follow "$T/rec" 2>"$T/follow.err" | head -1 >"$T/followed"
	silent "$T/follow.err"
	[ $((SECONDS - begun)) -lt 15 ]
	end
}

@test "what a device reports too late for its place is shown all the same, and told" {
	need busy fake_opencl/libOpenCL.so.1
	FAKE_KERNEL_NS=1500000 LD_LIBRARY_PATH=$APPS/fake_opencl begin "$APPS/busy" 4 2
	# ten kernels in a row are reported when the last one has ended
	timeout 60 "$SONDE" print --follow=1us "$T/rec" >"$T/followed" 2>"$T/follow.err"
	wait $launcher
	"$SONDE" print "$T/rec" >"$T/printed"
	without_times "$T/followed" | LC_ALL=C sort >"$T/followed.lines"
	without_times "$T/printed" | LC_ALL=C sort | cmp - "$T/followed.lines" # none is missing, none is twice
	equal "lines told" 1 "$(wc -l <"$T/follow.err")"
	says "$T/follow.err" "came out of order"
}

@test "its memory does not grow with the events" {
	begin "$APPS/burst" 3000000 hang
	"$PYTHON" - "$SONDE" "$T/rec" <<-'EOF'
		import os, re, subprocess, sys
		follower = subprocess.Popen([sys.argv[1], "print", "--follow", sys.argv[2]], stdout=subprocess.PIPE)
		lines = 0
		while lines < 6000000:
		    lines += os.read(follower.stdout.fileno(), 1 << 16).count(b"\n")
		peak = int(re.search(r"VmHWM:\s+(\d+)", open("/proc/%d/status" % follower.pid).read())[1])
		follower.kill()
		print("# %d KiB" % peak)
		assert peak < 30000, peak
	EOF
	end
}

@test "a recording of a run that has ended is printed as it is; what cannot be followed is told in one line" {
	need opencl
	traced -q -l -o "$T/rec" -- "$APPS/cl_run" 20
	"$SONDE" print "$T/rec" >"$T/printed"
	"$SONDE" print --follow "$T/rec" | cmp - "$T/printed"
	traced -q -o "$T/table" -- "$APPS/cl_run" 1
	mkdir "$T/other"
	touch "$T/other/file"
	for words in "no events in it: $T/table" "no recording: $T/other" "is empty: $T/other/file" \
			"--follow takes a time: --follow=soon $T/rec"; do
		status=0
		timeout 20 "$SONDE" print -f ${words##*: } >"$T/said" 2>"$T/err" || status=$?
		equal "status of $words" 2 "$status"
		equal "lines of $words" 1 "$(wc -l <"$T/err")"
		says "$T/err" "${words%: *}"
	done
	status=0
	"$SONDE" print --follow "$T/rec" >/dev/full 2>"$T/err" || status=$?
	equal "status of a full disk" 2 "$status"
	equal "lines of a full disk" 1 "$(wc -l <"$T/err")"
}
