#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Known sleeps in host code, in a blocking MPI call, in waiting for the device, in a user operation, and
# known transfers: each share of the breakdown agrees with the program's own timers.
load lib

# Each share within 2 %; small ones may be off by a thousandth of the run, as a time slice of another process may lie
# between the program's clock and ours. The program's timers begin in main() and end
# there: what lies outside is host time. Its first call opens the record before that call's own time begins.
hold_against_timers() # RANKS
{
	"$PYTHON" - "$T" "$1" <<-'EOF2'
	import json, sys
	folder, ranks = sys.argv[1], int(sys.argv[2])
	with open(folder + "/summary.json") as file:
	    s = json.load(file)
	bad = 0
	for rank in range(ranks):
	    with open("%s/truth.%d" % (folder, rank)) as file:
	        truth = {key: int(value) for key, value in (line.strip().split("=") for line in file)}
	    process = [p for p in s["processes"] if p["rank"] in (rank, None) and p["calls"] > 10]
	    assert len(process) == 1, s["processes"]
	    shares = process[0]["breakdown"]
	    timed = ("device_wait", "comm", "copy", "launch", "build", "memory", "other_api", "host")
	    outside = max(0, s["run"]["wall_ns"] - shares["not_running"] - sum(truth[category] for category in timed))
	    for category in ("device_wait", "comm", "copy", "launch", "build", "memory", "other_api", "host"):
	        own, seen = truth[category], shares[category]
	        least = {"other_api": 15e6, "host": 15e6}.get(category, s["run"]["wall_ns"] / 1000)
	        slack = max(least, 0.02 * own)
	        wrong = not -slack <= seen - own <= slack + (outside if category == "host" else 0)
	        bad += wrong
	        print("rank %d %-12s own %8.1f ms, sonde %8.1f ms %s" % (rank, category, own / 1e6, seen / 1e6,
	                                                             "WRONG" if wrong else ""))
	    assert sum(shares.values()) == s["run"]["wall_ns"], (shares, s["run"])
	sys.exit(bad > 0)
	EOF2
}

runs() # RANKS COMMAND...
{
	"${@:2}"
	equal status 0 "$status" && check 'ledger("lost") == 0' "ranks == $1"
}

@test "the breakdown of one process agrees with its own timers within 2 %" {
	need opencl
	for mpi in mpich openmpi; do
		need $mpi
		thrice 'runs 1 traced "$APPS/truth.$mpi" "$T"' 'hold_against_timers 1'
	done
}

@test "the breakdown of two ranks agrees with their own timers within 2 %" {
	need opencl
	for mpi in mpich openmpi; do
		need $mpi
		thrice 'runs 2 traced_job $mpi 2 "$APPS/truth.$mpi" "$T"' 'hold_against_timers 2'
	done
}

@test "a user operation: total is all of it, self is the rest, self adds up to no more than the wall time" {
	traced "$APPS/user_op"
	equal status 0 "$status"
	check 'total("MPI_Allreduce") >= 100e6' 'calls("MPI_Comm_rank") == 1' \
		'near(own("MPI_Allreduce"), 1e3 * (out["outer_us"] - out["inner_us"]), 0.02)' \
		'sum(r["self_ns"] for r in s["calls"]) <= s["run"]["wall_ns"]'
}

@test "known transfers: bytes and directions are exact" {
	need opencl mpich
	traced "$APPS/truth.mpich" "$T"
	check 'sum(t["bytes"] for t in s["transfers"] if t["direction"] == "H2D") == 64 << 20' \
		'sum(t["bytes"] for t in s["transfers"] if t["direction"] == "D2H") == 64 << 20' \
		'sum(t["calls"] for t in s["transfers"]) == 2' \
		'max(m["peak_bytes"] for m in s["memory"]) == 64 << 20'
}
