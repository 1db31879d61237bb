/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For backends that collect what their runtime still holds back, at the end: waiting as long as it makes progress, and
 * a thread for calls into a runtime that may wait for a device that hangs. The thread is there from the start, as the
 * program may end in a signal handler, in which none can be made. No lock, no allocation when it comes to it.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "record/rec_state.h"

#define PATIENCE_NS 200000000u /* without any progress */
#define NAP_NS 500000

bool rec_may_ask(void)
{
	const struct fmt_thread *thread = rec_tls.thread;

	return thread && thread->depth == 0;
}

uint64_t rec_flush_wait(uint64_t deadline_raw_ns, uint64_t (*left)(void))
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	uint64_t now, patience = 0, before = UINT64_MAX, count;
	int saved = errno;

	for (;;) {
		count = left();
		now = rec_raw_ns();
		if (count < before)
			patience = now + PATIENCE_NS;
		before = count;
		if (!count || now >= patience || now >= deadline_raw_ns)
			break;
		nanosleep(&nap, NULL);
	}
	errno = saved;
	return count;
}

static void futex(uint32_t *word, int what, uint32_t value, const struct timespec *timeout)
{
	syscall(SYS_futex, word, what | FUTEX_PRIVATE_FLAG, value, timeout, NULL, 0);
}

static void *flush(void *data)
{
	struct rec_flusher *flusher = data;

	rec_guard_enter();
	for (;;) {
		uint32_t wanted = __atomic_load_n(&flusher->wanted, __ATOMIC_ACQUIRE);

		if (wanted == flusher->done) {
			futex(&flusher->wanted, FUTEX_WAIT, wanted, NULL);
			continue;
		}
		flusher->run();
		__atomic_store_n(&flusher->done, wanted, __ATOMIC_RELEASE);
		futex(&flusher->done, FUTEX_WAKE, INT_MAX, NULL);
	}
	return NULL;
}

void rec_flusher_start(struct rec_flusher *flusher)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;

	if (flusher->there)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* the program's signals are for its own threads */
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	flusher->there = pthread_create(&thread, &attributes, flush, flusher) == 0;
	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void rec_flusher_run(struct rec_flusher *flusher, uint64_t deadline_raw_ns)
{
	uint32_t done = __atomic_load_n(&flusher->done, __ATOMIC_ACQUIRE), before = done;
	uint64_t now = rec_raw_ns();

	/* one that is under way still has hung once already */
	if (!flusher->there || now >= deadline_raw_ns ||
	    !__atomic_compare_exchange_n(&flusher->wanted, &before, done + 1, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return;
	futex(&flusher->wanted, FUTEX_WAKE, 1, NULL);
	while (now < deadline_raw_ns && __atomic_load_n(&flusher->done, __ATOMIC_ACQUIRE) == done) {
		struct timespec left = { (time_t)((deadline_raw_ns - now) / 1000000000u),
					 (long)((deadline_raw_ns - now) % 1000000000u) };

		futex(&flusher->done, FUTEX_WAIT, done, &left);
		now = rec_raw_ns();
	}
}
