/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls a function of every shape, twice, and compares what arrived. Exit status: number of the wrong one. */
#include <stdio.h>

#include "shapes.h"

static int check_launch(void)
{
	static char queue, name[] = "kernel";
	struct template_grid grid = {3, 5, 0.5, name};
	const struct template_seen *seen = &template_seen;

	if (template_launch(&queue, name, grid, 2.5f, 1e300) != 0)
		return 1;
	return seen->queue != &queue || seen->name != name || seen->grid.x != 3 || seen->grid.y != 5 ||
	       seen->grid.scale != 0.5 || seen->grid.name != name || seen->weight != 2.5f || seen->speed != 1e300;
}

static int check_log(void)
{
	int result = template_log(4, 1.5, 1L, 2.5, 2L, 3.5, 3L, 4.5, 4L, 5.5, 5L, 6.5, 6L, 7.5, 7L, 8.5, 8L, 9.5, 9L,
				  10.5, 10L, 11.5, 11L, 12.5, 12L);

	if (result != 7 || template_seen.level != 4)
		return 1;
	for (int i = 0; i < LOG_PAIRS; i++)
		if (template_seen.number[i] != i + 1.5 || template_seen.word[i] != i + 1)
			return 1;
	return 0;
}

int main(void)
{
	static char queue, from[100], to[100];
	void *memory;

	template_open(0);
	for (int round = 0; round < 2; round++) {
		if (check_launch())
			return 1;
		if (check_log())
			return 2;
		if (template_time() != 1.25)
			return 3;
		memory = template_alloc(1000);
		if (!memory)
			return 4;
		template_free(memory);
		if (template_wait(&queue) != 0 || template_wait(NULL) != -5)
			return 5;
		if (template_copy(&queue, to, from, sizeof(to)) != 0)
			return 6;
	}
	puts("every shape arrived");
	return 0;
}
