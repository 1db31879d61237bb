#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Programs behave under sonde as they do without it: output byte by byte, exit status, terminals.
load ../cli/lib

# Runs a shell line bare and traced: stdout and status must be equal, stderr too.
same()
{
	bare bash -c "$1"
	local expected=$status
	traced -q bash -c "$1"
	equal "status of: $1" "$expected" "$status"
	cmp "$T/bare.out" "$T/out" || { echo "stdout differs: $1"; return 1; }
	[ "$2" = stdout ] || diff "$T/bare.err" "$T/err" || { echo "stderr differs: $1"; return 1; }
}

@test "tools of the system: same output, same status" {
	cp -r "$SRC/src" tree
	while read -r line; do
		same "$line"
	done <<-'EOF2'
	ls -l tree
	find tree -name '*.h' | sort | xargs cat | sha256sum
	grep -rn include tree | sort | tail -5
	grep -c nothing_like_this tree/format/kinds.h
	sort -u tree/format/*.h | awk '{ n += NF } END { print n, NR }'
	sed -n 's/#define \(FMT_[A-Z]*\).*/\1/p' tree/format/tally.h
	tar cf - tree | tar tf - | sort | md5sum
	gzip -9 <tree/format/tally.h | gunzip | cmp - tree/format/tally.h; echo $?
	perl -e 'print join(",", map { $_ ** 2 } 1..20), "\n"; exit 9'
	awk 'BEGIN { while (("ls tree" | getline line) > 0) print line; exit 4 }'
	bash -c 'trap "echo trapped" EXIT; kill -TERM $$'
	bash -c 'ulimit -a; umask; echo $0 $#; set -e; false; echo never'
	sh -c 'sleep 0.2 & wait $!; echo waited $?'
	cat nowhere
	nowhere
	env -i /bin/sh -c 'echo "$PATH"'
	yes | head -1000 | md5sum
	printf 'a\0b\377c' | od -c
	timeout 0.2 sleep 5
	git --version
	date +%Y
	id -un
	getent passwd root
	nice -n 5 nice
	setsid -w sh -c 'echo in a session'
	EOF2
}

@test "compilers and make: same output, same status, same program" {
	need gcc make
	cat >m.mk <<-'EOF2'
	all: hello; ./hello
	hello: hello.c; gcc -O1 -o $@ $<
	fail: ; false
	EOF2
	echo 'int main(void) { return 0; }' >hello.c
	same 'rm -f hello; make -j2 -f m.mk; sha256sum hello; make -f m.mk fail'
	same 'echo "int x = ;" >bad.c; gcc -c bad.c'
	need g++
	same 'echo "#include <iostream>
	int main() { std::cout << 1.5 << std::endl; }" >h.cpp; g++ -o h h.cpp && ./h'
}

@test "python3: same output, same status" {
	same "$PYTHON -c 'import sys, threading, subprocess, json, ctypes; print(sys.flags, bool(ctypes.CDLL(None).puts))'"
	same "$PYTHON -c 'raise SystemExit(3)'"
	same "$PYTHON -c 'import os; os.kill(os.getpid(), 9)'" stdout
	same "$PYTHON -c 'import subprocess; print(subprocess.run([\"sh\", \"-c\", \"exit 5\"]).returncode)'"
}

@test "parts of python's own test suite: same result" {
	"$PYTHON" -c 'import test.test_ctypes' 2>/dev/null || omit "python without its test suite"
	limit=120
	for name in test_ctypes test_posix test_pty test_atexit; do
		bare "$PYTHON" -m test -q $name
		expected=$status
		traced -q "$PYTHON" -m test -q $name
		equal "status of $name" "$expected" "$status"
	done
}

@test "a terminal stays a terminal, descriptors, group and limits stay" {
	cat >in_terminal.py <<-'EOF2'
	import os, pty, sys
	pty.spawn(sys.argv[1:], lambda fd: os.read(fd, 1024))
	EOF2
	timeout 20 "$PYTHON" in_terminal.py "$APPS/tty_state" </dev/null >bare.tty
	timeout 20 "$PYTHON" in_terminal.py "$SONDE" -q "$APPS/tty_state" </dev/null >traced.tty
	grep -q 'isatty 1 1' bare.tty
	diff bare.tty traced.tty | grep -v 'session leader\|^[0-9,c]*$\|^---$' && { diff bare.tty traced.tty; return 1; }
	bare "$APPS/tty_state"
	traced -q "$APPS/tty_state"
	diff "$T/bare.out" "$T/out"
}

@test "standard input reaches the program, closed standard descriptors stay closed" {
	bare sh -c 'echo unused'
	equal "echoed" "some text" "$(echo some text | timeout 20 "$SONDE" -q cat)"
	for redirection in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
		eval "timeout 20 $APPS/tty_state $redirection" >bare.txt || true
		eval "timeout 20 $SONDE -q $APPS/tty_state $redirection" >traced.txt || true
		diff bare.txt traced.txt
	done
}

@test "a reader that goes away ends the program by SIGPIPE as without sonde" {
	status=0
	timeout 20 bash -c "set -o pipefail; '$SONDE' -q yes | head -1" >/dev/null || status=$?
	equal "status of the pipe" 141 "$status"
}

@test "thread names, process names and /proc/self/exe stay" {
	same 'cat /proc/self/comm; readlink /proc/self/exe; tr "\0" " " </proc/self/cmdline'
	same "$PYTHON -c 'import os; print(sorted(os.listdir(\"/proc/self/task\")) == [str(os.getpid())])'"
}

@test "200 children that use the API: every call is in the table, no file is left" {
	traced bash -c "for i in \$(seq 200); do '$APPS/burst' 5 >/dev/null; done"
	equal status 0 "$status"
	check 'calls("MPI_Test") == 1000' 'calls("MPI_Init") == 200' 'processes == 200' 'ledger("lost") == 0'
	[ -z "$(ls -A "$TMPDIR")" ]
}
