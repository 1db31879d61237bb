/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launches. Every one of the program's ends in occa::kernel::run(). In modes with a device that runs a launcher on the
 * host, which runs the kernel's parts, again by kernel::run(): they belong to the launch that the program made and are
 * no calls of their own; what they start on a device is counted for it by itself.
 *
 * Second way: where the compiler has put kernel::run() into its callers, nothing is left to stand before. The virtual
 * functions that it calls are reached through exported tables, whose entries are replaced by ours; a launch that was
 * seen on its way there is not seen again.
 */
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "occa.h"

typedef void run_function(const void *kernel);

struct launch {
	struct occa_op op;
	uintptr_t outer;
};

static void launch_end(struct launch *launch)
{
	occa_thread.run = launch->outer;
	occa_op_end(&launch->op);
}

/* Is this one within a launch that is recorded? The stack grows down; what an exception left behind is above. */
static inline bool is_part(uintptr_t frame)
{
	return occa_thread.run && frame < occa_thread.run;
}

/* kernel: an object of class occa::kernel */
static void launch_begin(struct launch *launch, const void *kernel, uintptr_t frame)
{
	const void *(*name)(const void *) = (const void *(*)(const void *))occa_asked(OCCA_KERNEL_NAME);
	const void *(*mode)(const void *) = (const void *(*)(const void *))occa_asked(OCCA_KERNEL_MODE);
	struct rec_label label = rec_label(NULL, name ? occa_text(name(kernel)) : "kernel");
	bool host = mode && occa_is_host(occa_text(mode(kernel)));

	occa_thread.run = frame;
	occa_op_begin(&launch->op, &label, host ? SONDE_KIND_compute : SONDE_KIND_launch, frame);
}

REC_EXPORT void occa_wrap_run(const void *kernel) __asm__("_ZNK4occa6kernel3runEv");
void occa_wrap_run(const void *kernel)
{
	run_function *run = (run_function *)occa_real(OCCA_KERNEL_RUN, OCCA_CALLER);

	occa_enter();
	if (is_part(OCCA_FRAME)) {
		run(kernel);
	} else {
		struct launch launch OCCA_ENDS(launch_end) = {.outer = occa_thread.run};

		launch_begin(&launch, kernel, OCCA_FRAME);
		run(kernel);
		launch.op.returned = true;
	}
}

/* ---- by virtual functions -------------------------------------------------------------------- */

static run_function *serial_run, *launched_run;

static __attribute__((noinline)) void run_outermost(run_function *run, const void *mode_kernel, uintptr_t frame)
{
	/* an object of class occa::kernel that stands for it */
	const void *kernel[] = {NULL, NULL, mode_kernel};
	struct launch launch OCCA_ENDS(launch_end) = {.outer = occa_thread.run};

	launch_begin(&launch, kernel, frame);
	run(mode_kernel);
	launch.op.returned = true;
}

static void run_serial(const void *mode_kernel)
{
	if (is_part(OCCA_FRAME))
		serial_run(mode_kernel);
	else
		run_outermost(serial_run, mode_kernel, OCCA_FRAME);
}

static void run_launched(const void *mode_kernel)
{
	if (is_part(OCCA_FRAME))
		launched_run(mode_kernel);
	else
		run_outermost(launched_run, mode_kernel, OCCA_FRAME);
}

#define TABLE_FIRST 2   /* behind the offset to the object's top and its type */
#define TABLE_MOST 24

/* Has the loader made the page read-only when it had filled it? Those of which an object says so, as a whole. */
static int is_closed(struct dl_phdr_info *info, size_t size, void *page_address)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)page_address;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		uintptr_t end = begin + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO && at >= (begin & ~(page - 1)) &&
		    at < (end & ~(page - 1)))
			return 1;
	}
	return 0;
}

/* Which entry it is depends on the class's members: the one that holds the function's address. */
static void take(const char *table_name, const char *function_name, run_function *ours, run_function **real_out)
{
	void **table = occa_provided(table_name);
	void *function = occa_provided(function_name);
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at;
	uint32_t i = TABLE_FIRST;

	if (!table || !function)
		return;
	while (i < TABLE_MOST && table[i] != function)
		i++;
	if (i == TABLE_MOST)
		return;
	*real_out = (run_function *)function;
	at = (uintptr_t)&table[i] & ~(page - 1);
	if (mprotect((void *)at, page, PROT_READ | PROT_WRITE) != 0)
		return;
	__atomic_store_n(&table[i], (void *)ours, __ATOMIC_RELEASE);
	if (dl_iterate_phdr(is_closed, (void *)at))
		mprotect((void *)at, page, PROT_READ);
}

void occa_vtables_take(void)
{
	static const char *const launched[] = {
		"_ZTVN4occa6opencl6kernelE", "_ZTVN4occa4cuda6kernelE", "_ZTVN4occa3hip6kernelE",
		"_ZTVN4occa5dpcpp6kernelE", "_ZTVN4occa5metal6kernelE"
	};

	take("_ZTVN4occa6serial6kernelE", "_ZNK4occa6serial6kernel3runEv", run_serial, &serial_run);
	for (size_t i = 0; i < sizeof(launched) / sizeof(launched[0]); i++)
		take(launched[i], "_ZNK4occa20launchedModeKernel_t3runEv", run_launched, &launched_run);
}
