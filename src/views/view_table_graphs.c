/* SPDX-License-Identifier: BSD-3-Clause */
/* The section of graphs of the table view. Their nodes stand in JSON and CSV. */
#include "base/number.h"
#include "base/utf8.h"
#include "views/view_table.h"

static const char *graph_name(struct painter *painter, const struct summary_graph *graph)
{
	const struct summary *summary = painter->summary;
	const char *whose = "";

	if (graph->rank >= 0 && summary->run.ranks > 1)
		whose = arena_printf(&painter->arena, " of rank %d", (int)graph->rank);
	else if (summary->run.processes > 1)
		whose = arena_printf(&painter->arena, " of pid %u", graph->pid);
	return arena_printf(&painter->arena, "%s graph %u%s", utf8_display(&painter->arena, graph->backend, 0),
			    graph->graph, whose);
}

/* Share of graphs in the plain sum of all that devices ran, in percent. */
static double graphs_share(const struct summary *summary)
{
	uint64_t all = 0, graphs = 0;
	size_t i;

	for (i = 0; i < summary->kernels; i++)
		all += summary->kernel[i].times.total_ns;
	for (i = 0; i < summary->transfers; i++)
		all += summary->transfer[i].total_ns;
	for (i = 0; i < summary->graphs; i++)
		graphs += summary->graph[i].total_ns;
	return all > graphs ? 100.0 * (double)graphs / (double)all : 100.0;
}

void paint_graphs(struct painter *painter)
{
	const struct summary_graph *graph = painter->summary->graph;
	size_t count = painter->summary->graphs, shown = paint_limit(painter, count), i;
	struct table table;

	if (!count)
		return;
	paint_title(painter, "Graphs: %.0f %% of what ran on devices (plain sums; the other sections have it, too)",
		    graphs_share(painter->summary));
	table_start(&table, &painter->arena);
	table_column(&table, "time", 0);
	table_column(&table, "launches", 0);
	table_column(&table, "per launch", 1);
	table_column(&table, "nodes", 0);
	table_column(&table, "kernels", 0);
	table_column_left(&table, "graph", 0);
	for (i = 0; i < shown; i++, graph++) {
		table_row(&table);
		table_cell(&table, 0, paint_time(painter, (int64_t)graph->total_ns));
		table_cell(&table, 1, paint_count(painter, graph->launches));
		if (graph->launches)
			table_cell(&table, 2, paint_time(painter, (int64_t)(graph->total_ns / graph->launches)));
		table_cell(&table, 3, paint_count(painter, graph->numbers));
		table_cell(&table, 4, paint_count(painter, graph->kernels));
		table_cell(&table, 5, graph_name(painter, graph));
	}
	paint_table(painter, &table, count, shown);
}
