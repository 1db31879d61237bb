#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What `make install` puts in place, and that it works where it is moved to.
load lib

setup_file()
{
	export PLACE=$BATS_FILE_TMPDIR/place
	export PUBLIC=$(mktemp -d /tmp/sonde-test.XXXXXX) # on a path that everybody may walk
	cmake --install "${BUILD:-$BATS_TEST_DIRNAME/../../build}" --prefix "$PLACE" >"$BATS_FILE_TMPDIR/log" 2>&1 || {
		cat "$BATS_FILE_TMPDIR/log"
		return 1
	}
}

teardown_file()
{
	rm -rf "$PUBLIC"
}

# A copy at another path: a tree that still knew its first place would not find itself once that is gone.
moved()
{
	cp -a "$PLACE" "$T/first"
	mv "$T/first" "$T/elsewhere"
	SONDE=$T/elsewhere/bin/sonde
}

@test "an installation holds the command, its libraries, man page, completion and documents" {
	for path in bin/sonde lib/sonde/libsonde.so lib/sonde/libsonde-mpi.so lib/sonde/libsonde-opencl.so \
		share/man/man1/sonde.1 share/bash-completion/completions/sonde share/doc/sonde/README.md \
		share/doc/sonde/LICENSE share/doc/sonde/functions/mpi.md share/doc/sonde/functions/opencl.md; do
		[ -f "$PLACE/$path" ] || { echo "no $path"; return 1; }
	done
	# one for each backend, and nothing that only tests need
	{
		echo libsonde.so
		ls -d "$SRC"/src/backends/*/attach.conf | grep -v template | sed 's,.*/\(.*\)/attach.conf,libsonde-\1.so,'
		echo sonde-sample-nvml
		echo stand-in
	} | sort >"$T/expected"
	equal libraries "$(cat "$T/expected")" "$(ls "$PLACE/lib/sonde" | sort)"
	bash -n "$PLACE/share/bash-completion/completions/sonde"
}

@test "man finds the installed page, and renders it without a complaint" {
	need man
	man ls >real 2>&1 && never grep -qi minimized real || omit "man is not the real one"
	MANPATH= man -M "$PLACE/share/man" --warnings=all sonde >page 2>complaints || { cat complaints; return 1; }
	silent complaints
	says page "--output" "SONDE_TMPDIR" "EXIT STATUS"
}

@test "links between installed documents lead somewhere" {
	"$PYTHON" - "$PLACE/share/doc/sonde" <<'END'
import os
import re
import sys

links, dead = 0, []
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        if not name.endswith(".md"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as stream:
            text = stream.read()
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
            if ":" in target:
                continue
            links += 1
            if not os.path.exists(os.path.join(folder, target)):
                dead.append("%s: %s" % (name, target))
if dead or not links:
    sys.exit("\n".join(dead) or "no link at all?")
END
}

@test "an installation that is moved finds its libraries: OpenCL" {
	need opencl
	moved
	traced "$APPS/cl_run" 5
	equal status 0 "$status"
	check 'kernels("add_one") == 5' 'ledger("lost") == 0'
	"$SONDE" -q sh -c 'echo "$LD_PRELOAD"' >lists # its own libraries, not those of the build
	says lists "$T/elsewhere/lib/sonde/libsonde.so"
}

@test "an installation that is moved finds its libraries: both MPIs, both orders" {
	need mpich openmpi
	moved
	for mpi in mpich openmpi; do
		traced_job $mpi 2 "$APPS/mpi_ring.$mpi"
		equal "status of $mpi" 0 "$status"
		check 'ranks == 2' 'calls("MPI_Sendrecv") == out["sendrecvs"]'
		traced mpirun.$mpi -n 2 "$APPS/mpi_ring.$mpi"
		equal "status under one sonde, $mpi" 0 "$status"
		check 'ranks == 2' 'calls("MPI_Sendrecv") == out["sendrecvs"]'
	done
}

@test "another user runs a tree that nobody can write to" {
	need opencl
	[ "$(id -u)" -eq 0 ] || omit "no right to become another user"
	base=$PUBLIC
	chmod 755 "$base"
	cp -a "$PLACE" "$base/tree"
	cp "$APPS/cl_run" "$base"
	chmod -R a-w "$base/tree"
	mkdir -m 777 "$base/tmp"
	runuser -u nobody -- env HOME="$base/tmp" TMPDIR="$base/tmp" POCL_CACHE_DIR="$base/tmp/pocl" timeout -k 5 60 \
		"$base/tree/bin/sonde" --json "$base/tmp/summary.json" "$base/cl_run" 5 >out 2>err </dev/null || status=$?
	equal status 0 "${status:-0}"
	cp "$base/tmp/summary.json" .
	status=0
	check 'kernels("add_one") == 5' 'ledger("lost") == 0'
	equal "left behind" "" "$(ls "$base/tmp" | grep -v '^pocl\|^summary.json' || true)"
}
