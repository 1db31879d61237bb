/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs and their nodes, process by process: numbers of graphs are each process's own, so nothing is added up. */
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"

static int node_order(const void *left, const void *right)
{
	const struct fmt_node *a = &((const struct tally_node *)left)->raw;
	const struct fmt_node *b = &((const struct tally_node *)right)->raw;

	if (a->backend != b->backend)
		return a->backend < b->backend ? -1 : 1;
	if (a->graph != b->graph)
		return a->graph < b->graph ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* The first of a graph's nodes, of those in order. */
static uint32_t nodes_find(const struct tally_body *body, const struct fmt_graph *graph)
{
	const struct tally_node wanted = {.raw = {.backend = graph->backend, .graph = graph->number}};
	uint32_t low = 0, high = body->nodes;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (node_order(&body->node[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void node_add(struct analysis *analysis, const struct process_time *process, struct summary_graph *graph,
		     const struct tally_node *node)
{
	struct summary *summary = analysis->summary;

	summary->node = arena_grow(analysis->arena, summary->node, summary->nodes, &analysis->node_capacity,
				   sizeof(*summary->node));
	analysis->node_device = arena_grow(&analysis->scratch, analysis->node_device, summary->nodes,
					   &analysis->node_device_capacity, sizeof(*analysis->node_device));
	analysis->node_device[summary->nodes] = device_of(analysis, process, node->raw.device);
	summary->node[summary->nodes++] = (struct summary_node){
		.pid = graph->pid, .graph = graph->graph, .node = node->raw.number,
		.name = keep(analysis, node->name), .backend = graph->backend,
		.kind = (enum sonde_kind)node->raw.kind, .calls = node->raw.calls,
		.total_ns = node->raw.total_ns, .max_ns = node->raw.max_ns,
	};
	graph->numbers += !graph->nodes || summary->node[summary->nodes - 2].node != node->raw.number;
	graph->nodes++;
	graph->operations += node->raw.calls;
	graph->total_ns += node->raw.total_ns;
	if (kind_category((enum sonde_kind)node->raw.kind) == SONDE_CATEGORY_launch)
		graph->kernels += node->raw.calls;
}

void graphs_add(struct analysis *analysis, struct process_time *process)
{
	struct summary *summary = analysis->summary;
	const struct tally *tally = process->tally;
	const struct tally_body *body = tally->body;
	uint32_t i, k;

	if (body->nodes)
		qsort(body->node, body->nodes, sizeof(*body->node), node_order);
	for (i = 0; i < body->graphs; i++) {
		const struct fmt_graph *raw = &body->graph[i].raw;
		struct summary_graph *graph;

		summary->graph = arena_grow(analysis->arena, summary->graph, summary->graphs,
					    &analysis->graph_capacity, sizeof(*summary->graph));
		graph = &summary->graph[summary->graphs++];
		*graph = (struct summary_graph){
			.backend = keep(analysis, body->backend[raw->backend].name),
			.host = keep(analysis, analysis->recording->host[tally->host].name), .pid = tally->raw.pid,
			.graph = raw->number, .rank = tally->rank, .launches = raw->launches,
			.first = summary->nodes,
		};
		for (k = nodes_find(body, raw); k < body->nodes && body->node[k].raw.backend == raw->backend &&
						body->node[k].raw.graph == raw->number; k++)
			node_add(analysis, process, graph, &body->node[k]);
	}
}

static int graph_order(const void *left, const void *right)
{
	const struct summary_graph *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

void graphs_finish(struct analysis *analysis)
{
	struct summary *summary = analysis->summary;
	size_t i;

	for (i = 0; i < summary->nodes; i++)
		summary->node[i].device = device_label(analysis->node_device[i]);
	if (summary->graphs)
		qsort(summary->graph, summary->graphs, sizeof(*summary->graph), graph_order);
}
