/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the stand-in for libhsa-runtime64: sim_hsa.c has the tables, sim_hsa_queue.c signals, queues and times. */
#ifndef SIM_HSA_H
#define SIM_HSA_H

#include "hsa_gen.h"
#include "sim.h"

#define SUCCESS 0u
#define ERROR 0x1000u
#define INVALID_ARGUMENT 0x1001u
#define INVALID_AGENT 0x1004u
#define INVALID_SIGNAL 0x1006u
#define OUT_OF_RESOURCES 0x1008u
#define NOT_INITIALIZED 0x100bu
#define CPU 1u /* handles: then come GPUs; a pool's is that of its agent and POOL */
#define POOL 0x100u

extern int sim_users; /* hsa_init() without hsa_shut_down() */
extern bool sim_closing;

void sim_late(const char *name); /* for as many ms as this variable says */

uint32_t sim_hsa_system_get_info(uint32_t what, void *value);
uint32_t sim_hsa_signal_create(int64_t value, uint32_t count, const rec_word *consumers, rec_word *made);
uint32_t sim_hsa_signal_destroy(rec_word signal);
int64_t sim_hsa_signal_wait_scacquire(rec_word word, uint32_t condition, int64_t value, uint64_t limit, uint32_t hint);
uint32_t sim_hsa_amd_signal_wait_any(uint32_t count, const rec_word *signals, const uint32_t *conditions,
				     const int64_t *values, uint64_t limit, uint32_t hint, int64_t *value_out);
uint32_t sim_hsa_amd_memory_async_copy(void *to, rec_word to_agent, const void *from, rec_word from_agent, size_t bytes,
				       uint32_t count, const rec_word *waits, rec_word signal);
uint32_t sim_hsa_queue_create(rec_word agent, uint32_t size, uint32_t type, void *callback, void *data,
			      uint32_t private_bytes, uint32_t group_bytes, void **made);
uint32_t sim_hsa_queue_destroy(void *queue);
uint32_t sim_hsa_executable_symbol_get_info(rec_word symbol, uint32_t what, void *value);
uint32_t sim_hsa_amd_profiling_set_profiler_enabled(void *queue, int enable);
uint32_t sim_hsa_amd_profiling_async_copy_enable(bool enable);
uint32_t sim_hsa_amd_profiling_get_dispatch_time(rec_word agent, rec_word signal, uint64_t *times);
uint32_t sim_hsa_amd_profiling_get_async_copy_time(rec_word signal, uint64_t *times);

#endif
