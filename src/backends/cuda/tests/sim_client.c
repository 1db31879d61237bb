/* SPDX-License-Identifier: BSD-3-Clause */
/* Another tool of the program, as PyTorch's profiler is: a library that is linked with CUPTI. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim.h"

#define BUFFER_BYTES 8192
#define BUFFERS 4096

/* Its own declarations, as CUPTI's headers would give them. */
int cuptiSubscribe(void **subscriber, cupti_callback callback, void *data);
int cuptiUnsubscribe(void *subscriber);
int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t id);
int cuptiActivityRegisterCallbacks(cupti_buffer_wanted wanted, cupti_buffer_done done);
int cuptiActivityEnable(int kind);
int cuptiActivityFlushAll(uint32_t how);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t filled, struct cupti_record **item);

static void *subscriber;
static uint8_t *given[BUFFERS];
static unsigned calls, kernels, foreign, too_old;

static void wanted(uint8_t **buffer, size_t *bytes, size_t *records_most)
{
	*buffer = malloc(BUFFER_BYTES);
	*bytes = BUFFER_BYTES;
	*records_most = 0;
	for (size_t i = 0; i < BUFFERS; i++)
		if (!given[i]) {
			given[i] = *buffer;
			return;
		}
	abort();
}

static void done(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t filled)
{
	struct cupti_record *item = NULL;
	size_t i = 0;

	(void)context;
	(void)stream;
	(void)bytes;
	while (i < BUFFERS && given[i] != buffer)
		i++;
	if (i == BUFFERS) {
		foreign++; /* a buffer that we have not given */
		return;
	}
	while (cuptiActivityGetNextRecord(buffer, filled, &item) == 0)
		if (item->kind == CUPTI_KERNEL) {
			kernels++;
			/* no time of the wall clock */
			too_old += ((struct cupti_kernel *)item)->begin < 1000000000000000000u;
		}
	given[i] = NULL;
	free(buffer);
}

static void callback(void *data, int domain, uint32_t id, const struct cupti_call *call)
{
	(void)data;
	(void)domain;
	(void)id;
	calls += call->site == CUPTI_ENTER;
}

static int record(void)
{
	int error = cuptiActivityRegisterCallbacks(wanted, done);

	return error ? error : cuptiActivityEnable(CUPTI_KERNEL);
}

static int subscribe(int (*how)(void **, cupti_callback, void *))
{
	int error = how ? how(&subscriber, callback, NULL) : -1;

	if (!error)
		error = cuptiEnableCallback(1, subscriber, CUPTI_RUNTIME, SIM_NUMBER_cudaLaunchKernel);
	return error ? error : record();
}

SIM_EXPORT int sim_client_start(const char *how)
{
	void *object;

	if (how[0] == 'r')
		return record();
	if (how[0] == 's')
		return subscribe(cuptiSubscribe);
	object = dlopen("libcupti.so.13", RTLD_LAZY);
	return subscribe((int (*)(void **, cupti_callback, void *))(uintptr_t)dlsym(object, "cuptiSubscribe"));
}

SIM_EXPORT void sim_client_print(void)
{
	cuptiActivityFlushAll(1);
	printf("client_calls=%u\nclient_kernels=%u\nclient_foreign=%u\nclient_old=%u\n", calls, kernels, foreign,
	       too_old);
}
