// SPDX-License-Identifier: BSD-3-Clause
// Exceptions that are caught within a region, thrown from inside a critical construct, and regions after it.
#include <cstdio>
#include <stdexcept>

static int caught;

static void fails(int i)
{
	if (i % 2)
		throw std::runtime_error("odd");
}

int main()
{
	for (int round = 0; round < 10; round++) {
#pragma omp parallel num_threads(2)
		{
#pragma omp for
			for (int i = 0; i < 4; i++) {
				try {
					fails(i);
				} catch (const std::exception &) {
#pragma omp critical
					caught++;
				}
			}
		}
	}
	std::printf("caught=%d\n", caught);
	return 0;
}
