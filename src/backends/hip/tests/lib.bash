# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Beside tests/cli/lib.bash: the programs of this folder.
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load "$SRC/tests/cli/lib"

PROGRAMS=$BUILD/tests/hip
unset ${!HIP_*} ${!SIM_*} ROCR_VISIBLE_DEVICES AMD_SERIALIZE_KERNEL AMD_SERIALIZE_COPY

# The library as it is installed: $REAL.
need_real()
{
	[ -x "$PROGRAMS/errors" ] || omit "no libamdhip64"
	REAL=$(ldd "$PROGRAMS/errors" | awk '$1 ~ /^libamdhip64/ { print $3 }')
	[ -e "$REAL" ] || omit "no libamdhip64"
	[ ! -e /dev/kfd ] || omit "a GPU: no errors to be had"
}
