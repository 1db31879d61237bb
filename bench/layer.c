/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * layer WHAT CALLS: an operation of a portability layer that does nothing, CALLS times; prints the CPU time per call in
 * ns, bare and as the layer reports it, in turns of some hundred calls. WHAT: `tools` are those that the layer finds,
 * `null` is one that the program brings, which does nothing.
 */
#define SONDE_LAYER_PREFIX bench
#define SONDE_LAYER_IMPLEMENT
#include <sonde/sonde_layer.h>

#include <stdio.h>
#include <time.h>

#define TURN 500
#define WARM_UP 10000

static struct sonde_layer self = {
	.size = sizeof(self), .version = SONDE_LAYER_VERSION, .name = "bench", .events = 1u << SONDE_LAYER_LAUNCH
};
static volatile int done;

static __attribute__((noinline)) void work(void)
{
	done++;
}

static __attribute__((noinline)) void bare(void)
{
	work();
}

static __attribute__((noinline)) void reported(const char *kernel)
{
	struct sonde_layer_launch info;
	struct sonde_layer_span span;

	sonde_layer_fill(&info, sizeof(info), SONDE_LAYER_RUN, kernel);
	sonde_layer_begin(SONDE_LAYER_LAUNCH, &info.op, &span);
	work();
	if (span.tools)
		sonde_layer_end(SONDE_LAYER_LAUNCH, &info.op, &span, 0);
}

static __attribute__((noinline)) void layered(const char *kernel)
{
	if (SONDE_LAYER_ON(SONDE_LAYER_LAUNCH))
		reported(kernel);
	else
		work();
}

static void ignore(uint32_t event, uint32_t phase, const struct sonde_layer_op *op, union sonde_layer_word *word,
		   void *data)
{
	(void)event;
	(void)phase;
	(void)op;
	(void)word;
	(void)data;
}

static const struct sonde_layer_tool null_tool = {
	.size = sizeof(null_tool), .version = SONDE_LAYER_VERSION, .name = "null", .events = 1u << SONDE_LAYER_LAUNCH,
	.callback = ignore
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
	long calls = argc > 2 ? atol(argv[2]) : 0, turns = calls / TURN;
	double bare_ns = 0, layered_ns = 0, begin;

	if (calls < TURN || (strcmp(argv[1], "tools") && strcmp(argv[1], "null")))
		return fprintf(stderr, "usage: layer tools|null CALLS\n"), 2;
	sonde_layer_start(&self);
	if (!strcmp(argv[1], "null"))
		sonde_layer_add(&null_tool);
	for (int i = 0; i < WARM_UP; i++)
		layered("vectorAdd_kernel");
	for (long turn = 0; turn < turns; turn++) {
		begin = now();
		for (int i = 0; i < TURN; i++)
			bare();
		bare_ns += now() - begin;
		begin = now();
		for (int i = 0; i < TURN; i++)
			layered("vectorAdd_kernel");
		layered_ns += now() - begin;
	}
	printf("%.3f %.3f\n", bare_ns / (double)(turns * TURN), layered_ns / (double)(turns * TURN));
	return 0;
}
