/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce GPUS ROUNDS: one process, all-reduces and all-gathers over all its GPUs; checks them, prints what it did. */
#include <stdio.h>
#include <stdlib.h>
#include <vector>
#include <nccl.h>

#define MUST(call) do { int e_ = (int)(call); if (e_) { fprintf(stderr, "%s: %d\n", #call, e_); exit(3); } } while (0)
#define VALUES (1 << 20)

__global__ void set(float *values, int count, float value)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
		values[i] = value;
}

int main(int argc, char **argv)
{
	int gpus = argc > 1 ? atoi(argv[1]) : 1, rounds = argc > 2 ? atoi(argv[2]) : 1;
	std::vector<ncclComm_t> comm(gpus);
	std::vector<float *> from(gpus), to(gpus);
	std::vector<cudaStream_t> stream(gpus);
	float value = 0;

	for (int i = 0; i < gpus; i++) {
		MUST(cudaSetDevice(i));
		MUST(cudaStreamCreate(&stream[i]));
		MUST(cudaMalloc(&from[i], VALUES * sizeof(float)));
		MUST(cudaMalloc(&to[i], (size_t)gpus * VALUES * sizeof(float)));
		set<<<64, 256, 0, stream[i]>>>(from[i], VALUES, i + 1);
	}
	MUST(ncclCommInitAll(comm.data(), gpus, NULL));
	for (int round = 0; round < rounds; round++) {
		MUST(ncclGroupStart());
		for (int i = 0; i < gpus; i++)
			MUST(ncclAllReduce(from[i], to[i], VALUES, ncclFloat, ncclSum, comm[i], stream[i]));
		MUST(ncclGroupEnd());
	}
	for (int i = 0; i < gpus; i++) {
		MUST(cudaSetDevice(i));
		MUST(cudaMemcpyAsync(&value, to[i], sizeof(value), cudaMemcpyDeviceToHost, stream[i]));
		MUST(cudaStreamSynchronize(stream[i]));
		if (value != gpus * (gpus + 1) / 2)
			return 4;
	}
	MUST(ncclGroupStart());
	for (int i = 0; i < gpus; i++)
		MUST(ncclAllGather(from[i], to[i], VALUES, ncclFloat, comm[i], stream[i]));
	MUST(ncclGroupEnd());
	for (int i = 0; i < gpus; i++) {
		MUST(cudaSetDevice(i));
		MUST(cudaStreamSynchronize(stream[i]));
		MUST(ncclCommDestroy(comm[i]));
	}
	printf("reduces=%d\nbytes=%lld\n", gpus * rounds, (long long)VALUES * sizeof(float));
	return 0;
}
