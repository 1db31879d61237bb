# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# For the tests of this folder: programs that LLVM's compiler has built.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load ../../../../tests/cli/lib
OMPT=$BUILD/tests/ompt

needs() # PROGRAM
{
	[ -x "$OMPT/$1" ] || omit "no compiler with OpenMP that has OMPT${2:+, or none that has $2}"
}

line_of() # FILE PATTERN: number of the first line with it
{
	grep -nF -- "$2" "$SRC/src/backends/ompt/tests/$1" | head -n 1 | cut -d: -f1
}
