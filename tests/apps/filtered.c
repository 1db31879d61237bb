/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * filtered [HOW]: a traced call within a range; then the program forbids itself process_vm_readv(), which from there on
 * kills, and ends within the range as app_end() knows it.
 */
#include <sonde/sonde.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "app.h"
#include "fake_mpi.h"

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	sonde_push("around");
	MPI_Barrier(MPI_COMM_WORLD);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	app_end(argc > 1 ? argv[1] : "return");
	return 0;
}
