#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Processes that cannot make their record: the summary says so, and why.
load lib

@test "forked children without a descriptor for their records are counted in their parent's; one that has some has a record" {
	traced "$APPS/no_record" descriptors
	equal status 0 "$status"
	check 'calls("MPI_Barrier") == 3' 's["lower_bound"]' 'notes.count("unrecorded") == 1' 'len(s["processes"]) == 2'
	says "$T/err" "2 processes made traced calls and could not be recorded: Too many open files"
}

@test "the first process, on a disk without a file to give, is counted in the launch record" {
	need root
	cat >full <<-'EOF'
		mkdir small && mount -t tmpfs -o nr_inodes=16 none small && cd small || exit 77
		"$1" -o rec --json "$3" "$2" inodes . 2>../err
		status=$?
		"$1" report --json "$4" rec >../report 2>&1
		exit $status
	EOF
	status=0
	timeout -k 5 "$limit" unshare -m sh full "$SONDE" "$APPS/no_record" "$T/summary.json" "$T/again.json" >"$T/out" ||
		status=$?
	equal status 0 "$status"
	says err "nothing recorded: 1 process made traced calls and could not be recorded: No space left"
	cp again.json summary.json
	check 'out["full"] == 1' 's["lower_bound"]' 'notes.count("unrecorded") == 1' 's["processes"] == []' 's["calls"] == []'
}

@test "processes without room for their record leave nothing behind and are counted, with or without a parent that is recorded" {
	traced -o rec "$APPS/no_record" room 20
	equal status 0 "$status"
	check 'calls("MPI_Barrier") == 1' 's["lower_bound"]' 'notes.count("unrecorded") == 1' '"no_record" not in notes'
	says "$T/err" "20 processes made traced calls and could not be recorded: File too large"
	equal records 1 "$(find rec -mindepth 1 -type d -name '*.[0-9]*' | wc -l)"
	traced sh -c "ulimit -f 8; '$APPS/burst' 5; exec '$APPS/burst' 5"
	equal status 0 "$status"
	says "$T/err" "nothing recorded: 2 processes made traced calls and could not be recorded: File too large"
}
