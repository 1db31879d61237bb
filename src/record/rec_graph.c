/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs: operations that a program puts together once and launches by one call, again and again. A row per graph and
 * one per node, in which its operations are summed up. Called with the lock of rec_device.c held.
 */
#include <string.h>

#include "record/rec_state.h"

struct index {
	uint32_t value;
};
static struct rec_map graphs = REC_MAP(struct index); /* backend, number -> graph */
static struct rec_map nodes = REC_MAP(struct index);  /* number -> the newest node that has it */

/*
 * Launches whose operations are being delivered, so that each of them counts once, in whatever order they come. Numbers
 * of launches count up: of those that meet in one set, the lowest is given up.
 */
#define SETS 512u
#define WAYS 8u

struct launch {
	uint64_t correlation; /* 0: free */
	uint32_t graph;       /* index */
	uint32_t reserved;
};
static struct launch launches[SETS][WAYS];
static bool launches_used;

void rec_graph_forget(void)
{
	rec_map_clear(&graphs);
	rec_map_clear(&nodes);
	if (launches_used) /* else its pages stay unmade */
		memset(launches, 0, sizeof(launches));
	launches_used = false;
}

static void give_up(struct launch *launch)
{
	struct fmt_graph *graph = rec_area_item(FMT_SECTION_GRAPHS, launch->graph);

	if (launch->correlation > graph->counted_below)
		graph->counted_below = launch->correlation;
}

/* The launch that an operation belongs to: is it the first one of it? */
static void count_launch(struct fmt_graph *graph, uint32_t index, uint64_t correlation)
{
	struct launch *set = launches[(correlation * 0x9e3779b97f4a7c15u ^ (uint64_t)index << 55) >> 55];
	struct launch new = {.correlation = correlation, .graph = index}, *lowest = set;

	if (!correlation)
		return;
	for (struct launch *launch = set; launch < set + WAYS; launch++) {
		if (launch->correlation == correlation && launch->graph == index)
			return;
		if (launch->correlation < lowest->correlation)
			lowest = launch;
	}
	if (correlation <= graph->counted_below) { /* whether it was counted is not known any more */
		rec_state.process->notes |= FMT_NOTE_LAUNCHES;
		return;
	}
	graph->launches++;
	launches_used = true;
	if (correlation < lowest->correlation) {
		give_up(&new);
		return;
	}
	if (lowest->correlation)
		give_up(lowest);
	*lowest = new;
}

static struct fmt_graph *find_graph(uint32_t backend, uint32_t number, uint32_t *index_out)
{
	rec_word key = (rec_word)backend << 32 | number;
	struct fmt_graph *graph;
	struct index index;
	uint64_t added;

	if (rec_map_get(&graphs, key, &index)) {
		*index_out = index.value;
		return rec_area_item(FMT_SECTION_GRAPHS, index.value);
	}
	graph = rec_area_add(FMT_SECTION_GRAPHS, &added);
	if (!graph)
		return NULL;
	graph->backend = backend;
	graph->number = number;
	rec_area_publish(FMT_SECTION_GRAPHS);
	*index_out = index.value = (uint32_t)added;
	rec_map_put(&graphs, key, &index);
	return graph;
}

/* Runtimes need not count nodes through, and a node may be given another kernel. */
static bool is_node(const struct fmt_node *node, uint32_t backend, const struct rec_span *span)
{
	return node->backend == backend && node->graph == span->details.graph && node->name == span->name &&
	       node->device == span->device && node->kind == span->kind;
}

static struct fmt_node *find_node(uint32_t backend, const struct rec_span *span)
{
	struct index first = {0};
	struct fmt_node *node;
	uint64_t added;

	rec_map_get(&nodes, span->details.node, &first);
	for (uint32_t next = first.value; next; next = node->next) {
		node = rec_area_item(FMT_SECTION_NODES, next - 1);
		if (is_node(node, backend, span))
			return node;
	}
	node = rec_area_add(FMT_SECTION_NODES, &added);
	if (!node)
		return NULL;
	node->name = span->name;
	node->backend = backend;
	node->graph = span->details.graph;
	node->device = span->device;
	node->kind = span->kind;
	node->number = span->details.node;
	node->next = first.value;
	rec_area_publish(FMT_SECTION_NODES);
	first.value = (uint32_t)added + 1;
	rec_map_put(&nodes, span->details.node, &first);
	return node;
}

void rec_graph_add(const struct rec_backend *backend, const struct rec_span *span)
{
	uint32_t index = 0;
	struct fmt_graph *graph = find_graph(backend->index, span->details.graph, &index);
	struct fmt_node *node = graph ? find_node(backend->index, span) : NULL;
	uint64_t duration = span->end_ns - span->begin_ns;

	if (!node) {
		rec_state.process->notes |= FMT_NOTE_GRAPHS_FULL;
		return;
	}
	count_launch(graph, index, span->correlation);
	node->calls++;
	node->total_ns += duration;
	if (duration > node->max_ns)
		node->max_ns = duration;
}
