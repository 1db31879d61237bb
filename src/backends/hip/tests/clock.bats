#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# When devices did what they did, on the host's clock, of a simulated HIP (tests/sim/hip.h): against what the device
# wrote down itself.
load lib

# timed WORD...: with a timeline; its events are in $T/rec/events.csv.
timed()
{
	need babeltrace2
	options="-l -o $T/rec"
	sim "$@"
	complete
	"$SONDE" export --to csv "$T/rec" > /dev/null
	cat "$T/log"
}

# near_truth CALL MS: every operation is where it really was. CALL, which waited, returned when the last of them was
# over: that ties the device's own times to the recording's. And nothing begins before its call, or ends after the
# call that waited for it.
near_truth()
{
	"$PYTHON" - "$T" "$1" "$2" << 'END'
import csv, sys
folder, waited, allowed = sys.argv[1], sys.argv[2], float(sys.argv[3]) * 1e6
rows = list(csv.DictReader(open(folder + "/rec/events.csv", newline="")))
def spans(kind):
    return sorted((int(row["begin_ns"]), int(row["begin_ns"]) + int(row["duration_ns"]), row) for row in rows
                  if row["type"] == kind)
calls, seen = spans("call"), spans("operation")
real = sorted((int(line[3]), int(line[4]), line[0]) for line in map(str.split, open(folder + "/log"))
              if line[0] != "marker")
last = max((call for call in calls if call[2]["name"] == waited), key=lambda call: call[1])
offset = last[1] - max(end for _, end, _ in real)
for begin, end, row in seen:
    print(row["name"], begin / 1e6, end / 1e6, "error", int(row["clock_error_ns"]) / 1e6)
for begin, end, kind in real:
    print("really", kind, (begin + offset) / 1e6, (end + offset) / 1e6)
assert len(seen) == len(real), (len(seen), len(real))
for (begin, end, row), (real_begin, real_end, kind) in zip(seen, real):
    assert abs(begin - real_begin - offset) < allowed and abs(end - real_end - offset) < allowed, (row["name"], kind)
for begin, end, row in seen:
    call = [call for call in calls if call[2]["correlation"] == row["correlation"]]
    assert len(call) == 1 and call[0][0] <= begin, (row["name"], call)
    assert row["kind"] != "copy" or end <= call[0][1] + 100000, (row["name"], end, call)
    assert end <= last[1] + 100000 or begin > last[1], row["name"]
END
}

@test "C094 the first work of a process is where it was, also before a copy that waits" {
	SIM_EVENT_NS=3000000 SIM_COPY_NS=100000000 timed spin 100000000 1 copy d2h 1000 spin 100000000 1 sync
	near_truth hipDeviceSynchronize 20
	check 's["devices"][0]["clock_error_ns"] < 20e6' 'notes == ["simulated"]'
}

@test "a copy that the program waits for tells the clock, whatever the host does then" {
	SIM_COPY_NS=100000000 thrice 'timed copy h2d 1000 spin 50000000 1 copy d2h 1000 sleep 400' \
		'near_truth hipMemcpy 20 && check "s[\"devices\"][0][\"clock_error_ns\"] < 20e6"'
}

@test "work that was over long before the program asked gets its time from what comes then" {
	timed spin 1000000 1 sleep 600 sync spin 100000000 1 sync
	near_truth hipDeviceSynchronize 20
	check 's["devices"][0]["clock_error_ns"] < 20e6' 'notes == ["simulated"]'
}

@test "where nothing tells the clock a note says how uncertain times are" {
	sim spin 1000000 1 sleep 600 sync
	complete 's["devices"][0]["clock_error_ns"] > 200e6' 'notes == ["clock_error", "simulated"]' \
		'0.9e6 <= s["devices"][0]["kernels_ns"] < 100e6'
	grep -q "up to [23].* ms earlier or later" "$T/err"
}

@test "what waits for the clock is there after a reset, after a pause, and where a capture is open" {
	sim spin 1000000 1 sleep 100 sync reset-in-capture add 3 sync
	check 'ledger("device_seen") == 4' 'ledger("device_recorded") == 4'
	sim spin 1000000 1 sleep 100 sync profiler off add 2 sync profiler on
	check 'ledger("device_seen") == 1' 'ledger("device_recorded") == 1'
	wanted=7 sim spin 1000000 1 sleep 100 sync capture-open exit
	check 'ledger("device_seen") == 1' 'ledger("device_recorded") == 1'
}
