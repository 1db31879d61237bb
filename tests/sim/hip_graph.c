/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated HIP: graphs, whose nodes run one after the other in the order in which they were added. See hip.h. */
#include <stdlib.h>
#include <string.h>

#define SIM_HIP_INSIDE
#include "hip.h"

#define ANSWER(error) return sim_hip_answer(error)
#define NODES 256

struct sim_hip_node {
	struct sim_work work;
	uint64_t value[SIM_ARGUMENTS];
};
struct sim_hip_graph {
	size_t count;
	struct sim_hip_node *node[NODES];
};

void sim_hip_add(hipGraph_t graph, const struct sim_work *work, hipGraphNode_t *node_out)
{
	struct sim_hip_node *node = calloc(1, sizeof(*node));

	if (graph->count == NODES)
		abort();
	node->work = *work;
	for (unsigned i = 0; i < SIM_ARGUMENTS; i++)
		if (work->argument[i]) {
			memcpy(&node->value[i], work->argument[i], work->argument_bytes[i]);
			node->work.argument[i] = &node->value[i];
		}
	graph->node[graph->count++] = node;
	if (node_out)
		*node_out = node;
}

hipError_t hipGraphCreate(hipGraph_t *graph, unsigned flags)
{
	SIM_HIP(hipErrorOutOfMemory);
	*graph = flags ? NULL : calloc(1, sizeof(**graph));
	ANSWER(*graph ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipGraphDestroy(hipGraph_t graph)
{
	for (size_t i = 0; i < graph->count; i++)
		free(graph->node[i]);
	free(graph);
	ANSWER(hipSuccess);
}

hipError_t hipGraphAddKernelNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before, size_t count,
				 const hipKernelNodeParams *params)
{
	const struct sim_kernel *kernel = sim_hip_registered(params->func);
	struct sim_work work;

	(void)before, (void)count;
	SIM_HIP(hipErrorInvalidValue);
	if (!kernel)
		ANSWER(hipErrorInvalidDeviceFunction);
	sim_hip_kernel(&work, kernel, params->kernelParams, (uint64_t)params->gridDim.x * params->blockDim.x);
	sim_hip_add(graph, &work, node);
	ANSWER(hipSuccess);
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before, size_t count,
				   void *to, const void *from, size_t bytes, int kind)
{
	struct sim_work work = { .kind = SIM_COPY, .name = "copy", .to = to, .from = from, .bytes = bytes };

	(void)before, (void)count, (void)kind;
	sim_hip_add(graph, &work, node);
	ANSWER(hipSuccess);
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count)
{
	if (nodes)
		for (size_t i = 0; i < *count && i < graph->count; i++)
			nodes[i] = graph->node[i];
	*count = graph->count;
	ANSWER(hipSuccess);
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, unsigned *type)
{
	static const unsigned type_of[] = { [SIM_KERNEL] = 0, [SIM_COPY] = 1, [SIM_FILL] = 2, [SIM_MARKER] = 7 };

	*type = type_of[node->work.kind];
	ANSWER(hipSuccess);
}

hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *bad, char *log, size_t bytes)
{
	(void)bad, (void)log, (void)bytes;
	SIM_HIP(hipErrorInvalidValue);
	*exec = calloc(1, sizeof(**exec));
	for (size_t i = 0; i < graph->count; i++)
		sim_hip_add(*exec, &graph->node[i]->work, NULL);
	ANSWER(hipSuccess);
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec)
{
	return hipGraphDestroy(exec);
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream)
{
	stream = sim_hip_stream(stream, false);
	SIM_HIP(hipErrorLaunchFailure);
	for (size_t i = 0; i < exec->count; i++) {
		struct sim_work work = exec->node[i]->work;

		sim_hip_put(stream, &work);
	}
	ANSWER(hipSuccess);
}

/* Of what goes with the streams of the device, captures alone. */
hipError_t hipDeviceReset(void)
{
	hipGraph_t graph;
	int device;

	SIM_HIP(hipErrorInvalidValue);
	hipGetDevice(&device);
	for (hipStream_t stream = sim_hip_streams(); stream; stream = stream->next)
		if (stream->device == (unsigned)device && stream->graph)
			hipStreamEndCapture(stream, &graph);
	ANSWER(hipSuccess);
}
