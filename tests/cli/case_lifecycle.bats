#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reported failures of comparable tools, section A: fork, exec, signals, the end of a process.
load lib

setup_file()
{
	bats_require_minimum_version 1.5.0
}

@test "C001 parent enqueues 3 kernels, forked child 5: 8 calls in 2 processes" {
	need opencl
	for how in fork clone; do
		traced "$APPS/cl_fork" $how
		equal "status of $how" 0 "$status"
		check 'calls("clEnqueueNDRangeKernel") == 8' 'kernels() == 8' 'processes == 2' \
			'ledger("lost") == 0' 'ledger("device_recorded") == 8'
	done
}

@test "C002 a child ended by SIGTERM says signal 15, its parent's summary is complete" {
	need opencl
	traced "$APPS/cl_fork" sleeper
	equal status 0 "$status"
	check 'out["child_signal"] == 15' 'calls("clEnqueueNDRangeKernel") == 3' 'kernels() == 3' 'end == "exit 0"'
}

@test "C004 the calls of a forked child stand under its own pid" {
	need opencl
	traced "$APPS/cl_fork" double
	equal status 0 "$status"
	wait_for 10 grep -q child= "$T/out"
	check 'calls("clEnqueueNDRangeKernel") in (3, 8)' 'len({p["pid"] for p in s["processes"]}) == processes'
	traced "$APPS/cl_fork" fork
	check 'len({p["pid"] for p in s["processes"]}) == 2' 'all(p["calls"] > 5 for p in s["processes"])'
}

@test "C005 an excluded shell is inert, what it starts is traced" {
	need opencl
	traced --exclude bash -- bash -c "env >/dev/null; '$APPS/cl_run' 4"
	equal status 0 "$status"
	check 'exes == ["cl_run"]' 'kernels() == 4'
	traced --exclude cl_run -- bash -c "'$APPS/cl_run' 4"
	equal status 0 "$status"
	check 'kernels() == 0' 'len(s["calls"]) == 0'
}

@test "C007 a shell pipeline gives the same output and status, and says nothing more" {
	mkdir d && touch d/1 d/2 d/3
	bare bash -c 'ls d | wc -l; ls nowhere 2>/dev/null; exec 5>&1; echo x >&5'
	traced -q bash -c 'ls d | wc -l; ls nowhere 2>/dev/null; exec 5>&1; echo x >&5'
	equal status 0 "$status"
	cmp "$T/bare.out" "$T/out"
	silent "$T/err"
}

@test "C008 daemon and double fork: what the daemon did is there after it has ended" {
	need opencl
	residue=allowed
	for how in daemon double; do
		rm -rf rec
		traced -o rec "$APPS/cl_fork" $how
		equal "status of $how" 0 "$status"
		wait_for 20 grep -q '^\(daemon\|child\)=' "$T/out"
		sleep 0.3
		report rec
		equal "status of report" 0 "$status"
		check "calls('clEnqueueNDRangeKernel') == $([ $how = daemon ] && echo 5 || echo 8)" 'ledger("lost") == 0'
	done
}

@test "C010 calls that threads never left are closed at the end and flagged as unfinished (OpenCL)" {
	need opencl
	traced "$APPS/cl_detached"
	equal status 0 "$status"
	check 'out["inside"] == 1' 'unfinished("clFinish") == 1' 'calls("clFinish") == 1' \
		'any(c["name"] == "clFinish" and c["ns"] > 100e6 for c in s["open_calls"])' \
		'ledger("unfinished") + ledger("untimed") == 1'
}

@test "C010 calls that threads never left are closed at the end and flagged as unfinished (MPI)" {
	for mpi in mpich openmpi; do
		need $mpi
		traced "$APPS/mpi_detached.$mpi"
		equal status 0 "$status"
		check 'unfinished("MPI_Recv") == 1' 'calls("MPI_Barrier") == 3' 'calls("MPI_Recv") == 0' \
			'any(c["name"] == "MPI_Recv" and c["ns"] > 200e6 for c in s["open_calls"])'
	done
}

@test "C011 kernel names and counts are complete after _exit, quick_exit and exit_group" {
	need opencl
	for how in _exit quick_exit exit_group; do
		traced "$APPS/cl_run" 7 $how
		equal "status of $how" 0 "$status"
		check 'kernels("add_one") == 7' 'calls("clEnqueueNDRangeKernel") == 7' 'calls("clFinish") == 1' \
			'ledger("lost") == 0' 'end == "exit 0"'
	done
}

@test "C013 kill -9 after 1000 kernels: every one of them is in the summary" {
	need opencl
	traced "$APPS/cl_run" 1000 kill
	equal status 137 "$status"
	check 'calls("clEnqueueNDRangeKernel") == 1000' 'kernels("add_one") >= 990' 'end == "signal 9"' \
		'kernels() + ledger("unfinished") + ledger("untimed") + ledger("device_lost") == 1000'
}

@test "C014 no signal handler, mask or disposition is changed" {
	need opencl
	for program in "$APPS/signal_state" "$APPS/signal_state cl"; do
		bare $program
		traced $program
		equal status 0 "$status"
		diff "$T/bare.out" "$T/out"
	done
}

@test "C016 a SIGABRT handler that restores the default and raises again ends the program at once" {
	limit=10
	traced "$APPS/abort_handler"
	equal status 134 "$status"
	check 'end == "signal 6"'
}

@test "C017 exit statuses and signals are those of the program" {
	for code in 0 1 2 7 125 126 127 255; do
		bare "$APPS/end_with" $code
		equal "bare $code" $code "$status"
		traced "$APPS/end_with" $code
		equal "exit $code" $code "$status"
		check "end == 'exit $code'"
	done
	for number in 6 9 11 15; do
		traced "$APPS/end_with" signal $number
		equal "signal $number" $((128 + number)) "$status"
		check "end == 'signal $number'"
	done
}

@test "C017 a parent sees the same wait status with and without sonde" {
	"$PYTHON" - "$SONDE" "$APPS/end_with" <<-'EOF2'
	import subprocess, sys
	sonde, program = sys.argv[1:]
	for arguments in (["0"], ["7"], ["255"], ["signal", "6"], ["signal", "9"], ["signal", "11"], ["signal", "15"]):
	    codes = [subprocess.run(command + [program] + arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
	                            timeout=20).returncode for command in ([], [sonde])]
	    assert codes[0] == codes[1], (arguments, codes)
	EOF2
}

@test "C022 kill -9 at any moment, also of its last 200 ms: the recording is always readable" {
	need opencl
	limit=20
	"$APPS/cl_loop" 1 >/dev/null
	for i in $(seq 1 50); do
		rm -rf rec
		"$SONDE" -q -o rec "$APPS/cl_loop" 400 >out 2>err &
		launcher=$!
		sleep 0.$((200 + i * 37 % 200))
		# the program is the launcher's only child by now
		victim=$(pgrep -P $launcher -x cl_loop || true)
		[ -z "$victim" ] || kill -9 $victim
		wait $launcher || true
		report rec
		equal "report $i" 0 "$status"
		done_kernels=$(tr -d '\n' <out | wc -c)
		check "calls('clFinish') >= $done_kernels" "calls('clFinish') <= $done_kernels + 1" \
			"not s['processes'] or end == 'signal 9' or end == 'exit 0'"
	done
}

@test "C022 kill -9 of sonde itself at any moment: the recording is readable" {
	need opencl
	residue=allowed
	for i in $(seq 1 15); do
		rm -rf rec
		"$SONDE" -q -o rec "$APPS/cl_loop" 400 >out 2>err &
		launcher=$!
		sleep 0.$((100 + i * 61 % 400))
		kill -9 $launcher || true
		wait $launcher || true
		sleep 0.6
		report rec
		equal "report $i" 0 "$status"
		check "calls('clFinish') == $(tr -d '\n' <out | wc -c)"
	done
}

@test "C025 signals that are sent to sonde reach the program" {
	"$SONDE" --json "$T/summary.json" "$APPS/on_signal" >"$T/out" 2>"$T/err" &
	launcher=$!
	wait_for 10 grep -q ready "$T/out"
	kill -USR1 $launcher
	wait_for 5 grep -q usr1 "$T/out"
	kill -HUP $launcher
	wait_for 5 grep -q hup "$T/out"
	# an interrupt comes from a terminal, to the whole process group: the launcher itself stays
	kill -INT $launcher
	status=0
	wait $launcher || status=$?
	equal status 42 "$status"
	check 'end == "exit 42"'
}

@test "C025 an interrupt from a terminal reaches the program once, and the summary is there" {
	need script
	limit=20
	cat >run.py <<-'EOF2'
	import os, pty, sys, time
	pid, terminal = pty.fork()
	if pid == 0:
	    os.execv(sys.argv[1], sys.argv[1:])
	def read_until(text):
	    seen = b""
	    while text not in seen:
	        seen += os.read(terminal, 4096)
	    return seen
	read_until(b"ready")
	os.write(terminal, b"\x03")
	try:
	    while os.read(terminal, 4096):
	        pass
	except OSError:
	    pass
	print(os.WEXITSTATUS(os.waitpid(pid, 0)[1]))
	EOF2
	equal status 42 "$(timeout 20 "$PYTHON" run.py "$SONDE" --json "$T/summary.json" "$APPS/on_signal")"
	check 'end == "exit 42"'
}

@test "C026 a recording can be read while the program runs" {
	need opencl
	"$SONDE" -q -o rec "$APPS/cl_loop" 3000 >"$T/live" 2>"$T/err" &
	launcher=$!
	wait_for 20 test -s "$T/live"
	sleep 0.5
	before=$(wc -c <"$T/live")
	report rec
	after=$(wc -c <"$T/live")
	equal "report of a live run" 0 "$status"
	check "$before <= calls('clFinish') <= $after + 1" 'end == "running"'
	wait $launcher
	report rec
	check "calls('clFinish') == $(wc -c <"$T/live")" 'end == "exit 0"'
}

@test "C029 runs are independent: a killed run changes nothing for the next one" {
	need opencl
	traced -q "$APPS/cl_run" 2
	equal status 0 "$status"
	residue=allowed
	"$SONDE" "$APPS/cl_loop" >/dev/null 2>&1 &
	launcher=$!
	sleep 0.5
	victim=$(pgrep -P $launcher -x cl_loop)
	kill -9 $launcher $victim
	wait $launcher || true
	traced "$APPS/cl_run" 3
	equal status 0 "$status"
	check 'kernels() == 3' 'processes == 1'
}

@test "C031 fork, forkserver and spawn: 4 workers with 10 kernels each give 40" {
	need opencl "$PYTHON"
	for method in fork forkserver spawn; do
		traced "$PYTHON" "$SRC/tests/apps/cl_workers.py" $method 4 10
		equal "status of $method" 0 "$status"
		check 'out["kernels"] == 40' 'kernels("add_one") == 40' 'calls("clEnqueueNDRangeKernel") == 40' 'processes == 4'
	done
}

@test "C032 a parent that is traced itself forks workers: nobody hangs, all is counted" {
	need opencl
	traced "$PYTHON" -c "
import multiprocessing, sys
sys.path.insert(0, '$SRC/tests/apps')
import cl_workers
if __name__ == '__main__':
    context = multiprocessing.get_context('fork')
    workers = [context.Process(target=cl_workers.run_kernels, args=(5,)) for _ in range(6)]
    [worker.start() for worker in workers]
    cl_workers.run_kernels(2)
    [worker.join(50) for worker in workers]
    print('status=%d' % sum(worker.exitcode for worker in workers))
"
	equal status 0 "$status"
	check 'out["status"] == 0' 'kernels("add_one") == 32' 'processes == 7'
}
