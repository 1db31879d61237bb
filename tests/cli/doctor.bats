#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# `sonde doctor`: what can be traced here, how, and what stands in the way.
load lib

doctor() # STATUS ARGS...
{
	local expected=$1
	status=0
	"$SONDE" doctor "${@:2}" >"$T/out" 2>"$T/err" || status=$?
	equal status "$expected" "$status"
}

# The row of a backend: its first line.
row() # BACKEND TEXT...
{
	grep "^  $1 " "$T/out" >"$T/row" || { cat "$T/out"; return 1; }
	says "$T/row" "${@:2}"
}

@test "each API of this build has a row that says what it was run on and how it is reached" {
	doctor 0
	for conf in "$SRC"/src/backends/*/attach.conf; do
		name=$(sed -n 's/^backend //p' "$conf")
		[ "$name" != template ] || continue
		row "$name" "$(sed -n 's/^state //p' "$conf")"
	done
	row opencl OPENCL_LAYERS preload
	says "$T/out" "Libraries:  $(cd "$(dirname "$SONDE")" && pwd)" "Recordings: $TMPDIR" "What is not found here"
}

@test "libraries are found where the loader finds them, once each, by the name that tells their version" {
	need openmpi
	doctor 0 -v
	library=$(readlink -f "$(ldconfig -p | awk '/libmpi.so.40 .*x86-64/ {print $NF}' | head -1)")
	equal "how often $library" 1 "$(grep -c " $library\$" "$T/out")"
	cp "$library" "$T/libnccl.so.9.8.7"
	ln -s libnccl.so.9.8.7 "$T/libnccl.so"
	echo "no library" >"$T/libnccl.so.1"
	LD_LIBRARY_PATH="$T:" doctor 0
	row nccl "$T/libnccl.so.9.8.7"
	equal "files of that name" 1 "$(grep -c "$T/libnccl" "$T/out")"
}

# Files by which a library's devices are reached are told of where it is there, or asked for.
@test "devices that are not there, or may not be opened, are told of with the runtime's libraries" {
	need openmpi
	[ ! -e /dev/kfd ] && [ ! -e /dev/dxg ] || omit "this machine has such devices"
	cp "$(readlink -f "$(ldconfig -p | awk '/libmpi.so.40 .*x86-64/ {print $NF}' | head -1)")" "$T/libhsa-runtime64.so.1"
	LD_LIBRARY_PATH=$T doctor 0
	grep -A4 "^  hsa " "$T/out" >"$T/row"
	says "$T/row" "no device: no /dev/kfd"
	says "$T/out" "the driver is not loaded, or the container was started without it"
	doctor 0 -b rocprofiler
	says "$T/out" "no device: no /dev/kfd"
	doctor 0 -b mpi
	never grep "no device\|in /dev" "$T/out"
}

@test "a graphics card that the user may not open is no device of runtimes whose driver and library are not there" {
	need root setpriv
	local who="setpriv --reuid 65534 --regid 65534 --clear-groups" api looked=
	$who "$SONDE" doctor >/dev/null 2>&1 || omit "another user cannot run $SONDE"
	unshare -m sh -c "mount -t tmpfs none /dev && mkdir -m 755 /dev/dri && mknod -m 666 /dev/null c 1 3 && chmod 755 /dev &&
		touch /dev/dri/renderD128 && chmod 660 /dev/dri/renderD128 && export TMPDIR=/tmp && cd / &&
		$who '$SONDE' doctor && echo BY NAME && $who '$SONDE' doctor -b ze && touch /dev/kfd && chmod 600 /dev/kfd &&
		echo BOTH && $who '$SONDE' doctor" >"$T/all"
	sed '/^BY NAME/,$d' "$T/all" >"$T/out"
	for api in hip hsa rocprofiler ze; do # those whose library is here may be told of
		! grep -A1 "^  $api .*not found: " "$T/out" >"$T/row" || { looked=1; never grep "no device" "$T/row"; }
	done
	[ "$looked" ] || omit "all of these runtimes are installed"
	sed '1,/^BY NAME/d; /^BOTH/,$d' "$T/all" >"$T/out"
	says "$T/out" "no device: /dev/dri/renderD128: Permission denied" "A file in /dev is opened by users"
	never grep "the driver is not loaded" "$T/out"
	sed '1,/^BOTH/d' "$T/all" >"$T/out"
	grep -A4 "^  hsa " "$T/out" >"$T/row"
	says "$T/row" "no device: /dev/kfd: Permission denied" "/dev/dri/renderD128: Permission denied"
}

@test "-b lists these alone" {
	doctor 0 -b mpi,opencl
	equal "runtimes" "mpi opencl" "$(grep -oE "^  [a-z]+ " "$T/out" | grep -v runtime | xargs)"
}

@test "a tool that the user has named is told of, and -b takes its place" {
	NVTX_INJECTION64_PATH=/other.so doctor 0
	row nvtx "not: NVTX_INJECTION64_PATH is set to another tool (-b nvtx takes it)"
	NVTX_INJECTION64_PATH=/other.so doctor 0 -b nvtx
	row nvtx "NVTX_INJECTION64_PATH"
	! grep -q "^  nvtx .*not:" "$T/out"
}

@test "a runtime's interface that the user has switched off is told of" {
	OMP_TOOL=disabled doctor 0
	row ompt "not: OMP_TOOL is set to disabled"
}

@test "a program is looked at: what it is linked with, what would be loaded, and why it cannot be traced" {
	need opencl mpich
	doctor 0 "$APPS/truth.mpich"
	says "$T/out" "Program:    $APPS/truth.mpich" "libmpich.so" "libOpenCL.so" "libsonde-mpi.so" "libsonde.so"
	doctor 1 "$APPS/hello.static"
	says "$T/out" "Traced:     no: it is statically linked; programs that it starts are"
	printf '#!%s\n' "$(command -v bash)" >script
	chmod +x script
	doctor 0 ./script
	says "$T/out" "Run by:     "
	printf '#!/nowhere/at/all\n' >orphan
	chmod +x orphan
	doctor 1 ./orphan
	says "$T/out" "Traced:     no: it cannot be run: /nowhere/at/all: No such file or directory"
}

@test "an installation without its libraries, and one that lacks a wrapper object, are named" {
	mkdir bin
	cp "$SONDE" bin/sonde
	SONDE=$T/bin/sonde doctor 1
	says "$T/out" "Libraries:  none beside the command or in ../lib/sonde"
	cp "$(dirname "$SONDE")/libsonde.so" bin/
	SONDE=$T/bin/sonde doctor 0
	row mpi "not: libsonde-mpi.so is missing"
}

@test "wrong use is one line" {
	doctor 2 a b
	says "$T/err" "sonde: doctor looks at one program: 'b' is too many"
	doctor 2 /nowhere
	says "$T/err" "sonde: /nowhere: No such file or directory"
	silent "$T/out"
	touch "$T/here"
	doctor 2 here
	says "$T/err" "sonde: here: command not found"
	doctor 2 -b foo
	says "$T/err" "unknown backend 'foo'"
	status=0
	"$SONDE" doctor >/dev/full 2>"$T/err" || status=$?
	equal status 2 "$status"
}
