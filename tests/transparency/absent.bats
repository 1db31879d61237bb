#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# An API that is not in the process must look absent under sonde, too.
load ../cli/lib

@test "weak references to MPI are NULL in a program without MPI" {
	bare "$APPS/weak_mpi"
	says "$T/bare.out" "MPI_Init absent"
	traced "$APPS/weak_mpi"
	equal status 0 "$status"
	diff "$T/bare.out" "$T/out"
}

@test "weak references in a plugin: an absent API answers harmlessly" {
	cat >plugin.c <<-'EOF2'
	#include <stdio.h>
	extern int MPI_Initialized(int *) __attribute__((weak));
	extern int MPI_Comm_rank(int, int *) __attribute__((weak));
	void plugin(void)
	{
		int flag = 0;
		if (MPI_Initialized && !MPI_Initialized(&flag) && flag)
			puts("MPI is there");
		puts("done");
	}
	EOF2
	cat >host.c <<-'EOF2'
	#include <dlfcn.h>
	int main(void)
	{
		void *plugin = dlopen("./plugin.so", RTLD_NOW);
		if (!plugin)
			return 1;
		((void (*)(void))dlsym(plugin, "plugin"))();
		return 0;
	}
	EOF2
	cc -shared -fPIC -o plugin.so plugin.c
	cc -o host host.c -ldl
	bare ./host
	traced ./host
	equal status 0 "$status"
	diff "$T/bare.out" "$T/out"
	check 'len(s["calls"]) == 0'
}

@test "dlsym finds no MPI in a program without MPI, by any handle" {
	bare "$APPS/absent_api"
	traced "$APPS/absent_api"
	equal status 0 "$status"
	diff "$T/bare.out" "$T/out"
}

@test "configure-style link tests give the same answers" {
	echo 'char MPI_Init(void); int main(void) { return MPI_Init(); }' >conf.c
	bare cc conf.c -o conf
	expected=$status
	traced -q cc conf.c -o conf
	equal status "$expected" "$status"
}
