#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# words.sh API WORDS BARE FAKE: calls every exported name through its wrapper, without and with a
# recording, and compares the recording's calls with what the simulated runtime counted.
set -e
api=$1 words=$2 bare=$3 fake=$4
library=$BUILD/bin/libsonde.so
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$PYTHON" -B "$SRC/tools/apigen.py" names "$SRC/src/backends/$api" --kinds "$SRC/src/format/kinds.h" >"$folder/names"

run() {
	LD_PRELOAD="$bare $library $fake" timeout 60 "$words" "$api" "$folder/names"
}
echo "without a recording:"
run
echo "with a recording:"
mkdir "$folder/run"
SONDE_DIR=$folder/run SONDE_CLOCK=${SONDE_CLOCK:-monotonic} run
ls "$folder"/run/*/tally >/dev/null
