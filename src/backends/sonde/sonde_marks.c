/* SPDX-License-Identifier: BSD-3-Clause */
/* What <sonde/sonde.h> finds: one symbol, which gives a table of functions. */
#include "record/rec.h"
#include "sonde/sonde.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static struct rec_backend sonde_backend = {
	.size = sizeof(struct rec_backend), .name = "sonde", .pool = "", .front = "", .runtimes = "", .layer = 9
};

__attribute__((constructor)) static void start_up(void)
{
	rec_backend_register(&sonde_backend, __ehdr_start, _end);
}

static void push(const char *name)
{
	struct rec_label label = rec_label(NULL, name);

	rec_range_push(&sonde_backend, &label, 0);
}

static void pop(void)
{
	rec_range_pop(&sonde_backend, 0);
}

#define STEPS 0x73746570u /* the stack of steps: pushes and pops do not meet them */

static void step(uint64_t number)
{
	struct rec_label label = rec_label(NULL, "step");

	rec_range_step(&sonde_backend, &label, STEPS, number);
}

static void step_end(void)
{
	rec_range_step_end(&sonde_backend, STEPS);
}

static uint64_t start(const char *name)
{
	static uint64_t keys;
	struct rec_label label = rec_label(NULL, name);
	uint64_t key = __atomic_add_fetch(&keys, 1, __ATOMIC_RELAXED);

	rec_range_start(&sonde_backend, &label, key);
	return key;
}

static void end(uint64_t key)
{
	rec_range_end(&sonde_backend, key);
}

static void mark(const char *name)
{
	struct rec_label label = rec_label(NULL, name);

	rec_mark(&sonde_backend, &label);
}

static const struct sonde_tool tool = {
	.size = sizeof(tool), .version = 2, .push = push, .pop = pop, .start = start, .end = end, .mark = mark,
	.rank = rec_rank, .pause = rec_pause, .resume = rec_resume, .step = step, .step_end = step_end
};

/*
 * All versions of the header are served: each knows the members that it had. Also where nothing of it is to be
 * recorded: to pause is not a matter of what is.
 */
const struct sonde_tool *sonde_attach(uint32_t version)
{
	if (!version || !rec_control_wanted())
		return NULL;
	if (rec_backend_wanted(&sonde_backend))
		rec_attached(&sonde_backend, "sonde.h", NULL);
	return &tool;
}
