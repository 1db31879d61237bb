/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels by the object that packets call them by, which the program asks the runtime for once per kernel. */
#include <stdio.h>
#include <string.h>

#include "hsa.h"

#define NAME_BYTES 4096u

struct text {
	const char *bytes; /* for the rest of the process */
	uint64_t length;
};
static struct rec_map kernels = REC_MAP(struct text); /* by object */

/* A kernel's descriptor is a symbol "name.kd". */
static struct text read_name(rec_word symbol, char *room)
{
	uint32_t (*get)(rec_word, uint32_t, void *) =
		HSA_REAL(hsa_executable_symbol_get_info, rec_word, uint32_t, void *);
	struct text text = {.bytes = room};
	uint32_t length = 0;

	if (!get || get(symbol, HSA_SYMBOL_INFO_NAME_LENGTH, &length) != HSA_SUCCESS || !length)
		return text;
	if (length > NAME_BYTES)
		text.bytes = rec_keep(NULL, length);
	if (!text.bytes || get(symbol, HSA_SYMBOL_INFO_NAME, (void *)text.bytes) != HSA_SUCCESS)
		return text;
	text.length = strnlen(text.bytes, length);
	if (text.length > 3 && memcmp(text.bytes + text.length - 3, ".kd", 3) == 0)
		text.length -= 3;
	return text;
}

void hsa_symbol_asked(rec_word symbol, uint64_t kernel)
{
	uint32_t token = rec_guard_enter();
	char room[NAME_BYTES];
	struct text text = read_name(symbol, room), known;

	if (text.length && (!rec_map_get(&kernels, kernel, &known) || known.length != text.length ||
			    memcmp(known.bytes, text.bytes, text.length) != 0)) {
		if (text.bytes == room)
			text.bytes = rec_keep(room, text.length);
		if (text.bytes)
			rec_map_put(&kernels, kernel, &text);
	}
	rec_guard_leave(token);
}

uint64_t hsa_kernel_name(uint64_t kernel)
{
	struct text text;
	char number[40];

	if (rec_map_get(&kernels, kernel, &text))
		return rec_name(text.bytes, text.length);
	snprintf(number, sizeof(number), "kernel %#llx", (unsigned long long)kernel);
	return rec_name(number, strlen(number));
}
