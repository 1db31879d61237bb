/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pausing. No call asks whether recording is paused: the slots are taken away, so that every call goes the way of a
 * first one and finds nothing to do there. A call that is open when the pause begins still counts, all of it; what a
 * pause takes from a thread's time is what none of its calls covers, worked out when it ends.
 */
#include "record/rec_state.h"

static struct {
	uint32_t holds;      /* pauses that were not taken back yet */
	bool off;            /* the switch of interfaces that do not count */
	uint32_t pid;        /* whose times these are: a forked child has none yet */
	uint32_t count;      /* pauses */
	uint64_t since;      /* ticks; 0: from birth on */
	uint64_t past;       /* ticks of pauses that ended before the record was opened */
	uint64_t past_birth; /* ticks at which one from birth on ended; 0: there was none */
} control;

bool rec_is_paused(void)
{
	return rec_paused();
}

bool rec_control_wanted(void)
{
	rec_construct();
	return !rec_state.off;
}

/* In the child of a fork the pause, if there is one, is as old as the child. */
static void adopt(void)
{
	if (control.pid == rec_pid())
		return;
	control.pid = rec_pid();
	control.since = control.past = control.past_birth = 0;
	control.count = rec_state.paused;
}

void rec_control_construct(bool paused)
{
	control.off = rec_state.paused = paused;
	adopt();
}

void rec_control_opened(void)
{
	struct fmt_process *process = rec_state.process;

	adopt();
	process->pauses = control.count;
	process->paused = control.past;
	if (control.past_birth > process->birth_ticks)
		process->paused += control.past_birth - process->birth_ticks;
	if (rec_state.paused)
		process->paused_since = control.since ? control.since : process->birth_ticks;
}

static void pause_begins(uint64_t now)
{
	__atomic_store_n(&rec_state.paused, true, __ATOMIC_SEQ_CST);
	for (struct rec_backend *backend = rec_state.backends; backend; backend = backend->next)
		rec_slots_clear(backend);
	control.since = now;
	control.count++;
	if (!rec_ready())
		return;
	rec_state.process->pauses = control.count;
	rec_state.process->paused_since = now;
}

static void pause_ends(uint64_t now)
{
	struct fmt_process *process = rec_state.process;

	if (!rec_ready()) {
		if (control.since)
			control.past += now - control.since;
		else
			control.past_birth = now;
	} else {
		uint32_t threads = (uint32_t)rec_state.area[FMT_SECTION_THREADS].section->used;
		uint64_t since = process->paused_since;

		rec_threads_sweep(); /* no call of a thread that is gone covers anything */
		for (uint32_t i = 0; i < threads; i++) {
			struct fmt_thread *thread = rec_thread_block(i);

			thread->covered += fmt_covered(thread, since, now);
		}
		process->paused_since = 0;
		process->paused += now - since;
	}
	__atomic_store_n(&rec_state.paused, false, __ATOMIC_SEQ_CST);
}

/* Changes what is wanted, and then what is. */
static void change(void (*how)(void))
{
	uint64_t signals;
	bool wanted;

	if (rec_state.off)
		return;
	rec_signals_block(&signals);
	rec_lock(&rec_state.lock);
	adopt();
	how();
	wanted = control.holds || control.off;
	if (wanted && !rec_state.paused)
		pause_begins(rec_now_ticks());
	else if (!wanted && rec_state.paused)
		pause_ends(rec_now_ticks());
	rec_unlock(&rec_state.lock);
	rec_signals_restore(&signals);
}

static void hold(void)
{
	control.holds++;
}

static void release(void)
{
	if (control.holds)
		control.holds--;
	else
		control.off = false;
}

static void switch_on(void)
{
	control.off = false;
}

static void switch_off(void)
{
	control.off = true;
}

void rec_pause(void)
{
	change(hold);
}

void rec_resume(void)
{
	change(release);
}

void rec_switch(bool on)
{
	change(on ? switch_on : switch_off);
}
