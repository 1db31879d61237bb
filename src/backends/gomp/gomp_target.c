/* SPDX-License-Identifier: BSD-3-Clause */
/* Target constructs, with the bytes that their maps ask for. */
#include "gomp.h"

#define DEFAULT (-1)  /* the device where there is no device clause */
#define FALLBACK (-2) /* where an if clause says: on the host */

/* Bits of a map's kind; those with one of the latter two are pointers, presence, private data, structures. */
enum { KIND_TO = 1, KIND_FROM = 2, KIND_SPECIAL = 4 | 8, KIND_ATTACH = 0x50 };

/* Bits of the flags of GOMP_target_enter_exit_data. */
enum { FLAG_EXIT = 2 };

static int ask(const char *name)
{
	int (*function)(void) = (int (*)(void))rec_provider_symbol(&gomp_backend, name);

	return function ? function() : 0;
}

/* Whoever asks first waits until the runtime has looked for devices: a call of its own. */
static int device_count(const void *code, uintptr_t frame)
{
	static int known; /* 1 + how many */
	int count = __atomic_load_n(&known, __ATOMIC_RELAXED);
	struct rec_call call;

	if (likely(count))
		return count - 1;
	gomp_enter(&call, true, "device start-up", SONDE_KIND_setup, code, frame);
	count = ask("omp_get_num_devices");
	__atomic_store_n(&known, count + 1, __ATOMIC_RELAXED);
	gomp_leave(&call);
	return count;
}

/* Behind the devices' numbers comes the host's own. */
static bool runs_on_host(int device, const void *code, uintptr_t frame)
{
	int count = device == FALLBACK ? 0 : device_count(code, frame);

	if (count && device == DEFAULT)
		device = ask("omp_get_default_device");
	return !count || device >= count;
}

static const char *name_of(enum gomp_symbol symbol, rec_word flags, bool on_host)
{
	switch ((unsigned)symbol) {
	case symbol_GOMP_target_ext:
		return on_host ? "target on the host" : "target";
	case symbol_GOMP_target_data_ext:
		return on_host ? "target data on the host" : "target data";
	case symbol_GOMP_target_update_ext:
		return on_host ? "target update on the host" : "target update";
	case symbol_GOMP_target_end_data:
		return on_host ? "target data end on the host" : "target data end";
	default:
		if (flags & FLAG_EXIT)
			return on_host ? "target exit data on the host" : "target exit data";
		return on_host ? "target enter data on the host" : "target enter data";
	}
}

static enum sonde_kind kind_of(enum gomp_symbol symbol, bool on_host)
{
	if (on_host)
		return SONDE_KIND_compute;
	return symbol == symbol_GOMP_target_ext ? SONDE_KIND_launch : SONDE_KIND_map;
}

static void add_maps(const struct rec_call *call, rec_word count, const size_t *sizes, const unsigned short *kinds)
{
	uint64_t to = 0, from = 0;

	for (rec_word at = 0; sizes && kinds && at < count; at++) {
		unsigned kind = kinds[at] & 0xffu;

		if ((kind & KIND_SPECIAL) || (kind & KIND_ATTACH) == KIND_ATTACH)
			continue;
		to += kind & KIND_TO ? sizes[at] : 0;
		from += kind & KIND_FROM ? sizes[at] : 0;
	}
	rec_call_bytes(call, to, from, false);
}

/* first: the word of the number of maps; then addresses, sizes, kinds, and flags where there are any. */
static void construct(enum gomp_symbol symbol, const rec_word *words, unsigned first, const void *code, uintptr_t frame)
{
	const struct gomp_real real = gomp_real(symbol, code);
	bool on_host = real.recorded && runs_on_host((int)words[0], code, frame);
	struct rec_call call;

	gomp_enter(&call, real.recorded, name_of(symbol, words[5], on_host), kind_of(symbol, on_host), code, frame);
	((gomp_ten)real.function)(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7],
				  words[8], words[9]);
	if (!call.slot)
		return;
	rec_leave(&call);
	if (call.slot)
		add_maps(&call, words[first], (const size_t *)words[first + 2],
			 (const unsigned short *)words[first + 3]);
}

#define TARGET(name, first) \
	REC_EXPORT void name(WORDS); \
	void name(WORDS) \
	{ \
		const rec_word words[10] = {a, b, c, d, e, f, g, h, i, j}; \
\
		construct(symbol_##name, words, first, __builtin_return_address(0), (uintptr_t)__builtin_dwarf_cfa()); \
	}
TARGETS(TARGET)

REC_EXPORT void GOMP_target_end_data(void);
void GOMP_target_end_data(void)
{
	const rec_word none[10] = {0};

	construct(symbol_GOMP_target_end_data, none, 1, __builtin_return_address(0), (uintptr_t)__builtin_dwarf_cfa());
}
