/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds of programs: how long, from what, and whether they failed. A build with a callback may go on
 * after the call has returned: its time then runs to the callback, which is handed on to the program.
 */
#include <string.h>
#include <sys/mman.h>

#include "opencl.h"

struct program {
	uint32_t source; /* enum sonde_build_source */
	uint32_t number; /* in order of creation */
};
static struct rec_map programs = REC_MAP(struct program);
static uint32_t programs_made;

static void remember(cl_handle handle, uint32_t source)
{
	struct program program = {
		.source = source,
		.number = __atomic_add_fetch(&programs_made, 1, __ATOMIC_RELAXED)
	};

	rec_map_put(&programs, handle, &program);
}

void opencl_program_leave(const struct opencl_call *view, rec_word result)
{
	if (result && !view->call->failed)
		remember(result, view->role->source);
}

static uint64_t numbered_name(uint32_t number)
{
	char text[24] = "program ";
	char digits[12];
	size_t at = strlen(text), count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	while (count)
		text[at++] = digits[--count];
	return rec_name(text, at);
}

/* The first of the program's kernels; 0 when it has none (yet). */
static uint64_t first_kernel(enum opencl_variant level, cl_handle program)
{
	size_t bytes = opencl_info(level, OPENCL_OWN_clGetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES, 0, NULL);
	char *names = bytes > 1 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
				: MAP_FAILED;
	uint64_t name = 0;
	size_t length = 0;

	if (names == MAP_FAILED)
		return 0;
	bytes = opencl_info(level, OPENCL_OWN_clGetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES, bytes, names);
	while (length < bytes && names[length] && names[length] != ';')
		length++;
	if (length)
		name = rec_name(names, length);
	munmap(names, bytes ? bytes : 1);
	return name;
}

/* One build has ended. complete: kernels can be there. */
static void record(enum opencl_variant level, cl_handle handle, bool complete, uint64_t ticks, bool failed)
{
	struct program program = { .source = SONDE_BUILD_source };
	uint64_t name = complete && !failed ? first_kernel(level, handle) : 0;

	rec_map_get(&programs, handle, &program);
	if (!name)
		name = numbered_name(program.number);
	rec_build(&opencl_backend, name, program.source, ticks, failed);
}

/* ---- builds with a callback ---------------------------------------------------------------------------- */

enum note_state { NOTE_OPEN, NOTE_RECORDED };

/* In place of the program's callback; used again when both the call and the callback are over. */
struct note {
	struct note *next;
	void (*notify)(cl_handle, void *);
	void *data;
	uint64_t begin;  /* ticks */
	uint32_t state;  /* enum note_state */
	uint32_t users;
	uint16_t level;
	bool complete;
	bool links;      /* the program is made by the call */
	uint32_t source;
};
static struct rec_pool notes = REC_POOL(struct note, 0);

static void drop_note(struct note *note)
{
	if (!__atomic_sub_fetch(&note->users, 1, __ATOMIC_ACQ_REL))
		rec_pool_give(&notes, note);
}

static bool note_to_record(struct note *note)
{
	uint32_t expected = NOTE_OPEN;

	return __atomic_compare_exchange_n(&note->state, &expected, NOTE_RECORDED, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

static bool build_failed(enum opencl_variant level, cl_handle program)
{
	int32_t (*get)(cl_handle, cl_handle, uint32_t, size_t, void *, size_t *) =
		opencl_own_call(level, OPENCL_OWN_clGetProgramBuildInfo);
	cl_handle devices[OPENCL_DEVICES];
	size_t bytes = opencl_info(level, OPENCL_OWN_clGetProgramInfo, program, CL_PROGRAM_DEVICES, sizeof(devices),
				   devices);
	uint32_t token = rec_guard_enter();
	bool failed = false;

	for (size_t i = 0; get && i < bytes / sizeof(*devices); i++) {
		int32_t status = CL_BUILD_SUCCESS;

		/* -1: not built for this device */
		if (get(program, devices[i], CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL) == CL_SUCCESS)
			failed |= status < -1;
	}
	rec_guard_leave(token);
	return failed;
}

/* Called by the runtime in place of the program's callback. */
static void build_done(cl_handle program, void *data)
{
	struct note *note = data;
	void (*notify)(cl_handle, void *) = note->notify;
	void *notify_data = note->data;
	enum opencl_variant level = note->level;

	if (note_to_record(note)) {
		if (note->links && program)
			remember(program, note->source);
		record(level, program, note->complete, rec_now_ticks() - note->begin,
		       !program || build_failed(level, program));
	}
	drop_note(note);
	notify(program, notify_data);
}

/* ---- hooks ------------------------------------------------------------------------------------------- */

enum { USER_NOTE };

static bool compiles_only(const struct opencl_call *view)
{
	return view->role->family == OPENCL_FAMILY_BUILD && opencl_has(view, OPENCL_ARG_OBJECTS);
}

/* What a linked program is made from: as its first part. */
static uint32_t link_source(const struct opencl_call *view)
{
	const cl_handle *parts = (const cl_handle *)opencl_arg(view, OPENCL_ARG_OBJECTS);
	struct program program = { .source = SONDE_BUILD_source };

	if (parts && opencl_arg32(view, OPENCL_ARG_COUNT))
		rec_map_get(&programs, parts[0], &program);
	return program.source;
}

void opencl_build_enter(const struct opencl_call *view)
{
	void (*notify)(cl_handle, void *) = (void (*)(cl_handle, void *))opencl_arg(view, OPENCL_ARG_NOTIFY);
	struct note *note = NULL;

	view->call->user[USER_NOTE] = 0;
	if (!view->call->slot || !notify)
		return;
	note = rec_pool_take(&notes);
	if (!note)
		return;
	note->notify = notify;
	note->data = (void *)opencl_arg(view, OPENCL_ARG_DATA);
	note->begin = view->call->begin;
	note->state = NOTE_OPEN;
	note->users = 2;
	note->level = view->level;
	note->complete = !compiles_only(view);
	note->links = view->role->family == OPENCL_FAMILY_LINK;
	note->source = note->links ? link_source(view) : 0;
	view->call->user[USER_NOTE] = (uint64_t)note;
	view->args[view->role->arg[OPENCL_ARG_NOTIFY]] = (rec_word)build_done;
	view->args[view->role->arg[OPENCL_ARG_DATA]] = (rec_word)note;
}

void opencl_build_leave(const struct opencl_call *view, rec_word result)
{
	struct note *note = (struct note *)view->call->user[USER_NOTE];
	bool links = view->role->family == OPENCL_FAMILY_LINK, failed = view->call->failed;
	cl_handle program = links ? result : opencl_arg(view, OPENCL_ARG_PROGRAM);

	if (!view->call->slot)
		return;
	/* with a callback a call that was accepted ends there; one that was refused never gets there */
	if (!note || (failed && note_to_record(note))) {
		if (links && program)
			remember(program, link_source(view));
		record(view->level, program, !compiles_only(view), view->call->duration, failed);
	}
	if (note)
		drop_note(note);
}
