/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver itself, its devices, and the tables by which the loader takes it: all of them must be there. */
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_ddi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ze_driver.h"

#define DEVICES 8

/* ---- which functions were called --------------------------------------------------------------------- */

static struct {
	const char *name;
	uint64_t calls;
} called[256];
static unsigned called_used;
static pthread_mutex_t called_lock = PTHREAD_MUTEX_INITIALIZER;

bool ze_sim_call(const char *function)
{
	unsigned at = 0;

	pthread_mutex_lock(&called_lock);
	while (at < called_used && called[at].name != function)
		at++;
	if (at == called_used && called_used < sizeof(called) / sizeof(called[0]))
		called[called_used++].name = function;
	if (at < called_used)
		called[at].calls++;
	pthread_mutex_unlock(&called_lock);
	return sim_fails(function);
}

static void __attribute__((destructor)) tell(void)
{
	const char *path = getenv("SIM_ZE_CALLS");
	FILE *file = path ? fopen(path, "we") : NULL;

	for (unsigned i = 0; file && i < called_used; i++)
		fprintf(file, "%s %llu\n", called[i].name, (unsigned long long)called[i].calls);
	if (file)
		fclose(file);
}

/* ---- driver and devices ------------------------------------------------------------------------------ */

static struct ze_sim_device device[DEVICES], subdevice[DEVICES][SIM_ZE_SUBDEVICES];
static char the_driver;

struct ze_sim_device *ze_sim_device(ze_device_handle_t handle)
{
	return (struct ze_sim_device *)handle;
}

static ze_result_t sim_zeInit(ze_init_flags_t flags)
{
	(void)flags;
	SIM_CALL();
	for (unsigned i = 0; i < DEVICES; i++) {
		device[i].index = i;
		for (unsigned n = 0; n < SIM_ZE_SUBDEVICES; n++)
			subdevice[i][n] = (struct ze_sim_device){ i, &device[i], n };
	}
	return sim_devices() ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNINITIALIZED;
}

static ze_result_t sim_zeDriverGet(uint32_t *count, ze_driver_handle_t *drivers)
{
	SIM_CALL();
	if (*count && drivers)
		drivers[0] = (ze_driver_handle_t)&the_driver;
	*count = 1;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeDriverGetApiVersion(ze_driver_handle_t driver, ze_api_version_t *version)
{
	(void)driver;
	SIM_CALL();
	*version = ZE_API_VERSION_CURRENT;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeDriverGetProperties(ze_driver_handle_t driver, ze_driver_properties_t *properties)
{
	(void)driver;
	SIM_CALL();
	properties->driverVersion = 1;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeDriverGetExtensionFunctionAddress(ze_driver_handle_t driver, const char *name, void **address)
{
	(void)driver;
	SIM_CALL();
	if (strcmp(name, "zexCounterBasedEventCreate2") != 0)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	*address = (void *)zexCounterBasedEventCreate2;
	return ZE_RESULT_SUCCESS;
}

static unsigned give(uint32_t *count, ze_device_handle_t *out, struct ze_sim_device *all, unsigned there)
{
	unsigned given = *count && *count < there ? *count : there;

	for (unsigned i = 0; *count && out && i < given; i++)
		out[i] = (ze_device_handle_t)&all[i];
	return given;
}

static ze_result_t sim_zeDeviceGet(ze_driver_handle_t driver, uint32_t *count, ze_device_handle_t *out)
{
	(void)driver;
	SIM_CALL();
	*count = give(count, out, device, sim_devices() < DEVICES ? sim_devices() : DEVICES);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeDeviceGetSubDevices(ze_device_handle_t handle, uint32_t *count, ze_device_handle_t *out)
{
	const struct ze_sim_device *of = ze_sim_device(handle);

	SIM_CALL();
	*count = of->parent ? 0 : give(count, out, subdevice[of->index], SIM_ZE_SUBDEVICES);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeDeviceGetProperties(ze_device_handle_t handle, ze_device_properties_t *properties)
{
	const struct ze_sim_device *of = ze_sim_device(handle);

	SIM_CALL();
	properties->type = ZE_DEVICE_TYPE_GPU;
	properties->flags = of->parent ? ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE : 0;
	properties->subdeviceId = of->number;
	properties->timerResolution = properties->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 ?
					      sim_clock_hz() : 1000000000u / sim_clock_hz();
	properties->timestampValidBits = properties->kernelTimestampValidBits = sim_clock_bits();
	memset(&properties->uuid, 0, sizeof(properties->uuid));
	properties->uuid.id[0] = (uint8_t)(0x51 + of->index);
	properties->uuid.id[15] = (uint8_t)(of->parent ? of->number + 1 : 0);
	snprintf(properties->name, sizeof(properties->name), "Simulated GPU");
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeDeviceGetCommandQueueGroupProperties(ze_device_handle_t handle, uint32_t *count,
							      ze_command_queue_group_properties_t *properties)
{
	(void)handle;
	SIM_CALL();
	for (uint32_t i = 0; properties && i < *count && i < SIM_ZE_GROUPS; i++) {
		properties[i].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY |
				      (i == 0 ? ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE : 0);
		properties[i].maxMemoryFillPatternSize = 16;
		properties[i].numQueues = 4;
	}
	*count = SIM_ZE_GROUPS;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeDeviceGetGlobalTimestamps(ze_device_handle_t handle, uint64_t *host, uint64_t *device_time)
{
	(void)handle;
	SIM_CALL();
	*host = sim_raw_ns();
	*device_time = sim_clock(*host);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeContextCreate(ze_driver_handle_t driver, const ze_context_desc_t *desc,
				       ze_context_handle_t *out)
{
	(void)driver;
	(void)desc;
	SIM_CALL();
	*out = (ze_context_handle_t)calloc(1, 1);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t sim_zeContextDestroy(ze_context_handle_t handle)
{
	SIM_CALL();
	free(handle);
	return ZE_RESULT_SUCCESS;
}

/* ---- tables ------------------------------------------------------------------------------------------ */

#define TABLE(function, type) ZE_APIEXPORT ze_result_t ZE_APICALL function(ze_api_version_t version, type *table)
#define TAKE (void)version
#define FILLED(function, type, fill) TABLE(function, type) { TAKE; fill(table); return ZE_RESULT_SUCCESS; }
/* the loader refuses a driver that lacks one; what stays NULL answers by itself that it is not supported */
#define EMPTY(function, type) TABLE(function, type) { TAKE; (void)table; return ZE_RESULT_SUCCESS; }

TABLE(zeGetGlobalProcAddrTable, ze_global_dditable_t)
{
	TAKE;
	table->pfnInit = sim_zeInit;
	return ZE_RESULT_SUCCESS;
}

TABLE(zeGetDriverProcAddrTable, ze_driver_dditable_t)
{
	TAKE;
	table->pfnGet = sim_zeDriverGet;
	table->pfnGetApiVersion = sim_zeDriverGetApiVersion;
	table->pfnGetProperties = sim_zeDriverGetProperties;
	table->pfnGetExtensionFunctionAddress = sim_zeDriverGetExtensionFunctionAddress;
	return ZE_RESULT_SUCCESS;
}

TABLE(zeGetDeviceProcAddrTable, ze_device_dditable_t)
{
	TAKE;
	table->pfnGet = sim_zeDeviceGet;
	table->pfnGetSubDevices = sim_zeDeviceGetSubDevices;
	table->pfnGetProperties = sim_zeDeviceGetProperties;
	table->pfnGetCommandQueueGroupProperties = sim_zeDeviceGetCommandQueueGroupProperties;
	table->pfnGetGlobalTimestamps = sim_zeDeviceGetGlobalTimestamps;
	return ZE_RESULT_SUCCESS;
}

TABLE(zeGetContextProcAddrTable, ze_context_dditable_t)
{
	TAKE;
	table->pfnCreate = sim_zeContextCreate;
	table->pfnDestroy = sim_zeContextDestroy;
	return ZE_RESULT_SUCCESS;
}

FILLED(zeGetCommandQueueProcAddrTable, ze_command_queue_dditable_t, ze_sim_queue_table)
FILLED(zeGetCommandListProcAddrTable, ze_command_list_dditable_t, ze_sim_list_table)
FILLED(zeGetFenceProcAddrTable, ze_fence_dditable_t, ze_sim_fence_table)
FILLED(zeGetEventPoolProcAddrTable, ze_event_pool_dditable_t, ze_sim_pool_table)
FILLED(zeGetEventProcAddrTable, ze_event_dditable_t, ze_sim_event_table)
FILLED(zeGetMemProcAddrTable, ze_mem_dditable_t, ze_sim_mem_table)
FILLED(zeGetImageProcAddrTable, ze_image_dditable_t, ze_sim_image_table)
FILLED(zeGetModuleProcAddrTable, ze_module_dditable_t, ze_sim_module_table)
FILLED(zeGetModuleBuildLogProcAddrTable, ze_module_build_log_dditable_t, ze_sim_log_table)
FILLED(zeGetKernelProcAddrTable, ze_kernel_dditable_t, ze_sim_kernel_table)

EMPTY(zeGetDeviceExpProcAddrTable, ze_device_exp_dditable_t)
EMPTY(zeGetImageExpProcAddrTable, ze_image_exp_dditable_t)
EMPTY(zeGetEventExpProcAddrTable, ze_event_exp_dditable_t)
EMPTY(zeGetKernelExpProcAddrTable, ze_kernel_exp_dditable_t)
EMPTY(zeGetSamplerProcAddrTable, ze_sampler_dditable_t)
EMPTY(zeGetPhysicalMemProcAddrTable, ze_physical_mem_dditable_t)
EMPTY(zeGetVirtualMemProcAddrTable, ze_virtual_mem_dditable_t)
EMPTY(zeGetFabricVertexExpProcAddrTable, ze_fabric_vertex_exp_dditable_t)
EMPTY(zeGetFabricEdgeExpProcAddrTable, ze_fabric_edge_exp_dditable_t)
EMPTY(zetGetDeviceProcAddrTable, zet_device_dditable_t)
EMPTY(zetGetContextProcAddrTable, zet_context_dditable_t)
EMPTY(zetGetCommandListProcAddrTable, zet_command_list_dditable_t)
EMPTY(zetGetModuleProcAddrTable, zet_module_dditable_t)
EMPTY(zetGetKernelProcAddrTable, zet_kernel_dditable_t)
EMPTY(zetGetMetricGroupProcAddrTable, zet_metric_group_dditable_t)
EMPTY(zetGetMetricGroupExpProcAddrTable, zet_metric_group_exp_dditable_t)
EMPTY(zetGetMetricProcAddrTable, zet_metric_dditable_t)
EMPTY(zetGetMetricStreamerProcAddrTable, zet_metric_streamer_dditable_t)
EMPTY(zetGetMetricQueryPoolProcAddrTable, zet_metric_query_pool_dditable_t)
EMPTY(zetGetMetricQueryProcAddrTable, zet_metric_query_dditable_t)
EMPTY(zetGetTracerExpProcAddrTable, zet_tracer_exp_dditable_t)
EMPTY(zetGetDebugProcAddrTable, zet_debug_dditable_t)
EMPTY(zesGetDriverProcAddrTable, zes_driver_dditable_t)
EMPTY(zesGetDeviceProcAddrTable, zes_device_dditable_t)
EMPTY(zesGetSchedulerProcAddrTable, zes_scheduler_dditable_t)
EMPTY(zesGetPerformanceFactorProcAddrTable, zes_performance_factor_dditable_t)
EMPTY(zesGetPowerProcAddrTable, zes_power_dditable_t)
EMPTY(zesGetFrequencyProcAddrTable, zes_frequency_dditable_t)
EMPTY(zesGetEngineProcAddrTable, zes_engine_dditable_t)
EMPTY(zesGetStandbyProcAddrTable, zes_standby_dditable_t)
EMPTY(zesGetFirmwareProcAddrTable, zes_firmware_dditable_t)
EMPTY(zesGetMemoryProcAddrTable, zes_memory_dditable_t)
EMPTY(zesGetFabricPortProcAddrTable, zes_fabric_port_dditable_t)
EMPTY(zesGetTemperatureProcAddrTable, zes_temperature_dditable_t)
EMPTY(zesGetPsuProcAddrTable, zes_psu_dditable_t)
EMPTY(zesGetFanProcAddrTable, zes_fan_dditable_t)
EMPTY(zesGetLedProcAddrTable, zes_led_dditable_t)
EMPTY(zesGetRasProcAddrTable, zes_ras_dditable_t)
EMPTY(zesGetDiagnosticsProcAddrTable, zes_diagnostics_dditable_t)
