# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Beside tests/cli/lib.bash: the simulated CUDA of this folder (sim.h).
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)}
load "$SRC/tests/cli/lib"


unset CUDA_INJECTION64_PATH CUDA_HOME CUDA_PATH CUDA_ROOT ${!SIM_*}
SIM=$BUILD/tests/cuda
export LD_LIBRARY_PATH=$SIM/cupti

# sim KIND WORD...: the program that has the runtime as a library (shared) or in itself (static); ends well
sim()
{
	# shellcheck disable=SC2086
	traced $options -- "$SIM/sim_$1" "${@:2}"
	equal "status of $*" 0 "$status"
}

# Everything that was launched has come back, with its times.
complete()
{
	check 'not s["lower_bound"]' 'ledger("device_seen") == ledger("device_recorded")' 'ledger("untimed") == 0' \
		'ledger("unfinished") == 0' 'ledger("device_lost") == 0' 'ledger("lost") == 0' "$@"
}

# note TEXT: some note of the summary holds the text
note()
{
	check "any('''$1''' in note['text'] for note in s['notes'])"
}

no_notes()
{
	check 's["notes"] == []'
}
