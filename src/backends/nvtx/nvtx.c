/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVTX, the ranges of NVIDIA's libraries and of the programs that use them. It lives as a header in each object, which
 * loads this library at its first use and hands us a table of function pointers to fill; every object of a process
 * does that by itself, and all of them are answered from here. No vendor header: the few facts of the
 * interface that are needed stand below; it is the same since NVTX 3.0.
 *
 * A push and a pop answer with the level of their range, whether it is recorded or not: programs pop by that.
 */
#include <wchar.h>

#include "nvtx.h"

/* ---- facts of the interface ----------------------------------------------------------------------- */

#define NVTX_EXPORT_CALLBACKS 1u
#define NVTX_NO_LEVEL (-2)

enum nvtx_module { NVTX_CORE = 1, NVTX_CORE2 = 5 };

/* Places in the tables of the two modules. */
enum nvtx_core {
	NVTX_MARK_EX = 1, NVTX_MARK_A, NVTX_MARK_W, NVTX_START_EX, NVTX_START_A, NVTX_START_W, NVTX_END, NVTX_PUSH_EX,
	NVTX_PUSH_A, NVTX_PUSH_W, NVTX_POP, NVTX_CATEGORY_A, NVTX_CATEGORY_W, NVTX_THREAD_A, NVTX_THREAD_W
};
enum nvtx_core2 {
	NVTX_DOMAIN_MARK = 1, NVTX_DOMAIN_START, NVTX_DOMAIN_END, NVTX_DOMAIN_PUSH, NVTX_DOMAIN_POP,
	NVTX_DOMAIN_CATEGORY_A = 8, NVTX_DOMAIN_CATEGORY_W, NVTX_REGISTER_A, NVTX_REGISTER_W, NVTX_DOMAIN_CREATE_A,
	NVTX_DOMAIN_CREATE_W
};

struct nvtx_callbacks {
	size_t size;
	int (*module_table)(uint32_t module, void ****table_out, unsigned *entries_out);
};

enum nvtx_message { NVTX_MESSAGE_ASCII = 1, NVTX_MESSAGE_WIDE = 2, NVTX_MESSAGE_REGISTERED = 3 };

enum nvtx_payload {
	NVTX_PAYLOAD_U64 = 1, NVTX_PAYLOAD_S64, NVTX_PAYLOAD_F64, NVTX_PAYLOAD_U32, NVTX_PAYLOAD_S32, NVTX_PAYLOAD_F32
};

struct nvtx_attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

/* ---- names ------------------------------------------------------------------------------------------ */

#define TEXT_MAX 4096

static bool are_whole(const struct nvtx_attributes *attributes)
{
	return attributes && attributes->size >= offsetof(struct nvtx_attributes, message) + sizeof(void *);
}

/* A name as it came, in the domain: `text` is room for one that is not ours to point to. */
static struct rec_label label_of(const struct nvtx_domain *domain, const struct nvtx_attributes *attributes, char *text)
{
	const struct rec_label *in = domain ? &domain->label : NULL;
	const struct nvtx_string *string;

	if (!are_whole(attributes))
		return rec_label(in, NULL);
	switch (attributes->message_type) {
	case NVTX_MESSAGE_ASCII:
		return rec_label(in, attributes->message);
	case NVTX_MESSAGE_WIDE:
		return rec_label(in, nvtx_narrow(attributes->message, text, TEXT_MAX));
	case NVTX_MESSAGE_REGISTERED:
		string = attributes->message;
		if (string && string->domain == domain)
			return string->label;
		return rec_label(in, string ? string->label.name : NULL);
	default:
		return rec_label(in, NULL);
	}
}

static uint32_t stack_of(const struct nvtx_domain *domain)
{
	return domain ? domain->stack : 0;
}

/* ---- payloads and categories ----------------------------------------------------------------------- */

/* Narrow types use a part of the word. */
static uint64_t widened(enum fmt_arg_type type, uint64_t payload)
{
	double wide;
	float narrow;

	switch (type) {
	case FMT_ARG_U32:
		return (uint32_t)payload;
	case FMT_ARG_S32:
		return (uint64_t)(int32_t)payload;
	case FMT_ARG_F32:
		__builtin_memcpy(&narrow, &payload, sizeof(narrow));
		wide = (double)narrow;
		__builtin_memcpy(&payload, &wide, sizeof(payload));
		return payload;
	default:
		return payload;
	}
}

/* What the attributes tell beside a name, put into `told`; NULL: nothing. */
static const struct fmt_event_told *told_of(const struct nvtx_domain *domain, const struct nvtx_attributes *attributes,
					    struct fmt_event_told *told)
{
	static const uint8_t types[] = {
		[NVTX_PAYLOAD_U64] = FMT_ARG_U64, [NVTX_PAYLOAD_S64] = FMT_ARG_S64, [NVTX_PAYLOAD_F64] = FMT_ARG_F64,
		[NVTX_PAYLOAD_U32] = FMT_ARG_U32, [NVTX_PAYLOAD_S32] = FMT_ARG_S32, [NVTX_PAYLOAD_F32] = FMT_ARG_F32
	};
	uint32_t type;

	if (!are_whole(attributes))
		return NULL;
	type = (uint32_t)attributes->payload_type < sizeof(types) ? types[attributes->payload_type] : 0;
	if (!type && !attributes->category)
		return NULL;
	*told = (struct fmt_event_told){
		.type = type, .category = attributes->category, .scope = stack_of(domain),
		.value = type ? widened(type, attributes->payload) : 0,
	};
	return told;
}

/* ---- levels ----------------------------------------------------------------------------------------- */

#define DOMAINS_COUNTED 16u /* per thread; ranges of later domains answer as without a tool */

/* Open ranges of this thread, by stack. */
static __thread uint16_t open_ranges[DOMAINS_COUNTED] __attribute__((tls_model("initial-exec")));

static int level_pushed(uint32_t stack)
{
	if (stack >= DOMAINS_COUNTED || open_ranges[stack] == UINT16_MAX)
		return NVTX_NO_LEVEL;
	return open_ranges[stack]++;
}

static int level_popped(uint32_t stack)
{
	if (stack >= DOMAINS_COUNTED || !open_ranges[stack])
		return NVTX_NO_LEVEL;
	return --open_ranges[stack];
}

/* ---- ranges and marks ------------------------------------------------------------------------------- */

static uint64_t keys; /* of ranges that were started */

static uint64_t start(const struct rec_label *label, const struct fmt_event_told *told)
{
	uint64_t key = __atomic_add_fetch(&keys, 1, __ATOMIC_RELAXED);

	rec_range_start_told(&nvtx_backend, label, key, told);
	return key;
}

static void domain_mark(struct nvtx_domain *domain, const struct nvtx_attributes *attributes)
{
	char text[TEXT_MAX];
	struct rec_label label = label_of(domain, attributes, text);
	struct fmt_event_told told;

	rec_mark_told(&nvtx_backend, &label, told_of(domain, attributes, &told));
}

static uint64_t domain_start(struct nvtx_domain *domain, const struct nvtx_attributes *attributes)
{
	char text[TEXT_MAX];
	struct rec_label label = label_of(domain, attributes, text);
	struct fmt_event_told told;

	return start(&label, told_of(domain, attributes, &told));
}

static int domain_push(struct nvtx_domain *domain, const struct nvtx_attributes *attributes)
{
	char text[TEXT_MAX];
	struct rec_label label = label_of(domain, attributes, text);
	struct fmt_event_told told;

	rec_range_push_told(&nvtx_backend, &label, stack_of(domain), told_of(domain, attributes, &told));
	return level_pushed(stack_of(domain));
}

static int domain_pop(struct nvtx_domain *domain)
{
	rec_range_pop(&nvtx_backend, stack_of(domain));
	return level_popped(stack_of(domain));
}

static void domain_end(struct nvtx_domain *domain, uint64_t key)
{
	(void)domain;
	rec_range_end(&nvtx_backend, key);
}

static void mark_ex(const struct nvtx_attributes *attributes)
{
	domain_mark(NULL, attributes);
}

static uint64_t start_ex(const struct nvtx_attributes *attributes)
{
	return domain_start(NULL, attributes);
}

static int push_ex(const struct nvtx_attributes *attributes)
{
	return domain_push(NULL, attributes);
}

static int pop(void)
{
	return domain_pop(NULL);
}

static void end(uint64_t key)
{
	rec_range_end(&nvtx_backend, key);
}

static void mark_a(const char *name)
{
	struct rec_label label = rec_label(NULL, name);

	rec_mark(&nvtx_backend, &label);
}

static uint64_t start_a(const char *name)
{
	struct rec_label label = rec_label(NULL, name);

	return start(&label, NULL);
}

static int push_a(const char *name)
{
	struct rec_label label = rec_label(NULL, name);

	rec_range_push(&nvtx_backend, &label, 0);
	return level_pushed(0);
}

static void mark_w(const wchar_t *name)
{
	char text[TEXT_MAX];

	mark_a(nvtx_narrow(name, text, sizeof(text)));
}

static uint64_t start_w(const wchar_t *name)
{
	char text[TEXT_MAX];

	return start_a(nvtx_narrow(name, text, sizeof(text)));
}

static int push_w(const wchar_t *name)
{
	char text[TEXT_MAX];

	return push_a(nvtx_narrow(name, text, sizeof(text)));
}

static struct nvtx_string *register_w(struct nvtx_domain *domain, const wchar_t *name)
{
	char text[TEXT_MAX];

	return nvtx_register(domain, nvtx_narrow(name, text, sizeof(text)));
}

static struct nvtx_domain *create_w(const wchar_t *name)
{
	char text[TEXT_MAX];

	return nvtx_create(nvtx_narrow(name, text, sizeof(text)));
}

/* ---- names of what has a number --------------------------------------------------------------------- */

static void domain_category(struct nvtx_domain *domain, uint32_t category, const char *name)
{
	rec_named(&nvtx_backend, FMT_NAMED_CATEGORY, stack_of(domain), category, name);
}

static void domain_category_w(struct nvtx_domain *domain, uint32_t category, const wchar_t *name)
{
	char text[TEXT_MAX];

	domain_category(domain, category, nvtx_narrow(name, text, sizeof(text)));
}

static void category_a(uint32_t category, const char *name)
{
	domain_category(NULL, category, name);
}

static void category_w(uint32_t category, const wchar_t *name)
{
	domain_category_w(NULL, category, name);
}

static void thread_a(uint32_t tid, const char *name)
{
	rec_named(&nvtx_backend, FMT_NAMED_THREAD, 0, tid, name);
}

static void thread_w(uint32_t tid, const wchar_t *name)
{
	char text[TEXT_MAX];

	thread_a(tid, nvtx_narrow(name, text, sizeof(text)));
}

/* ---- start-up --------------------------------------------------------------------------------------- */

struct hook {
	uint32_t place;
	void *function;
};

#define HOOK(place, function) {place, (void *)(uintptr_t)(function)}

/* An object with an older NVTX has shorter tables. */
static void fill(void ***table, unsigned entries, const struct hook *hook, size_t hooks)
{
	for (size_t i = 0; i < hooks; i++)
		if (hook[i].place < entries && table[hook[i].place])
			*table[hook[i].place] = hook[i].function;
}

/* Called by each object of the program that uses NVTX. 0: it is to go on as if there were no tool. */
REC_EXPORT int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t which))
{
	const struct hook core[] = {
		HOOK(NVTX_MARK_EX, mark_ex), HOOK(NVTX_MARK_A, mark_a), HOOK(NVTX_MARK_W, mark_w),
		HOOK(NVTX_START_EX, start_ex), HOOK(NVTX_START_A, start_a), HOOK(NVTX_START_W, start_w),
		HOOK(NVTX_END, end), HOOK(NVTX_PUSH_EX, push_ex), HOOK(NVTX_PUSH_A, push_a),
		HOOK(NVTX_PUSH_W, push_w), HOOK(NVTX_POP, pop),
		HOOK(NVTX_CATEGORY_A, category_a), HOOK(NVTX_CATEGORY_W, category_w),
		HOOK(NVTX_THREAD_A, thread_a), HOOK(NVTX_THREAD_W, thread_w)
	};
	const struct hook core2[] = {
		HOOK(NVTX_DOMAIN_MARK, domain_mark), HOOK(NVTX_DOMAIN_START, domain_start),
		HOOK(NVTX_DOMAIN_END, domain_end), HOOK(NVTX_DOMAIN_PUSH, domain_push),
		HOOK(NVTX_DOMAIN_POP, domain_pop), HOOK(NVTX_DOMAIN_CATEGORY_A, domain_category),
		HOOK(NVTX_DOMAIN_CATEGORY_W, domain_category_w), HOOK(NVTX_REGISTER_A, nvtx_register),
		HOOK(NVTX_REGISTER_W, register_w), HOOK(NVTX_DOMAIN_CREATE_A, nvtx_create),
		HOOK(NVTX_DOMAIN_CREATE_W, create_w)
	};
	const struct nvtx_callbacks *callbacks;
	unsigned entries;
	void ***table;

	if (!rec_backend_wanted(&nvtx_backend))
		return 0;
	callbacks = export_table(NVTX_EXPORT_CALLBACKS);
	if (!callbacks || callbacks->size < sizeof(*callbacks))
		return 0;
	if (callbacks->module_table(NVTX_CORE, &table, &entries))
		fill(table, entries, core, sizeof(core) / sizeof(core[0]));
	if (callbacks->module_table(NVTX_CORE2, &table, &entries))
		fill(table, entries, core2, sizeof(core2) / sizeof(core2[0]));
	rec_attached(&nvtx_backend, "NVTX_INJECTION64_PATH", NULL);
	return 1;
}
