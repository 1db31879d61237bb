/* SPDX-License-Identifier: BSD-3-Clause */
/* Target constructs, with the bytes that their maps ask for. */
#include "gomp.h"

#define FALLBACK (-2) /* the device where an if clause says: on the host */

/* Bits of a map's kind; those with one of the latter two are pointers, presence, private data, structures. */
enum { KIND_TO = 1, KIND_FROM = 2, KIND_SPECIAL = 4 | 8, KIND_ATTACH = 0x50 };

/* Bits of the flags of GOMP_target_enter_exit_data. */
enum { FLAG_EXIT = 2 };

/* Without a device of the runtime's, target constructs run on the host. */
static bool has_devices(void)
{
	static int known; /* 1: none, 2: some */
	int (*count)(void);

	if (!__atomic_load_n(&known, __ATOMIC_RELAXED)) {
		count = (int (*)(void))rec_provider_symbol(&gomp_backend, "omp_get_num_devices");
		__atomic_store_n(&known, count && count() > 0 ? 2 : 1, __ATOMIC_RELAXED);
	}
	return known == 2;
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
	bool on_host = (int)words[0] == FALLBACK || !has_devices();
	struct rec_call call;

	gomp_enter(&call, symbol, name_of(symbol, words[5], on_host), kind_of(symbol, on_host), code, frame);
	((gomp_ten)gomp_real(symbol))(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7],
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
