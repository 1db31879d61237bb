/* SPDX-License-Identifier: BSD-3-Clause */
/* How a kernel was launched, which graph an operation is part of: what is known, under one name in all views. */
#ifndef SONDE_VIEWS_VIEW_DETAILS_H
#define SONDE_VIEWS_VIEW_DETAILS_H

#include "base/arena.h"
#include "base/json.h"
#include "format/stream.h"

enum view_detail_kind {
	VIEW_DETAIL_GRID, VIEW_DETAIL_BLOCK, VIEW_DETAIL_REGISTERS, VIEW_DETAIL_STATIC, VIEW_DETAIL_DYNAMIC,
	VIEW_DETAIL_GRAPH, VIEW_DETAIL_NODE,
	VIEW_DETAILS,
	VIEW_SHAPE_DETAILS = VIEW_DETAIL_GRAPH /* those of struct fmt_shape */
};
extern const char *const view_detail[VIEW_DETAILS];

struct view_detail {
	bool known;
	const uint32_t *extent; /* x, y, z; NULL: it is a number */
	uint64_t value;
};

struct view_detail view_shape_detail(const struct fmt_shape *shape, enum view_detail_kind kind);
struct view_detail view_detail_of(const struct fmt_details *details, enum view_detail_kind kind);

#define VIEW_EXTENT_BYTES 36
/* "128x4x1" */
const char *view_extent(const uint32_t extent[3], char text[VIEW_EXTENT_BYTES]);

/* As a member of the open JSON object: [x,y,z], a number, or null. */
void view_detail_json(struct json *json, enum view_detail_kind kind, const struct view_detail *detail);
/* Those that are known. */
void view_details_json(struct json *json, const struct fmt_details *details);

#endif
