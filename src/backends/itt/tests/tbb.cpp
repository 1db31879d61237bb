/* SPDX-License-Identifier: BSD-3-Clause */
/* Work of oneTBB that its library tells ITT of: a loop, and a graph of two nodes that gets 100 numbers. */
#define TBB_USE_PROFILING_TOOLS 2
#include <atomic>
#include <cstdio>

#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>

int main()
{
	std::atomic<long> sum{0};
	tbb::flow::graph graph;
	auto add = [&](int value) { return sum += value, value; };
	auto count = [&](int value) { return sum += 1, value; };
	tbb::flow::function_node<int, int> wide(graph, tbb::flow::unlimited, add);
	tbb::flow::function_node<int, int> narrow(graph, 1, count);

	tbb::parallel_for(0, 1000, [&](int i) { sum += i; });
	tbb::flow::make_edge(wide, narrow);
	for (int i = 0; i < 100; i++)
		wide.try_put(i);
	graph.wait_for_all();
	std::printf("sum=%ld\n", sum.load());
}
