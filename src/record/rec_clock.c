/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks: ticks for calls (the CPU's counter where the kernel trusts it), CLOCK_MONOTONIC_RAW for
 * device work, CLOCK_REALTIME for people. Conversion happens in read/, from the triples kept here.
 */
#include <time.h>
#include <unistd.h>

#include "record/rec_state.h"

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t rec_raw_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC_RAW);
}

uint64_t rec_now_ticks(void)
{
	return rec_state.counter_clock ? rec_ticks() : clock_ns(CLOCK_MONOTONIC);
}

uint64_t rec_ticks_in(uint64_t ns)
{
	const struct fmt_triple *open;
	uint64_t ticks, raw;

	if (!rec_ready())
		return 0;
	open = &rec_state.process->open;
	ticks = rec_now_ticks() - open->ticks;
	raw = rec_raw_ns() - open->raw_ns;
	return raw ? (uint64_t)((double)ns * (double)ticks / (double)raw) : 0;
}

/* The narrowest of a few brackets: a preemption between the reads would shift one clock. */
void rec_triple(struct fmt_triple *triple_out)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 4; i++) {
		uint64_t begin = rec_raw_ns();
		uint64_t ticks = rec_now_ticks();
		uint64_t real = clock_ns(CLOCK_REALTIME);
		uint64_t end = rec_raw_ns();

		if (end - begin >= best)
			continue;
		best = end - begin;
		*triple_out = (struct fmt_triple){ticks, begin + best / 2, real, best};
	}
}

bool rec_refresh(bool force)
{
	struct rec_state *state = &rec_state;
	uint64_t now = rec_raw_ns();

	if (!force && now - state->last_refresh < 1000000000u)
		return false;
	state->last_refresh = now;
	rec_triple(&state->process->last);
	return true;
}

/* Ticks of one traced call pair, measured on a scratch block: what the tool itself costs. */
uint64_t rec_call_cost(void)
{
	enum { ROUNDS = 64 };
	static union {
		struct fmt_thread thread;
		char bytes[FMT_THREAD_ROWS_OFFSET + sizeof(struct fmt_stats)];
	} scratch;
	uint64_t best = UINT64_MAX;

	for (int sample = 0; sample < 4; sample++) {
		uint64_t begin = rec_now_ticks();
		uint64_t cost;

		for (int i = 0; i < ROUNDS; i++) {
			uint64_t entry;

			scratch.thread.depth = 1;
			entry = scratch.thread.frame[1].begin = rec_now_ticks();
			rec_fast_leave(&scratch.thread, 1, entry, rec_now_ticks(), false);
		}
		cost = (rec_now_ticks() - begin) / ROUNDS;
		if (cost < best)
			best = cost;
	}
	return best;
}

/*
 * When this process began, in ticks. The constructor knows for a program image; a forked child has
 * its start time from the kernel, in hundredths of a second since boot.
 */
uint64_t rec_birth(void)
{
	struct rec_state *state = &rec_state;
	const struct fmt_triple *image = &state->image, *open = &state->process->open;
	uint64_t hertz = (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t start_ns, boot_ns, age_ns, birth_raw;

	if (rec_pid() == state->image_pid)
		return image->ticks;
	if (!hertz || open->raw_ns <= image->raw_ns)
		return open->ticks;
	start_ns = rec_proc_start_time() * (1000000000u / hertz);
	boot_ns = clock_ns(CLOCK_BOOTTIME);
	age_ns = boot_ns > start_ns ? boot_ns - start_ns : 0;
	birth_raw = open->raw_ns > age_ns ? open->raw_ns - age_ns : 0;
	if (birth_raw < image->raw_ns)
		birth_raw = image->raw_ns; /* the child is younger than the image it was forked from */
	return image->ticks + (uint64_t)((double)(birth_raw - image->raw_ns) *
					 (double)(open->ticks - image->ticks) /
					 (double)(open->raw_ns - image->raw_ns));
}
