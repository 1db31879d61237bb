/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a kernel or a copy is handed to a device, the library asks on the thread that does it for a number of ours,
 * which the record will bring back: behind it stands who that was.
 */
#include "rocprofiler.h"

#define STARTS 65536u /* on their way to a device at the same time */
#define STREAMS 8u    /* calls with a stream, one in another */

static struct start {
	uint64_t number; /* of the operation; 0: being written */
	struct rocp_start start;
} starts[STARTS];
static uint64_t last;
static __thread uint64_t last_here __attribute__((tls_model("initial-exec"))); /* of the thread; 0: told already */

/* The streams of the calls that the thread is in. */
static __thread struct {
	uint64_t stream[STREAMS];
	uint32_t depth;
} calls __attribute__((tls_model("initial-exec")));

void rocp_stream_call(struct rocp_call_1 call, uint64_t *user, void *data)
{
	const struct rocp_stream_set *set = call.payload;

	(void)user;
	(void)data;
	if (call.operation != ROCP_STREAM_SET)
		return;
	if (call.phase == ROCP_ENTER) {
		if (calls.depth < STREAMS)
			calls.stream[calls.depth] = set->stream;
		calls.depth++;
	} else if (call.phase == ROCP_EXIT && calls.depth) {
		calls.depth--;
	}
}

void rocp_used(void)
{
	static uint32_t generation;

	if (__atomic_load_n(&generation, __ATOMIC_RELAXED) == rec_generation() && generation)
		return;
	rec_backend_used(&rocprofiler_backend);
	__atomic_store_n(&generation, rec_generation(), __ATOMIC_RELAXED);
}

int rocp_started(uint64_t thread, rocp_handle context, int kind, int32_t operation, uint64_t number,
		 uint64_t *external_out, void *data)
{
	uint64_t mine = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	struct start *start = &starts[mine % STARTS];

	(void)thread;
	(void)context;
	(void)kind;
	(void)operation;
	(void)number;
	(void)data;
	if (!rocp_live())
		return 0;
	rocp_used();
	__atomic_store_n(&start->number, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	start->start = (struct rocp_start){.raw_ns = rec_raw_ns(), .paused = rec_is_paused() || !rec_on()};
	if (calls.depth && calls.depth <= STREAMS) {
		start->start.stream = calls.stream[calls.depth - 1];
		start->start.has_stream = true;
	}
	if (!start->start.paused) {
		start->start.context = rec_context(&rocprofiler_backend);
		start->start.seen = true;
		rec_device_seen(&rocprofiler_backend);
	}
	__atomic_store_n(&start->number, mine, __ATOMIC_RELEASE);
	*external_out = last_here = mine;
	return 0;
}

uint64_t sonde_rocprofiler_started(void);

/* For backends of the runtime that started it: which of their calls it was. */
REC_EXPORT uint64_t sonde_rocprofiler_started(void)
{
	uint64_t started = last_here;

	last_here = 0;
	return started;
}

static void tell_forgotten(void)
{
	static bool told;

	if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		rec_backend_note(&rocprofiler_backend,
				 "more than 65,536 operations were on their way to devices: calls and ranges around "
				 "some lack their time on the device");
}

struct rocp_start rocp_start_of(uint64_t external)
{
	struct start *start = &starts[external % STARTS];
	struct rocp_start found;

	if (!external || external > __atomic_load_n(&last, __ATOMIC_RELAXED))
		return (struct rocp_start){.seen = false};
	if (__atomic_load_n(&start->number, __ATOMIC_ACQUIRE) == external) {
		found = start->start;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&start->number, __ATOMIC_RELAXED) == external)
			return found;
	}
	tell_forgotten();
	return (struct rocp_start){.seen = true}; /* so are nearly all */
}
