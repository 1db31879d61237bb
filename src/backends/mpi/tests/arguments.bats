#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Recorded arguments: the same calls in C and the three bindings of Fortran, of both MPIs, have the same.
load lib

# Calls of one rank, without addresses, which differ, and the names that the two languages have for the same type.
calls_of()
{
	"$SONDE" print --ranks "$2" -b mpi "$1" >"$T/printed"
	sed -nE 's/^[0-9:.]+ [^ ]+ [0-9]+ [0-9]+ [0-9]+ +([<>] mpi:)/\1/p' "$T/printed" |
		grep -vE 'MPI_(Init|Finalize|Get_count|Type_size|Comm_rank|Comm_size|Abort)' |
		sed -E 's/0x[0-9a-f]+/ADDRESS/g; s/ [0-9.]+ (ns|us|ms|s)$//; s/MPI_DOUBLE_PRECISION/MPI_DOUBLE/g
			s/MPI_INTEGER/MPI_INT/g; s/_displs=/displs=/; s/(displs=)[^,)]*/\1/g'
}

@test "the same calls have the same arguments in all bindings of both MPIs" {
	count=0
	for mpi in $MPIS; do
		for program in same same.1 same.2 same.3; do
			[ -x "$PROGRAMS/$program.$mpi" ] || continue
			rm -rf "$T/rec"
			mpirun_of $mpi 2 "$SONDE" -q -t -o "$T/rec" "$PROGRAMS/$program.$mpi" >"$T/out" 2>"$T/err"
			calls_of "$T/rec" 1 >"$T/calls.$program.$mpi"
			[ "$(wc -l <"$T/calls.$program.$mpi")" -gt 40 ]
			first=${first:-$T/calls.$program.$mpi}
			diff "$first" "$T/calls.$program.$mpi" || { echo "$program of $mpi"; return 1; }
			count=$((count + 1))
		done
	done
	[ $count -ge 2 ] || omit "fewer than two bindings"
	grep -q '> mpi:MPI_Bcast(buffer=ADDRESS, count=8, datatype=MPI_DOUBLE, root=0, comm=MPI_COMM_WORLD)' "$first"
	grep -q 'op=MPI_SUM' "$first"
	grep -q 'status.source=0, status.tag=1' "$first"
	grep -q 'dest=MPI_PROC_NULL' "$first"
}

@test "files and infos have the handles of C in all bindings: what was opened is what is written and closed" {
	count=0
	for mpi in $MPIS; do
		for program in same same.1 same.2 same.3; do
			[ -x "$PROGRAMS/$program.$mpi" ] || continue
			rm -rf "$T/rec"
			mpirun_of $mpi 2 "$SONDE" -q -t -o "$T/rec" "$PROGRAMS/$program.$mpi" >"$T/out" 2>"$T/err"
			"$SONDE" print --ranks 1 -b mpi --include 'MPI_File_*,MPI_Info_*' "$T/rec" >"$T/printed"
			file=$(sed -nE 's/.*< mpi:MPI_File_open = MPI_SUCCESS \(fh=(0x[0-9a-f]{9,})\).*/\1/p' "$T/printed")
			info=$(sed -nE 's/.*< mpi:MPI_Info_create = MPI_SUCCESS \((new)?info=(0x[0-9a-f]+)\).*/\2/p' "$T/printed")
			[ -n "$file" ] && [ -n "$info" ] || { cat "$T/printed"; return 1; }
			for line in "MPI_File_write_at\(fh=$file, " "MPI_File_close\(fh=$file\)" "MPI_Info_free\(info=$info\)" \
					"MPI_File_open\(comm=MPI_COMM_SELF, filename=\"same.file.1\", .*info=$info\)"; do
				grep -qE "> mpi:$line" "$T/printed" || { echo "no $line"; cat "$T/printed"; return 1; }
			done
			count=$((count + 1))
		done
	done
	[ $count -ge 2 ] || omit "fewer than two bindings"
}

@test "statuses, requests and names, read from the program's own output" {
	for mpi in $MPIS; do
		wants messages.$mpi
		rm -rf "$T/rec"
		mpirun_of $mpi 2 "$SONDE" -q -t -o "$T/rec" "$PROGRAMS/messages.$mpi" >"$T/out" 2>"$T/err"
		"$SONDE" print --ranks 0 -b mpi "$T/rec" >"$T/printed"
		grep -qE '< mpi:MPI_Sendrecv = MPI_SUCCESS \(status.source=1, status.tag=9\)' "$T/printed"
		grep -qE '> mpi:MPI_Sendrecv\(.*recvtag=MPI_ANY_TAG, comm=MPI_COMM_WORLD\)' "$T/printed"
		grep -qE '< mpi:MPI_Get_elements = MPI_SUCCESS \(count=3\)' "$T/printed"
		# a status that the program does not want is none, though the tool asks for one
		grep -qE '< mpi:MPI_Wait = MPI_SUCCESS \(status.source=NULL, status.tag=NULL\)' "$T/printed"
		# what a request is called when it is made is what is waited for
		request=$(grep -oEm 1 '< mpi:MPI_Irecv = MPI_SUCCESS \(request=0x[0-9a-f]+' "$T/printed" | sed 's/.*=//')
		grep -qE "> mpi:MPI_Wait(all|any|some)?\(.*$request" "$T/printed"
		babeltrace2 "$T/rec" >"$T/events" 2>"$T/bt.err" || [ -z "$(command -v babeltrace2)" ]
		[ ! -s "$T/bt.err" ]
	done
}

@test "the arguments of a variadic function are not known: its calls are there without" {
	need mpich babeltrace2
	library=$(ldd "$PROGRAMS/same.mpich" | sed -n 's/.*=> \(.*libmpich[^ ]*\) .*/\1/p')
	traced -t -o "$T/rec" "$PYTHON" -c "import ctypes
mpi = ctypes.CDLL('$library')
mpi.MPI_Init(None, None), mpi.MPI_Pcontrol(2), mpi.MPI_Finalize()"
	equal status 0 "$status"
	"$SONDE" print "$T/rec" >"$T/printed"
	grep -qF '> mpi:MPI_Pcontrol(...)' "$T/printed"
	grep -q '< mpi:MPI_Pcontrol ' "$T/printed"
	babeltrace2 "$T/rec" >"$T/events" 2>"$T/bt.err"
	[ ! -s "$T/bt.err" ]
	grep -q 'mpi:MPI_Pcontrol_exit' "$T/events"
}
