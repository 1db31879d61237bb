/* SPDX-License-Identifier: BSD-3-Clause */
/* OMPT: how the runtime finds us, and what each thread is in. */
#include <dlfcn.h>
#include <stdlib.h>

#include "ompt.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static void flush(uint64_t deadline)
{
	(void)deadline;
	ompt_target_check();
}

struct rec_backend ompt_backend = {
	.size = sizeof(struct rec_backend), .name = "ompt", .pool = "", .front = "",
	.runtimes = "libomp\0libiomp5\0libomptarget\0", .layer = 5, .opened = ompt_target_opened, .flush = flush
};

__attribute__((constructor)) static void start(void)
{
	rec_backend_register(&ompt_backend, __ehdr_start, _end);
}

/* ---- threads ------------------------------------------------------------------------------------------ */

static __thread struct self *own __attribute__((tls_model("initial-exec")));
static struct self *unused;
static uint32_t lock;

struct self *ompt_self(void)
{
	if (likely(own))
		return own;
	rec_lock(&lock);
	own = unused;
	if (own)
		unused = own->next;
	rec_unlock(&lock);
	if (!own)
		own = rec_keep(NULL, sizeof(*own));
	if (own)
		*own = (struct self){.next = NULL};
	return own;
}

void ompt_self_end(void)
{
	struct self *self = own;

	own = NULL;
	if (!self)
		return;
	rec_lock(&lock);
	self->next = unused;
	unused = self;
	rec_unlock(&lock);
}

void ompt_open(struct self *self, enum construct construct, const void *id, const struct rec_label *label,
	       enum sonde_kind kind, struct rec_call *call)
{
	call->slot = 0;
	if (self->depth == OPEN_MAX)
		return;
	rec_enter_dynamic(call, &ompt_backend, label, kind, 0);
	self->open[self->depth++] = (struct open){construct, id, rec_call_token(call)};
}

static uint32_t find(const struct self *self, enum construct construct, const void *id)
{
	uint32_t at = self->depth;

	while (at && (self->open[at - 1].construct != construct || self->open[at - 1].id != id))
		at--;
	return at;
}

struct region *ompt_region(const struct self *self)
{
	uint32_t at = self->depth;

	while (at && self->open[at - 1].construct != IN_PARALLEL && self->open[at - 1].construct != IN_WORKER)
		at--;
	return at ? (struct region *)(uintptr_t)self->open[at - 1].id : NULL;
}

bool ompt_is_open(const struct self *self, enum construct construct, const void *id)
{
	return find(self, construct, id) != 0;
}

bool ompt_close(struct self *self, enum construct construct, const void *id, struct rec_call *call)
{
	uint32_t at = find(self, construct, id);

	if (!at)
		return false;
	self->depth = at - 1;
	return rec_call_resume(call, &ompt_backend, self->open[at - 1].token);
}

/* ---- start-up ----------------------------------------------------------------------------------------- */

static bool ending; /* the program */

/* Runs before what the runtime does at the end: its handler is older. */
static void at_exit(void)
{
	ending = true;
}

static int initialize(ompt_lookup lookup, int device, ompt_word *tool)
{
	ompt_set_callback set = (ompt_set_callback)lookup("ompt_set_callback");
	Dl_info runtime;

	(void)device;
	(void)tool;
	if (!set)
		return 0;
	rec_attached(&ompt_backend, "OMP_TOOL_LIBRARIES",
		     dladdr((void *)(uintptr_t)lookup, &runtime) ? runtime.dli_fname : NULL);
	atexit(at_exit);
	ompt_host_start(set);
	ompt_target_start(set);
	return 1;
}

static void finalize(ompt_word *tool)
{
	(void)tool;
	ompt_target_check();
	if (!ending && rec_on())
		rec_backend_note(&ompt_backend,
				 "the runtime let go of its tools before the program's end, as it does for "
				 "omp_pause_resource_all(omp_pause_hard): what OpenMP did after that is not in here");
}

REC_EXPORT struct ompt_start *ompt_start_tool(unsigned version, const char *runtime)
{
	static struct ompt_start result = {initialize, finalize, {0}};

	(void)version;
	(void)runtime;
	return rec_backend_wanted(&ompt_backend) ? &result : NULL; /* NULL: the runtime asks the next tool */
}
