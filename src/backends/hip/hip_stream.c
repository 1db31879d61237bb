/* SPDX-License-Identifier: BSD-3-Clause */
/* Asking the runtime; devices, streams as queues, and whether a stream is being captured. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "hip.h"

/* ---- asking -------------------------------------------------------------------------------------------------- */

/*
 * Calls that go well leave alone what the program's last call left: some versions note failures only, others that a
 * call went well, which then the program's own call did, too. A call of ours that fails could hide an error of the
 * program's: after one has, nothing is called any more while there is one.
 */
static uint32_t one_failed;

static int last_error(void)
{
	int (*peek)(void) = HIP_REAL(hipPeekAtLastError, void);

	return peek ? peek() : -1;
}

bool hip_ask_begin(struct hip_ask *ask_out)
{
	ask_out->token = rec_guard_enter();
	ask_out->before = last_error();
	if (ask_out->before == HIP_SUCCESS ||
	    (ask_out->before > 0 && !__atomic_load_n(&one_failed, __ATOMIC_RELAXED)))
		return true;
	rec_guard_leave(ask_out->token);
	return false;
}

void hip_ask_end(const struct hip_ask *ask)
{
	int (*forget)(void) = HIP_REAL(hipGetLastError, void);
	int after = last_error();

	if (after != ask->before && after != HIP_SUCCESS) {
		if (after != HIP_NOT_READY)
			__atomic_store_n(&one_failed, 1, __ATOMIC_RELAXED);
		if (forget && ask->before == HIP_SUCCESS) /* it would take what the program has not read with it */
			forget();
	}
	rec_guard_leave(ask->token);
}

/* ---- devices ------------------------------------------------------------------------------------------------- */

static struct hip_device devices[HIP_DEVICES];
static uint32_t devices_lock;

/* The PCI address, which is the same in all processes and whatever HIP_VISIBLE_DEVICES says. */
static uint32_t add_device(uint32_t ordinal)
{
	int (*get_name)(char *, int, int) = HIP_REAL(hipDeviceGetName, char *, int, int);
	int (*get_address)(char *, int, int) = HIP_REAL(hipDeviceGetPCIBusId, char *, int, int);
	char name[256], address[64], key[80];

	if (!get_name || get_name(name, sizeof(name), (int)ordinal) != HIP_SUCCESS || !name[0])
		snprintf(name, sizeof(name), "HIP device %u", ordinal);
	if (get_address && get_address(address, sizeof(address), (int)ordinal) == HIP_SUCCESS)
		snprintf(key, sizeof(key), "pci %s", address);
	else
		snprintf(key, sizeof(key), "hip:%u", ordinal);
	return rec_device(&hip_backend, key, name, ordinal);
}

struct hip_device *hip_device(int ordinal)
{
	struct hip_device *device = &devices[ordinal];

	if (ordinal < 0 || ordinal >= HIP_DEVICES)
		return NULL;
	if (__atomic_load_n(&device->generation, __ATOMIC_ACQUIRE) == hip_generation)
		return device;
	rec_lock(&devices_lock);
	if (device->generation != hip_generation) {
		device->ordinal = (uint32_t)ordinal;
		device->recorded = add_device((uint32_t)ordinal);
		__atomic_store_n(&device->generation, hip_generation, __ATOMIC_RELEASE);
	}
	rec_unlock(&devices_lock);
	return device;
}

int hip_current_device(void)
{
	int (*get)(int *) = HIP_REAL(hipGetDevice, int *);
	int device = -1;

	return get && get(&device) == HIP_SUCCESS ? device : -1;
}

/* ---- streams ------------------------------------------------------------------------------------------------- */

struct entry {
	struct hip_stream *stream;
};
static uint32_t capturing;  /* streams */
struct capture {
	uint32_t device; /* HIP_DEVICES: not known */
	uint32_t resets; /* of the device, when it began */
};
static struct rec_map captures = REC_MAP(struct capture); /* by stream; one that a reset has ended may stay */
static struct {
	uint32_t open, resets;
} captured[HIP_DEVICES + 1];
static uint32_t captures_lock;
static uint32_t collecting; /* threads that ask what may not be asked then */
static struct rec_map known = REC_MAP(struct entry); /* by handle; those that have none by device, or by thread */
static struct hip_stream *streams;                   /* grows at the head, read without the lock */
static uint32_t streams_lock, named;
static __thread struct {
	struct hip_stream *stream[8]; /* the thread's own default streams, by device */
	uint32_t generation;
} own __attribute__((tls_model("initial-exec")));

struct hip_stream *hip_streams(void)
{
	return __atomic_load_n(&streams, __ATOMIC_ACQUIRE);
}

/* One that is gone and has nothing pending, or another. */
static struct hip_stream *take_stream(void)
{
	static const struct hip_stream none;
	struct hip_stream *stream = hip_streams();

	while (stream && (!stream->gone || __atomic_load_n(&stream->count, __ATOMIC_ACQUIRE)))
		stream = stream->next;
	if (stream)
		return stream;
	stream = rec_keep(&none, sizeof(none));
	if (!stream)
		return NULL;
	stream->next = streams;
	__atomic_store_n(&streams, stream, __ATOMIC_RELEASE);
	return stream;
}

static struct hip_stream *add_stream(hip_handle handle, struct hip_device *device)
{
	struct hip_stream *stream;
	char name[48];

	if (!handle)
		snprintf(name, sizeof(name), "null stream");
	else if (handle == HIP_STREAM_THREAD)
		snprintf(name, sizeof(name), "default stream of a thread");
	else
		snprintf(name, sizeof(name), "stream %u", __atomic_add_fetch(&named, 1, __ATOMIC_RELAXED));
	rec_lock(&streams_lock);
	stream = take_stream();
	if (stream) {
		stream->handle = handle;
		stream->device = device;
		stream->ended = 0;
		stream->stopped_ns = HIP_NOT_YET;
		stream->oldest = UINT64_MAX;
		stream->recorded = rec_queue(&hip_backend, device->recorded, handle > HIP_STREAM_THREAD ? handle
						     : (rec_word)stream, name);
		__atomic_store_n(&stream->gone, 0, __ATOMIC_RELEASE);
	}
	rec_unlock(&streams_lock);
	return stream;
}

static struct hip_stream *thread_stream(struct hip_device *device)
{
	struct hip_stream **place = &own.stream[device->ordinal % (sizeof(own.stream) / sizeof(own.stream[0]))];

	if (own.generation != hip_generation) {
		memset(own.stream, 0, sizeof(own.stream));
		own.generation = hip_generation;
	}
	if (!*place || (*place)->device != device)
		*place = add_stream(HIP_STREAM_THREAD, device);
	return *place;
}

static int device_of(hip_handle handle)
{
	int (*get)(hip_handle) = HIP_REAL(hipGetStreamDeviceId, hip_handle);
	int device = handle > HIP_STREAM_THREAD && get ? get(handle) : -1;

	return device < 0 ? hip_current_device() : device;
}

struct hip_stream *hip_stream(hip_handle handle, bool thread)
{
	struct hip_device *device;
	struct entry entry = { NULL };
	rec_word key = handle;

	if (handle > HIP_STREAM_THREAD && rec_map_get(&known, key, &entry))
		return entry.stream;
	device = hip_device(device_of(handle));
	if (!device || device->recorded == UINT32_MAX)
		return NULL;
	if (handle == HIP_STREAM_THREAD || (!handle && thread))
		return thread_stream(device);
	if (handle < HIP_STREAM_THREAD) { /* 1 is another name of the null stream */
		handle = 0;
		key = 16 + device->ordinal;
		if (rec_map_get(&known, key, &entry))
			return entry.stream;
	}
	entry.stream = add_stream(handle, device);
	if (entry.stream)
		rec_map_put(&known, key, &entry);
	return entry.stream;
}

/* A thread's own default stream has the same handle in all of them. */
static rec_word capture_key(hip_handle stream, bool thread)
{
	return stream == HIP_STREAM_THREAD || (!stream && thread) ? (rec_word)&own : stream;
}

static void captures_over(uint32_t count)
{
	uint32_t now = __atomic_load_n(&capturing, __ATOMIC_ACQUIRE);

	while (now && !__atomic_compare_exchange_n(&capturing, &now, now > count ? now - count : 0, false,
						   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

static void capture_gone(rec_word key)
{
	struct capture capture;

	rec_lock(&captures_lock);
	if (rec_map_take(&captures, key, &capture) && capture.resets == captured[capture.device].resets) {
		captured[capture.device].open--;
		captures_over(1);
	}
	rec_unlock(&captures_lock);
}

static bool capture_begun(rec_word key, uint32_t device)
{
	struct capture capture = {device, 0};
	bool known;

	capture_gone(key);
	rec_lock(&captures_lock);
	capture.resets = captured[device].resets;
	known = rec_map_put(&captures, key, &capture);
	captured[device].open += known;
	rec_unlock(&captures_lock);
	return known;
}

static void stream_gone(hip_handle handle)
{
	struct entry entry;

	capture_gone(handle);
	if (handle > HIP_STREAM_THREAD && rec_map_take(&known, handle, &entry) && entry.stream)
		__atomic_store_n(&entry.stream->gone, 1, __ATOMIC_RELEASE);
}

/* Before the call: afterwards another thread may have been given the same handle. */
void hip_stream_gone_enter(const struct hip_call *view)
{
	stream_gone(hip_arg(view, HIP_ARG_STREAM));
}

/* One that was destroyed unseen may have had the handle. */
void hip_stream_leave(const struct hip_call *view, rec_word result)
{
	const hip_handle *made = (const hip_handle *)hip_arg(view, HIP_ARG_MADE);

	(void)result;
	if (!view->call->failed && made)
		stream_gone(*made);
}

void hip_streams_forget(void)
{
	known = (struct rec_map)REC_MAP(struct entry);
	streams = NULL;
	streams_lock = devices_lock = named = 0;
	capturing = collecting = 0;
	captures = (struct rec_map)REC_MAP(struct capture);
	captures_lock = 0;
	memset(captured, 0, sizeof(captured));
	for (uint32_t i = 0; i < HIP_DEVICES; i++) {
		devices[i].lock = devices[i].pairs = 0;
		devices[i].clock = (struct hip_clock){ 0 };
	}
}

/* ---- capture ------------------------------------------------------------------------------------------------- */

#define COLLECTED_BY_NS 10000000u

bool hip_is_capturing(void)
{
	return __atomic_load_n(&capturing, __ATOMIC_ACQUIRE) != 0;
}

bool hip_collect_begin(void)
{
	__atomic_add_fetch(&collecting, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&capturing, __ATOMIC_SEQ_CST))
		return true;
	hip_collect_end();
	return false;
}

void hip_collect_end(void)
{
	__atomic_sub_fetch(&collecting, 1, __ATOMIC_SEQ_CST);
}

/* Threads that ask do not wait for anything, so that they are done at once. */
void hip_capture_begin_enter(const struct hip_call *view)
{
	hip_handle stream = hip_arg(view, HIP_ARG_STREAM);
	uint64_t give_up;
	struct hip_ask ask;
	int device = -1;

	if (hip_ask_begin(&ask)) {
		device = device_of(stream);
		hip_ask_end(&ask);
	}
	view->call->user[0] = device < 0 || device >= HIP_DEVICES ? HIP_DEVICES : (uint64_t)device;
	give_up = rec_raw_ns() + COLLECTED_BY_NS;
	__atomic_add_fetch(&capturing, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&collecting, __ATOMIC_SEQ_CST) && rec_raw_ns() < give_up)
		sched_yield();
}

void hip_capture_begin_leave(const struct hip_call *view, rec_word result)
{
	rec_word key = capture_key(hip_arg(view, HIP_ARG_STREAM), view->thread);

	(void)result;
	if (view->call->failed || !capture_begun(key, (uint32_t)view->call->user[0]))
		captures_over(1);
}

static void captures_end(uint32_t device)
{
	captured[device].resets++;
	captures_over(captured[device].open);
	captured[device].open = 0;
}

static bool is_only_device(const struct hip_device *device)
{
	for (uint32_t i = 0; i < HIP_DEVICES; i++)
		if (i != device->ordinal && __atomic_load_n(&devices[i].generation, __ATOMIC_ACQUIRE) == hip_generation)
			return false;
	return true;
}

/* The device has been reset, and with it its streams: captures there have no other end. */
void hip_captures_reset(const struct hip_device *device)
{
	rec_lock(&captures_lock);
	captures_end(device->ordinal);
	if (is_only_device(device))
		captures_end(HIP_DEVICES);
	rec_unlock(&captures_lock);
}

/* Also where it was spoilt; not where another stream's end was asked for, or by another thread. */
void hip_capture_end_leave(const struct hip_call *view, rec_word result)
{
	if (!view->call->failed || (int32_t)result == HIP_CAPTURE_SPOILT)
		capture_gone(capture_key(hip_arg(view, HIP_ARG_STREAM), view->thread));
}

enum hip_captured hip_stream_captured(hip_handle handle)
{
	int (*ask)(hip_handle, unsigned *) = HIP_REAL(hipStreamIsCapturing, hip_handle, unsigned *);
	unsigned status = 0;

	if (!hip_is_capturing())
		return HIP_RUNS;
	if (!ask || ask(handle, &status) != HIP_SUCCESS)
		return HIP_CAPTURE_UNKNOWN;
	return status ? HIP_CAPTURED : HIP_RUNS;
}
