/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The backend's tables, the functions that the program meant, and what is done when a program is first seen to use
 * OCCA. A wrapper begins an operation, calls the real function and ends it: a call whose name is known at run time, so
 * that what OCCA calls below (OpenCL, CUDA, ...) nests in it.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "occa.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));
extern struct r_debug _r_debug __attribute__((weak)); /* not everywhere */

/* One behind the other; offsets into it are names. */
#define MEMBER(id, mangled, text) char id[sizeof(mangled)];
static const struct {
	char none[1];
	OCCA_SYMBOLS_ALL(MEMBER)
} pool = {
	"",
#define MANGLED(id, mangled, text) mangled,
	OCCA_SYMBOLS_ALL(MANGLED)
};

static const struct rec_function functions[] = {
#define FUNCTION(id, mangled, text) [OCCA_##id] = {.name = offsetof(__typeof__(pool), id)},
	OCCA_SYMBOLS_ALL(FUNCTION)
};

static const struct rec_symbol symbols[] = {
#define SYMBOL(id, mangled, text) [OCCA_##id] = {.name = offsetof(__typeof__(pool), id), .function = OCCA_##id},
	OCCA_SYMBOLS_ALL(SYMBOL)
};

#define TEXT(id, mangled, text) [OCCA_##id] = text,
static const char *const texts[] = { OCCA_SYMBOLS_ALL(TEXT) };
static struct rec_label labels[OCCA_SYMBOLS];

static uint16_t slots[2048] __attribute__((aligned(4096)));
static void *real[OCCA_SYMBOLS];

static void *absent(uint32_t symbol)
{
	(void)symbol;
	return NULL;
}

struct rec_backend occa_backend = {
	.size = sizeof(struct rec_backend), .functions = OCCA_SYMBOLS, .symbols = OCCA_SYMBOLS, .name = "occa",
	.pool = (const char *)&pool, .function = functions, .symbol = symbols, .front = "libocca.so\0", .runtimes = "",
	.layer = 8, .slot = slots, .real = real, .absent = absent,
	.opened = occa_opened
};

__thread struct occa_thread occa_thread;
bool occa_met, occa_aside;

static bool is_wrapped(uint32_t symbol)
{
	return symbol < OCCA_KERNEL_NAME && (OCCA_OBJECTS || symbol < OCCA_MALLOC);
}

/*
 * An OCCA in which none of these names exists has changed: nothing of it will ever come here, so this is the only
 * moment to say so.
 */
static void look_for_strangers(void)
{
	struct link_map *object = &_r_debug ? _r_debug.r_map : NULL;

	while (object && !strstr(object->l_name, "/libocca.so"))
		object = object->l_next;
	if (!object || !rec_backend_wanted(&occa_backend))
		return;
	for (uint32_t i = 0; i < OCCA_KERNEL_NAME; i++)
		if (rec_real(&occa_backend, i))
			return;
	rec_backend_note(&occa_backend,
			 "libocca.so has none of the functions by which OCCA is traced: nothing of it is recorded");
}

__attribute__((constructor)) static void start(void)
{
	rec_backend_register(&occa_backend, __ehdr_start, _end);
	for (uint32_t i = 0; i < OCCA_SYMBOLS; i++)
		labels[i] = rec_label(NULL, texts[i]);
	look_for_strangers();
}

const struct rec_label *occa_label(enum occa_symbol symbol)
{
	return &labels[symbol];
}

/* The object that holds OCCA where the recorder does not find it: a plugin that was opened privately, of any name. */
static void *plugin;

static void *look(enum occa_symbol symbol)
{
	void *found = rec_real(&occa_backend, symbol);

	if (likely(found != NULL) || !plugin)
		return found;
	found = dlsym(plugin, (const char *)&pool + symbols[symbol].name);
	__atomic_store_n(&real[symbol], found, __ATOMIC_RELEASE);
	return found;
}

/* In such a plugin OCCA calls itself by way of us: the caller's object is the one. */
void *occa_real(enum occa_symbol symbol, const void *return_address)
{
	void *found = look(symbol);
	Dl_info info;

	if (likely(found != NULL))
		return found;
	if (dladdr(return_address, &info) && info.dli_fname)
		plugin = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	return look(symbol);
}

void *occa_asked(enum occa_symbol symbol)
{
	return look(symbol);
}

void *occa_provided(const char *name)
{
	void *found = rec_provider_symbol(&occa_backend, name);

	return found || !plugin ? found : dlsym(plugin, name);
}

/*
 * The one place where this backend steps aside: an OCCA that speaks the layer interface (sonde/sonde_layer.h) exports
 * this function and reports its operations itself, unless the user has switched that off, or has not asked for layers.
 */
static bool tells_itself(void)
{
	const char *layers = getenv("SONDE_LAYER");

	return (!layers || strcmp(layers, "off") != 0) && rec_backend_there("layer") &&
	       occa_provided("occa_add_tool") != NULL;
}

/* Names what this OCCA lacks: calls of it, or facts, are missing in the recording. */
static void note_missing(void)
{
	static const char begin[] = "not found in this OCCA, and so not recorded: ";
	static char note[1024];
	size_t used = 0;

	for (uint32_t i = 0; i < OCCA_SYMBOLS; i++) {
		size_t length = strlen(texts[i]);

		if (look(i) && (is_wrapped(i) || i >= OCCA_KERNEL_NAME))
			continue;
		if (used + length + sizeof(begin) + 8 > sizeof(note))
			break;
		if (used) {
			memcpy(note + used, ", ", 2);
			used += 2;
		} else {
			memcpy(note, begin, sizeof(begin));
			used = sizeof(begin) - 1;
		}
		memcpy(note + used, texts[i], length + 1);
		used += length;
	}
	if (used)
		rec_backend_note(&occa_backend, note);
}

REC_COLD void occa_meet(void)
{
	static uint32_t lock;

	rec_lock(&lock);
	if (!occa_met) {
		occa_aside = tells_itself();
		if (!occa_aside && rec_backend_wanted(&occa_backend)) {
			note_missing();
			occa_unwind_find();
			occa_vtables_take();
		}
		__atomic_store_n(&occa_met, true, __ATOMIC_RELEASE);
	}
	rec_unlock(&lock);
}

void occa_op_begin(struct occa_op *op, const struct rec_label *label, enum sonde_kind kind, uintptr_t frame)
{
	op->returned = false;
	if (unlikely(occa_aside)) {
		op->call.slot = 0;
		return;
	}
	rec_enter_dynamic(&op->call, &occa_backend, label, kind, frame);
}

/* Also on the way of an exception, which leaves the call unreturned. */
void occa_op_end(struct occa_op *op)
{
	op->call.failed = !op->returned;
	if (op->call.slot)
		rec_leave(&op->call);
}
