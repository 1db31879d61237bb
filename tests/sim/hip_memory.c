/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated HIP: memory, copies, fills. See hip.h. */
#include <stdlib.h>
#include <string.h>

#define SIM_HIP_INSIDE
#include "hip.h"

#define ANSWER(error) return sim_hip_answer(error)

static hipError_t allocate(void **address, size_t bytes)
{
	*address = bytes && bytes < (size_t)1 << 40 ? malloc(bytes) : NULL;
	return *address || !bytes ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t hipMalloc(void **address, size_t bytes)
{
	SIM_HIP(hipErrorOutOfMemory);
	if (sim_hip_spoils())
		ANSWER(hipErrorStreamCaptureUnsupported);
	ANSWER(allocate(address, bytes));
}

hipError_t hipMallocAsync(void **address, size_t bytes, hipStream_t stream)
{
	(void)stream;
	SIM_HIP(hipErrorOutOfMemory);
	ANSWER(allocate(address, bytes));
}

hipError_t hipMallocManaged(void **address, size_t bytes, unsigned flags)
{
	(void)flags;
	SIM_HIP(hipErrorOutOfMemory);
	ANSWER(allocate(address, bytes));
}

hipError_t hipHostMalloc(void **address, size_t bytes, unsigned flags)
{
	(void)flags;
	SIM_HIP(hipErrorOutOfMemory);
	ANSWER(allocate(address, bytes));
}

hipError_t hipHostRegister(void *address, size_t bytes, unsigned flags)
{
	(void)address, (void)bytes, (void)flags;
	SIM_HIP(hipErrorInvalidValue);
	ANSWER(hipSuccess);
}

hipError_t hipHostUnregister(void *address)
{
	(void)address;
	ANSWER(hipSuccess);
}

hipError_t hipFree(void *address)
{
	SIM_HIP(hipErrorInvalidValue);
	if (address)
		hipDeviceSynchronize();
	free(address);
	ANSWER(hipSuccess);
}

hipError_t hipFreeAsync(void *address, hipStream_t stream)
{
	struct sim_work work = { .kind = SIM_MARKER, .name = "free", .done = free, .user = address };

	SIM_HIP(hipErrorInvalidValue);
	ANSWER(sim_hip_put(sim_hip_stream(stream, false), &work));
}

hipError_t hipHostFree(void *address)
{
	SIM_HIP(hipErrorInvalidValue);
	free(address);
	ANSWER(hipSuccess);
}

/* ---- copies ------------------------------------------------------------------------------------------ */

static hipError_t copy(void *to, const void *from, size_t bytes, int kind, hipStream_t stream, bool waits)
{
	const char *least = getenv("SIM_COPY_NS");
	struct sim_work work = { .kind = SIM_COPY, .name = "copy", .to = to, .from = from, .bytes = bytes };
	hipError_t error;

	work.least_ns = least ? strtoull(least, NULL, 10) : 0;
	if (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault || !to || !from)
		return hipErrorInvalidValue;
	error = sim_hip_put(stream, &work);
	return error || !waits ? error : sim_hip_wait(stream);
}

hipError_t hipMemcpy(void *to, const void *from, size_t bytes, int kind)
{
	SIM_HIP(hipErrorInvalidValue);
	ANSWER(copy(to, from, bytes, kind, sim_hip_stream(NULL, false), true));
}

hipError_t hipMemcpy_spt(void *to, const void *from, size_t bytes, int kind)
{
	SIM_HIP(hipErrorInvalidValue);
	ANSWER(copy(to, from, bytes, kind, sim_hip_stream(NULL, true), true));
}

hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, hipStream_t stream)
{
	SIM_HIP(hipErrorInvalidValue);
	ANSWER(copy(to, from, bytes, kind, sim_hip_stream(stream, false), false));
}

hipError_t hipMemcpyAsync_spt(void *to, const void *from, size_t bytes, int kind, hipStream_t stream)
{
	SIM_HIP(hipErrorInvalidValue);
	ANSWER(copy(to, from, bytes, kind, sim_hip_stream(stream, true), false));
}

hipError_t hipMemcpyHtoD(void *to, void *from, size_t bytes)
{
	SIM_HIP(hipErrorInvalidValue);
	ANSWER(copy(to, from, bytes, hipMemcpyHostToDevice, sim_hip_stream(NULL, false), true));
}

hipError_t hipMemcpyDtoH(void *to, void *from, size_t bytes)
{
	SIM_HIP(hipErrorInvalidValue);
	ANSWER(copy(to, from, bytes, hipMemcpyDeviceToHost, sim_hip_stream(NULL, false), true));
}

hipError_t hipMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
	(void)to_device, (void)from_device;
	SIM_HIP(hipErrorInvalidValue);
	ANSWER(copy(to, from, bytes, hipMemcpyDeviceToDevice, sim_hip_stream(NULL, false), false));
}

hipError_t hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
		       int kind)
{
	SIM_HIP(hipErrorInvalidValue);
	if (to_pitch != width || from_pitch != width)
		ANSWER(hipErrorInvalidValue);
	ANSWER(copy(to, from, width * height, kind, sim_hip_stream(NULL, false), true));
}

static hipError_t fill(void *to, int value, size_t pattern, size_t bytes, hipStream_t stream)
{
	struct sim_work work = { .kind = SIM_FILL, .name = "fill", .to = to, .bytes = bytes, .pattern_bytes = pattern };

	if (!to)
		return hipErrorInvalidValue;
	memcpy(work.pattern, &value, sizeof(value));
	return sim_hip_put(stream, &work);
}

hipError_t hipMemset(void *to, int value, size_t bytes)
{
	SIM_HIP(hipErrorInvalidValue);
	ANSWER(fill(to, value, 1, bytes, sim_hip_stream(NULL, false)));
}

hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream)
{
	SIM_HIP(hipErrorInvalidValue);
	ANSWER(fill(to, value, 1, bytes, sim_hip_stream(stream, false)));
}

hipError_t hipMemsetD32Async(void *to, int value, size_t count, hipStream_t stream)
{
	SIM_HIP(hipErrorInvalidValue);
	ANSWER(fill(to, value, 4, count * 4, sim_hip_stream(stream, false)));
}
