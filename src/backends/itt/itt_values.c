/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of ITT: counters, metadata of tasks, names of threads. A handle of a counter is a structure that stub and
 * collector share: one that the stub made before it was ready has no room for a value, which stands beside it then.
 */
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "itt.h"

#define OURS 0x736f6e6465l /* index of counters that were made here */
#define TEXT_MAX (4u << 20) /* bytes of texts that are recorded as metadata */

struct counter {
	struct itt_counter info; /* first: its address is the handle */
	struct rec_label label;
	uint64_t value;          /* of integers */
};

struct shadow {
	struct counter *counter;
};
static struct rec_map shadows = REC_MAP(struct shadow); /* handle, or domain and name, -> counter */
static struct counter *counters; /* linked by info.next */
static uint32_t lock;

/* ---- values ---- */

/* As streams hold it, put into *value_out; 0: of no type that is known. */
static enum fmt_arg_type read_value(int type, const void *data, uint64_t *value_out)
{
	static const uint8_t types[] = {
		[ITT_U64] = FMT_ARG_U64, [ITT_S64] = FMT_ARG_S64, [ITT_U32] = FMT_ARG_U32, [ITT_S32] = FMT_ARG_S32,
		[ITT_U16] = FMT_ARG_U16, [ITT_S16] = FMT_ARG_S16, [ITT_F32] = FMT_ARG_F32, [ITT_F64] = FMT_ARG_F64
	};
	double wide;

	if (type < ITT_U64 || type > ITT_F64 || !data)
		return 0;
	switch (type) {
	case ITT_U32:
		*value_out = *(const uint32_t *)data;
		break;
	case ITT_S32:
		*value_out = (uint64_t)*(const int32_t *)data;
		break;
	case ITT_U16:
		*value_out = *(const uint16_t *)data;
		break;
	case ITT_S16:
		*value_out = (uint64_t)*(const int16_t *)data;
		break;
	case ITT_F32:
		wide = (double)*(const float *)data;
		memcpy(value_out, &wide, sizeof(wide));
		break;
	default:
		memcpy(value_out, data, sizeof(*value_out));
		break;
	}
	return types[type];
}

static size_t value_bytes(int type)
{
	return type == ITT_U16 || type == ITT_S16 ? 2 : type == ITT_U32 || type == ITT_S32 || type == ITT_F32 ? 4 : 8;
}

/* ---- counters ---- */

static const char *keep_text(const char *text)
{
	return text ? rec_keep(text, strlen(text) + 1) : NULL;
}

static bool same_text(const char *one, const char *other)
{
	return one == other || (one && other && !strcmp(one, other));
}

/* One per name, domain and type, whichever object asks. The lock is held; NULL: no memory. */
static struct counter *find_or_make(const char *name, const char *domain, int type)
{
	struct counter *counter, made = {.info = {.type = type, .index = OURS}};
	char room[ITT_GROUP_ROOM];
	struct rec_label group;

	for (counter = counters; counter; counter = (struct counter *)counter->info.next)
		if (counter->info.type == type && same_text(counter->info.name, name) &&
		    same_text(counter->info.domain, domain))
			return counter;
	made.info.name = keep_text(name);
	made.info.domain = keep_text(domain);
	made.info.next = (struct itt_counter *)counters;
	group = domain ? itt_group(domain, room) : rec_label(NULL, "");
	group.name = keep_text(group.name);
	if (!group.name || (name && !made.info.name) || (domain && !made.info.domain))
		return NULL;
	made.label = rec_label(&group, made.info.name);
	counter = rec_keep(&made, sizeof(made));
	counters = counter ? counter : counters;
	return counter;
}

struct itt_counter *itt_counter_create_typed(const char *name, const char *domain, int type)
{
	struct counter *counter;

	rec_lock(&lock);
	counter = find_or_make(name, domain, type);
	rec_unlock(&lock);
	return counter ? &counter->info : NULL;
}

struct itt_counter *itt_counter_create(const char *name, const char *domain)
{
	return itt_counter_create_typed(name, domain, ITT_U64);
}

/* The counter behind a key, made at its first use. */
static struct counter *shadow_of(rec_word key, const char *name, const char *domain, int type)
{
	struct shadow shadow = {NULL};

	if (rec_map_get(&shadows, key, &shadow))
		return shadow.counter;
	shadow.counter = (struct counter *)itt_counter_create_typed(name, domain, type);
	if (shadow.counter)
		rec_map_put(&shadows, key, &shadow);
	return shadow.counter;
}

static struct counter *counter_of(struct itt_counter *handle)
{
	if (!handle || handle->index == OURS)
		return (struct counter *)handle;
	return shadow_of((uintptr_t)handle, handle->name, handle->domain, handle->type);
}

static struct counter *counter_named(const struct itt_domain *domain, const struct itt_string *name)
{
	if (!domain || !domain->flags || !name)
		return NULL;
	return shadow_of(((uintptr_t)domain * 0x9e3779b97f4a7c15u ^ (uintptr_t)name) | 1, name->text, domain->name,
			 ITT_U64);
}

/* Of integers alone: so the interface has it. */
static void add(struct counter *counter, uint64_t delta)
{
	uint64_t value;

	if (!counter || counter->info.type == ITT_F32 || counter->info.type == ITT_F64)
		return;
	value = __atomic_add_fetch(&counter->value, delta, __ATOMIC_RELAXED);
	rec_counter(&itt_backend, &counter->label, counter->info.type == ITT_U64 ? FMT_ARG_U64 : FMT_ARG_S64, value);
}

void itt_counter_inc(struct itt_counter *counter)
{
	add(counter_of(counter), 1);
}

void itt_counter_dec(struct itt_counter *counter)
{
	add(counter_of(counter), (uint64_t)-1);
}

void itt_counter_inc_delta(struct itt_counter *counter, unsigned long long delta)
{
	add(counter_of(counter), delta);
}

void itt_counter_dec_delta(struct itt_counter *counter, unsigned long long delta)
{
	add(counter_of(counter), 0 - delta);
}

void itt_counter_inc_v3(const struct itt_domain *domain, const struct itt_string *name)
{
	add(counter_named(domain, name), 1);
}

void itt_counter_dec_v3(const struct itt_domain *domain, const struct itt_string *name)
{
	add(counter_named(domain, name), (uint64_t)-1);
}

void itt_counter_inc_delta_v3(const struct itt_domain *domain, const struct itt_string *name, unsigned long long delta)
{
	add(counter_named(domain, name), delta);
}

void itt_counter_dec_delta_v3(const struct itt_domain *domain, const struct itt_string *name, unsigned long long delta)
{
	add(counter_named(domain, name), 0 - delta);
}

void itt_counter_set_value(struct itt_counter *handle, const void *value)
{
	struct counter *counter = counter_of(handle);
	enum fmt_arg_type type;
	uint64_t bits;

	type = counter ? read_value(counter->info.type, value, &bits) : 0;
	if (!type)
		return;
	__atomic_store_n(&counter->value, bits, __ATOMIC_RELAXED);
	rec_counter(&itt_backend, &counter->label, type, bits);
}

/* With a time on the program's own clock, which nobody here can read: it is set now. */
void itt_counter_set_value_ex(struct itt_counter *counter, void *clock, unsigned long long time, const void *value)
{
	(void)clock;
	(void)time;
	itt_counter_set_value(counter, value);
}

/* ---- metadata: a mark with a value, where the task is ---- */

static void mark(const struct itt_domain *domain, const struct itt_string *key, const struct fmt_event_told *told)
{
	char room[ITT_GROUP_ROOM];
	struct rec_label group = itt_group(domain->name, room), label = rec_label(&group, key ? key->text : NULL);

	rec_mark_told(&itt_backend, &label, told->type ? told : NULL);
}

void itt_metadata_add(const struct itt_domain *domain, struct itt_id id, const struct itt_string *key, int type,
		      size_t count, const void *data)
{
	struct fmt_event_told told = {0};

	(void)id;
	if (!domain || !domain->flags)
		return;
	for (size_t i = 0; i < count && data; i++) {
		told.type = read_value(type, (const char *)data + i * value_bytes(type), &told.value);
		if (!told.type)
			return;
		mark(domain, key, &told);
	}
}

void itt_metadata_str_add(const struct itt_domain *domain, struct itt_id id, const struct itt_string *key,
			  const char *data, size_t length)
{
	static uint64_t used;
	struct fmt_event_told told = {0};

	(void)id;
	if (!domain || !domain->flags || !data)
		return;
	length = length ? strnlen(data, length) : strlen(data);
	/* texts share their room with names, which must not go short of it */
	if (__atomic_add_fetch(&used, length, __ATOMIC_RELAXED) <= TEXT_MAX) {
		told.type = FMT_ARG_STRING;
		told.value = rec_name(data, length);
	}
	mark(domain, key, &told);
}

/* ---- threads ---- */

void itt_thread_set_name(const char *name)
{
	rec_named(&itt_backend, FMT_NAMED_THREAD, 0, (uint32_t)syscall(SYS_gettid), name);
}
