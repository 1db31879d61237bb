/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ends of a program that can be noticed from inside. Nothing here is needed for what is recorded
 * already; it collects what a runtime has not delivered yet and notes how the program ended.
 * _exit and abort are reached from signal handlers: no allocation, no lock of the program's.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <spawn.h>
#include <sys/syscall.h>

#include "record/rec_state.h"

#define FLUSH_DEADLINE_NS 2000000000u

/* A vfork child shares this memory, a forked one has no record yet: neither may end ours. */
static bool is_ours(void)
{
	return rec_ready() && !rec_state.off && (uint32_t)getpid() == rec_state.process->pid;
}

/* Not where this thread, or one that may never go on, holds the lock. */
static void leave_the_gone(void)
{
	uint64_t signals;

	if (rec_tls.locks)
		return;
	rec_signals_block(&signals);
	if (rec_try_lock(&rec_state.lock)) {
		rec_threads_sweep();
		rec_unlock(&rec_state.lock);
	}
	rec_signals_restore(&signals);
}

void rec_note_end(enum fmt_end end)
{
	struct rec_state *state = &rec_state;

	if (!is_ours())
		return;
	leave_the_gone();
	rec_refresh(true);
	state->process->end = end;
	state->process->end_ticks = state->process->last.ticks;
	rec_file_write_private();
}

/* Collects what the runtimes still hold back, and waits for it no longer than this. */
static void collect(uint64_t patience_ns)
{
	uint64_t deadline;
	int saved = errno;

	/* in a handler that ends the program while this thread holds a lock of ours, for which a backend would wait */
	if (!is_ours() || rec_tls.locks)
		return;
	rec_tls.guard++;
	deadline = rec_raw_ns() + patience_ns;
	for (struct rec_backend *backend = rec_state.backends; backend; backend = backend->next)
		if (backend->flush && (backend->state & REC_BACKEND_OPENED))
			backend->flush(deadline);
	rec_tls.guard--;
	errno = saved;
}

void rec_flush(enum fmt_end end)
{
	collect(FLUSH_DEADLINE_NS);
	rec_note_end(end);
}

/*
 * exit() first ends the thread that called it, as far as thread-local objects go, and then runs handlers and
 * destructors, the youngest first: those of a runtime that was loaded after the record was opened come before our
 * handler. A runtime that is still building a kernel on a thread of its own crashes there, since its compiler is gone:
 * waiting must be over by then. It is done where the initial thread's objects end; the handler waits only where another
 * thread called exit().
 */
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *) __attribute__((weak)); /* musl has none */
extern void *__dso_handle;

static pthread_t collected; /* by this thread, at its end */

static void at_thread_end(void *unused)
{
	(void)unused;
	collect(FLUSH_DEADLINE_NS);
	collected = pthread_self();
}

static void at_exit(void)
{
	collect(pthread_equal(collected, pthread_self()) ? 0 : FLUSH_DEADLINE_NS);
	rec_note_end(FMT_END_EXIT);
}

/* This allocates: it is done before the program has begun, and not in a first call, which a signal handler may make. */
void rec_exit_construct(void)
{
	if (__cxa_thread_atexit_impl && (uint32_t)syscall(SYS_gettid) == rec_pid())
		__cxa_thread_atexit_impl(at_thread_end, NULL, &__dso_handle);
}

void rec_exit_watch(void)
{
	static uint32_t watched;

	if (!__atomic_load_n(&watched, __ATOMIC_RELAXED) && rec_ready() &&
	    !__atomic_exchange_n(&watched, 1, __ATOMIC_RELAXED))
		atexit(at_exit);
}

/* Outstanding device work was collected by at_exit(), while the runtimes were still whole. */
__attribute__((destructor)) static void destructor(void)
{
	rec_note_end(FMT_END_EXIT);
}

static void *next(const char *name)
{
	if (!rec_real_dlsym)
		rec_dlsym_setup();
	return rec_real_dlsym ? rec_real_dlsym(RTLD_NEXT, name) : NULL;
}

REC_EXPORT void _exit(int status)
{
	rec_flush(FMT_END_QUICK);
	for (;;)
		syscall(SYS_exit_group, status);
}

REC_EXPORT void _Exit(int status)
{
	_exit(status);
}

REC_EXPORT void quick_exit(int status)
{
	void (*real)(int) = (void (*)(int))next("quick_exit");

	rec_flush(FMT_END_QUICK);
	if (real)
		real(status);
	_exit(status);
}

REC_EXPORT void abort(void)
{
	void (*real)(void) = (void (*)(void))next("abort");

	rec_flush(FMT_END_ABORT);
	if (real)
		real();
	__builtin_trap();
}

/* Will a program started with this environment be traced? Otherwise that is noted. */
static void check_environment(char *const *environment)
{
	bool preloaded = false;

	/* in a forked child the record is still its parent's, and that is where the note belongs */
	if (!rec_state.process || rec_state.off)
		return;
	for (size_t i = 0; environment && environment[i] && !preloaded; i++)
		preloaded = strncmp(environment[i], "LD_PRELOAD=", 11) == 0 &&
			    strstr(environment[i], "libsonde.so") != NULL;
	if (!preloaded)
		rec_state.process->notes |= FMT_NOTE_CHILDREN_UNTRACED;
}

/* The program image is about to be replaced: what is mapped stays on file. */
static uint32_t before_exec(char *const *environment)
{
	uint32_t before = FMT_END_NONE;

	check_environment(environment);
	if (is_ours()) {
		before = rec_state.process->end;
		rec_flush(FMT_END_EXEC);
	}
	return before;
}

static int exec_failed(uint32_t before, int result)
{
	if (is_ours()) {
		rec_state.process->end = before;
		rec_state.process->end_ticks = 0;
	}
	return result;
}

REC_EXPORT int execve(const char *path, char *const argv[], char *const environment[])
{
	uint32_t before = before_exec(environment);
	int (*real)(const char *, char *const[], char *const[]) = next("execve");

	return exec_failed(before, real ? real(path, argv, environment)
					: (int)syscall(SYS_execve, path, argv, environment));
}

REC_EXPORT int execvpe(const char *file, char *const argv[], char *const environment[])
{
	uint32_t before = before_exec(environment);
	int (*real)(const char *, char *const[], char *const[]) = next("execvpe");

	if (!real) {
		errno = ENOSYS;
		return exec_failed(before, -1);
	}
	return exec_failed(before, real(file, argv, environment));
}

REC_EXPORT int execv(const char *path, char *const argv[])
{
	extern char **environ;

	return execve(path, argv, environ);
}

REC_EXPORT int execvp(const char *file, char *const argv[])
{
	extern char **environ;

	return execvpe(file, argv, environ);
}

/* The variadic forms: libc would go on from them without coming by here. */
#define EXEC_LIST(first, list, argv)                             \
	size_t count = 1;                                        \
	va_list list, again;                                     \
                                                                 \
	va_start(list, first);                                   \
	va_copy(again, list);                                    \
	while (va_arg(again, char *))                            \
		count++;                                         \
	va_end(again);                                           \
	char *argv[count + 1];                                   \
	argv[0] = (char *)(uintptr_t)first;                      \
	for (size_t i = 1; i <= count; i++)                      \
		argv[i] = va_arg(list, char *)

REC_EXPORT int execl(const char *path, const char *first, ...)
{
	extern char **environ;

	EXEC_LIST(first, list, argv);
	va_end(list);
	return execve(path, argv, environ);
}

REC_EXPORT int execlp(const char *file, const char *first, ...)
{
	extern char **environ;

	EXEC_LIST(first, list, argv);
	va_end(list);
	return execvpe(file, argv, environ);
}

REC_EXPORT int execle(const char *path, const char *first, ...)
{
	char **environment;

	EXEC_LIST(first, list, argv);
	environment = va_arg(list, char **);
	va_end(list);
	return execve(path, argv, environment);
}

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
			   char *const[], char *const[]);

static int spawn(const char *name, pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		 const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
	spawn_function *real = (spawn_function *)next(name);

	check_environment(environment);
	return real ? real(pid, file, actions, attributes, argv, environment) : ENOSYS;
}

REC_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
	return spawn("posix_spawn", pid, path, actions, attributes, argv, environment);
}

REC_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			    const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
	return spawn("posix_spawnp", pid, file, actions, attributes, argv, environment);
}
