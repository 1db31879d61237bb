#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The launcher between a program and whoever sends signals, stops it or looks at it.
load lib

# start COMMAND...: in the background, in a session of its own; $launcher
start()
{
	setsid "$@" >"$T/out" 2>"$T/err" </dev/null 3>&- &
	launcher=$!
	wait_for 10 launcher_waits
}

launcher_waits()
{
	[ "$(cat /proc/$launcher/comm)" = sonde ] && pgrep -P $launcher
}

line_is_there() # LINE
{
	grep -qx "$1" "$T/out"
}

@test "signals that somebody sends reach the program, each once" {
	cat >counts.py <<-'EOF2'
		import os, signal, sys, time
		names = ["SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGWINCH", "SIGIO", "SIGINT", "SIGQUIT", "SIGABRT"]
		for name in names:
		    signal.signal(getattr(signal, name), lambda number, frame: os.write(1, ("got %d\n" % number).encode()))
		signal.signal(signal.SIGTERM, lambda number, frame: os._exit(44))
		os.write(1, b"ready\n")
		while True:
		    time.sleep(1)
	EOF2
	start "$SONDE" -q "$PYTHON" counts.py
	wait_for 10 line_is_there ready
	for name in HUP USR1 USR2 ALRM WINCH IO INT QUIT ABRT; do
		kill -$name $launcher
		wait_for 5 line_is_there "got $(kill -l $name)"
	done
	kill -TERM $launcher
	status=0
	wait $launcher || status=$?
	equal status 44 "$status"
	equal "signals" 9 "$(grep -c got "$T/out")"
}

@test "a real-time signal keeps its value on the way" {
	cat >value.py <<-'EOF2'
		import os, signal
		signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN + 3])
		os.write(1, b"ready\n")
		info = signal.sigwaitinfo([signal.SIGRTMIN + 3])
		os.write(1, ("code %d\n" % info.si_code).encode())
	EOF2
	start "$SONDE" -q "$PYTHON" value.py
	wait_for 10 line_is_there ready
	"$PYTHON" -c 'import ctypes, signal, sys
ctypes.CDLL(None).sigqueue(int(sys.argv[1]), signal.SIGRTMIN + 3, ctypes.c_void_p(7))' $launcher
	wait $launcher
	line_is_there "code -1"
}

@test "a signal before the program has started is not lost" {
	cat >early.py <<-'EOF2'
		import subprocess, sys, time
		for i in range(12):
		    process = subprocess.Popen([sys.argv[1], "-q", "sleep", "20"])
		    time.sleep(i * 0.0007)
		    process.terminate()
		    assert process.wait() == -15, (i, process.returncode)
	EOF2
	timeout 60 "$PYTHON" early.py "$SONDE"
}

@test "what the caller ignores and blocks stays so in the program" {
	cat >caller.py <<-'EOF2'
		import os, signal, sys
		signal.signal(signal.SIGHUP, signal.SIG_IGN)
		signal.signal(signal.SIGCHLD, signal.SIG_IGN)
		signal.signal(signal.SIGPIPE, signal.SIG_DFL)
		signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGTERM])
		os.execvp(sys.argv[1], sys.argv[1:])
	EOF2
	"$PYTHON" caller.py grep '^Sig[BIC]' /proc/self/status >bare
	"$PYTHON" caller.py "$SONDE" -q grep '^Sig[BIC]' /proc/self/status >traced
	cmp bare traced
	grep -q 'SigBlk:.*0004800' <(sed 's/SigBlk:\s*/&/' bare) || grep SigBlk bare
}

@test "status is the program's even where the caller ignores SIGCHLD" {
	status=0
	"$PYTHON" -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execvp(sys.argv[1], sys.argv[1:])' "$SONDE" -q sh -c 'exit 9' || status=$?
	equal status 9 "$status"
}

@test "stop and continue: the launcher follows the program, on a terminal and without" {
	cat >jobs.py <<-'EOF2'
		import os, pty, signal, sys, time

		def child_stops(how):
		    """Runs sonde as a shell with job control does; returns the signals it was seen to stop with."""
		    pid, fd = pty.fork()
		    if pid == 0:
		        shell = os.fork()
		        if shell == 0:
		            os.setpgid(0, 0)
		            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
		            os.tcsetpgrp(0, os.getpid())
		            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
		            os.execv(sys.argv[1], [sys.argv[1], "-q", "sh", "-c", "echo ready; sleep 0.7; exit 5"])
		        _, status = os.waitpid(shell, os.WUNTRACED)
		        stopped = os.WSTOPSIG(status) if os.WIFSTOPPED(status) else 0
		        os.killpg(shell, signal.SIGCONT)
		        _, status = os.waitpid(shell, 0)
		        os._exit(stopped * 8 + (os.WEXITSTATUS(status) if os.WIFEXITED(status) else 7))
		    text = b""
		    while b"ready" not in text:
		        text += os.read(fd, 100)
		    time.sleep(0.2)
		    os.write(fd, how)
		    _, status = os.waitpid(pid, 0)
		    return divmod(os.WEXITSTATUS(status), 8)

		stopped, status = child_stops(b"\x1a")
		assert stopped == signal.SIGTSTP and status == 5, (stopped, status)
	EOF2
	timeout 30 "$PYTHON" jobs.py "$SONDE"
	start "$SONDE" -q sleep 1
	kill -STOP "$(pgrep -P $launcher)"
	sleep 0.3
	equal "state of the launcher" S "$(cut -d' ' -f3 <"/proc/$launcher/stat")"
	kill -CONT "$(pgrep -P $launcher)"
	wait $launcher
}

@test "a reader of the summary that goes away does no harm" {
	status=0
	{ "$SONDE" -v sh -c 'sleep 0.2; exit 6' || echo $? >status; } 2>&1 | true
	equal status 6 "$(cat status)"
}

@test "after the program's end one signal leaves the result alone, the second one ends a launcher whose reader does not read" {
	mkfifo "$T/fifo"
	"$SONDE" -q --json "$T/fifo" true 2>"$T/err" &
	local pid=$! status=0
	wait_for 5 sh -c "! pgrep -P $pid"
	sleep 0.3
	kill -TERM $pid
	sleep 0.3
	kill -0 $pid
	kill -TERM $pid
	wait $pid || status=$?
	equal status 143 "$status"
	residue=allowed
}

@test "killing the launcher leaves program and recording alone" {
	start "$SONDE" -o rec sh -c 'sleep 0.5; echo done'
	kill -KILL $launcher
	wait_for 10 line_is_there done
	[ -n "$(ls rec/launch.*)" ]
}

@test "with a launcher's end comes the program's core, not its own" {
	need setpriv
	ulimit -c unlimited
	status=0
	"$SONDE" -q sh -c 'kill -SEGV $$' || status=$?
	equal status 139 "$status"
	equal "cores of sonde" 0 "$(find . -name 'core*' -newer "$T/tmp" -exec file {} + 2>/dev/null | grep -c sonde)"
}
