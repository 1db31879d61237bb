/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs: operations that a program puts together once and launches by one call, again and again. A row per graph and
 * one per node, in which its operations are summed up. Called with the lock of rec_device.c held.
 */
#include "record/rec_state.h"

struct index {
	uint32_t value;
};
static struct rec_map graphs = REC_MAP(struct index); /* backend, number -> graph */
static struct rec_map nodes = REC_MAP(struct index);  /* number -> the newest node that has it */

void rec_graph_forget(void)
{
	rec_map_clear(&graphs);
	rec_map_clear(&nodes);
}

static struct fmt_graph *find_graph(uint32_t backend, uint32_t number)
{
	rec_word key = (rec_word)backend << 32 | number;
	struct fmt_graph *graph;
	struct index index;
	uint64_t added;

	if (rec_map_get(&graphs, key, &index))
		return rec_area_item(FMT_SECTION_GRAPHS, index.value);
	graph = rec_area_add(FMT_SECTION_GRAPHS, &added);
	if (!graph)
		return NULL;
	graph->backend = backend;
	graph->number = number;
	rec_area_publish(FMT_SECTION_GRAPHS);
	index.value = (uint32_t)added;
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
	struct fmt_graph *graph = find_graph(backend->index, span->details.graph);
	struct fmt_node *node = graph ? find_node(backend->index, span) : NULL;
	uint64_t duration = span->end_ns - span->begin_ns;

	if (!node) {
		rec_state.process->notes |= FMT_NOTE_GRAPHS_FULL;
		return;
	}
	if (span->correlation > graph->correlation) {
		graph->correlation = span->correlation;
		graph->launches++;
	}
	node->calls++;
	node->total_ns += duration;
	if (duration > node->max_ns)
		node->max_ns = duration;
}
