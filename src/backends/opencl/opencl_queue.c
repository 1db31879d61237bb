/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues: makes every queue take times of its commands and hides that from the program, which sees
 * the properties that it asked for and no times where it did not ask for them.
 *
 * The functions here stand in for the runtime's: an entry hook puts their address where the wrapper
 * finds the function to call. Inside, the runtime is called in a guard.
 */
#include <string.h>
#include <sys/mman.h>

#include "opencl.h"

static struct rec_map queues = REC_MAP(struct opencl_queue);
static uint32_t named; /* queues of this process that have a number */

/* OpenCL has no names for queues: they are numbered as they come. */
static void name_queue(enum opencl_variant level, cl_handle handle, struct opencl_queue *queue)
{
	uint64_t properties = opencl_info_word(level, OPENCL_OWN_clGetCommandQueueInfo, handle, CL_QUEUE_PROPERTIES);
	uint32_t number = __atomic_add_fetch(&named, 1, __ATOMIC_RELAXED);
	char name[48] = "queue ", *end = name + 6, digits[12];
	int length = 0;

	do
		digits[length++] = (char)('0' + number % 10);
	while (number /= 10);
	while (length)
		*end++ = digits[--length];
	strcpy(end, properties & CL_QUEUE_OUT_OF_ORDER ? ", out of order" : "");
	if (!(properties & CL_QUEUE_OUT_OF_ORDER))
		queue->flags |= OPENCL_QUEUE_IN_ORDER;
	queue->recorded = rec_queue(&opencl_backend, queue->device->recorded, handle, name);
}

bool opencl_queue_of(enum opencl_variant level, cl_handle handle, struct opencl_queue *queue_out)
{
	bool known = rec_map_get(&queues, handle, queue_out);
	uint64_t properties;

	if (known && queue_out->generation == opencl_generation)
		return queue_out->device != NULL;
	if (!known) { /* made before the record was open */
		properties = opencl_info_word(level, OPENCL_OWN_clGetCommandQueueInfo, handle, CL_QUEUE_PROPERTIES);
		queue_out->flags = properties & CL_QUEUE_PROFILING_ENABLE ? OPENCL_QUEUE_TIMED : 0;
	}
	queue_out->device = opencl_device_of(level, opencl_info_word(level, OPENCL_OWN_clGetCommandQueueInfo,
								     handle, CL_QUEUE_DEVICE));
	queue_out->generation = opencl_generation;
	queue_out->recorded = UINT32_MAX;
	if (queue_out->device)
		name_queue(level, handle, queue_out);
	rec_map_put(&queues, handle, queue_out);
	return queue_out->device != NULL;
}

static void remember(enum opencl_variant level, cl_handle handle, cl_handle device, uint32_t flags)
{
	struct opencl_queue queue = {
		.device = opencl_device_of(level, device),
		.flags = flags,
		.generation = opencl_generation,
		.recorded = UINT32_MAX
	};

	if (queue.device)
		name_queue(level, handle, &queue);
	rec_map_put(&queues, handle, &queue);
}

static uint32_t flags_of(cl_handle handle)
{
	struct opencl_queue queue;

	return handle && rec_map_get(&queues, handle, &queue) ? queue.flags : 0;
}

/* Room for a list of any length, without the program's allocator. */
struct words {
	uint64_t *word;
	size_t bytes;
	uint64_t room[32];
};

static bool words_open(struct words *words, size_t count)
{
	words->bytes = count * sizeof(uint64_t);
	words->word = words->room;
	if (words->bytes > sizeof(words->room))
		words->word = mmap(NULL, words->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return words->word != MAP_FAILED;
}

static void words_close(struct words *words)
{
	if (words->word != words->room && words->word != MAP_FAILED)
		munmap(words->word, words->bytes);
}

/* ---- making queues ----------------------------------------------------------------------------- */

typedef cl_handle create_call(cl_handle, cl_handle, uint64_t, int32_t *);
typedef cl_handle create_list_call(cl_handle, cl_handle, const uint64_t *, int32_t *);

static cl_handle create(enum opencl_variant level, cl_handle context, cl_handle device, uint64_t properties,
			int32_t *error)
{
	create_call *real = (create_call *)opencl_own_call(level, OPENCL_OWN_clCreateCommandQueue);
	uint32_t token = rec_guard_enter();
	uint32_t flags = OPENCL_QUEUE_TIMED;
	cl_handle queue;

	if (!(properties & CL_QUEUE_PROFILING_ENABLE))
		flags |= OPENCL_QUEUE_FORCED;
	queue = real(context, device, properties | CL_QUEUE_PROFILING_ENABLE, error);
	if (!queue && (flags & OPENCL_QUEUE_FORCED)) {
		flags = 0;
		queue = real(context, device, properties, error);
	}
	if (queue)
		remember(level, queue, device, flags);
	rec_guard_leave(token);
	return queue;
}

/* Words of a list, its terminating zero included. */
static size_t list_words(const uint64_t *list)
{
	size_t words = 0;

	while (list && list[words])
		words += 2;
	return words + 1;
}

/* Copy of a list with times asked for; flags_out: what that means for the queue. */
static void list_with_times(const uint64_t *list, size_t words, uint64_t *copy, uint32_t *flags_out)
{
	uint32_t flags = OPENCL_QUEUE_TIMED | (list ? OPENCL_QUEUE_LISTED : 0);
	size_t at;

	if (list)
		memcpy(copy, list, words * sizeof(*copy));
	copy[words - 1] = 0;
	for (at = 0; copy[at] && copy[at] != CL_QUEUE_PROPERTIES; at += 2)
		;
	if (!copy[at]) {
		copy[at] = CL_QUEUE_PROPERTIES;
		copy[at + 1] = 0;
		copy[at + 2] = 0;
		flags |= OPENCL_QUEUE_ADDED;
	}
	if (copy[at + 1] & CL_QUEUE_ON_DEVICE)
		flags &= ~(uint32_t)OPENCL_QUEUE_TIMED; /* its commands have no events on the host */
	else if (!(copy[at + 1] & CL_QUEUE_PROFILING_ENABLE))
		flags |= OPENCL_QUEUE_FORCED;
	copy[at + 1] |= CL_QUEUE_PROFILING_ENABLE;
	*flags_out = flags;
}

static cl_handle create_listed(enum opencl_variant level, enum opencl_own which, cl_handle context,
			       cl_handle device, const uint64_t *list, int32_t *error)
{
	create_list_call *real = (create_list_call *)opencl_own_call(level, which);
	uint32_t token = rec_guard_enter();
	struct words copy;
	size_t words = list_words(list);
	uint32_t flags = 0;
	cl_handle queue = 0;

	if (words_open(&copy, words + 2))
		list_with_times(list, words, copy.word, &flags);
	if (flags & OPENCL_QUEUE_FORCED)
		queue = real(context, device, copy.word, error);
	if (!queue) {
		if (flags & OPENCL_QUEUE_FORCED)
			flags = 0;
		queue = real(context, device, list, error);
	}
	if (queue)
		remember(level, queue, device, flags);
	words_close(&copy);
	rec_guard_leave(token);
	return queue;
}

static cl_handle create_list(enum opencl_variant level, cl_handle context, cl_handle device, const uint64_t *list,
			     int32_t *error)
{
	return create_listed(level, OPENCL_OWN_clCreateCommandQueueWithProperties, context, device, list, error);
}

static cl_handle create_list_khr(enum opencl_variant level, cl_handle context, cl_handle device,
				 const uint64_t *list, int32_t *error)
{
	return create_listed(level, OPENCL_OWN_clCreateCommandQueueWithPropertiesKHR, context, device, list, error);
}

/* ---- what the program sees of its queues --------------------------------------------------------- */

static int32_t answer(const void *from, size_t bytes, size_t room, void *value, size_t *used)
{
	if (value && room < bytes)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, from, bytes);
	if (used)
		*used = bytes;
	return CL_SUCCESS;
}

/* The list as the program gave it. count: words that the runtime has, all of ours included. */
static size_t program_list(uint64_t *list, size_t count, uint32_t flags)
{
	if (!(flags & OPENCL_QUEUE_LISTED))
		return 0;
	if ((flags & OPENCL_QUEUE_ADDED) && count >= 3) {
		list[count - 3] = 0;
		return count - 2;
	}
	for (size_t i = 0; i + 1 < count && list[i]; i += 2)
		if (list[i] == CL_QUEUE_PROPERTIES)
			list[i + 1] &= ~CL_QUEUE_PROFILING_ENABLE;
	return count;
}

typedef int32_t info_call(cl_handle, uint32_t, size_t, void *, size_t *);

static int32_t list_info(info_call *real, cl_handle queue, uint32_t flags, size_t room, void *value, size_t *used)
{
	size_t bytes = 0;
	int32_t error = real(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &bytes);
	struct words list;

	if (error != CL_SUCCESS)
		return real(queue, CL_QUEUE_PROPERTIES_ARRAY, room, value, used);
	if (words_open(&list, bytes / sizeof(uint64_t) + 1)) {
		error = bytes ? real(queue, CL_QUEUE_PROPERTIES_ARRAY, bytes, list.word, NULL) : CL_SUCCESS;
		bytes = program_list(list.word, bytes / sizeof(uint64_t), flags) * sizeof(uint64_t);
		if (error == CL_SUCCESS)
			error = answer(list.word, bytes, room, value, used);
	}
	words_close(&list);
	return error;
}

static int32_t queue_info(enum opencl_variant level, cl_handle queue, uint32_t param, size_t room, void *value,
			  size_t *used)
{
	info_call *real = (info_call *)opencl_own_call(level, OPENCL_OWN_clGetCommandQueueInfo);
	uint32_t token = rec_guard_enter();
	uint32_t flags = flags_of(queue);
	int32_t error;

	if (param == CL_QUEUE_PROPERTIES_ARRAY && (flags & OPENCL_QUEUE_FORCED))
		error = list_info(real, queue, flags, room, value, used);
	else
		error = real(queue, param, room, value, used);
	if (error == CL_SUCCESS && param == CL_QUEUE_PROPERTIES && value && (flags & OPENCL_QUEUE_FORCED))
		*(uint64_t *)value &= ~CL_QUEUE_PROFILING_ENABLE;
	rec_guard_leave(token);
	return error;
}

/* Deprecated: changes the properties of a queue that exists. */
static int32_t queue_set(enum opencl_variant level, cl_handle queue, uint64_t properties, uint32_t enable,
			 uint64_t *old)
{
	int32_t (*real)(cl_handle, uint64_t, uint32_t, uint64_t *) =
		opencl_own_call(level, OPENCL_OWN_clSetCommandQueueProperty);
	uint32_t token = rec_guard_enter();
	int32_t error = real(queue, properties, enable, old);
	struct opencl_queue known;

	if (error == CL_SUCCESS && rec_map_get(&queues, queue, &known)) {
		if (old && (known.flags & OPENCL_QUEUE_FORCED))
			*old &= ~CL_QUEUE_PROFILING_ENABLE;
		if (properties & CL_QUEUE_PROFILING_ENABLE)
			known.flags = enable ? OPENCL_QUEUE_TIMED : 0;
		if (properties & CL_QUEUE_OUT_OF_ORDER)
			known.flags &= ~(uint32_t)OPENCL_QUEUE_IN_ORDER;
		if (properties & (CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER))
			rec_map_put(&queues, queue, &known);
	}
	rec_guard_leave(token);
	return error;
}

/* ---- what the program sees of its events ---------------------------------------------------------- */

static int32_t event_info(enum opencl_variant level, cl_handle event, uint32_t param, size_t room, void *value,
			  size_t *used)
{
	info_call *real = (info_call *)opencl_own_call(level, OPENCL_OWN_clGetEventInfo);
	uint32_t token = rec_guard_enter();
	uint32_t before, after;
	int32_t error;

	do { /* a reference of ours may go while the question is answered */
		before = param == CL_EVENT_REFERENCE_COUNT ? opencl_pending_references(event) : 0;
		error = real(event, param, room, value, used);
		after = before ? opencl_pending_references(event) : 0;
	} while (before != after);
	if (error == CL_SUCCESS && value && before)
		*(uint32_t *)value -= before;
	rec_guard_leave(token);
	return error;
}

static int32_t event_times(enum opencl_variant level, cl_handle event, uint32_t param, size_t room, void *value,
			   size_t *used)
{
	info_call *real = (info_call *)opencl_own_call(level, OPENCL_OWN_clGetEventProfilingInfo);
	cl_handle queue = opencl_info_word(level, OPENCL_OWN_clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE);
	uint32_t token;
	int32_t error;

	if (flags_of(queue) & OPENCL_QUEUE_FORCED)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	token = rec_guard_enter();
	error = real(event, param, room, value, used);
	rec_guard_leave(token);
	return error;
}

/* ---- entry hooks ----------------------------------------------------------------------------------- */

/* A stand-in per level, because the words of a call do not tell at which level it was made. */
#define STAND_IN(result, name, parameters, ...)                                                           \
	static result name##_export parameters { return name(OPENCL_VARIANT_EXPORT, __VA_ARGS__); }       \
	static result name##_layer parameters { return name(OPENCL_VARIANT_LAYER, __VA_ARGS__); }         \
	static void name##_stand_in(const struct opencl_call *view)                                       \
	{                                                                                                 \
		view->call->real = view->level == OPENCL_VARIANT_LAYER ? (void *)name##_layer             \
								       : (void *)name##_export;           \
	}

STAND_IN(cl_handle, create, (cl_handle context, cl_handle device, uint64_t properties, int32_t *error), context, device,
	 properties, error)
STAND_IN(cl_handle, create_list, (cl_handle context, cl_handle device, const uint64_t *list, int32_t *error), context,
	 device, list, error)
STAND_IN(cl_handle, create_list_khr, (cl_handle context, cl_handle device, const uint64_t *list, int32_t *error),
	 context, device, list, error)
STAND_IN(int32_t, queue_info, (cl_handle queue, uint32_t param, size_t room, void *value, size_t *used), queue, param,
	 room, value, used)
STAND_IN(int32_t, queue_set, (cl_handle queue, uint64_t properties, uint32_t enable, uint64_t *old), queue,
	 properties, enable, old)
STAND_IN(int32_t, event_info, (cl_handle event, uint32_t param, size_t room, void *value, size_t *used), event, param,
	 room, value, used)
STAND_IN(int32_t, event_times, (cl_handle event, uint32_t param, size_t room, void *value, size_t *used), event, param,
	 room, value, used)

/* Only a recorded call makes a queue that takes times, or one that comes while recording is paused. */
void opencl_queue_enter(const struct opencl_call *view)
{
	if (opencl_is_followed(view->call))
		create_stand_in(view);
}

void opencl_queue_list_enter(const struct opencl_call *view)
{
	const char *name = opencl_backend.pool + opencl_backend.function[view->function].name;

	if (!opencl_is_followed(view->call))
		return;
	if (strcmp(name, "clCreateCommandQueueWithProperties") == 0)
		create_list_stand_in(view);
	else
		create_list_khr_stand_in(view);
}

/* A queue made unseen may have the handle of one that is gone. */
void opencl_queue_leave(const struct opencl_call *view, rec_word result)
{
	if (!opencl_is_followed(view->call) && result)
		rec_map_take(&queues, result, NULL);
}

void opencl_queue_info_enter(const struct opencl_call *view)
{
	queue_info_stand_in(view);
}

void opencl_queue_set_enter(const struct opencl_call *view)
{
	queue_set_stand_in(view);
}

void opencl_event_info_enter(const struct opencl_call *view)
{
	if (opencl_arg32(view, OPENCL_ARG_PARAM) == CL_EVENT_REFERENCE_COUNT)
		event_info_stand_in(view);
}

void opencl_event_times_enter(const struct opencl_call *view)
{
	event_times_stand_in(view);
}
