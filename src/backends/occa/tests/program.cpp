// SPDX-License-Identifier: BSD-3-Clause
//
// program WHAT MODE: uses the stand-in as programs use OCCA, and says what it did as key=value lines.
#include "stand_in.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>
#include <sys/wait.h>
#include <unistd.h>

using namespace occa;

static device dev;
static const json none;

static void say(const char *key, double seconds)
{
	printf("%s=%.9f\n", key, seconds);
}

static void everything()
{
	dtype_t eight(8);
	double host[100] = {0}, start;
	memory a = dev.malloc(100, eight, nullptr, none), b = dev.malloc(50, eight, host, none);
	memory wrapped = dev.wrapMemory(host, 100, eight, none);
	memoryPool pool = dev.createMemoryPool(none);

	a.copyFrom(host, -1, 0, none);
	a.copyFrom(host, 10, 0, none);
	a.copyTo(host, 20, 0, none);
	a.copyFrom(b, 30, 0, 0, none);
	a.copyTo(b, 40, 0, 0, none);
	pool.reserve(1000, eight);
	pool.reserve(500, eight);
	pool.resize(4000);
	pool.setAlignment(64);

	start = stand_in_now();
	kernel axpy = dev.buildKernel("/src/okl/axpy.okl", "axpy", none);
	say("build", stand_in_now() - start);
	stand_in_cached = true;
	kernel text = dev.buildKernelFromString("@kernel", "text", none);
	kernel binary = dev.buildKernelFromBinary("x", "binary", none);
	stand_in_sleep = 0.02;
	start = stand_in_now();
	for (int i = 0; i < 3; i++)
		axpy();
	say("axpy", stand_in_now() - start);
	stand_in_sleep = 0;
	for (int i = 0; i < 5; i++)
		text();
	binary();
	stream stream = dev.createStream(none);
	streamTag from = dev.tagStream(), to = dev.tagStream();
	stand_in_sleep = 0.03;
	start = stand_in_now();
	dev.timeBetween(from, to);
	say("between", stand_in_now() - start);
	dev.waitFor(to);
	to.wait();
	stream.finish();
	dev.finish();
	dev.finishAll();
	a.free();
	b.free();
	delete wrapped.buffer;
	delete (modeBuffer_t *)pool.pool;
}

static __attribute__((noinline)) void deeper(const kernel &kernel, int depth)
{
	volatile char room[256];

	memset((void *)room, depth, sizeof(room));
	if (depth)
		deeper(kernel, depth - 1);
	else
		kernel();
}

static void throwing()
{
	kernel kernel = dev.buildKernelFromString("", "thrower", none);
	int caught = 0;

	stand_in_throw = 3;
	for (int i = 0; i < 10; i++)
		try {
			deeper(kernel, i % 4);
		} catch (const std::runtime_error &) {
			caught++;
		}
	try {
		dev.buildKernel("wrong.okl", "wrong", none);
	} catch (const std::runtime_error &) {
		caught++;
	}
	printf("caught=%d\n", caught);
}

static void threads()
{
	kernel kernel = dev.buildKernelFromString("", "shared", none);
	std::vector<std::thread> all;

	for (int i = 0; i < 16; i++)
		all.emplace_back([&kernel] {
			for (int j = 0; j < 1000; j++)
				kernel();
		});
	for (auto &thread : all)
		thread.join();
}

// The child frees what its parent has allocated, and launches.
static void forks()
{
	kernel kernel = dev.buildKernelFromString("", "forked", none);
	memory a = dev.malloc(100, dtype_t(8), nullptr, none);

	kernel();
	if (!fork()) {
		a.free();
		kernel();
		exit(0);
	}
	wait(nullptr);
	a.free();
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	stand_in_mode = argc > 2 ? argv[2] : "Serial";
	setvbuf(stdout, nullptr, _IOLBF, 0);
	dev.setup(none);
	if (!strcmp(what, "everything"))
		everything();
	else if (!strcmp(what, "throw"))
		throwing();
	else if (!strcmp(what, "threads"))
		threads();
	else if (!strcmp(what, "fork"))
		forks();
	else if (!strcmp(what, "terminate")) {
		stand_in_throw = 1;
		dev.buildKernelFromString("", "last", none)();
	} else
		return 2;
	return 0;
}
