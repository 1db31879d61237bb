#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reported failures of comparable tools, section A: signals and terminals.
load lib

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
