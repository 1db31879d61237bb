/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the summary as JSON, which stand in several files. */
#ifndef SONDE_VIEWS_VIEW_JSON_H
#define SONDE_VIEWS_VIEW_JSON_H

#include "analyze/summary.h"
#include "base/json.h"

/* null outside of parallel jobs */
void view_json_rank(struct json *json, int32_t rank);
/* "run", "processes", "threads", "rank_device" */
void view_json_processes(struct json *json, const struct summary *summary);

#endif
