// SPDX-License-Identifier: BSD-3-Clause
// thread_local objects whose destructors call the API, in THREADS threads and in the main thread.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "fake_mpi.h"

struct Last {
	~Last() { MPI_Barrier(MPI_COMM_WORLD); }
};

static thread_local Last last;

static void work()
{
	static_cast<void>(&last);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 64;
	std::vector<std::thread> threads;

	for (int i = 0; i < count; i++)
		threads.emplace_back(work);
	for (auto &thread : threads)
		thread.join();
	work();
	printf("barriers=%d\n", 2 * count + 2);
	return 0;
}
