/* SPDX-License-Identifier: BSD-3-Clause */
/* Our declarations of the tracing layer's structures (ze.h of this backend) against the real ones. */
#include <level_zero/ze_api.h>
#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/layers/zel_tracing_ddi.h>
#include <level_zero/layers/zel_tracing_register_cb.h>
#include <stddef.h>

#include "../ze.h"

#define SAME(ours, field, theirs, member) \
	_Static_assert(offsetof(struct ours, field) == offsetof(theirs, member), #ours "." #field)
/* A callback finds its arguments by their place, each behind a pointer. */
#define PLACE(theirs, member, place) _Static_assert(offsetof(theirs, member) == (place) * sizeof(void *), #member)
#define ARGS(theirs, count) _Static_assert(sizeof(theirs) == (count) * sizeof(void *), #theirs)

_Static_assert(sizeof(struct zed_tracer_desc) == sizeof(zel_tracer_desc_t), "zed_tracer_desc");
SAME(zed_tracer_desc, user, zel_tracer_desc_t, pUserData);
_Static_assert(sizeof(struct zed_tracer_table) == sizeof(zel_tracer_dditable_t), "zed_tracer_table");
SAME(zed_tracer_table, create, zel_tracer_dditable_t, pfnCreate);
SAME(zed_tracer_table, set_enabled, zel_tracer_dditable_t, pfnSetEnabled);
_Static_assert(ZED_STYPE_TRACER == ZEL_STRUCTURE_TYPE_TRACER_DESC, "ZED_STYPE_TRACER");
_Static_assert(ZED_TRACER_VERSION == ZEL_API_TRACING_VERSION_1_0, "ZED_TRACER_VERSION");
_Static_assert((int)ZED_TRACER_PROLOGUE == (int)ZEL_REGISTER_PROLOGUE, "ZED_TRACER_PROLOGUE");
_Static_assert((int)ZED_TRACER_EPILOGUE == (int)ZEL_REGISTER_EPILOGUE, "ZED_TRACER_EPILOGUE");

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
