#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Target constructs, on the host as a device: what is mapped by which line.
load lib

@test "maps, copies with bytes and directions, and kernels, exactly, by the line of their construct" {
	needs target offload
	traced -b ompt "$OMPT/target" maps
	check 'out["on_host"] == 0' 'calls("target main target.c:%d" % out["region"]) == 5' \
		'calls("kernel main target.c:%d" % out["region"]) == 5' \
		'calls("target enter data main target.c:%d" % out["enter"]) == 1' \
		'calls("target update main target.c:%d" % out["update"]) == 1' \
		'calls("target exit data main target.c:%d" % out["leave"]) == 1' \
		'row("copy to device main target.c:%d" % out["enter"])["bytes_out"] == out["bytes"]' \
		'row("copy to device main target.c:%d" % out["region"])["bytes_out"] == 5 * out["bytes"]' \
		'row("copy from device main target.c:%d" % out["region"])["bytes_in"] == 5 * (out["bytes"] + 4)' \
		'calls("copy from device main target.c:%d" % out["region"]) == 10' \
		'row("copy from device main target.c:%d" % out["update"])["bytes_in"] == out["bytes"]' \
		'sorted((t["direction"], t["calls"], t["bytes"]) for t in s["transfers"]) == [("D2H", 11, 6 * out["bytes"] + 20),
			("H2D", 6, 6 * out["bytes"])]' \
		'[(k["name"], k["calls"]) for k in s["kernels"]] == [("target main target.c:%d" % out["region"], 5)]' \
		'[(m["allocs"], m["frees"], m["live_bytes"], m["peak_bytes"]) for m in s["memory"]] == [
			(11, 11, 0, 2 * out["bytes"] + 4)]' 'ledger("lost") == 0' 'notes == []' \
		'not any("parallel" in r["name"] for r in s["calls"])'
}

sleeps_measure()
{
	check 'near(s["kernels"][0]["total_ns"], out["slept"], 0.02)' 'near(ns("device_wait"), out["slept"], 0.02)' \
		'near(sum(r["total_ns"] for r in s["calls"] if r["name"].startswith("kernel")), out["slept"], 0.02)'
}

@test "a kernel's time is what it measures itself, and none of it is counted twice" {
	needs target offload
	thrice 'traced -b ompt "$OMPT/target" sleeps' sleeps_measure
}

@test "two regions that are deferred, on two devices" {
	needs target offload
	traced -b ompt "$OMPT/target" deferred
	check 'out["right"] == 1' 'len({k["device"] for k in s["kernels"]}) == 2' 'len({(t["device"], t["direction"]) for t in s["transfers"]}) == 4' \
		'[(t["calls"], t["bytes"]) for t in s["transfers"]] == [(1, out["bytes"])] * 4' \
		'sum(r["calls"] for r in s["calls"] if r["name"].startswith("target ")) == 2' 'ledger("lost") == 0' \
		'not any(r["name"].startswith(("parallel unknown", "worker unknown")) for r in s["calls"])'
}

@test "memory and copies by function, outside of any construct" {
	needs target offload
	traced -b ompt "$OMPT/target" by-hand
	check 'sorted((t["direction"], t["bytes"]) for t in s["transfers"]) == [("D2H", 4000), ("H2D", 8000)]' \
		'[(m["allocs"], m["frees"], m["peak_bytes"]) for m in s["memory"]] == [(1, 1, 8000)]' \
		'all(" main target.c:" in r["name"] for r in s["calls"])'
}

@test "where the library for devices cannot find the interface, the ledger says that target constructs are missing" {
	needs target offload
	# as with a program that opens its libraries by itself: the launcher knows nothing of them
	SONDE=$SONDE traced -b ompt env -u LD_LIBRARY_PATH "$OMPT/target" deferred
	check 'not any(r["name"].startswith("target") for r in s["calls"])'
	says "$T/err" 'told of no device'
}

@test "timeline and trace of target constructs" {
	needs target offload
	traced -b ompt -t -o "$T/rec" "$OMPT/target" maps
	timeout 60 "$SONDE" print "$T/rec" >"$T/print"
	grep -q 'ompt:copy to device main target.c:.* copy H2D on host as device 0' "$T/print"
}

@test "nothing of a device is recorded while recording is paused, but its memory" {
	needs target offload
	traced --start-paused -b ompt "$OMPT/target" maps
	check 's["kernels"] == []' 's["transfers"] == []' 's["calls"] == []' 'ledger("device_seen") == 0' 'not s["lower_bound"]'
}

@test "a target region while recording is paused leaves what the thread does afterwards recorded" {
	needs target offload
	traced --start-paused -b ompt "$OMPT/target" resumed
	check 'out["sum"] == 11' 'sum(r["calls"] for r in s["calls"] if r["name"].startswith("parallel main")) == 5'
}
