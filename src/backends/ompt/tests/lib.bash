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

# Streams say the same as the tally, construct by construct.
streams_agree() # RECORDING
{
	cp "$T/summary.json" "$T/tally.json"
	report --streams "$1"
	"$PYTHON" - "$T/tally.json" "$T/summary.json" <<-'PY'
		import json, sys
		a, b = ({(r["name"], r["kind"]): r for r in json.load(open(p))["calls"]} for p in sys.argv[1:])
		assert a.keys() == b.keys(), (a.keys() ^ b.keys())
		every = sum(row["calls"] for row in a.values()) # of each call's time a ns may be rounded
		for name in a:
		    assert a[name]["calls"] == b[name]["calls"], name
		    for time, most in ("total_ns", a[name]["calls"]), ("self_ns", every):
		        assert abs(a[name][time] - b[name][time]) <= most, (name, time, a[name][time], b[name][time])
	PY
}
