/* SPDX-License-Identifier: BSD-3-Clause */
/* What views share. */
#ifndef SONDE_VIEWS_VIEW_INTERNAL_H
#define SONDE_VIEWS_VIEW_INTERNAL_H

#include "read/recording.h"
#include "views/view.h"

extern const struct view view_json_ops, view_csv_ops;

/* Words of kinds.h, by their enum. */
extern const char *const view_category[], *const view_kind[], *const view_direction[], *const view_memory[],
	*const view_source[];
extern const char *const view_overlap[]; /* by enum summary_overlap_class */

/* Spreads the bits of a number: what differs in one of them differs in half of the result's. */
static inline uint64_t view_mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
	value = (value ^ value >> 27) * 0x94d049bb133111ebu;
	return value ^ value >> 31;
}

/* Of a thread's row: as the program calls it, or else "main", or a number that stays when it ends. */
const char *view_thread_name(struct arena *arena, const struct tally_body *names, const struct tally *tally,
			     uint32_t tid, uint32_t stream);

/* A file to write to, "-" for standard output; NULL: logged. */
FILE *view_open(const char *path);
/* Closes it and tells, in one line, if anything could not be written. 0 or SONDE_EIO. */
int view_close(FILE *file, const char *path);

#endif
