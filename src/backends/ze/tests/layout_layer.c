/* SPDX-License-Identifier: BSD-3-Clause */
/* Our declarations of the tracing layer's structures (ze.h of this backend) against the real ones. */
#include <level_zero/ze_api.h>
#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/layers/zel_tracing_ddi.h>
#include <level_zero/layers/zel_tracing_register_cb.h>

#include "../ze.h"
#include "layout.h"

/* A callback finds its arguments by their place, each behind a pointer. */
#define PLACE(theirs, member, place) _Static_assert(offsetof(theirs, member) == (place) * sizeof(void *), #member)
#define ARGS(theirs, count) _Static_assert(sizeof(theirs) == (count) * sizeof(void *), #theirs)

SIZE(zed_tracer_desc, zel_tracer_desc_t);
SAME(zed_tracer_desc, user, zel_tracer_desc_t, pUserData);
SIZE(zed_tracer_table, zel_tracer_dditable_t);
SAME(zed_tracer_table, create, zel_tracer_dditable_t, pfnCreate);
SAME(zed_tracer_table, set_enabled, zel_tracer_dditable_t, pfnSetEnabled);
IS(ZED_STYPE_TRACER, ZEL_STRUCTURE_TYPE_TRACER_DESC);
IS(ZED_TRACER_VERSION, ZEL_API_TRACING_VERSION_1_0);
IS(ZED_TRACER_PROLOGUE, ZEL_REGISTER_PROLOGUE);
IS(ZED_TRACER_EPILOGUE, ZEL_REGISTER_EPILOGUE);

ARGS(ze_command_list_append_launch_kernel_params_t, 6);
PLACE(ze_command_list_append_launch_kernel_params_t, phSignalEvent, 3);
PLACE(ze_command_list_append_launch_kernel_params_t, pphWaitEvents, 5);
ARGS(ze_command_list_append_memory_copy_region_params_t, 12);
PLACE(ze_command_list_append_memory_copy_region_params_t, phSignalEvent, 9);
ARGS(ze_event_pool_create_params_t, 5);
PLACE(ze_event_pool_create_params_t, pdesc, 1);
PLACE(ze_event_pool_create_params_t, pphDevices, 3);
ARGS(ze_mem_open_ipc_handle_params_t, 5);
PLACE(ze_mem_open_ipc_handle_params_t, phandle, 2);

int main(void)
{
	return 0; /* it compiles */
}
