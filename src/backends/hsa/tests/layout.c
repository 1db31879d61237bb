/* SPDX-License-Identifier: BSD-3-Clause */
/* Our declarations of HSA's structures and constants (hsa.h of this backend) against the real ones. */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

enum {
	REAL_SUCCESS = HSA_STATUS_SUCCESS, REAL_NAME = HSA_AGENT_INFO_NAME, REAL_DEVICE = HSA_AGENT_INFO_DEVICE,
	REAL_CPU = HSA_DEVICE_TYPE_CPU, REAL_BDFID = HSA_AMD_AGENT_INFO_BDFID,
	REAL_PRODUCT = HSA_AMD_AGENT_INFO_PRODUCT_NAME, REAL_DOMAIN = HSA_AMD_AGENT_INFO_DOMAIN,
	REAL_TIMESTAMP = HSA_SYSTEM_INFO_TIMESTAMP, REAL_FREQUENCY = HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY
};
/* they are names of both */
#define HSA_AGENT_INFO_NAME OUR_AGENT_INFO_NAME
#define HSA_AGENT_INFO_DEVICE OUR_AGENT_INFO_DEVICE
#define HSA_SYSTEM_INFO_TIMESTAMP OUR_TIMESTAMP
#define HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY OUR_FREQUENCY
#include "../hsa.h"
#include "layout.h"

SIZE(hsa_queue, hsa_queue_t);
SAME(hsa_queue, packets, hsa_queue_t, base_address);
SAME(hsa_queue, doorbell, hsa_queue_t, doorbell_signal);
SAME(hsa_queue, size, hsa_queue_t, size);
SAME(hsa_queue, id, hsa_queue_t, id);
SIZE(hsa_packet, hsa_kernel_dispatch_packet_t);
SAME(hsa_packet, header, hsa_kernel_dispatch_packet_t, header);
SAME(hsa_packet, dimensions, hsa_kernel_dispatch_packet_t, setup);
SAME(hsa_packet, group, hsa_kernel_dispatch_packet_t, workgroup_size_x);
SAME(hsa_packet, grid, hsa_kernel_dispatch_packet_t, grid_size_x);
SAME(hsa_packet, private_bytes, hsa_kernel_dispatch_packet_t, private_segment_size);
SAME(hsa_packet, group_bytes, hsa_kernel_dispatch_packet_t, group_segment_size);
SAME(hsa_packet, kernel, hsa_kernel_dispatch_packet_t, kernel_object);
SAME(hsa_packet, arguments, hsa_kernel_dispatch_packet_t, kernarg_address);
SAME(hsa_packet, signal, hsa_kernel_dispatch_packet_t, completion_signal);
SAME(hsa_packet, signal, hsa_barrier_and_packet_t, completion_signal);
SAME(hsa_packet, signal, hsa_barrier_or_packet_t, completion_signal);
SAME(hsa_packet, signal, hsa_agent_dispatch_packet_t, completion_signal);
SAME(hsa_packet, signal, hsa_amd_barrier_value_packet_t, completion_signal);
/* where a dispatch has dimensions and sizes a barrier has nothing */
SAME(hsa_packet, dimensions, hsa_barrier_and_packet_t, reserved0);
SAME(hsa_packet, group, hsa_barrier_and_packet_t, reserved1);

_Static_assert(sizeof(hsa_signal_t) == sizeof(rec_word), "a signal is a word");
_Static_assert(sizeof(hsa_amd_profiling_dispatch_time_t) == 16, "two times");
_Static_assert(offsetof(hsa_amd_profiling_dispatch_time_t, end) == 8, "begin, end");
_Static_assert(sizeof(hsa_amd_profiling_async_copy_time_t) == 16, "two times");
_Static_assert(offsetof(hsa_amd_profiling_async_copy_time_t, end) == 8, "begin, end");
_Static_assert(offsetof(hsa_dim3_t, y) == 4 && offsetof(hsa_dim3_t, z) == 8, "a box is three words of 32 bits");

IS(HSA_SUCCESS, REAL_SUCCESS);
IS(OUR_AGENT_INFO_NAME, REAL_NAME);
IS(OUR_AGENT_INFO_DEVICE, REAL_DEVICE);
IS(HSA_DEVICE_CPU, REAL_CPU);
IS(HSA_AGENT_INFO_BDFID, REAL_BDFID);
IS(HSA_AGENT_INFO_PRODUCT_NAME, REAL_PRODUCT);
IS(HSA_AGENT_INFO_DOMAIN, REAL_DOMAIN);
IS(OUR_TIMESTAMP, REAL_TIMESTAMP);
IS(OUR_FREQUENCY, REAL_FREQUENCY);
IS(HSA_SYMBOL_INFO_NAME_LENGTH, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH);
IS(HSA_SYMBOL_INFO_NAME, HSA_EXECUTABLE_SYMBOL_INFO_NAME);
IS(HSA_SYMBOL_INFO_KERNEL_OBJECT, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT);
IS(HSA_PACKET_INVALID, HSA_PACKET_TYPE_INVALID);
IS(HSA_PACKET_KERNEL, HSA_PACKET_TYPE_KERNEL_DISPATCH);
IS(0, hsaHostToHost);
IS(1, hsaHostToDevice);
IS(2, hsaDeviceToHost);
IS(3, hsaDeviceToDevice);

int main(void)
{
	return 0;
}
