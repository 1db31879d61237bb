#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The look at a program before it is started: what cannot be traced is said once, and runs; what is linked
# how decides which wrappers are loaded.
load lib

CC=${CC:-cc}

# untraced EXPECTED-STATUS REASON COMMAND...: one line with the reason, and no other
untraced()
{
	local expected=$1 reason=$2
	shift 2
	status=0
	timeout 20 "$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
	equal "status" "$expected" "$status"
	equal "lines" 1 "$(wc -l <"$T/err")"
	says "$T/err" "$reason: it runs untraced"
}

nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env TMPDIR=/tmp)

need_nobody()
{
	need setpriv
	[ "$(id -u)" = 0 ] || omit "not root"
	chmod 755 "$BATS_RUN_TMPDIR" "$T"
	"${nobody[@]}" test -x "$SONDE" -a -x "$APPS/hello" || omit "the build is not readable by others"
}

@test "a static program, and a script with a static interpreter" {
	need hello.static
	untraced 3 "$APPS/hello.static is statically linked" "$SONDE" "$APPS/hello.static" a
	printf '#!%s\n' "$APPS/hello.static" >script
	chmod +x script
	untraced 3 "$APPS/hello.static is statically linked" "$SONDE" ./script
	says "$T/out" ./script
}

@test "what a static program starts is traced all the same" {
	cat >start.c <<-'EOF2'
		#include <unistd.h>
		int main(int argc, char **argv) { (void)argc; return execvp(argv[1], argv + 1); }
	EOF2
	"$CC" -static -o start start.c || omit "no static C library"
	traced ./start "$APPS/burst" 9
	equal status 0 "$status"
	check 'calls("MPI_Test") == 9' '"untraceable" in notes'
}

@test "a program of another C library gets none of our variables" {
	need hello.musl
	untraced 3 "is linked with another C library" "$SONDE" "$APPS/hello.musl"
}

@test "set-user-id: only where it changes the user" {
	need_nobody
	cp "$APPS/hello" suid
	chown root suid
	chmod 4755 suid
	untraced 3 "(set-user-id or set-group-id)" "${nobody[@]}" "$SONDE" "$T/suid"
	"$SONDE" -v "$T/suid" 2>"$T/err" || true
	never grep -q set-user-id "$T/err"
}

@test "file capabilities: only where they give rights" {
	need_nobody
	need setcap
	cp "$APPS/hello" capable
	chmod 755 capable
	setcap cap_net_raw+ep capable || omit "file system without capabilities"
	untraced 3 "has file capabilities" "${nobody[@]}" "$SONDE" "$T/capable"
	"$SONDE" -v "$T/capable" 2>"$T/err" || true
	never grep -q capabilities "$T/err"
}

@test "a program for another architecture is named as such, without a word from a loader" {
	as --32 -o hello32.o "$SRC/tests/apps/hello32.s" || omit "no 32-bit assembler"
	ld -m elf_i386 -o hello32 hello32.o
	# a kernel without 32-bit programs refuses it, and whoever starts it by execvp() hands it to a shell: so do we
	bare ./hello32
	expected=$status
	status=0
	timeout 20 "$SONDE" ./hello32 >"$T/out" 2>"$T/err" </dev/null || status=$?
	equal "status" "$expected" "$status"
	diff "$T/bare.out" "$T/out"
	equal "first line" "sonde: ./hello32 is built for another architecture: it runs untraced" "$(head -n 1 "$T/err")"
	diff "$T/bare.err" <(tail -n +2 "$T/err")
}

# A program that weakly refers to an API function, directly or through a library of its own.
weak_program()
{
	cat >weak.c <<-'EOF2'
		__attribute__((weak)) int MPI_Initialized(int *flag);
		int has(void) { return MPI_Initialized != 0; }
	EOF2
	echo 'int has(void); int main(void) { return has(); }' >main.c
	mkdir -p lib
	"$CC" -shared -fPIC -o lib/libweak.so weak.c
}

@test "a weak question for an API stays answered by no, wherever the question stands" {
	weak_program
	"$CC" -o direct main.c weak.c
	for flags in -Wl,-rpath,"$T/lib" '-Wl,--disable-new-dtags,-rpath,$ORIGIN/lib' '-Wl,-rpath,${ORIGIN}/lib'; do
		"$CC" -o indirect main.c -Llib -lweak "$flags"
		for program in ./direct ./indirect; do
			status=0
			"$SONDE" -v $program 2>"$T/err" || status=$?
			equal "status of $program with $flags" 0 "$status"
			says "$T/err" "libsonde-mpi.so is not loaded" MPI_Initialized
		done
	done
	"$CC" -o indirect main.c -Llib -lweak
	LD_LIBRARY_PATH=$T/lib "$SONDE" -q ./indirect
}

@test "a weak question is answered by yes where a library provides the API" {
	weak_program
	"$CC" -o direct main.c weak.c -Wl,--no-as-needed "$APPS/fake/libmpi.so.12" -Wl,-rpath,"$APPS/fake"
	status=0
	"$SONDE" -v ./direct 2>"$T/err" || status=$?
	equal status 1 "$status"
	never grep -q "is not loaded" "$T/err"
	# the provider may also come by the user's preload
	"$CC" -o direct main.c weak.c
	status=0
	LD_PRELOAD=$APPS/fake/libmpi.so.12 "$SONDE" -v ./direct 2>"$T/err" || status=$?
	equal status 1 "$status"
	never grep -q "is not loaded" "$T/err"
}

@test "a missing library is named when nothing could be recorded" {
	mkdir lib
	echo 'int f(void) { return 0; }' >f.c
	echo 'int f(void); int main(void) { return f(); }' >main.c
	"$CC" -shared -fPIC -o lib/libgone.so f.c
	"$CC" -o program main.c -Llib -lgone
	status=0
	"$SONDE" ./program 2>"$T/err" || status=$?
	equal status 127 "$status"
	says "$T/err" "nothing recorded: ./program needs libgone.so, which was not found"
}

@test "a sanitizer that is not there: the program runs as it would, after one line" {
	need sanitized.gcc.address
	cp "$APPS/sanitized.gcc.address" program
	sanitizer=$("$CC" -print-file-name=libasan.so)
	sed -i 's/libasan\.so\./libasan.so_/' program
	status=0
	"$SONDE" ./program 2>"$T/err" || status=$?
	equal status 127 "$status"
	says "$T/err" "needs its sanitizer loaded first, which was not found: it runs untraced"
}

@test "a library path that LD_PRELOAD cannot express: one line, untraced" {
	mkdir "with space"
	cp "$SONDE" "$BUILD"/bin/libsonde*.so "with space"
	status=0
	"with space/sonde" sh -c 'echo "[$LD_PRELOAD]"; exit 4' >"$T/out" 2>"$T/err" || status=$?
	equal status 4 "$status"
	equal output "[]" "$(cat "$T/out")"
	equal lines 1 "$(wc -l <"$T/err")"
	says "$T/err" "LD_PRELOAD takes no path with a space or colon"
}

@test "without its libraries sonde says so and runs the program" {
	cp "$SONDE" sonde
	status=0
	./sonde sh -c 'exit 4' 2>"$T/err" || status=$?
	equal status 4 "$status"
	says "$T/err" "libsonde.so is neither beside the command nor in ../lib/sonde"
}

@test "an installation finds its libraries in ../lib/sonde" {
	mkdir -p usr/bin usr/lib/sonde
	cp "$SONDE" usr/bin
	cp "$BUILD"/bin/libsonde*.so usr/lib/sonde
	ln -s usr/bin/sonde link
	SONDE=./link traced "$APPS/burst" 5
	check 'calls("MPI_Test") == 5'
}
