#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reported failures of comparable tools, section A: fork, exec, daemons, workers.
load lib

@test "C001 parent enqueues 3 kernels, forked child 5: 8 calls in 2 processes" {
	need opencl
	for how in fork clone; do
		traced "$APPS/cl_fork" $how
		equal "status of $how" 0 "$status"
		check 'calls("clEnqueueNDRangeKernel") == 8' 'kernels() == 8' 'processes == 2' \
			'ledger("lost") == 0' 'ledger("device_recorded") == 8'
	done
}

@test "C002 a child ended by SIGTERM says signal 15, its parent's summary is complete" {
	need opencl
	traced "$APPS/cl_fork" sleeper
	equal status 0 "$status"
	check 'out["child_signal"] == 15' 'calls("clEnqueueNDRangeKernel") == 3' 'kernels() == 3' 'end == "exit 0"'
}

@test "C004 the calls of a forked child stand under its own pid" {
	need opencl
	traced "$APPS/cl_fork" double
	equal status 0 "$status"
	wait_for 10 grep -q child= "$T/out"
	check 'calls("clEnqueueNDRangeKernel") in (3, 8)' 'len({p["pid"] for p in s["processes"]}) == processes'
	traced "$APPS/cl_fork" fork
	# parent and child call the same but for 3 and 5 kernels
	check 'len({p["pid"] for p in s["processes"]}) == 2' \
		'(lambda by: by[out["child"]] - by[out["parent"]] == 2)({p["pid"]: p["calls"] for p in s["processes"]})'
}

@test "C005 an excluded shell is inert, what it starts is traced" {
	need opencl
	traced --exclude bash -- bash -c "env >/dev/null; '$APPS/cl_run' 4"
	equal status 0 "$status"
	check 'exes == ["cl_run"]' 'kernels() == 4'
	traced --exclude cl_run -- bash -c "'$APPS/cl_run' 4"
	equal status 0 "$status"
	check 'kernels() == 0' 'len(s["calls"]) == 0'
}

@test "what is left out forks nothing that is recorded, also when the variables are gone that say so" {
	for when in environment cleared; do
		traced "$APPS/no_record" $when
		check 'calls("MPI_Barrier") == 2' 'processes == 2'
		for option in --exclude=no_record --include=other --ranks=1; do
			traced $option env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 "$APPS/no_record" $when
			equal "status with $option" 0 "$status"
			check 'len(s["calls"]) == 0' 'processes == 0'
		done
	done
}

@test "a rank that a forked child gives itself is left out, or the only one" {
	traced --ranks 1 "$APPS/no_record" ranks
	equal status 0 "$status"
	check '[p["rank"] for p in s["processes"]] == [1]' 'calls("MPI_Barrier") == 1'
}

@test "a program is left out, or the only one, by its path as well, absolute or not" {
	need opencl
	mkdir "own [1]"
	cp "$APPS/cl_run" "own [1]/other"
	ln -s "own [1]" link
	for glob in ./link/other "$T/own ?1?/o*" '*/other' "link/oth?r"; do
		traced --include "$glob" -- bash -c "'$APPS/cl_run' 4; './own [1]/other' 3"
		check 'exes == ["other"]' 'kernels() == 3'
		traced --exclude "$glob" -- bash -c "'$APPS/cl_run' 4; './own [1]/other' 3"
		check 'exes == ["cl_run"]' 'kernels() == 4'
	done
	traced --include ./other -- bash -c "'$APPS/cl_run' 4; './own [1]/other' 3"
	check 'len(s["calls"]) == 0'
}

@test "a program in a folder with a comma in its name is left out, or the only one, by its path" {
	need opencl
	mkdir a,b
	cp "$APPS/cl_run" a,b/other
	cd a,b
	for glob in ./other "other,./o*r" "$T/a?b/other"; do
		traced --include "$glob" -- bash -c "'$APPS/cl_run' 4; ./other 3"
		check 'exes == ["other"]' 'kernels() == 3'
		traced --exclude "$glob" -- bash -c "'$APPS/cl_run' 4; ./other 3"
		check 'exes == ["cl_run"]' 'kernels() == 4'
	done
}

@test "C007 a shell pipeline gives the same output and status, and says nothing more" {
	mkdir d && touch d/1 d/2 d/3
	bare bash -c 'ls d | wc -l; ls nowhere 2>/dev/null; exec 5>&1; echo x >&5'
	traced -q bash -c 'ls d | wc -l; ls nowhere 2>/dev/null; exec 5>&1; echo x >&5'
	equal status 0 "$status"
	cmp "$T/bare.out" "$T/out"
	silent "$T/err"
}

@test "C008 daemon and double fork: what the daemon did is there after it has ended" {
	need opencl
	residue=allowed
	for how in daemon double; do
		rm -rf rec
		traced -o rec "$APPS/cl_fork" $how
		equal "status of $how" 0 "$status"
		wait_for 20 grep -q '^\(daemon\|child\)=' "$T/out"
		sleep 0.3
		report rec
		equal "status of report" 0 "$status"
		check "calls('clEnqueueNDRangeKernel') == $([ $how = daemon ] && echo 5 || echo 8)" 'ledger("lost") == 0'
	done
}

@test "C031 fork, forkserver and spawn: 4 workers with 10 kernels each give 40" {
	need opencl "$PYTHON"
	for method in fork forkserver spawn; do
		traced "$PYTHON" "$SRC/tests/apps/cl_workers.py" $method 4 10
		equal "status of $method" 0 "$status"
		check 'out["kernels"] == 40' 'kernels("add_one") == 40' 'calls("clEnqueueNDRangeKernel") == 40' 'processes == 4'
	done
}

@test "C032 a parent that is traced itself forks workers: nobody hangs, all is counted" {
	need opencl
	traced "$PYTHON" -c "
import multiprocessing, sys
sys.path.insert(0, '$SRC/tests/apps')
import cl_workers
if __name__ == '__main__':
    context = multiprocessing.get_context('fork')
    workers = [context.Process(target=cl_workers.run_kernels, args=(5,)) for _ in range(6)]
    [worker.start() for worker in workers]
    cl_workers.run_kernels(2)
    [worker.join(50) for worker in workers]
    print('status=%d' % sum(worker.exitcode for worker in workers))
"
	equal status 0 "$status"
	check 'out["status"] == 0' 'kernels("add_one") == 32' 'processes == 7'
}
