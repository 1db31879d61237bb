#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Programs built with sanitizers run under sonde and are recorded; where that cannot be, they run as they
# are, after one line.
load ../cli/lib

sanitized()
{
	local program=$1
	need $program
	bare "$APPS/$program"
	equal "bare status" 0 "$status"
	traced "$APPS/$program"
	equal status 0 "$status"
	cmp "$T/bare.out" "$T/out"
	check 'calls("MPI_Barrier") == out["barriers"] or ("untraceable" in notes and not s["calls"])'
	! grep -E 'ERROR|WARNING: (Thread|Memory)Sanitizer|does not come first' "$T/err"
}

@test "gcc -fsanitize=address" {
	sanitized sanitized.gcc.address
	check 'calls("MPI_Barrier") == out["barriers"]' 'processes == 2'
}
@test "gcc -fsanitize=thread" { sanitized sanitized.gcc.thread; }
@test "gcc -fsanitize=undefined" {
	sanitized sanitized.gcc.undefined
	check 'calls("MPI_Barrier") == out["barriers"]'
}
@test "clang -fsanitize=address" { sanitized sanitized.clang.address; }
@test "clang -fsanitize=thread" { sanitized sanitized.clang.thread; }
@test "clang -fsanitize=undefined" { sanitized sanitized.clang.undefined; }
@test "clang -fsanitize=memory" { sanitized sanitized.clang.memory; }

@test "a sanitized program that a script starts" {
	need sanitized.gcc.address
	traced bash -c "'$APPS/sanitized.gcc.address'"
	equal status 0 "$status"
	check 'calls("MPI_Barrier") == out["barriers"]' 'processes == 2'
}

@test "valgrind memcheck finds nothing in a traced program" {
	need valgrind
	limit=120
	traced valgrind -q --error-exitcode=44 "$APPS/user_op"
	equal status 0 "$status"
	check 'calls("MPI_Allreduce") == 1' 'calls("MPI_Recv") == 1'
	! grep -q '^==' "$T/err"
}
