/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that the program gave at run time to what has a number: threads, categories of ranges and marks. */
#include <stdlib.h>
#include <string.h>

#include "read/tally_load.h"

#define NAMED_MAX (1u << 20)

static void named_take(struct loader *loader, const void *item)
{
	struct tally_body *body = loader->body;
	struct tally_named *named;

	body->named = arena_grow(&body->arena, body->named, body->nameds, &loader->named_capacity, sizeof(*named));
	named = &body->named[body->nameds];
	memcpy(&named->raw, item, sizeof(named->raw));
	if (!named->raw.name) /* given back, or just being given */
		return;
	named->raw.backend = loader_backend(loader, named->raw.backend);
	named->name = loader_name(loader, named->raw.name);
	body->nameds++;
}

static int number_compare(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int named_order(const void *one, const void *other)
{
	const struct fmt_named *a = &((const struct tally_named *)one)->raw;
	const struct fmt_named *b = &((const struct tally_named *)other)->raw;
	int order = number_compare(a->what, b->what);

	if (!order)
		order = number_compare(a->key, b->key);
	if (!order)
		order = number_compare(a->scope, b->scope);
	return order ? order : number_compare(a->backend, b->backend);
}

void named_load(struct loader *loader)
{
	items_load(loader, FMT_SECTION_NAMED, NAMED_MAX, named_take);
	if (loader->body->nameds)
		qsort(loader->body->named, loader->body->nameds, sizeof(struct tally_named), named_order);
}

/* The first that is not before it. */
static const struct tally_named *named_find(const struct tally_body *body, const struct fmt_named *raw)
{
	const struct tally_named wanted = {.raw = *raw};
	uint32_t low = 0, high = body->nameds;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (named_order(&body->named[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < body->nameds ? &body->named[low] : NULL;
}

const char *tally_thread_name(const struct tally_body *body, uint32_t tid)
{
	const struct fmt_named raw = {.what = FMT_NAMED_THREAD, .key = tid};
	const struct tally_named *named = named_find(body, &raw);

	return named && named->raw.what == FMT_NAMED_THREAD && named->raw.key == tid ? named->name : NULL;
}

const char *tally_category_name(const struct tally_body *body, uint32_t backend, uint32_t scope, uint32_t category)
{
	const struct fmt_named raw = {.what = FMT_NAMED_CATEGORY, .key = category, .scope = scope, .backend = backend};
	const struct tally_named wanted = {.raw = raw}, *named = named_find(body, &raw);

	return named && !named_order(named, &wanted) ? named->name : NULL;
}
