/* SPDX-License-Identifier: BSD-3-Clause */
/* Details of operations, one by one: see view_details.h. */
#include <stdio.h>

#include "views/view_details.h"

const char *const view_detail[VIEW_DETAILS] = {
	[VIEW_DETAIL_GRID] = "grid", [VIEW_DETAIL_BLOCK] = "block", [VIEW_DETAIL_REGISTERS] = "registers",
	[VIEW_DETAIL_STATIC] = "static_shared_bytes", [VIEW_DETAIL_DYNAMIC] = "dynamic_shared_bytes",
	[VIEW_DETAIL_GRAPH] = "graph", [VIEW_DETAIL_NODE] = "graph_node",
};

struct view_detail view_shape_detail(const struct fmt_shape *shape, enum view_detail_kind kind)
{
	switch (kind) {
	case VIEW_DETAIL_GRID:
		return (struct view_detail){shape->known & FMT_SHAPE_GRID, shape->grid, 0};
	case VIEW_DETAIL_BLOCK:
		return (struct view_detail){shape->known & FMT_SHAPE_BLOCK, shape->block, 0};
	case VIEW_DETAIL_REGISTERS:
		return (struct view_detail){shape->known & FMT_SHAPE_REGISTERS, NULL, shape->registers};
	case VIEW_DETAIL_STATIC:
		return (struct view_detail){shape->known & FMT_SHAPE_STATIC, NULL, shape->static_shared};
	case VIEW_DETAIL_DYNAMIC:
		return (struct view_detail){shape->known & FMT_SHAPE_DYNAMIC, NULL, shape->dynamic_shared};
	default:
		return (struct view_detail){false, NULL, 0};
	}
}

struct view_detail view_detail_of(const struct fmt_details *details, enum view_detail_kind kind)
{
	if (kind == VIEW_DETAIL_GRAPH)
		return (struct view_detail){details->node != 0, NULL, details->graph};
	if (kind == VIEW_DETAIL_NODE)
		return (struct view_detail){details->node != 0, NULL, details->node};
	return view_shape_detail(&details->shape, kind);
}

const char *view_extent(const uint32_t extent[3], char text[VIEW_EXTENT_BYTES])
{
	snprintf(text, VIEW_EXTENT_BYTES, "%ux%ux%u", extent[0], extent[1], extent[2]);
	return text;
}

void view_detail_json(struct json *json, enum view_detail_kind kind, const struct view_detail *detail)
{
	int i;

	if (!detail->known) {
		json_null(json, view_detail[kind]);
		return;
	}
	if (!detail->extent) {
		json_u64(json, view_detail[kind], detail->value);
		return;
	}
	json_array_line(json, view_detail[kind]);
	for (i = 0; i < 3; i++)
		json_u64(json, NULL, detail->extent[i]);
	json_array_end(json);
}

void view_details_json(struct json *json, const struct fmt_details *details)
{
	for (int kind = 0; kind < VIEW_DETAILS; kind++) {
		struct view_detail detail = view_detail_of(details, kind);

		if (detail.known)
			view_detail_json(json, kind, &detail);
	}
}
