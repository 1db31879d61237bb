# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Beside tests/cli/lib.bash: programs of this folder on the real loader above the simulated driver (tests/sim).
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load "$SRC/tests/cli/lib"

unset ${!SIM_*} ${!ZE_*}
ZE=$BUILD/tests/ze
export ZE_ENABLE_ALT_DRIVERS=$BUILD/tests/sim/libsim-ze.so

# Runs a program of this folder; what really ran goes to $T/sim.log, a line per command.
ze() # [NAME=VALUE...] PROGRAM WORDS...
{
	[ -x "$ZE/app" ] || omit "no libze-dev"
	local settings=()
	while [[ $1 == *=* ]]; do
		settings+=("$1")
		shift
	done
	rm -f "$T/sim.log"
	# shellcheck disable=SC2086
	traced $options -- env SIM_LOG="$T/sim.log" "${settings[@]}" "$ZE/$1" "${@:2}"
}

# Likewise; ends well.
ze_well()
{
	ze "$@"
	equal "status of $*" 0 "$status"
}

# Likewise: app, kinds or forks by calls that the loader's tracing layer alone sees.
deep_well() # [NAME=VALUE...] PROGRAM WORDS...
{
	local settings=()
	while [[ $1 == *=* ]]; do
		settings+=("$1")
		shift
	done
	[ -e "$ZE/deep-$1.so" ] || omit "no libze-dev with its layers"
	ze_well ZE_ENABLE_TRACING_LAYER=1 "${settings[@]}" deep "$@"
}

# All that was launched has come back with its times.
complete()
{
	check 'ledger("device_seen", "ze") == ledger("device_recorded", "ze")' 'ledger("untimed") == 0' \
		'ledger("unfinished") == 0' 'ledger("lost") == 0' 'ledger("device_lost") == 0' "$@"
}

# Kernels and copies took as long as the device's own log says: as many, and within the clocks' error.
as_logged()
{
	"$PYTHON" - "$T/sim.log" "$T/summary.json" <<-'EOF' || { show; return 1; }
	import json, sys
	ran, s, wrong = {}, json.load(open(sys.argv[2])), []
	for line in open(sys.argv[1]):
	    kind, name, device, begin, end, size = line.split()
	    calls, ns = ran.get(kind, (0, 0))
	    ran[kind] = calls + 1, ns + int(end) - int(begin)
	told = {"kernel": (sum(k["calls"] for k in s["kernels"]), sum(k["total_ns"] for k in s["kernels"]))}
	for kind, fill in ("copy", False), ("fill", True):
	    rows = [t for t in s["transfers"] if (t["direction"] == "fill") == fill]
	    told[kind] = sum(t["calls"] for t in rows), sum(t["total_ns"] for t in rows)
	for kind, (calls, ns) in told.items():
	    here = ran.get(kind, (0, 0))
	    # a tick at each end of each, and the drift of the measured rate
	    if here[0] != calls or abs(here[1] - ns) > 2 * calls + ns * 0.002:
	        wrong.append("%s: the device ran %r, told are %r" % (kind, here, (calls, ns)))
	print("\n".join(wrong))
	sys.exit(bool(wrong))
	EOF
}
