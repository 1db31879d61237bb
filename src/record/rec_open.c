/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Birth of the recorder in a program and of its record at the first traced event. Called from the
 * library's constructor and from slow paths (locked); a program that traces nothing gets nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

#include "record/rec_state.h"

static struct {
	struct rec_wiped wiped;
	char rest[REC_PAGE - sizeof(struct rec_wiped)];
} wiped_page __attribute__((aligned(4096)));

struct rec_state rec_state;
struct rec_wiped *const rec_wiped = &wiped_page.wiped;
__thread struct rec_tls rec_tls __attribute__((tls_model("initial-exec")));

static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* Runs in the constructor, or in the first call where another constructor was faster. */
void rec_construct(void)
{
	struct rec_state *state = &rec_state;
	const char *dir, *clock;

	if (state->constructed)
		return;
	state->constructed = true;
	dir = environment("SONDE_DIR");
	if (!dir || dir[0] != '/' || !rec_is_first_copy() || strlen(dir) >= sizeof(state->dir) - 300) {
		state->off = true;
		return;
	}
	strcpy(state->dir, dir);
	clock = environment("SONDE_CLOCK");
	state->counter_clock = !clock || strcmp(clock, "monotonic") != 0;
	state->debug = environment("SONDE_DEBUG") != NULL;
	state->time_queries = environment("SONDE_QUERIES") != NULL;
	state->backends_wanted = environment("SONDE_BACKENDS");
	state->image_pid = rec_pid();
	rec_control_construct(environment("SONDE_START_PAUSED") != NULL);
	rec_triple(&state->image);
	/* from Linux 4.14; without it a forked child would write into its parent's record */
	if (madvise(&wiped_page, sizeof(wiped_page), MADV_WIPEONFORK) != 0)
		state->off = true;
	else
		rec_exit_construct();
	if (rec_proc_excluded()) /* asked here: a program may clear its environment before its first call */
		state->off = true;
}

bool rec_ready(void)
{
	return rec_wiped->open != 0;
}

bool rec_times_queries(void)
{
	return rec_state.time_queries;
}

bool rec_on(void)
{
	return rec_ready() && !rec_state.off;
}

uint32_t rec_generation(void)
{
	return rec_ready() ? rec_state.generation : 0;
}

/* A full disk is an error here (EFAULT) and would be SIGBUS at the first store otherwise. */
static bool back(void *pages, uint64_t bytes)
{
	return madvise(pages, bytes, 23 /* MADV_POPULATE_WRITE */) == 0;
}

bool rec_back(void *pages, uint64_t bytes)
{
	return back(pages, bytes) || errno == EINVAL;
}

bool rec_populate(char *base, uint64_t bytes)
{
	uintptr_t from = (uintptr_t)base & ~(uintptr_t)(REC_PAGE - 1);
	uint64_t length = rec_round_up((uintptr_t)base + bytes - from, REC_PAGE);

	if (back((void *)from, length))
		return true;
	return errno == EINVAL && rec_file_back(from, length); /* before Linux 5.14 */
}

bool rec_area_reserve(enum fmt_section_kind kind, uint64_t items)
{
	struct rec_area *area = &rec_state.area[kind];
	uint64_t need, grown;

	if (items > area->section->capacity)
		return false;
	need = items * area->section->stride;
	if (need <= area->populated)
		return true;
	grown = rec_round_up(need, REC_STEP);
	if (grown > area->section->capacity * area->section->stride)
		grown = area->section->capacity * area->section->stride;
	if (!rec_populate(area->base + area->populated, grown - area->populated)) {
		rec_state.process->notes |= FMT_NOTE_NO_SPACE;
		return false;
	}
	area->populated = grown;
	return true;
}

void *rec_area_add(enum fmt_section_kind kind, uint64_t *index_out)
{
	struct rec_area *area = &rec_state.area[kind];
	uint64_t index = area->section->used;

	if (!rec_area_reserve(kind, index + 1))
		return NULL;
	if (index_out)
		*index_out = index;
	return rec_area_item(kind, index);
}

void *rec_area_add_sums(enum fmt_section_kind kind, uint64_t *index_out)
{
	void *row = rec_area_add(kind, index_out);

	if (!row)
		rec_state.process->notes |= FMT_NOTE_ROWS_FULL;
	return row;
}

void rec_area_publish(enum fmt_section_kind kind)
{
	struct fmt_section *section = rec_state.area[kind].section;

	__atomic_store_n(&section->used, section->used + 1, __ATOMIC_RELEASE);
}

/* Values are words and numbers; "0" is as good as absent. */
static uint64_t serialised(const struct rec_backend *backend)
{
	char text[256];
	size_t length = 0;

	for (const char *name = backend->serialising; name && *name; name += strlen(name) + 1) {
		const char *value = environment(name);
		size_t need = value ? strlen(name) + strlen(value) + 3 : 0;

		if (!value || strcmp(value, "0") == 0 || length + need >= sizeof(text))
			continue;
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s=%s", length ? ", " : "", name,
					   value);
	}
	return length ? rec_name(text, length) : 0;
}

bool rec_backend_open(struct rec_backend *backend)
{
	struct fmt_backend *item;
	uint64_t index;

	if (backend->state & REC_BACKEND_OPENED)
		return true;
	item = rec_area_add(FMT_SECTION_BACKENDS, &index);
	if (!item)
		return false;
	item->name = rec_name(backend->name, strlen(backend->name));
	item->hooked = backend->functions;
	item->layer = backend->layer;
	item->perfetto_api = backend->perfetto_api;
	if (backend->how)
		item->attached_by = rec_name(backend->how, strlen(backend->how));
	if (backend->library)
		item->library = rec_name(backend->library, strlen(backend->library));
	if (backend->second) {
		item->second = rec_name(backend->second, strlen(backend->second));
		rec_state.process->notes |= FMT_NOTE_SECOND_PROVIDER;
	}
	if (backend->note)
		item->note = rec_name(backend->note, strlen(backend->note));
	item->serialised = serialised(backend);
	rec_area_publish(FMT_SECTION_BACKENDS);
	backend->index = (uint32_t)index;
	rec_state.backend_of[index] = backend;
	__atomic_fetch_or(&backend->state, REC_BACKEND_OPENED, __ATOMIC_RELEASE);
	rec_named_opened(backend);
	if (backend->opened)
		backend->opened();
	return true;
}

static void forget_parent(void)
{
	struct rec_backend *backend;

	rec_file_forget();
	rec_slots_forget();
	rec_dynamic_forget();
	rec_context_forget();
	rec_range_forget();
	rec_names_forget();
	rec_named_forget();
	rec_streams_forget();
	rec_meta_forget();
	rec_device_forget();
	rec_graph_forget();
	rec_fail_forget();
	rec_things_forget();
	for (backend = rec_state.backends; backend; backend = backend->next)
		__atomic_fetch_and(&backend->state, ~(uint32_t)REC_BACKEND_OPENED, __ATOMIC_RELEASE);
	rec_state.forks++;
}

static void describe_process(void)
{
	struct rec_state *state = &rec_state;
	struct fmt_process *process = state->process;
	static char text[REC_PATH_MAX];
	size_t length;
	ssize_t got;

	process->pid = rec_pid();
	process->ppid = (uint32_t)getppid();
	process->rank = process->size = -1;
	rec_proc_rank(&process->rank, &process->size); /* until a runtime says it */
	process->clock = state->counter_clock ? FMT_CLOCK_COUNTER : FMT_CLOCK_MONOTONIC;
	process->generations = state->forks;
	process->start_time = rec_proc_start_time();
	process->birth_ticks = rec_birth();
	process->call_cost = rec_call_cost();
	if (state->private)
		process->notes |= FMT_NOTE_PRIVATE;
	got = readlink("/proc/self/exe", text, sizeof(text));
	process->exe = got > 0 ? rec_name(text, (size_t)got) : 0;
	length = rec_proc_read("/proc/self/cmdline", text, sizeof(text));
	while (length && text[length - 1] == '\0')
		length--;
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	process->command = rec_name(text, length);
	process->cwd = getcwd(text, sizeof(text)) ? rec_name(text, strlen(text)) : 0;
	process->host = gethostname(text, 256) == 0 ? rec_name(text, strnlen(text, 255)) : 0;
}

/* Streams add to the tally: where they cannot be, the tally goes on without. */
static void open_streams(void)
{
	struct fmt_process *process = rec_state.process;
	const struct fmt_plan *plan = rec_plan();

	if (!plan)
		return;
	rec_state.on_loss = plan->on_loss;
	if (rec_state.private)
		process->streams_end = FMT_STREAMS_UNMAPPED;
	else if (rec_meta_open(plan))
		process->streams = plan->streams;
	else
		process->streams_end = FMT_STREAMS_NO_SPACE;
	rec_state.arguments = process->streams == FMT_STREAMS_TRACE;
}

static void note_locked(struct rec_backend *backend)
{
	struct fmt_backend *item = rec_area_item(FMT_SECTION_BACKENDS, backend->index);

	if (backend->note)
		item->note = rec_name(backend->note, strlen(backend->note));
}

/* Opens the record for the backend, with what it has to tell. */
static void use(struct rec_backend *backend)
{
	int saved = errno;
	uint64_t signals;
	uint32_t token;

	if (!rec_backend_wanted(backend))
		return;
	token = rec_guard_enter();
	rec_signals_block(&signals);
	rec_lock(&rec_state.lock);
	if (rec_open() && rec_backend_open(backend))
		note_locked(backend);
	rec_unlock(&rec_state.lock);
	rec_exit_watch();
	rec_signals_restore(&signals);
	rec_guard_leave(token);
	errno = saved;
}

void rec_backend_used(struct rec_backend *backend)
{
	if (!rec_ready() || !(backend->state & REC_BACKEND_OPENED))
		use(backend);
}

/* Where a note is why no call is seen, it is all that the record will hold: it is opened for it. */
void rec_backend_note(struct rec_backend *backend, const char *sentence)
{
	backend->note = sentence;
	use(backend);
}

bool rec_open(void)
{
	struct rec_state *state = &rec_state;

	if (rec_ready())
		return true;
	if (rec_is_off())
		return false;
	if (state->map) {
		rec_missing_keep();
		forget_parent();
	}
	if (rec_proc_excluded()) { /* again: a forked child may have given itself a rank */
		rec_missing_drop();
		state->off = true;
		return false;
	}
	if (!rec_file_create()) {
		rec_wiped->failed = 1;
		return false;
	}
	rec_missing_drop();
	state->generation++;
	rec_triple(&state->process->open);
	state->process->last = state->process->open;
	describe_process();
	rec_control_opened();
	open_streams();
	memcpy(state->head->magic, FMT_TALLY_MAGIC, sizeof(state->head->magic));
	__atomic_store_n(&rec_wiped->open, 1, __ATOMIC_RELEASE);
	rec_debug("record %s", state->path);
	return true;
}

__attribute__((constructor)) static void constructor(void)
{
	rec_construct();
}
