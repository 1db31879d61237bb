/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CUPTI: finding it, starting it, giving it up. The driver loads this object in cuInit() because CUDA_INJECTION64_PATH
 * names it. CUPTI serves one tool at a time, so where the program brings another, as PyTorch's profiler is, that one
 * gets it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cupti.h"

#define VERSION_LEAST 18u /* CUDA 12.0 */
#define PATH_BYTES 4096u

struct cupti cupti;
static void *library;
static bool taken; /* by another tool of the program */
static const int kinds[] = {CUPTI_KERNEL, CUPTI_MEMCPY, CUPTI_MEMSET, CUPTI_MEMCPY_PEER, CUPTI_MEMORY, CUPTI_JIT};

bool cupti_live(void)
{
	return cupti.owner && cupti.owner == (uint32_t)getpid();
}

static uint64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- finding it ---- */

static bool open_mapped(void)
{
	char path[PATH_BYTES];

	if (rec_mapped("libcupti.so", path, sizeof(path)))
		library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	return library;
}

static bool open_in(const char *folder, const char *below, unsigned major)
{
	char path[PATH_BYTES + 64];

	snprintf(path, sizeof(path), "%s%slibcupti.so.%u", folder, below, major);
	if (strchr(path, '/') && access(path, R_OK) != 0)
		return false;
	library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	return library;
}

/* Beside a toolkit's runtime, or beside that of Python's packages. */
static bool open_beside(const char *folder, unsigned major)
{
	static const char *const below[] = {"/", "/../extras/CUPTI/lib64/", "/extras/CUPTI/lib64/", "/lib64/",
					    "/../../cuda_cupti/lib/", "/../cupti/lib/"};

	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++)
		if (open_in(folder, below[i], major))
			return true;
	return false;
}

static bool open_major(unsigned major)
{
	static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"};
	char folder[64], runtime[PATH_BYTES];

	if (open_in("", "", major)) /* by the loader's own search */
		return true;
	if (rec_mapped("libcudart.so", runtime, sizeof(runtime)) && strrchr(runtime, '/')) {
		*strrchr(runtime, '/') = '\0';
		if (open_beside(runtime, major))
			return true;
	}
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);

		if (value && open_beside(value, major))
			return true;
	}
	snprintf(folder, sizeof(folder), "/usr/local/cuda-%u", major);
	return open_beside("/usr/local/cuda", major) || open_beside(folder, major);
}

static bool open_library(void)
{
	int (*get_version)(int *) = (int (*)(int *))rec_provider_symbol(&cuda_backend, "cuDriverGetVersion");
	int version = 13000;

	if (open_mapped())
		return true;
	if (get_version)
		get_version(&version);
	for (int major = version / 1000; major >= 12; major--)
		if (open_major((unsigned)major))
			return true;
	return false;
}

static bool load(void)
{
	char name[96];

	if (!open_library())
		return false;
#define LOAD(function, arguments)                                                    \
	snprintf(name, sizeof(name), "cupti" #function);                             \
	cupti.function = (int (*) arguments)(uintptr_t)dlsym(library, name);         \
	if (!cupti.function)                                                         \
		return false;
	CUPTI_FUNCTIONS(LOAD)
	return cupti.GetVersion(&cupti.version) == 0 && cupti.version >= VERSION_LEAST;
}

/* ---- starting and stopping ---- */

static void stop(void)
{
	cuda_starts_give_up();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		cupti.ActivityDisable(kinds[i]);
	cupti.ActivityFlushAll(1); /* no buffer of ours may stay: the next tool does not know it */
	if (cupti.subscriber)
		cupti.Unsubscribe(cupti.subscriber);
	cupti.subscriber = NULL;
	cupti.ActivityRegisterTimestampCallback(wall_ns); /* what CUPTI has by itself */
	cupti.owner = 0;
}

static const char *start(uint32_t *skipped_out)
{
	int error = taken ? CUPTI_MULTIPLE_SUBSCRIBERS : cupti.Subscribe(&cupti.subscriber, cuda_calls_report, NULL);

	if (error) {
		cupti.subscriber = NULL;
		return error == CUPTI_MULTIPLE_SUBSCRIBERS ? "another tool of the program holds CUPTI"
							   : "CUPTI refused to start";
	}
	cupti.owner = (uint32_t)getpid();
	if (cupti.ActivityRegisterTimestampCallback(rec_raw_ns) ||
	    cupti.ActivityRegisterCallbacks(cuda_buffer_wanted, cuda_buffer_done) ||
	    !cuda_calls_start(skipped_out)) {
		stop();
		return "CUPTI refused to start";
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (cupti.ActivityEnable(kinds[i]) != 0 && kinds[i] == CUPTI_KERNEL) {
			stop();
			return "CUPTI records no kernels";
		}
	return NULL;
}

/* ---- flushing: CUPTI may wait for a device that hangs, the program's end may not ---- */

static void flush_all(void)
{
	cupti.ActivityFlushAll(1 /* also what is not full */);
}

static struct rec_flusher flusher = {.run = flush_all};

void cupti_flush(uint64_t deadline_raw_ns)
{
	if (cupti_live())
		rec_flusher_run(&flusher, deadline_raw_ns);
}

#define EXIT_FLUSH_NS 2000000000u

/* The runtime closes itself in handlers that were registered before this one: later there is nothing to flush. */
static void at_exit(void)
{
	cupti_flush(rec_raw_ns() + EXIT_FLUSH_NS);
}

static const char no_cupti[] = "CUPTI of CUDA 12 or 13 was not found: nothing is known of devices, nor of calls of a "
			       "runtime that is part of the program (CUDA_HOME may say where it is)";

/* Called by the driver, in cuInit(). 1: we are there. */
REC_EXPORT int InitializeInjection(void)
{
	static char how[128]; /* lasts */
	const char *trouble;
	uint32_t token, skipped = 0;

	if (cupti_live())
		return 1;
	token = rec_guard_enter();
	trouble = load() ? start(&skipped) : no_cupti;
	if (!trouble) {
		snprintf(how, sizeof(how), "CUPTI %u", cupti.version);
		if (skipped)
			snprintf(how + strlen(how), sizeof(how) - strlen(how),
				 ", which was not asked for %u functions that only ask or set up (--queries does)",
				 skipped);
		rec_attached(&cuda_backend, how, NULL);
		rec_flusher_start(&flusher);
		atexit(at_exit);
	} else {
		rec_backend_note(&cuda_backend, trouble);
	}
	rec_guard_leave(token);
	return 1;
}

/* ---- another tool in the program ---- */

static void *next(const char *name)
{
	void *found = library ? dlsym(library, name) : NULL;

	if (!found && open_mapped())
		found = dlsym(library, name);
	return found;
}

static void hand_over(void)
{
	uint32_t token;

	taken = true;
	if (!cupti_live())
		return;
	token = rec_guard_enter();
	stop();
	rec_backend_note(&cuda_backend,
			 "the program brought a tool of its own, which has had CUPTI since: what devices did after "
			 "that is not in here");
	rec_guard_leave(token);
}

#define NO_CUPTI 1 /* CUPTI_ERROR_INVALID_PARAMETER */

REC_EXPORT int cuptiSubscribe(void **subscriber, cupti_callback callback, void *data)
{
	int (*real)(void **, cupti_callback, void *) =
		(int (*)(void **, cupti_callback, void *))(uintptr_t)next("cuptiSubscribe");

	hand_over();
	return real ? real(subscriber, callback, data) : NO_CUPTI;
}

REC_EXPORT int cuptiActivityRegisterCallbacks(cupti_buffer_wanted wanted, cupti_buffer_done done)
{
	int (*real)(cupti_buffer_wanted, cupti_buffer_done) =
		(int (*)(cupti_buffer_wanted, cupti_buffer_done))(uintptr_t)next("cuptiActivityRegisterCallbacks");

	hand_over();
	return real ? real(wanted, done) : NO_CUPTI;
}
