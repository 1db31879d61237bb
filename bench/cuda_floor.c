/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least that any tool pays for times of kernels: CUPTI's records of kernels and copies, thrown away. Loaded by
 * CUDA_INJECTION64_PATH, compiled against CUPTI's own header by bench/cuda.py.
 */
#include <stdint.h>
#include <stdlib.h>

#include <cuda.h>
#include <cupti.h>

#define BUFFER_BYTES (1u << 20)

static void CUPTIAPI buffer_wanted(uint8_t **buffer, size_t *bytes, size_t *records_most)
{
	*bytes = BUFFER_BYTES;
	*buffer = aligned_alloc(8, BUFFER_BYTES);
	*records_most = 0;
}

static void CUPTIAPI buffer_done(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t filled)
{
	(void)context;
	(void)stream;
	(void)bytes;
	(void)filled;
	free(buffer);
}

static void flush(void)
{
	cuptiActivityFlushAll(1);
}

int InitializeInjection(void)
{
	cuptiActivityRegisterCallbacks(buffer_wanted, buffer_done);
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
	atexit(flush);
	return 1;
}
