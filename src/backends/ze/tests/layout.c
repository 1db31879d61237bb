/* SPDX-License-Identifier: BSD-3-Clause */
/* Our declarations of Level Zero's structures and constants (ze.h of this backend) against the real ones. */
#include <level_zero/ze_api.h>

#include "../ze.h"
#include "layout.h"

SIZE(zed_device_properties, ze_device_properties_t);
SAME(zed_device_properties, flags, ze_device_properties_t, flags);
SAME(zed_device_properties, subdevice, ze_device_properties_t, subdeviceId);
SAME(zed_device_properties, timer_resolution, ze_device_properties_t, timerResolution);
SAME(zed_device_properties, timestamp_bits, ze_device_properties_t, timestampValidBits);
SAME(zed_device_properties, kernel_timestamp_bits, ze_device_properties_t, kernelTimestampValidBits);
SAME(zed_device_properties, uuid, ze_device_properties_t, uuid);
SAME(zed_device_properties, name, ze_device_properties_t, name);
SIZE(zed_pool_desc, ze_event_pool_desc_t);
SAME(zed_pool_desc, flags, ze_event_pool_desc_t, flags);
SAME(zed_pool_desc, count, ze_event_pool_desc_t, count);
SIZE(zed_event_desc, ze_event_desc_t);
SAME(zed_event_desc, index, ze_event_desc_t, index);
SIZE(zed_queue_desc, ze_command_queue_desc_t);
SAME(zed_queue_desc, flags, ze_command_queue_desc_t, flags);
SAME(zed_queue_desc, mode, ze_command_queue_desc_t, mode);
SIZE(zed_list_desc, ze_command_list_desc_t);
SAME(zed_list_desc, flags, ze_command_list_desc_t, flags);
SIZE(zed_kernel_desc, ze_kernel_desc_t);
SAME(zed_kernel_desc, name, ze_kernel_desc_t, pKernelName);
SAME(zed_module_desc, format, ze_module_desc_t, format);
SAME(zed_module_desc, bytes, ze_module_desc_t, inputSize);
SIZE(zed_physical_desc, ze_physical_mem_desc_t);
SAME(zed_physical_desc, bytes, ze_physical_mem_desc_t, size);
SIZE(zed_image_desc, ze_image_desc_t);
SAME(zed_image_desc, layout, ze_image_desc_t, format.layout);
SAME(zed_image_desc, width, ze_image_desc_t, width);
SAME(zed_image_desc, height, ze_image_desc_t, height);
SAME(zed_image_desc, layers, ze_image_desc_t, arraylevels);
SIZE(zed_region, ze_image_region_t);
SAME(zed_region, width, ze_image_region_t, width);
SIZE(zed_allocation, ze_memory_allocation_properties_t);
SAME(zed_allocation, type, ze_memory_allocation_properties_t, type);
SIZE(zed_region, ze_copy_region_t);
SAME(zed_region, width, ze_copy_region_t, width);
SAME(zed_region, depth, ze_copy_region_t, depth);
SIZE(zed_stamps, ze_kernel_timestamp_result_t);
SAME(zed_stamps, global.begin, ze_kernel_timestamp_result_t, global.kernelStart);
SAME(zed_stamps, context.end, ze_kernel_timestamp_result_t, context.kernelEnd);

IS(ZED_SUCCESS, ZE_RESULT_SUCCESS);
IS(ZED_NOT_READY, ZE_RESULT_NOT_READY);
IS(ZED_UNINITIALIZED, ZE_RESULT_ERROR_UNINITIALIZED);
IS(ZED_STYPE_EVENT_POOL, ZE_STRUCTURE_TYPE_EVENT_POOL_DESC);
IS(ZED_STYPE_EVENT, ZE_STRUCTURE_TYPE_EVENT_DESC);
IS(ZED_STYPE_ALLOCATION_PROPERTIES, ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES);
IS(ZED_STYPE_DEVICE_PROPERTIES_1_2, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2);
IS(ZED_POOL_HOST_VISIBLE, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
IS(ZED_POOL_IPC, ZE_EVENT_POOL_FLAG_IPC);
IS(ZED_POOL_TIMESTAMP, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
IS(ZED_MODE_SYNCHRONOUS, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
IS(ZED_MODULE_IL, ZE_MODULE_FORMAT_IL_SPIRV);
IS(ZED_DEVICE_SUBDEVICE, ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE);
IS(ZED_MEMORY_HOST, ZE_MEMORY_TYPE_HOST);
IS(ZED_MEMORY_DEVICE, ZE_MEMORY_TYPE_DEVICE);
IS(ZED_MEMORY_SHARED, ZE_MEMORY_TYPE_SHARED);

int main(void)
{
	return 0; /* it compiles */
}
