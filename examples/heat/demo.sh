#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# demo.sh BUILD [SIZE [STEPS]]: the heat example under sonde, with the classic mistake and with the cure.
build=${1:-build} size=${2:-2048} steps=${3:-300}
build=$(cd "$build" && pwd) || exit 2
heat=$build/examples/heat
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT

if [ -x "$heat/heat-mpich" ] && command -v mpirun.mpich >/dev/null; then
	program=$heat/heat-mpich run='mpirun.mpich -n 2'
elif [ -x "$heat/heat-openmpi" ] && command -v mpirun.openmpi >/dev/null; then
	program=$heat/heat-openmpi run='mpirun.openmpi --oversubscribe -n 2'
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
elif [ -x "$heat/heat-mpi" ] && command -v mpirun >/dev/null; then
	program=$heat/heat-mpi run='mpirun -n 2'
elif [ -x "$heat/heat-single" ]; then
	program=$heat/heat-single run=
else
	echo "demo.sh: examples/heat is not built: OpenCL headers or library are missing" >&2
	exit 2
fi

# PoCL compiles a kernel for the machine at its first use: not part of what is to be compared
$run "$program" --size "$size" --steps 2 >/dev/null || exit 1
for way in wait-each-step overlap; do
	echo
	echo "\$ ${run:+$run }sonde ${program##*/} --size $size --steps $steps --$way"
	# shellcheck disable=SC2086
	$run "$build/bin/sonde" --json "$out/$way.json" "$program" --size "$size" --steps "$steps" --$way || exit 1
done
python3 "$(dirname "$0")/compare.py" "$out/wait-each-step.json" "$out/overlap.json"
