/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices of a tally: their interval lists, read in the parts that are used. */
#include <stdlib.h>
#include <string.h>

#include "read/tally_load.h"

#define TRIES 3 /* a list that is just being changed is read again */

static int interval_order(const void *left, const void *right)
{
	const struct fmt_interval *a = left, *b = right;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/*
 * Sorted and disjoint is what the writer keeps, except while it moves entries; then, and in damaged
 * files, order and overlaps are made good here. Empty and reversed entries are dropped.
 */
static uint32_t intervals_clean(struct fmt_interval *interval, uint32_t count, uint32_t *dropped)
{
	uint32_t kept = 0, merged = 0, i;
	bool sorted = true;

	for (i = 0; i < count; i++) {
		if (interval[i].begin >= interval[i].end || interval[i].end > INT64_MAX) {
			*dropped += interval[i].begin != interval[i].end;
			continue;
		}
		interval[kept] = interval[i];
		sorted &= !kept || interval[kept - 1].end <= interval[kept].begin;
		kept++;
	}
	if (sorted)
		return kept;
	qsort(interval, kept, sizeof(*interval), interval_order);
	for (i = 1; i < kept; i++) {
		if (interval[i].begin > interval[merged].end)
			interval[++merged] = interval[i];
		else if (interval[i].end > interval[merged].end)
			interval[merged].end = interval[i].end;
	}
	return merged + 1;
}

static void track_load(struct loader *loader, uint64_t offset, struct tally_track *track, bool *torn)
{
	struct fmt_track head, after;
	size_t head_bytes = offsetof(struct fmt_track, interval);
	uint32_t used, dropped = 0;
	int try;

	for (try = 0; try < TRIES; try++) {
		if (file_read_at(loader->fd, offset, &head, head_bytes) <= 0)
			return;
		used = head.used < FMT_INTERVALS ? head.used : FMT_INTERVALS;
		file_read_at(loader->fd, offset + head_bytes, head.interval, used * sizeof(head.interval[0]));
		file_read_at(loader->fd, offset, &after, head_bytes);
		if (!(head.busy & 1) && head.busy == after.busy)
			break;
	}
	*torn |= try == TRIES;
	loader->damaged += head.used > FMT_INTERVALS;
	track->folded_ns = head.folded_ns;
	track->interval = arena_array(&loader->body->arena, used, sizeof(head.interval[0]));
	memcpy(track->interval, head.interval, used * sizeof(head.interval[0]));
	track->used = intervals_clean(track->interval, used, &dropped);
	loader->damaged += dropped;
}

static void device_load(struct loader *loader, uint64_t offset, struct tally_device *device)
{
	struct fmt_device raw;
	struct arena *arena = &loader->body->arena;

	file_read_at(loader->fd, offset, &raw, offsetof(struct fmt_device, kernels));
	device->name = loader_name(loader, raw.name);
	device->key = loader_name(loader, raw.key);
	device->backend = loader_backend(loader, raw.backend);
	device->ordinal = raw.ordinal;
	if (!*device->key)
		device->key = arena_printf(arena, "%s:%u", loader->body->backend[device->backend].name, raw.ordinal);
	if (loader->names_only)
		return;
	device->fold_line = raw.fold_line;
	device->overlap_folded_ns = raw.overlap_folded_ns;
	device->clock_error_ns = raw.clock_error_ns;
	device->kernels_sum_ns = raw.kernels_sum_ns;
	device->copies_sum_ns = raw.copies_sum_ns;
	track_load(loader, offset + offsetof(struct fmt_device, kernels), &device->kernels, &device->torn);
	track_load(loader, offset + offsetof(struct fmt_device, copies), &device->copies, &device->torn);
}

void devices_load(struct loader *loader)
{
	const struct tally_section *section = &loader->tally->section[FMT_SECTION_DEVICES];
	struct tally_body *body = loader->body;
	uint64_t used = section->used < LOADER_DEVICES_MAX ? section->used : LOADER_DEVICES_MAX, i;

	loader->damaged += section->used > LOADER_DEVICES_MAX;
	body->device = arena_array(&body->arena, used, sizeof(*body->device));
	for (i = 0; i < used; i++)
		device_load(loader, section->offset + i * section->stride, &body->device[body->devices++]);
}
