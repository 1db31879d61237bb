/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The summary as JSON, schema "sonde-summary-1": ns and bytes, shares as fractions of 1. Keys may be
 * added; none that is here may go or change its meaning without a new schema.
 */
#include <math.h>

#include "base/json.h"
#include "base/log.h"
#include "base/number.h"
#include "views/view_details.h"
#include "views/view_internal.h"
#include "views/view_json.h"

static void json_ranks_write(struct json *json, const struct summary_ranks *ranks)
{
	if (ranks->count < 2)
		return;
	json_object_line(json, "ranks");
	json_i64(json, "mean", ranks->mean);
	json_i64(json, "min", ranks->min);
	json_i64(json, "max", ranks->max);
	json_i64(json, "max_rank", ranks->max_rank);
	json_i64(json, "min_rank", ranks->min_rank);
	json_object_end(json);
}

static void json_group_write(struct json *json, const struct summary *summary, const char *group)
{
	if (summary->by != SUMMARY_BY_NONE && *group)
		json_text(json, "group", group);
}

static void head_write(struct json *json, const struct summary *summary)
{
	size_t i;

	json_text(json, "schema", "sonde-summary-1");
	json_text(json, "tool", summary->tool);
	json_text(json, "verdict", summary->verdict);
	json_bool(json, "lower_bound", summary->lower_bound);
	json_text(json, "source", summary->from_streams ? "streams" : "tally");
	json_array(json, "notes");
	for (i = 0; i < summary->notes; i++) {
		json_object_line(json, NULL);
		json_text(json, "code", summary->note[i].code);
		json_text(json, "text", summary->note[i].text);
		json_object_end(json);
	}
	json_array_end(json);
}

static void breakdown_write(struct json *json, const struct summary *summary)
{
	size_t i;

	json_array(json, "breakdown");
	for (i = 0; i < summary->shares; i++) {
		const struct summary_share *share = &summary->share[i];

		json_object_line(json, NULL);
		json_text(json, "category", view_category[share->category]);
		json_i64(json, "ns", share->ns);
		json_ppm(json, "share", share->ppm);
		if (share->detail)
			json_text(json, "detail", share->detail);
		json_ranks_write(json, &share->ranks);
		json_object_end(json);
	}
	json_array_end(json);
}

static void overlap_write(struct json *json, const struct summary *summary)
{
	size_t i;

	if (summary->overlap_state != SUMMARY_OVERLAP_THERE) {
		json_null(json, "overlap");
		return;
	}
	json_object(json, "overlap");
	json_bool(json, "complete", summary->overlap_whole);
	json_u64(json, "processes", summary->overlap_processes);
	json_u64(json, "processes_without", summary->overlap_without);
	json_u64(json, "events_lost", summary->overlap_lost);
	json_i64(json, "waiting_ns", summary->overlap_waiting_ns);
	if (summary->overlap_finding)
		json_text(json, "finding", summary->overlap_finding);
	json_array(json, "classes");
	for (i = 0; i < summary->overlaps; i++) {
		json_object_line(json, NULL);
		json_text(json, "class", view_overlap[summary->overlap[i].class]);
		json_i64(json, "ns", summary->overlap[i].ns);
		json_ppm(json, "share", summary->overlap[i].ppm);
		json_ranks_write(json, &summary->overlap[i].ranks);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

static void open_calls_write(struct json *json, const struct summary *summary)
{
	size_t i;

	json_array(json, "open_calls");
	for (i = 0; i < summary->open_calls; i++) {
		const struct summary_open_call *call = &summary->open_call[i];

		json_object_line(json, NULL);
		json_text(json, "backend", call->backend);
		json_text(json, "name", call->name);
		json_text(json, "host", call->host);
		json_u64(json, "pid", call->pid);
		json_u64(json, "tid", call->tid);
		view_json_rank(json, call->rank);
		json_i64(json, "ns", call->ns);
		json_bool(json, "innermost", call->innermost);
		json_bool(json, "at_least", call->at_least);
		json_object_end(json);
	}
	json_array_end(json);
}

static void devices_write(struct json *json, const struct summary *summary)
{
	size_t i;

	json_array(json, "devices");
	for (i = 0; i < summary->devices; i++) {
		const struct summary_device *device = &summary->device[i];

		json_object_line(json, NULL);
		json_text(json, "device", device->label);
		json_text(json, "name", device->name);
		json_text(json, "key", device->key);
		json_text(json, "host", device->host);
		json_text(json, "backend", device->backend);
		json_u64(json, "processes", device->processes);
		json_u64(json, "wall_ns", device->wall_ns);
		json_u64(json, "kernels_ns", device->kernels_ns);
		json_u64(json, "kernels_sum_ns", device->kernels_sum_ns);
		json_u64(json, "copies_ns", device->copies_ns);
		json_u64(json, "copies_sum_ns", device->copies_sum_ns);
		json_u64(json, "overlap_ns", device->overlap_ns);
		json_i64(json, "idle_ns", device->idle_ns);
		json_u64(json, "clock_error_ns", device->clock_error_ns);
		json_bool(json, "approximate", device->approximate);
		json_u64(json, "kernels_min_ns", device->kernels_min_ns);
		json_u64(json, "kernels_max_ns", device->kernels_max_ns);
		json_ranks_write(json, &device->ranks);
		json_object_end(json);
	}
	json_array_end(json);
}

static void times_write(struct json *json, const struct summary_times *times)
{
	json_u64(json, "min_ns", times->min_ns);
	json_u64(json, "max_ns", times->max_ns);
	json_u64(json, "p50_ns", times->p50_ns);
	json_u64(json, "p99_ns", times->p99_ns);
}

static void json_shape_write(struct json *json, const struct fmt_shape *shape)
{
	for (int kind = 0; kind < VIEW_SHAPE_DETAILS; kind++) {
		struct view_detail detail = view_shape_detail(shape, kind);

		view_detail_json(json, kind, &detail);
	}
}

static void kernels_write(struct json *json, const struct summary *summary)
{
	size_t i;

	json_array(json, "kernels");
	for (i = 0; i < summary->kernels; i++) {
		const struct summary_kernel *kernel = &summary->kernel[i];

		json_object_line(json, NULL);
		json_text(json, "name", kernel->name);
		json_text(json, "backend", kernel->backend);
		json_text(json, "device", kernel->device);
		json_text(json, "host", kernel->host);
		json_group_write(json, summary, kernel->group);
		json_text(json, "kind", view_kind[kernel->kind]);
		json_u64(json, "calls", kernel->times.calls);
		json_u64(json, "total_ns", kernel->times.total_ns);
		times_write(json, &kernel->times);
		json_shape_write(json, &kernel->shape);
		json_ranks_write(json, &kernel->ranks);
		json_object_end(json);
	}
	json_array_end(json);
}

static void transfers_write(struct json *json, const struct summary *summary)
{
	size_t i;

	json_array(json, "transfers");
	for (i = 0; i < summary->transfers; i++) {
		const struct summary_transfer *transfer = &summary->transfer[i];

		json_object_line(json, NULL);
		json_text(json, "backend", transfer->backend);
		json_text(json, "device", transfer->device);
		json_text(json, "host", transfer->host);
		json_group_write(json, summary, transfer->group);
		json_text(json, "direction", view_direction[transfer->direction]);
		json_text(json, "kind", view_memory[transfer->memory]);
		json_u64(json, "calls", transfer->calls);
		json_u64(json, "bytes", transfer->bytes);
		json_u64(json, "total_ns", transfer->total_ns);
		json_object_end(json);
	}
	json_array_end(json);
}

static void json_memory_write(struct json *json, const struct summary *summary)
{
	size_t i;

	json_array(json, "memory");
	for (i = 0; i < summary->memories; i++) {
		const struct summary_memory *memory = &summary->memory[i];

		json_object_line(json, NULL);
		json_text(json, "backend", memory->backend);
		json_text(json, "device", memory->device);
		json_text(json, "host", memory->host);
		json_group_write(json, summary, memory->group);
		json_text(json, "kind", view_memory[memory->memory]);
		json_u64(json, "allocs", memory->allocs);
		json_u64(json, "frees", memory->frees);
		json_u64(json, "alloc_bytes", memory->alloc_bytes);
		json_u64(json, "peak_bytes", memory->peak_bytes);
		json_bool(json, "peak_is_bound", memory->peak_is_bound);
		json_u64(json, "live_bytes", memory->live_bytes);
		json_object_end(json);
	}
	json_array_end(json);
}

static void nodes_write(struct json *json, const struct summary_node *node, size_t count)
{
	json_array(json, "nodes");
	for (; count; count--, node++) {
		json_object_line(json, NULL);
		json_u64(json, "node", node->node);
		json_text(json, "name", node->name);
		json_text(json, "kind", view_kind[node->kind]);
		json_text(json, "device", node->device);
		json_u64(json, "calls", node->calls);
		json_u64(json, "total_ns", node->total_ns);
		json_u64(json, "max_ns", node->max_ns);
		json_object_end(json);
	}
	json_array_end(json);
}

static void graphs_write(struct json *json, const struct summary *summary)
{
	const struct summary_graph *graph = summary->graph;

	json_array(json, "graphs");
	for (size_t i = 0; i < summary->graphs; i++, graph++) {
		json_object(json, NULL);
		json_text(json, "backend", graph->backend);
		json_text(json, "host", graph->host);
		json_u64(json, "pid", graph->pid);
		view_json_rank(json, graph->rank);
		json_u64(json, "graph", graph->graph);
		json_u64(json, "launches", graph->launches);
		json_u64(json, "kernels", graph->kernels);
		json_u64(json, "operations", graph->operations);
		json_u64(json, "total_ns", graph->total_ns);
		nodes_write(json, graph->nodes ? &summary->node[graph->first] : NULL, graph->nodes);
		json_object_end(json);
	}
	json_array_end(json);
}

static void calls_write(struct json *json, const struct summary *summary)
{
	size_t i;

	json_array(json, "calls");
	for (i = 0; i < summary->calls; i++) {
		const struct summary_call *call = &summary->call[i];

		json_object_line(json, NULL);
		json_text(json, "backend", call->backend);
		json_u64(json, "layer", call->layer);
		json_text(json, "name", call->name);
		json_group_write(json, summary, call->group);
		json_text(json, "kind", view_kind[call->kind]);
		json_bool(json, "timed", call->timed);
		json_u64(json, "calls", call->times.calls);
		json_u64(json, "failed", call->failed);
		json_u64(json, "total_ns", call->times.total_ns);
		json_i64(json, "self_ns", call->self_ns);
		times_write(json, &call->times);
		json_u64(json, "bytes_out", call->bytes_out);
		json_u64(json, "bytes_in", call->bytes_in);
		json_u64(json, "posted", call->posted);
		json_u64(json, "device_ns", call->device_ns);
		json_u64(json, "comm_size_min", call->members_least);
		json_u64(json, "comm_size_max", call->members_most);
		json_u64(json, "team_ns", call->team_ns);
		json_u64(json, "team_waited_ns", call->team_waited_ns);
		json_u64(json, "unfinished", call->unfinished);
		json_i64(json, "open_ns", call->open_ns);
		json_ranks_write(json, &call->ranks);
		json_object_end(json);
	}
	json_array_end(json);
}

static void builds_write(struct json *json, const struct summary *summary)
{
	size_t i;

	json_array(json, "builds");
	for (i = 0; i < summary->builds; i++) {
		const struct summary_build *build = &summary->build[i];

		json_object_line(json, NULL);
		json_text(json, "backend", build->backend);
		json_text(json, "name", build->name);
		json_group_write(json, summary, build->group);
		json_text(json, "source", view_source[build->source]);
		json_u64(json, "calls", build->calls);
		json_u64(json, "failed", build->failed);
		json_u64(json, "total_ns", build->total_ns);
		json_u64(json, "processes", build->processes);
		json_object_end(json);
	}
	json_array_end(json);
}

static void failures_write(struct json *json, const struct summary *summary)
{
	json_array(json, "failures");
	for (size_t i = 0; i < summary->failures; i++) {
		const struct summary_failure *failure = &summary->failure[i];

		json_object_line(json, NULL);
		json_text(json, "backend", failure->backend);
		json_text(json, "name", failure->name);
		json_group_write(json, summary, failure->group);
		json_i64(json, "answer", failure->answer);
		json_text(json, "answer_name", failure->answer_name);
		json_u64(json, "calls", failure->calls);
		json_object_end(json);
	}
	json_array_end(json);
}

static void summary_ranges_write(struct json *json, const struct summary *summary)
{
	size_t i;

	json_array(json, "ranges");
	for (i = 0; i < summary->ranges; i++) {
		const struct summary_range *range = &summary->range[i];

		json_object_line(json, NULL);
		json_text(json, "backend", range->backend);
		json_text(json, "name", range->name);
		json_group_write(json, summary, range->group);
		json_text(json, "kind", view_kind[range->kind]);
		json_u64(json, "calls", range->times.calls);
		json_u64(json, "total_ns", range->times.total_ns);
		json_i64(json, "self_ns", range->self_ns);
		json_u64(json, "device_ns", range->device_ns);
		times_write(json, &range->times);
		json_u64(json, "unfinished", range->unfinished);
		json_i64(json, "open_ns", range->open_ns);
		json_ranks_write(json, &range->ranks);
		json_object_end(json);
	}
	json_array_end(json);
}

static void ledger_write(struct json *json, const struct summary *summary)
{
	size_t i;

	json_array(json, "ledger");
	for (i = 0; i < summary->ledgers; i++) {
		const struct summary_ledger *ledger = &summary->ledger[i];

		json_object_line(json, NULL);
		json_text(json, "backend", ledger->backend);
		json_text(json, "attached_by", ledger->attached_by);
		json_text(json, "library", ledger->library);
		if (ledger->tested_on)
			json_text(json, "tested_on", ledger->tested_on);
		else
			json_null(json, "tested_on");
		json_u64(json, "hooked", ledger->hooked);
		json_u64(json, "seen", ledger->seen);
		json_u64(json, "recorded", ledger->recorded);
		json_u64(json, "lost", ledger->lost);
		json_u64(json, "calls_unfinished", ledger->calls_unfinished);
		json_u64(json, "device_seen", ledger->device_seen);
		json_u64(json, "device_recorded", ledger->device_recorded);
		json_u64(json, "device_lost", ledger->device_lost);
		json_u64(json, "late", ledger->late);
		json_u64(json, "untimed", ledger->untimed);
		json_i64(json, "unfinished", ledger->unfinished);
		json_object_end(json);
	}
	json_array_end(json);
}

static void overhead_write(struct json *json, const struct summary_overhead *overhead)
{
	json_object_line(json, "overhead");
	json_u64(json, "per_call_ns", overhead->per_call_ns);
	json_u64(json, "total_ns", overhead->total_ns);
	json_ppm(json, "share", overhead->ppm);
	json_object_end(json);
}

static void figure_write(struct json *json, const char *key, double value)
{
	struct number number;

	if (isfinite(value))
		json_number(json, key, number_decimal(&number, value));
	else
		json_null(json, key);
}

static void counters_write(struct json *json, const struct summary *summary)
{
	size_t i;

	json_array(json, "counters");
	for (i = 0; i < summary->counters; i++) {
		const struct summary_counter *counter = &summary->counter[i];

		json_object_line(json, NULL);
		json_text(json, "name", counter->name);
		json_text(json, "device", counter->device);
		json_text(json, "key", counter->key);
		json_text(json, "host", counter->host);
		json_text(json, "unit", counter->unit);
		figure_write(json, "min", counter->min);
		figure_write(json, "mean", counter->mean);
		figure_write(json, "max", counter->max);
		json_u64(json, "samples", counter->samples);
		json_u64(json, "missed", counter->missed);
		json_u64(json, "interval_ns", counter->interval_ns);
		json_text(json, "backend", counter->backend);
		json_object_end(json);
	}
	json_array_end(json);
}

static void summary_write(struct json *json, const struct summary *summary)
{
	json_object(json, NULL);
	head_write(json, summary);
	view_json_processes(json, summary);
	breakdown_write(json, summary);
	overlap_write(json, summary);
	open_calls_write(json, summary);
	devices_write(json, summary);
	kernels_write(json, summary);
	transfers_write(json, summary);
	json_memory_write(json, summary);
	calls_write(json, summary);
	failures_write(json, summary);
	builds_write(json, summary);
	graphs_write(json, summary);
	summary_ranges_write(json, summary);
	counters_write(json, summary);
	ledger_write(json, summary);
	overhead_write(json, &summary->overhead);
	json_object_end(json);
}

int view_json(const struct summary *summary, const char *path, const struct view_options *options)
{
	FILE *file = view_open(path);
	struct json json;

	(void)options; /* JSON holds everything, whatever a table shows of it */
	if (!file)
		return SONDE_EIO;
	json_start(&json, file);
	summary_write(&json, summary);
	json_finish(&json);
	return view_close(file, path);
}

const struct view view_json_ops = {.name = "json", .target = "file", .write = view_json};
