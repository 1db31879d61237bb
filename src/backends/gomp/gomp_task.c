/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks. The runtime copies what a task works on when the task is made, and hands the copy to the task's function, now
 * or later, in any thread. So that function is another one, and the copy begins with what that one must know. The
 * program's data follows, as far as possible by the runtime's own copying, and as aligned as before.
 */
#include <string.h>

#include "gomp.h"

#define DATA_MAX 4096u /* more is not worth copying twice: such tasks are counted where they are made */
#define ALIGN_MAX 64u
#define DETACH 8192u   /* flag: the runtime itself writes into the data */

typedef void (*task_body)(void *data);
typedef void (*task_copy)(void *to, void *from);

struct task {
	/* of loops: the runtime reads and writes the first words of the data, they are passed on */
	rec_word first, last, reductions;
	task_body body;
	const void *code;
	uint32_t offset; /* from here to the program's data */
	bool loop;
	task_copy copy;  /* when it is made: NULL, the runtime copies all of it */
	void *data;
};

/* Waiting during which a task runs is told of in pieces, or in the task's absence from its self time. */
static void run(void *at)
{
	struct task *task = at;
	struct gomp_self *self = &gomp_self, outer = *self;
	char *data = (char *)at + task->offset;
	struct rec_call call;

	gomp_wait_end(self, rec_now_ticks());
	self->helped = NULL;
	self->joined = false;
	self->base = self->depth;
	if (task->loop)
		memcpy(data, &task->first, 2 * sizeof(rec_word));
	gomp_enter(&call, true, "task", SONDE_KIND_compute, task->code, (uintptr_t)__builtin_dwarf_cfa());
	task->body(data);
	gomp_leave(&call);
	if (call.slot)
		gomp_helped(&outer, call.duration);
	*self = outer;
	if (outer.wait_since)
		self->wait_since = rec_past_begin();
}

static void copy(void *to, void *from)
{
	const struct task *task = from;

	memcpy(to, from, sizeof(*task));
	task->copy((char *)to + task->offset, task->data);
}

static rec_word align_of(const rec_word *words)
{
	return words[4] > sizeof(rec_word) ? words[4] : sizeof(rec_word);
}

/* From the beginning of what run() must know to the program's data. */
static rec_word offset_of(const rec_word *words)
{
	return (sizeof(struct task) + align_of(words) - 1) / align_of(words) * align_of(words);
}

/* Puts a task's own data behind what run() must know, or prepares for its being copied there. */
static void prepare(struct task *task, rec_word *words, bool loop)
{
	rec_word bytes = words[3];

	*task = (struct task){.body = (task_body)words[0], .code = gomp_place(words[0]), .loop = loop,
			      .offset = (uint32_t)offset_of(words), .copy = (task_copy)words[2],
			      .data = (void *)words[1]};
	if (loop)
		memcpy(&task->first, task->data, bytes < 3 * sizeof(rec_word) ? bytes : 3 * sizeof(rec_word));
	if (!task->copy && bytes)
		memcpy((char *)task + task->offset, task->data, bytes);
	words[4] = align_of(words);
	words[0] = (rec_word)run;
	words[1] = (rec_word)task;
	words[2] = task->copy ? (rec_word)copy : 0;
	words[3] = task->offset + bytes;
}

static bool can_be_told(const rec_word *words, rec_word flags)
{
	return words[0] && words[3] <= DATA_MAX && words[4] <= ALIGN_MAX && (words[1] || !words[3]) &&
	       !(flags & DETACH);
}

typedef void (*eleven)(WORDS, rec_word k);

static void call_real(void *real, const rec_word *words)
{
	((eleven)real)(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], words[8],
		       words[9], words[10]);
}

/* What runs at once runs above this frame, and tasks within tasks may go deep: no more room than this one needs. */
static void make_told(void *real, rec_word *words, bool loop)
{
	rec_word bytes = offset_of(words) + (words[2] ? 0 : words[3]);
	char block[bytes] __attribute__((aligned(ALIGN_MAX)));

	prepare((struct task *)block, words, loop);
	call_real(real, words);
}

#define MAKER(name, what, kind, loop) \
	REC_EXPORT void name(WORDS, rec_word k); \
	void name(WORDS, rec_word k) \
	{ \
		rec_word words[11] = {a, b, c, d, e, f, g, h, i, j, k}; \
		struct gomp_real real = gomp_real(symbol_##name, (const void *)a); \
		struct rec_call call; \
\
		gomp_enter(&call, real.recorded, what, kind, gomp_place(a), (uintptr_t)__builtin_dwarf_cfa()); \
		if (real.recorded && can_be_told(words, words[loop ? 5 : 6])) \
			make_told(real.function, words, loop); \
		else \
			call_real(real.function, words); \
		gomp_leave(&call); \
	}
MAKER(GOMP_task, "task creation", SONDE_KIND_other, false)
MAKER(GOMP_taskloop, "taskloop", SONDE_KIND_compute, true)
MAKER(GOMP_taskloop_ull, "taskloop", SONDE_KIND_compute, true)
