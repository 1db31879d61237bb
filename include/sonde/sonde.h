/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names for the parts of a program, for sonde's tables and timelines: ranges, marks, the rank of the process. And
 * which parts are recorded.
 *
 *	#include <sonde/sonde.h>
 *
 *	sonde_push("solve");
 *	...
 *	sonde_pop();
 *
 * Nothing has to be linked. Under `sonde ./a.out` the tool is found; without it each of these is a load and a
 * branch. Names are copied: they may change afterwards, and may hold any bytes.
 */
#ifndef SONDE_SONDE_H
#define SONDE_SONDE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the tool offers. Members are only ever added, at the end; `size` tells how many there are. */
struct sonde_tool {
	uint32_t size;    /* bytes, of the tool's own structure */
	uint32_t version; /* 2 */
	void (*push)(const char *name);
	void (*pop)(void);
	uint64_t (*start)(const char *name);
	void (*end)(uint64_t range);
	void (*mark)(const char *name);
	void (*rank)(int rank, int size);
	/* version 2 */
	void (*pause)(void);
	void (*resume)(void);
	void (*step)(uint64_t number);
	void (*step_end)(void);
};

#define SONDE_TOOL_V1 56u /* bytes of what every tool has */
/* Does the tool have that member? An older one may not. */
#define SONDE_HAS(tool, member) \
	((tool) && (tool)->size >= offsetof(struct sonde_tool, member) + sizeof((tool)->member))

/* The tool's one symbol. version: of this header. NULL: there is nothing to record. */
#pragma GCC visibility push(default)
extern const struct sonde_tool *sonde_attach(uint32_t version) __attribute__((weak));
#pragma GCC visibility pop

/*
 * Where the tool's symbol is. Of code for one fixed address (-no-pie -fno-pic) the linker puts 0 in place of a weak
 * symbol that no library of the link has, for good: the table that the loader fills is asked.
 */
static inline const struct sonde_tool *(*sonde_attach_at(void))(uint32_t)
{
	const struct sonde_tool *(*at)(uint32_t);

#if defined(__x86_64__) && !defined(__ILP32__)
	__asm__(".weak sonde_attach\n\tmovq sonde_attach@GOTPCREL(%%rip), %0" : "=r"(at));
#else
	at = sonde_attach;
#endif
	return at;
}

static inline const struct sonde_tool *sonde_tool(void)
{
	static const struct sonde_tool *tool;
	static int state; /* 0: not asked yet, 1: absent, 2: there */
	int known = __atomic_load_n(&state, __ATOMIC_ACQUIRE);

	if (__builtin_expect(known == 0, 0)) {
		const struct sonde_tool *(*attach)(uint32_t) = sonde_attach_at();
		const struct sonde_tool *found = attach ? attach(2) : 0;

		if (found && found->size < SONDE_TOOL_V1)
			found = 0;
		__atomic_store_n(&tool, found, __ATOMIC_RELAXED);
		__atomic_store_n(&state, found ? 2 : 1, __ATOMIC_RELEASE);
		return found;
	}
	return known == 2 ? __atomic_load_n(&tool, __ATOMIC_RELAXED) : 0;
}

/* Is the process under sonde? Also while recording is paused. Without this header: see the user guide. */
static inline int sonde_active(void)
{
	return sonde_tool() != 0;
}

/* A range of the thread, up to the sonde_pop() that belongs to it. Ranges nest. */
static inline void sonde_push(const char *name)
{
	const struct sonde_tool *tool = sonde_tool();

	if (tool)
		tool->push(name);
}

static inline void sonde_pop(void)
{
	const struct sonde_tool *tool = sonde_tool();

	if (tool)
		tool->pop();
}

/* A range of the process: any thread may end it, and it need not nest. */
static inline uint64_t sonde_start(const char *name)
{
	const struct sonde_tool *tool = sonde_tool();

	return tool ? tool->start(name) : 0;
}

static inline void sonde_end(uint64_t range)
{
	const struct sonde_tool *tool = sonde_tool();

	if (tool && range)
		tool->end(range);
}

/* A moment. */
static inline void sonde_mark(const char *name)
{
	const struct sonde_tool *tool = sonde_tool();

	if (tool)
		tool->mark(name);
}

/* Which of how many processes of a job this is, where no parallel runtime says so. Behind the first range or call. */
static inline void sonde_rank(int rank, int size)
{
	const struct sonde_tool *tool = sonde_tool();

	if (tool)
		tool->rank(rank, size);
}

/*
 * Nothing is recorded between a pause and the resume that belongs to it. They nest, over all threads of the process:
 * only as many resumes as there were pauses go on. Under `sonde --start-paused` the first resume that belongs to no
 * pause begins.
 */
static inline void sonde_pause(void)
{
	const struct sonde_tool *tool = sonde_tool();

	if (SONDE_HAS(tool, pause))
		tool->pause();
}

static inline void sonde_resume(void)
{
	const struct sonde_tool *tool = sonde_tool();

	if (SONDE_HAS(tool, resume))
		tool->resume();
}

/*
 * A step of the thread, such as an iteration, begins; the one before ends. In the summary all of them are the range
 * `step`; a timeline shows the number of each. Steps need not nest with ranges that are pushed.
 */
static inline void sonde_step(uint64_t number)
{
	const struct sonde_tool *tool = sonde_tool();

	if (SONDE_HAS(tool, step))
		tool->step(number);
}

/* The last step of the thread ends here, and not with the process. */
static inline void sonde_step_end(void)
{
	const struct sonde_tool *tool = sonde_tool();

	if (SONDE_HAS(tool, step_end))
		tool->step_end();
}

static inline void sonde_pop_scope(const int *unused)
{
	(void)unused;
	sonde_pop();
}

#define SONDE_JOIN2(a, b) a##b
#define SONDE_JOIN(a, b) SONDE_JOIN2(a, b)
/* A range up to the end of the block, however that is left. */
#define SONDE_SCOPE(name)                                                                          \
	int SONDE_JOIN(sonde_scope_, __LINE__) __attribute__((cleanup(sonde_pop_scope), unused)) = \
		(sonde_push(name), 0)

#ifdef __cplusplus
}

namespace sonde
{
/* Likewise, also when an exception leaves it. */
class range
{
public:
	explicit range(const char *name)
	{
		sonde_push(name);
	}
	~range()
	{
		sonde_pop();
	}
	range(const range &) = delete;
	range &operator=(const range &) = delete;
};
}
#endif

#endif
