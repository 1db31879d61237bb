#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Ends of processes, threads, and what waiting looks like, of a simulated HIP (tests/sim/hip.h).
load lib

@test "C011 a program that ends without waiting has its kernels in the summary" {
	sim spin 20000000 3
	complete 'kernels("spin") == 3'
	wanted=7 sim spin 20000000 3 exit
	complete 'kernels("spin") == 3'
	wanted=7 sim spin 20000000 3 _exit
	complete 'kernels("spin") == 3'
	wanted=134 sim add 5 abort
	complete 'kernels("_Z7add_onePi") == 5'
}

@test "work that goes on beyond the deadline is unfinished, and the end comes all the same" {
	wanted=7 sim spin 10000000000 2 exit
	check 'ledger("device_seen") == 2' 'ledger("unfinished") == 2' 's["lower_bound"]' 's["run"]["wall_ns"] < 5e9'
}

@test "C013 what was recorded before kill -9 is there, and the rest is counted as unfinished" {
	wanted=137 sim add 50 sync spin 500000000 3 kill
	check 'kernels("_Z7add_onePi") == 50' 'ledger("device_seen") == 53' 'ledger("unfinished") == 3' 's["lower_bound"]' \
		'calls("hipLaunchKernel") == 53'
}

@test "C002 the child of a fork has nothing of its parent's, and the parent goes on" {
	sim add 20 fork add 3 sync
	check 'out["child"] == 0' 'out["data"] == 23' 'kernels("_Z7add_onePi") == 23' 'ledger("device_seen") == 23' \
		'ledger("unfinished") == 0' 'not s["lower_bound"]'
}

@test "sixteen threads on their own streams: nothing is lost or counted twice" {
	sim threads 16 500
	complete 'calls("hipLaunchKernel") == 8000' 'kernels("_Z7add_onePi") == 8000' 'ledger("device_seen") == 8000'
}

@test "ten thousand launches without waiting are all timed" {
	sim add 10000 sync
	complete 'kernels("_Z7add_onePi") == 10000' 'out["data"] == 10000'
}

@test "waiting within the loop leaves gaps on the device, which vanish where the program waits after it" {
	need babeltrace2
	options="-l -o $T/rec"
	sim loop 3000000 30
	complete 'kernels("spin") == 30' 'calls("hipStreamSynchronize") == 30'
	gaps > "$T/inside"
	idle > "$T/inside.idle"
	sim loop-wait-after 3000000 30
	complete 'kernels("spin") == 30' 'calls("hipStreamSynchronize") == 1'
	gaps > "$T/outside"
	idle > "$T/outside.idle"
	head "$T"/inside* "$T"/outside*
	"$PYTHON" - "$T" << 'END'
import sys
inside, outside, inside_idle, outside_idle = (
    sorted(float(line) for line in open(sys.argv[1] + "/" + name))
    for name in ("inside", "outside", "inside.idle", "outside.idle"))
assert len(inside) == len(outside) == 29
# in the timeline: the host's millisecond lies between any two kernels, or between none
assert inside[14] > 0.95e6 and outside[14] < 0.3e6, (inside, outside)
# in the summary: the device is idle for as long
assert inside_idle[0] > 29e6 and outside_idle[0] < inside_idle[0] - 15e6, (inside_idle, outside_idle)
END
}

# Times between kernels, from the timeline's own events, in ns.
gaps()
{
	"$SONDE" export --to csv "$T/rec" > /dev/null
	"$PYTHON" - "$T/rec" << 'END'
import csv, glob, sys
spans = []
for path in glob.glob(sys.argv[1] + "/**/*.csv", recursive=True):
    with open(path, newline="") as stream:
        for row in csv.DictReader(stream):
            if row["name"] == "spin" and row["type"] == "operation":
                spans.append((int(row["begin_ns"]), int(row["begin_ns"]) + int(row["duration_ns"])))
spans.sort()
for (_, end), (begin, _) in zip(spans, spans[1:]):
    print(begin - end)
END
}

# How long the device was idle, by the summary, in ns.
idle()
{
	"$PYTHON" -c 'import json, sys; print(json.load(open(sys.argv[1]))["devices"][0]["idle_ns"])' "$T/summary.json"
}

@test "with streams each operation is there once, and the figures are the same" {
	need babeltrace2
	options="-l -o $T/rec"
	sim add 20 copy h2d 100 copy-async d2h 200 fill 50 graph 2 sync
	complete 'kernels() == 22'
	"$SONDE" report -q --json "$T/tally.json" "$T/rec"
	"$SONDE" report -q --streams --json "$T/streams.json" "$T/rec"
	"$PYTHON" -B "$LIB/same_summary.py" "$T/tally.json" "$T/streams.json"
	"$SONDE" timeline "$T/rec" > /dev/null
	"$PYTHON" -B "$LIB/pftrace.py" "$T/rec/timeline.pftrace" > "$T/counts"
	"$PYTHON" -c 'import json, sys
t = json.load(open(sys.argv[1]))
assert t["names"]["hipLaunchKernel"] == 20 and t["stages"] == 25, t' "$T/counts"
}
