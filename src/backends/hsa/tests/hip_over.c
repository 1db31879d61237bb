/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With the stand-in for HIP (tests/sim/hip.c) a HIP above HSA: for each of its kernels it dispatches one through a
 * queue of its own and waits for it, as HIP does, before the simulated device runs the kernel.
 */
#include <pthread.h>

#include "hsa.h"
#include "sim.h"

uint32_t hsa_init(void);
uint32_t hsa_queue_create(rec_word agent, uint32_t size, uint32_t type, void *callback, void *data,
			  uint32_t private_bytes, uint32_t group_bytes, struct hsa_queue **made);
uint64_t hsa_queue_add_write_index_scacq_screl(const struct hsa_queue *queue, uint64_t value);
uint32_t hsa_signal_create(int64_t value, uint32_t count, const rec_word *consumers, rec_word *made);
void hsa_signal_store_screlease(rec_word signal, int64_t value);
int64_t hsa_signal_wait_scacquire(rec_word signal, uint32_t condition, int64_t value, uint64_t limit, uint32_t hint);
uint32_t hsa_executable_symbol_get_info(rec_word symbol, uint32_t what, void *value);
void __wrap_sim_submit(struct sim_queue *queue, const struct sim_work *work);
void __real_sim_submit(struct sim_queue *queue, const struct sim_work *work);

#define GPU 2u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hsa_queue *below;
static rec_word signal_below;
static uint64_t kernel, spin_ns = 10000;

static void start(void)
{
	hsa_init();
	hsa_queue_create(GPU, 64, 0, NULL, NULL, 0, 0, &below);
	hsa_signal_create(0, 0, NULL, &signal_below);
	hsa_executable_symbol_get_info((rec_word)"spin", HSA_SYMBOL_INFO_KERNEL_OBJECT, &kernel);
}

static void dispatch(void)
{
	uint64_t index = hsa_queue_add_write_index_scacq_screl(below, 1);
	struct hsa_packet *packet = (struct hsa_packet *)below->packets + (index & (below->size - 1));

	hsa_signal_store_screlease(signal_below, 1);
	packet->dimensions = 1;
	for (int i = 0; i < 3; i++)
		packet->group[i] = packet->grid[i] = 1;
	packet->kernel = kernel;
	packet->arguments = (uint64_t)&spin_ns;
	packet->signal = signal_below;
	__atomic_store_n(&packet->header, HSA_PACKET_KERNEL, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(below->doorbell, (int64_t)index);
	hsa_signal_wait_scacquire(signal_below, 2, 1, UINT64_MAX, 0);
}

void __wrap_sim_submit(struct sim_queue *queue, const struct sim_work *work)
{
	if (work->kind == SIM_KERNEL) {
		pthread_mutex_lock(&lock);
		if (!below)
			start();
		dispatch();
		pthread_mutex_unlock(&lock);
	}
	__real_sim_submit(queue, work);
}
