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

# sim WORD...: the program over the simulated HIP; ends well. $options: of sonde.
sim()
{
	export SIM_LOG=$T/log
	rm -rf "$T/log" "$T/rec"
	# shellcheck disable=SC2086
	traced $options -- "$PROGRAMS/sim_app" "$@"
	equal "status of $*" "${wanted:-0}" "$status"
}

# Everything that was launched has come back, with its times.
complete()
{
	check 'not s["lower_bound"]' 'ledger("device_seen") == ledger("device_recorded")' 'ledger("untimed") == 0' \
		'ledger("unfinished") == 0' 'ledger("device_lost") == 0' 'ledger("lost") == 0' \
		'out.get("failed") is None' "$@"
}

no_notes() # but that no real device was seen yet
{
	check 'notes == ["simulated"]'
}

# near_log KIND NAME SHARE: the time of the kernels of that name is what the device itself wrote down
near_log()
{
	local ns
	ns=$(awk -v kind="$1" -v name="$2" '$1 == kind && $2 == name { sum += $5 - $4 } END { printf "%.0f", sum }' "$T/log")
	check "near(sum(k['total_ns'] for k in s['kernels'] if k['name'] == '$2'), $ns, $3)"
}

# near_total NAME NS: at least so long, and not by much more
near_total()
{
	check "near(sum(k['total_ns'] for k in s['kernels'] if k['name'] == '$1'), $2, 0.25)" \
		"sum(k['total_ns'] for k in s['kernels'] if k['name'] == '$1') >= $2 * 0.99"
}
