/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recorded arguments of functions. They lie in the file in the order in which functions came up; here they stand by
 * function. One argument that makes no sense hides where all behind it lie: then none of the function's are trusted.
 */
#include <stdlib.h>
#include <string.h>

#include "read/tally_load.h"

#define ARGS_MAX (1u << 20)
#define WORDS_MAX 4096u /* names of one enumeration */

struct word_list {
	struct tally_word *word;
	uint32_t words;
};

struct args_state {
	struct fmt_arg *raw;
	size_t used, capacity;
	struct map lists; /* word_list by offset of its text */
};

static void arg_take(struct loader *loader, const void *item)
{
	struct args_state *state = loader->args;

	state->raw = arena_grow(&loader->body->arena, state->raw, state->used, &state->capacity, sizeof(*state->raw));
	memcpy(&state->raw[state->used++], item, sizeof(*state->raw));
}

static int word_order(const void *left, const void *right)
{
	const struct tally_word *a = left, *b = right;

	return a->value < b->value ? -1 : a->value > b->value;
}

/* "NAME=value NAME=value": values are signed or unsigned, in base 10 or, with 0x, 16. */
static void words_parse(struct loader *loader, const char *text, struct word_list *list)
{
	struct arena *arena = &loader->body->arena;
	size_t capacity = 0;

	while (*text && list->words < WORDS_MAX) {
		size_t name = strcspn(text, "= ");
		char *end;
		uint64_t value;

		if (text[name] != '=' || !name || name > READ_NAME_MAX)
			break;
		value = text[name + 1] == '-' ? (uint64_t)strtoll(text + name + 1, &end, 0) :
						strtoull(text + name + 1, &end, 0);
		if (end == text + name + 1)
			break;
		list->word = arena_grow(arena, list->word, list->words, &capacity, sizeof(*list->word));
		list->word[list->words++] = (struct tally_word){arena_strndup(arena, text, name), value};
		text = end + strspn(end, " ");
	}
	loader->damaged += *text != '\0';
	if (list->words)
		qsort(list->word, list->words, sizeof(*list->word), word_order);
}

static const struct word_list *words_load(struct loader *loader, uint64_t offset)
{
	static const struct word_list none;
	void **known;

	if (!offset)
		return &none;
	known = map_value(&loader->args->lists, &offset, sizeof(offset));
	if (!*known) {
		struct word_list *list = arena_zalloc(&loader->body->arena, sizeof(*list));

		*known = list;
		words_parse(loader, strings_text(loader->body, loader->tally, offset), list);
	}
	return *known;
}

static bool arg_is_sound(const struct fmt_arg *raw)
{
	if (raw->when == FMT_ARG_RESULT)
		return raw->type >= FMT_ARG_U8 && raw->type <= FMT_ARG_VOID && raw->type != FMT_ARG_STRING;
	return raw->when < FMT_ARG_RESULT && raw->type >= FMT_ARG_U8 && raw->type <= FMT_ARG_STRING;
}

static void arg_fill(struct loader *loader, const struct fmt_arg *raw, struct tally_arg *arg)
{
	const struct word_list *list = words_load(loader, raw->enumeration);

	arg->name = loader_name(loader, raw->name);
	arg->when = raw->when;
	arg->type = raw->type;
	arg->flags = raw->flags;
	arg->function = raw->slot - 1;
	arg->word = list->word;
	arg->words = list->words;
}

/* Counts what each function has, so that every argument finds its place in one pass. */
static uint32_t args_count(struct loader *loader)
{
	struct tally_body *body = loader->body;
	uint32_t total = 0, function, when;
	size_t i;

	for (i = 0; i < loader->args->used; i++) {
		const struct fmt_arg *raw = &loader->args->raw[i];

		if (!raw->slot || raw->slot > body->functions) {
			loader->damaged++;
		} else if (!arg_is_sound(raw)) {
			loader->damaged++;
			body->function[raw->slot - 1].args_damaged = true;
		} else {
			body->function[raw->slot - 1].args[raw->when].count++;
			total++;
		}
	}
	body->arg = arena_array(&body->arena, total, sizeof(*body->arg));
	total = 0;
	for (function = 0; function < body->functions; function++)
		for (when = 0; when <= FMT_ARG_RESULT; when++) {
			struct tally_args *args = &body->function[function].args[when];

			args->arg = body->arg + total;
			total += args->count;
			args->count = 0;
		}
	return total;
}

void args_load(struct loader *loader)
{
	struct args_state own = {.lists = {.arena = &loader->body->arena}};
	struct tally_body *body = loader->body;
	size_t i;

	loader->args = &own;
	items_load(loader, FMT_SECTION_ARGS, ARGS_MAX, arg_take);
	body->args = args_count(loader);
	for (i = 0; i < own.used; i++) {
		const struct fmt_arg *raw = &own.raw[i];
		struct tally_args *args;

		if (!raw->slot || raw->slot > body->functions || !arg_is_sound(raw))
			continue;
		args = &body->function[raw->slot - 1].args[raw->when];
		arg_fill(loader, raw, &body->arg[args->arg - body->arg + args->count++]);
		body->function[raw->slot - 1].returns_nothing |= raw->type == FMT_ARG_VOID;
	}
	loader->args = NULL;
}
