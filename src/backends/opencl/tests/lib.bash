# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Beside tests/cli/lib.bash: the programs of this folder, and Python over the summary's lists.
PROGRAMS=$BUILD/tests/opencl

ocl() # PROGRAM ARGS...: traced, ends well
{
	need opencl
	traced "$PROGRAMS/$1" "${@:2}"
	equal "status of $1" 0 "$status"
}

ocl_wrapped() # likewise, where the loader has no layers
{
	need opencl
	traced env -u OPENCL_LAYERS "$PROGRAMS/$1" "${@:2}"
	equal "status of $1" 0 "$status"
}

# All that was launched has come back with its times.
complete()
{
	check 'ledger("device_seen") == ledger("device_recorded")' 'ledger("untimed") == 0' 'ledger("unfinished") == 0' \
		'ledger("lost") == 0' 'ledger("device_lost") == 0' "$@"
}
