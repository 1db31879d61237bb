// SPDX-License-Identifier: BSD-3-Clause
// Loops, copies, memory and regions of Kokkos, with what they took by its own clock.
#include <chrono>
#include <cstdio>
#include <thread>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ProfileSection.hpp>

static double now()
{
	return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void pause_ms(int ms)
{
	std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

static void compute()
{
	Kokkos::View<double *> x("x", 1000), y("y", 1000);
	double sum = 0, begin = now();

	for (int i = 0; i < 3; i++)
		Kokkos::parallel_for("slow loop", 4, KOKKOS_LAMBDA(int) { pause_ms(1); });
	printf("loop=%.0f\n", (now() - begin) * 1e9);
	for (int i = 0; i < 5; i++)
		Kokkos::parallel_for("axpy", 1000, KOKKOS_LAMBDA(int j) { y(j) += 2 * x(j) + j; });
	Kokkos::parallel_reduce("norm", 1000, KOKKOS_LAMBDA(int j, double &part) { part += y(j); }, sum);
	Kokkos::parallel_scan("prefix", 1000, KOKKOS_LAMBDA(int j, double &part, bool last) {
		part += y(j);
		if (last)
			x(j) = part;
	});
	Kokkos::deep_copy(y, x);
	Kokkos::fence();
	printf("sum=%.0f\n", sum);
}

static void throwing()
{
	int caught = 0;

	for (int i = 0; i < 100; i++) {
		try {
			Kokkos::parallel_for("throws", 4, KOKKOS_LAMBDA(int) { throw 1; });
		} catch (int) {
			caught++;
		}
	}
	printf("caught=%d\n", caught);
}

int main(int argc, char **argv)
{
	Kokkos::initialize(argc, argv);
	if (argc > 1)
		throwing();
	Kokkos::Profiling::pushRegion("solve");
	compute();
	Kokkos::Profiling::pushRegion("inner");
	pause_ms(3);
	Kokkos::Profiling::popRegion();
	Kokkos::Profiling::popRegion();
	{
		Kokkos::Profiling::ProfilingSection section("section");

		section.start();
		pause_ms(2);
		section.stop();
		Kokkos::Profiling::markEvent("mark");
	}
	Kokkos::finalize();
	return 0;
}
