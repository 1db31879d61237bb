#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Ways in which a program comes to its MPI, and tools that stand in between.
load lib

declare -gA LIBRARY=([mpich]=libmpich.so.12 [openmpi]=libmpi.so.40) # bats sources this file in a function

@test "a plugin that is linked with MPI, opened RTLD_LOCAL from python3" {
	for mpi in $MPIS; do
		wants plugin.$mpi.so
		for mode in RTLD_LOCAL RTLD_GLOBAL; do
			job $mpi 2 "$PYTHON" -c "import ctypes, os
ctypes.CDLL('$PROGRAMS/plugin.$mpi.so', os.$mode).plugin_run()"
			told --all
		done
	done
}

@test "mpi4py: calls and bytes" {
	/usr/bin/python3 -c 'import mpi4py' 2>/dev/null || omit "no mpi4py"
	job openmpi 2 /usr/bin/python3 -c "
from mpi4py import MPI
world = MPI.COMM_WORLD
data = bytearray(100)
for _ in range(5):
    world.Barrier()
world.Bcast(data, 0)
world.Sendrecv([data, 30, MPI.BYTE], 1 - world.rank, 0, [data, 100, MPI.BYTE], 1 - world.rank, 0)"
	check 'calls("MPI_Barrier") == 10' 'row("MPI_Bcast")["bytes_out"] == 100' 'row("MPI_Bcast")["bytes_in"] == 100' \
		'row("MPI_Sendrecv")["bytes_in"] == 60' 'row("MPI_Sendrecv")["posted"] == 0' 'calls("MPI_Finalize") == 2' \
		'calls("MPI_Init_thread") == 2' 'sorted(p["rank"] for p in s["processes"]) == [0, 1]'
}

@test "C062 dlopen + dlsym users: opened local, global, with DEEPBIND; MPI_ and PMPI_ names" {
	for mpi in $MPIS; do
		wants by_name.$mpi
		equal "needs MPI" 0 "$(readelf -d "$PROGRAMS/by_name.$mpi" | grep -c 'NEEDED.*libmpi')" # nothing but dlopen
		for mode in local global deepbind; do
			job $mpi 1 "$PROGRAMS/by_name.$mpi" ${LIBRARY[$mpi]} $mode
			told --all
		done
	done
}

@test "a user's PMPI tool, linked, preloaded before and behind: it sees its calls, ours are counted once" {
	seen=$'counts=0\ncounts=50\nquestions=1\nquestions=1\nreceives=0\nreceives=5\nsends=0\nsends=5'
	for mpi in $MPIS; do
		wants tool.$mpi.so tooled.$mpi tool_linked.$mpi
		job $mpi 2 "$PROGRAMS/tool_linked.$mpi"
		told --all
		equal "what the linked tool saw" "$seen" "$(sort "$T/out")"
		rm -f told.*
		status=0
		mpirun_of $mpi 2 env LD_PRELOAD="$PROGRAMS/tool.$mpi.so" "$SONDE" --json "$T/summary.json" \
			"$PROGRAMS/tooled.$mpi" >"$T/out" 2>"$T/err" || status=$?
		equal "status with a tool before" 0 "$status"
		told --all
		equal "what the tool before us saw" "$seen" "$(sort "$T/out")"
		job $mpi 2 sh -c "LD_PRELOAD=\"\$LD_PRELOAD:$PROGRAMS/tool.$mpi.so\" exec $PROGRAMS/tooled.$mpi"
		told --all
		equal "what the tool behind us saw" "$seen" "$(sort "$T/out")"
	done
}

@test "C049 functions that a library lacks stay absent: no undefined symbol, no invented one" {
	for mpi in $MPIS; do
		wants same.$mpi
		export LD_BIND_NOW=1
		job $mpi 2 "$PROGRAMS/same.$mpi"
		unset LD_BIND_NOW
		told --all
		equal "unresolved" 0 "$(grep -ci 'undefined symbol\|symbol lookup' "$T/err")"
		cat >names.py <<'END'
import ctypes, os, sys
mpi = ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOW | os.RTLD_GLOBAL)
for handle in (mpi, ctypes.CDLL(None)):
    for name in sys.argv[2:]:
        try:
            getattr(handle, name)
            print(name, "there")
        except AttributeError:
            print(name, "absent")
END
		names="MPI_Session_init MPI_Psend_init MPI_Send_c MPI_Allreduce_init MPIX_Allreduce_init MPI_Send MPI_Nonsense"
		bare "$PYTHON" names.py ${LIBRARY[$mpi]} $names
		traced "$PYTHON" names.py ${LIBRARY[$mpi]} $names
		diff "$T/bare.out" "$T/out"
	done
	grep -q 'MPI_Session_init absent' "$T/out" # Open MPI 4: the last one
}
