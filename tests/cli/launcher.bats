#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The command line: what is refused before the program starts, what comes out where, what is left alone.
load lib

# refused TEXT OPTION...: exit status 2, one line with TEXT on stderr, and the program was not started
refused()
{
	local text=$1
	shift
	status=0
	timeout 20 "$SONDE" "$@" touch "$T/started" >"$T/out" 2>"$T/err" </dev/null || status=$?
	equal "status of $*" 2 "$status"
	equal "lines" 1 "$(wc -l <"$T/err")"
	says "$T/err" "sonde: $text"
	silent "$T/out"
	[ ! -e "$T/started" ] || { echo "the program ran with $*"; return 1; }
}

@test "an unknown option is named, nothing runs" {
	refused "unknown option '--foo' (see sonde --help)" --foo
	refused "unknown option '--foo' (see sonde --help)" --foo=3
	refused "unknown option '-Z' (see sonde --help)" -qZ
	refused "unknown option '--led' (see sonde --help)" --led
}

@test "options that are not built are unknown" {
	for option in --delay --region; do
		refused "unknown option '$option' (see sonde --help)" $option
	done
}

@test "missing and wrong arguments are named, nothing runs" {
	refused "option '--quiet' takes no argument" --quiet=yes
	refused "--top takes a number, not 'x'" --top x
	refused "--ranks takes a list like 0,2,8-15, not '1-'" --ranks 1-
	refused "--ranks takes a list like 0,2,8-15, not '0-99999999999'" --ranks 0-99999999999
	refused "--top takes a number from 1 on" --top 0
	refused "unknown backend 'foo' (there are: " -b mpi,foo
	status=0
	"$SONDE" -o >"$T/out" 2>"$T/err" || status=$?
	equal status 2 "$status"
	says "$T/err" "sonde: option '-o' needs an argument"
	status=0
	"$SONDE" -q >"$T/out" 2>"$T/err" || status=$?
	equal status 2 "$status"
	says "$T/err" "sonde: no program to run"
}

@test "an output that cannot be written is found before the program starts" {
	mkdir full taken
	touch full/something file
	refused "$T/full: is not empty" -o full
	refused "$T/file: Not a directory" -o file
	refused "$T/file/below: Not a directory" -o file/below
	refused "$T/taken: is a directory" --json taken
	refused "$T/nowhere/x.json: No such file or directory" --json nowhere/x.json
	refused "$T/file: is no directory" --csv file
	refused "/proc/nothing: No such file or directory" -o /proc/nothing
	refused "/proc/nothing: No such file or directory" --csv /proc/nothing
	refused "/proc/nothing: No such file or directory" --json /proc/nothing
	[ -e full/something ]
}

@test "an output without the right to write is found before the program starts" {
	need setpriv
	[ "$(id -u)" = 0 ] || omit "not root"
	chmod 755 "$BATS_RUN_TMPDIR" "$T"
	mkdir closed
	chmod 755 closed
	for option in "-o closed" "-o closed/x" "--json closed/x" "--csv closed/x"; do
		status=0
		setpriv --reuid=65534 --regid=65534 --clear-groups env TMPDIR=/tmp timeout 20 "$SONDE" $option true \
			>"$T/out" 2>"$T/err" || status=$?
		equal "status of $option" 2 "$status"
		says "$T/err" "sonde: $T/closed" "Permission denied"
	done
}

@test "a program that is missing gives 127, one that cannot be run 126, and nothing is created" {
	touch plain
	printf '#!/nonexistent/interpreter\n' >script
	chmod +x script
	while read -r expected program; do
		status=0
		"$SONDE" -o rec "$program" >"$T/out" 2>"$T/err" || status=$?
		equal "status of $program" "$expected" "$status"
		equal "lines" 1 "$(wc -l <"$T/err")"
		says "$T/err" "sonde: $program: "
		[ ! -e rec ]
	done <<-'LIST'
		127 no-such-program
		127 ./no-such-program
		126 ./plain
		126 /
		127 ./script
	LIST
}

@test "a command behind options, which is no program, is told from one" {
	PATH=/nonexistent run -127 "$SONDE" --csv d report rec
	grep -q "^sonde: the command report goes in front of options: sonde report" <<<"$output"
	grep -q "^sonde: report: command not found" <<<"$output"
}

@test "a script without a first line runs as a shell would run it" {
	printf 'echo "$1"; exit 9\n' >script
	chmod +x script
	traced ./script word
	equal status 9 "$status"
	equal output word "$(cat "$T/out")"
}

@test "options end at the program, which keeps its own" {
	equal output "-q --json x" "$("$SONDE" -q echo -q --json x)"
	equal output "-n" "$("$SONDE" -q -- printf %s -n)"
}

@test "a program called report runs behind --" {
	printf '#!/bin/sh\necho "I am $0"\n' >report
	chmod +x report
	equal output "I am ./report" "$("$SONDE" -q ./report)"
	equal output "I am $T/report" "$(PATH=$T:$PATH "$SONDE" -q -- report)"
}

@test "help and version go to stdout, status 0" {
	"$SONDE" --help >"$T/out" 2>"$T/err"
	says "$T/out" "Usage: sonde [options] [--] PROGRAM" "--output DIR"
	silent "$T/err"
	equal "longest line" 1 "$(($(wc -L <"$T/out") <= 80))"
	"$SONDE" report -h >"$T/out"
	says "$T/out" "Usage: sonde report"
	never grep -q -- --output "$T/out"
	"$SONDE" --version >"$T/out"
	grep -qx 'sonde [0-9.]*' "$T/out"
}

@test "report says what is missing or unreadable, with status 2" {
	for argument in "" /nonexistent /etc/passwd; do
		status=0
		"$SONDE" report $argument >"$T/out" 2>"$T/err" || status=$?
		equal "status of report $argument" 2 "$status"
		says "$T/err" "sonde: "
		silent "$T/out"
	done
}

@test "-q prints nothing, and what was asked for is still written" {
	traced -q "$APPS/burst" 10
	equal status 0 "$status"
	silent "$T/err"
	check 'calls("MPI_Test") == 10'
	traced -q --csv csv sh -c 'kill -TERM $$'
	equal status 143 "$status"
	silent "$T/err"
	[ -n "$(ls csv)" ]
}

@test "-v says what is loaded and where it is recorded" {
	"$SONDE" -v -o rec true 2>"$T/err"
	says "$T/err" "libsonde.so" "recording in $T/rec"
}

@test "nothing recorded: what was looked for and who knows more" {
	"$SONDE" true 2>"$T/err"
	equal lines 1 "$(wc -l <"$T/err")"
	says "$T/err" "nothing recorded: true used none of " mpi opencl "sonde doctor true"
	"$SONDE" -b mpi true 2>"$T/err"
	never grep -q opencl "$T/err"
}

@test "-o keeps the recording, creates what is missing of the path, and report reads it" {
	traced -o a/b/rec "$APPS/burst" 7
	equal status 0 "$status"
	report a/b/rec
	equal "status of report" 0 "$status"
	check 'calls("MPI_Test") == 7' 'end == "exit 0"'
	equal rights 700 "$(stat -c %a a/b/rec)"
}

@test "-o on a file system that recorders cannot map gets a copy" {
	need root
	residue=allowed
	mkdir other
	# any file system that is none of those that are mapped
	unshare -m sh -c 'mount -t ramfs none "$1" 2>/dev/null && umount "$1"; mount -t hugetlbfs none "$1" 2>/dev/null ||
		exit 77; exec "$2" -o "$1/rec" "$3" 7' sh "$T/other" "$SONDE" "$APPS/burst" >"$T/out" 2>"$T/err" </dev/null ||
		status=$?
	[ "${status:-0}" != 77 ] || omit "no other file system"
	says "$T/out" calls=7
	# hugetlbfs takes no ordinary files: the recording stays where it is, and the user is told where
	says "$T/err" "the recording stays in"
	report "$(sed -n 's/.*the recording stays in //p' "$T/err")"
	check 'calls("MPI_Test") == 7'
}

@test "processes that outlive the program are named and their recording is kept" {
	residue=allowed
	"$SONDE" sh -c 'sleep 1.5 & echo $! >pid' 2>"$T/err"
	says "$T/err" "still running: $(cat pid) (sleep)" "goes on in $TMPDIR/sonde-"
	[ -d "$(sed -n 's/.*goes on in //p' "$T/err")" ]
	# also one whose initial thread, which had the environment, has ended
	"$SONDE" sh -c '"$1" return 150 >/dev/null & echo $! >pid; sleep 0.5' sh "$APPS/initial_left" 2>"$T/err"
	says "$T/err" "still running: $(cat pid) (initial_left)"
}

@test "a stale SONDE_DIR is no recording: a new one begins" {
	SONDE_DIR=/nonexistent/gone traced "$APPS/burst" 3
	check 'calls("MPI_Test") == 3'
}

@test "the user's lists and sanitizer options stay in front" {
	LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6 ASAN_OPTIONS=detect_leaks=0 "$SONDE" -q env >"$T/out"
	grep -q '^LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6:/.*libsonde.so$' "$T/out"
	grep -q '^ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0$' "$T/out"
}

@test "only variables of ours differ in the program's environment" {
	env | sort >"$T/bare"
	"$SONDE" -q env | sort >"$T/traced"
	equal differences "" "$(diff "$T/bare" "$T/traced" | grep '^[<>]' | grep -v \
		'^. \(SONDE_[A-Z_]*\|KOKKOS_TOOLS_LIBS\|OMP_TOOL_LIBRARIES\|KOKKOS_PROFILE_LIBRARY\|LD_PRELOAD\|OPENCL_LAYERS\|HSA_TOOLS_LIB\|ROCP_TOOL_LIBRARIES\|CUDA_INJECTION64_PATH\|NVTX_INJECTION64_PATH\|INTEL_LIBITTNOTIFY64\|ASAN_OPTIONS\|_\)=')"
}

@test "the recording directory is the user's alone" {
	equal rights "700 $(id -u)" "$("$SONDE" -q sh -c 'stat -c "%a %u" "$SONDE_DIR"')"
}

@test "help, man page and completion speak of the same options" {
	"$SONDE" --help >"$T/run"
	for command in $(sed -n 's/^       sonde \([a-z]*\) .*/\1/p' "$T/run"); do
		"$SONDE" "$command" --help
	done | cat "$T/run" - | grep -o -- '--[a-z-]\+' | sort -u >"$T/help"
	sed 's/\\-/-/g' "$BUILD/generated/cli/sonde.1" | grep -o -- 'fB--[a-z-]\+' | sed 's/^fB//' | sort -u >"$T/man"
	grep -o ") words='[^']*'" "$BUILD/generated/cli/sonde" | grep -o -- '--[a-z-]\+' | sort -u >"$T/completion"
	equal "man page" "$(cat "$T/help")" "$(cat "$T/man")"
	equal completion "$(cat "$T/help")" "$(cat "$T/completion")"
}

# completed WORD...: what the shell offers for the last word
completed()
{
	bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sonde; printf "%s\n" "${COMPREPLY[@]}"' \
		sh "$BUILD/generated/cli/sonde" "$@"
}

@test "completion: options, backends, files, and the program's own words" {
	touch "some file"
	equal options "--ledger" "$(completed sonde --led)"
	equal backends "opencl" "$(completed sonde -b op)"
	equal files "some file" "$(completed sonde --json some)"
	equal "program's words" "some file" "$(completed sonde -q ls -l some)"
	equal "options of report" "" "$(completed sonde report --output)"
	completed sonde rep | grep -qx report
}

@test "a backend adds to an option: words for the shell, a sentence for the manual" {
	equal samplers "nvml" "$(completed sonde --sample '')"
	"$SONDE" --help | grep -q -- '--sample WHAT'
	generated=$BUILD/generated/cli/sonde.1
	grep -q "plain number is in ms. nvml: power, clocks" "$generated"
}

@test "a mistake in options.def ends the build, naming file, option and reason" {
	generate()
	{
		"$PYTHON" "$SRC/tools/optgen.py" --header h --source c --man man --completion c --version 1 \
			--man-template "$SRC/docs/man/sonde.1.in" --completion-template "$SRC/src/cli/completion.bash.in" "$@"
	}
	refused() # FORMAT: odd.def by it, of each line "STANZA|REASON"
	{
		while IFS='|' read -r stanza reason; do
			# shellcheck disable=SC2059
			printf "$1" "$stanza" >odd.def
			status=0
			generate "$SRC/src/options.def" odd.def 2>"$T/err" || status=$?
			equal "status for $reason" 1 "$status"
			says "$T/err" "odd.def" "$reason"
		done
	}
	generate "$SRC/src/options.def"
	refused '[option odd]\ncommands = run\nsection = S\nhelp = h\n%b\n' <<-'LIST'
		colour = red|[option odd]: unknown key colour
		short = xy|[option odd]: short is not one letter
		default = 3|[option odd]: only a number has a default
		argument = N\ntype = float|[option odd]: type does not fit
		commands = fly|already exists
	LIST
	printf '[option output]\ncommands = run\nsection = S\nhelp = h\n' >odd.def
	status=0
	generate "$SRC/src/options.def" odd.def 2>"$T/err" || status=$?
	equal status 1 "$status"
	says "$T/err" "--output is defined twice"
	refused '[add %b\n' <<-'LIST'
		sampel]\ndetails = d|[add sampel]: there is no one option
		sample]\nhelp = h|[add sample]: an addition has complete or details
		output]\ncomplete = w|no one option
		ranks]\ncomplete = w|no one option
		max-size]\ncomplete = w|[add max-size]: only words can be added to
	LIST
}

@test "why a program cannot be run is told: a directory, no right, no interpreter" {
	touch plain
	printf '#!/nonexistent/interpreter\n' >script
	chmod +x script
	while read -r program why; do
		"$SONDE" "$program" >"$T/out" 2>"$T/err" || :
		says "$T/err" "sonde: $program: $why"
	done <<'END'
./plain is not executable
./script is there, but not the interpreter
/ is a directory
./nothing No such file or directory
nothing command not found
END
}
