/* SPDX-License-Identifier: BSD-3-Clause */
/* HSA backend: the hooks of the generated wrappers. What a function means stands in hsa.roles. */
#include <errno.h>
#include <string.h>

#include "hsa.h"

static struct rec_map blocks = REC_MAP(struct rec_block); /* by address */

static const struct hsa_role *role_of(const struct rec_call *call)
{
	return &hsa_role[hsa_backend.symbol[call->symbol].function];
}

/* What is allocated while recording is paused may be freed when it is not. */
static bool is_followed(const struct rec_call *call)
{
	return call->slot || rec_is_paused();
}

static void allocated(const struct rec_call *call, const struct hsa_role *role, const rec_word *args)
{
	rec_word address = call->failed || !args[role->made] ? 0 : *(const rec_word *)args[role->made];
	struct rec_block block = {.bytes = args[role->size]};
	struct hsa_place place;

	if (!address)
		return;
	place = hsa_place_of(args[role->place]);
	block.device = place.device;
	block.memory = place.memory;
	rec_block_made(&hsa_backend, call, &blocks, address, &block);
}

static void code_loaded(const struct rec_call *call)
{
	static const char name[] = "HSA code object";

	if (call->slot)
		rec_build(&hsa_backend, rec_name(name, sizeof(name) - 1), SONDE_BUILD_binary, call->duration,
			  call->failed);
}

/* The program's own: what a runtime above makes for itself is that one's to tell of. */
static bool is_programs(const struct rec_call *call)
{
	return call->slot || (rec_is_paused() && !hsa_is_below());
}

static void copied(const struct rec_call *call, const struct hsa_role *role, const rec_word *args)
{
	struct rec_span copy = {.bytes = args[role->size]};

	if (role->family == HSA_FAMILY_RECT) {
		const uint32_t *box = (const uint32_t *)args[role->size];

		copy.bytes = box && !call->failed ? (uint64_t)box[0] * box[1] * box[2] : 0;
		hsa_copy_of_agent(args[role->place], (uint32_t)args[role->from], &copy);
	} else {
		hsa_copy_between(args[role->place], args[role->from], &copy);
	}
	if (call->slot && !call->failed)
		rec_call_bytes(call, copy.bytes, 0, false);
	hsa_copy_leave(call, args[role->signal], &copy);
}

/* A store: the doorbell of a queue, or a signal that gets another value. */
static void stored(rec_word signal, rec_word value)
{
	if (!hsa_queue_rung(signal, value))
		hsa_signal_used(signal, HSA_SIGNAL_SET);
}

static void waited_for_any(const rec_word *signals, uint32_t count)
{
	for (uint32_t i = 0; signals && i < count && hsa_signals_known(); i++)
		hsa_signal_used(signals[i], HSA_SIGNAL_WAITED);
}

void hsa_enter(struct rec_call *call, rec_word *args)
{
	const struct hsa_role *role = role_of(call);
	int saved = errno;

	switch (role->family) {
	case HSA_FAMILY_RELEASE:
		rec_block_freeing(call, &blocks, args[role->address]);
		break;
	case HSA_FAMILY_START:
		if (sonde_rocprofiler)
			sonde_rocprofiler();
		break;
	case HSA_FAMILY_STOP: /* handles are worth nothing afterwards */
		hsa_places_forget();
		hsa_queues_read();
		hsa_queues_stopping();
		hsa_pending_stopping();
		break;
	case HSA_FAMILY_COPY:
	case HSA_FAMILY_RECT:
		hsa_copy_enter(call, args[role->signal]);
		break;
	case HSA_FAMILY_QUEUE_GONE:
		call->user[0] = (rec_word)hsa_queue_leaving((const struct hsa_queue *)args[role->address]);
		break;
	case HSA_FAMILY_RING:
		stored(args[role->signal], args[role->size]);
		break;
	case HSA_FAMILY_SET:
		hsa_signal_used(args[role->signal], HSA_SIGNAL_SET);
		break;
	case HSA_FAMILY_SWAP: /* most of them change nothing: programs wait by them */
		call->user[0] = hsa_signal_pending(args[role->signal]);
		break;
	case HSA_FAMILY_CHANGE:
		hsa_signal_used(args[role->signal], HSA_SIGNAL_CHANGED);
		break;
	case HSA_FAMILY_DESTROY:
		hsa_signal_used(args[role->signal], HSA_SIGNAL_DESTROYED);
		break;
	default:
		break;
	}
	errno = saved;
}

static void device_work_leave(const struct rec_call *call, const struct hsa_role *role, const rec_word *args)
{
	switch (role->family) {
	case HSA_FAMILY_STOP:
		hsa_pending_stopped();
		break;
	case HSA_FAMILY_COPY:
	case HSA_FAMILY_RECT:
		copied(call, role, args);
		break;
	case HSA_FAMILY_QUEUE:
		if (!call->failed && args[role->made] && is_programs(call) && hsa_times())
			hsa_queue_made(args[role->place], *(const struct hsa_queue **)args[role->made]);
		break;
	case HSA_FAMILY_QUEUE_GONE:
		hsa_queue_left((void *)call->user[0], call->failed);
		break;
	case HSA_FAMILY_PROFILE:
		if (!call->failed && is_programs(call))
			hsa_queue_profiled((const struct hsa_queue *)args[role->address],
					   (uint32_t)args[role->size] != 0);
		break;
	case HSA_FAMILY_PROFILE_COPIES:
		if (!call->failed && is_programs(call))
			hsa_copies_profiled((uint8_t)args[role->size] != 0);
		break;
	case HSA_FAMILY_SWAP:
		if (call->user[0] && call->result == args[role->size])
			hsa_signal_swapped(args[role->signal], call->user[0], (int64_t)args[role->size]);
		break;
	case HSA_FAMILY_WAITED:
		hsa_signal_used(args[role->signal], HSA_SIGNAL_WAITED);
		break;
	case HSA_FAMILY_WAITED_ANY:
		waited_for_any((const rec_word *)args[role->address], (uint32_t)args[role->size]);
		break;
	case HSA_FAMILY_SYMBOL:
		if (!call->failed && (uint32_t)args[role->size] == HSA_SYMBOL_INFO_KERNEL_OBJECT && args[role->made])
			hsa_symbol_asked(args[role->place], *(const uint64_t *)args[role->made]);
		break;
	default:
		break;
	}
}

void hsa_leave(struct rec_call *call, rec_word *args, rec_word result)
{
	const struct hsa_role *role = role_of(call);
	int saved = errno;

	(void)result;
	switch (role->family) {
	case HSA_FAMILY_ALLOCATE:
		if (is_followed(call))
			allocated(call, role, args);
		break;
	case HSA_FAMILY_RELEASE:
		rec_block_freed(&hsa_backend, call, &blocks, args[role->address]);
		break;
	case HSA_FAMILY_TRANSFER:
		if (call->slot && !call->failed)
			rec_call_bytes(call, args[role->size], 0, false);
		break;
	case HSA_FAMILY_FILL:
		if (call->slot && !call->failed)
			rec_call_bytes(call, 4 * args[role->size], 0, false);
		break;
	case HSA_FAMILY_CODE:
		code_loaded(call);
		break;
	default:
		device_work_leave(call, role, args);
		break;
	}
	errno = saved;
}

void hsa_flush(uint64_t deadline_raw_ns)
{
	hsa_pending_flush(deadline_raw_ns);
}

uint64_t hsa_oldest_open(void)
{
	return hsa_pending_oldest();
}

/* A record has been opened: the first one, or that of a forked child, which has no HSA. */
void hsa_opened(void)
{
	static bool before;

	if (!hsa_tables_live())
		rec_attached(&hsa_backend, "preload", NULL);
	if (before) {
		hsa_places_forget();
		hsa_queues_forget();
		hsa_copies_forget();
		hsa_pending_forget();
		blocks = (struct rec_map)REC_MAP(struct rec_block);
	}
	before = true;
}
