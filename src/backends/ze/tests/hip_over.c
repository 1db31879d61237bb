/* SPDX-License-Identifier: BSD-3-Clause */
/* A stand-in for chipStar, a HIP runtime on top of Level Zero in libCHIP.so: what stacked.c calls of it. */
#include "app.h"

static ze_command_list_handle_t list;

static void once(void)
{
	if (list)
		return;
	start();
	list = immediate_of(device, 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
}

int hipMalloc(void **out, size_t bytes)
{
	once();
	*out = device_memory(bytes);
	return 0;
}

int hipMemcpy(void *to, const void *from, size_t bytes, int direction)
{
	(void)direction;
	once();
	copy(list, to, from, bytes);
	return 0;
}

int hipFree(void *address)
{
	once();
	return ZE(zeMemFree)(context, address) != ZE_RESULT_SUCCESS;
}
