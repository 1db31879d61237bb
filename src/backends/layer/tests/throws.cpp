// SPDX-License-Identifier: BSD-3-Clause
// A layer and its program in one, in C++: operations that exceptions leave.
#define SONDE_LAYER_PREFIX thrower
#define SONDE_LAYER_IMPLEMENT
#include <sonde/sonde_layer.h>

#include <stdio.h>
#include <unistd.h>

static struct sonde_layer self;

static void run(const char *kernel, int depth, bool fails)
{
	struct sonde_layer_launch info;
	sonde_layer_scope scope(SONDE_LAYER_LAUNCH);

	if (SONDE_LAYER_ON(SONDE_LAYER_LAUNCH)) {
		sonde_layer_fill(&info, sizeof(info), SONDE_LAYER_RUN, kernel);
		scope.begin(&info.op);
	}
	usleep(1000);
	if (depth)
		run("inner", depth - 1, fails);
	else if (fails)
		throw 1;
	scope.done();
}

int main()
{
	int caught = 0;

	self.size = sizeof(self);
	self.version = SONDE_LAYER_VERSION;
	self.name = "thrower";
	self.events = 1u << SONDE_LAYER_LAUNCH;
	sonde_layer_start(&self);
	for (int i = 0; i < 3; i++) {
		try {
			run("outer", 2, true);
		} catch (int) {
			caught++;
		}
		run("outer", 1, false);
	}
	printf("caught=%d\n", caught);
	return 0;
}
