/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What Kokkos tells its tools, told on as a layer does by <sonde/sonde_layer.h>: an adapter, which records nothing
 * itself. Kokkos names an operation by a number that we choose; where it gives none, operations of a thread nest.
 */
#include <stdbool.h>

#define SONDE_LAYER_PREFIX kokkos
#define SONDE_LAYER_IMPLEMENT
#include "sonde/sonde_layer.h"

#define EXPORT __attribute__((visibility("default")))
#define OPEN_MAX 4096u     /* loops, copies and fences at once */
#define REGIONS_MAX 4096u  /* have places of their own, since some programs end only few of them; */
#define REGIONS_DEEP 64u   /* so many of a thread */
#define SECTIONS_MAX 256u  /* at once */
#define NO_SECTION UINT32_MAX /* number of those that are too many */
#define SECTION_NAME 120u

/* Kokkos' own structures, as its tools get them. */
struct space {
	char name[64];
};
struct settings {
	bool requires_global_fencing;
	bool padding[255];
};

enum device_type { SERIAL, OPENMP, CUDA, HIP, OPENMP_TARGET, HPX, THREADS, SYCL, OPENACC, DEVICE_TYPES };
static const struct {
	const char *name;
	uint32_t api, flags;
} device_types[DEVICE_TYPES] = {
	[SERIAL] = {"Serial", SONDE_LAYER_API_SERIAL, SONDE_LAYER_ON_HOST},
	[OPENMP] = {"OpenMP", SONDE_LAYER_API_OPENMP, SONDE_LAYER_ON_HOST},
	[CUDA] = {"Cuda", SONDE_LAYER_API_CUDA, SONDE_LAYER_ASYNC},
	[HIP] = {"HIP", SONDE_LAYER_API_HIP, SONDE_LAYER_ASYNC},
	[OPENMP_TARGET] = {"OpenMPTarget", SONDE_LAYER_API_OPENMP_TARGET, 0},
	[HPX] = {"HPX", SONDE_LAYER_API_THREADS, SONDE_LAYER_ON_HOST},
	[THREADS] = {"Threads", SONDE_LAYER_API_THREADS, SONDE_LAYER_ON_HOST},
	[SYCL] = {"SYCL", SONDE_LAYER_API_SYCL, SONDE_LAYER_ASYNC},
	[OPENACC] = {"OpenACC", SONDE_LAYER_API_OTHER, SONDE_LAYER_ASYNC},
};

union info {
	struct sonde_layer_op op;
	struct sonde_layer_launch launch;
	struct sonde_layer_copy copy;
	struct sonde_layer_sync sync;
	struct sonde_layer_region region;
};
struct open {
	union info info;
	struct sonde_layer_span span;
	struct open *outer; /* of the thread's */
	uint32_t event, taken;
	uint32_t serial;    /* counts up; tells the operation from others that had its place */
	uint32_t over;      /* another thread said that it has ended */
	const void *hook;   /* what Kokkos called, */
	uintptr_t frame;    /* and where on the stack */
	uint64_t name;      /* hash */
};
static struct open places[OPEN_MAX], region_places[REGIONS_MAX];
struct table {
	struct open *place;
	uint32_t count, hint;
};
static struct table table = {places, OPEN_MAX, 0}, region_table = {region_places, REGIONS_MAX, 0};
static __thread struct open *operations, *regions;
static __thread uint32_t regions_deep, regions_above; /* that are open; above them, without a place */

static struct section {
	char name[SECTION_NAME];
	struct open open;
	uint32_t used, started, begun;
} sections[SECTIONS_MAX];

static struct sonde_layer self = {
	.size = sizeof(self), .version = SONDE_LAYER_VERSION, .name = "kokkos",
	.events = 1u << SONDE_LAYER_DEVICE | 1u << SONDE_LAYER_MEMORY | 1u << SONDE_LAYER_COPY |
		  1u << SONDE_LAYER_LAUNCH | 1u << SONDE_LAYER_SYNC | 1u << SONDE_LAYER_REGION
};

/* ---- operations that are open -------------------------------------------------------------------------- */

/* One that there is no place for, where anybody wants to hear of it. */
static void tell_lost(uint32_t event, size_t bytes, uint16_t what, const char *name)
{
	union info info;

	if (!SONDE_LAYER_ON(event))
		return;
	sonde_layer_fill(&info, bytes, what, name);
	info.op.flags = SONDE_LAYER_LOST;
	sonde_layer_point(event, &info.op);
}

/* NULL: nobody wants to hear of it, or there are too many, which is told. */
static struct open *take(struct table *from, uint32_t event, size_t bytes, uint16_t what, const char *name)
{
	uint32_t hint = __atomic_load_n(&from->hint, __ATOMIC_RELAXED);

	if (!SONDE_LAYER_ON(event))
		return NULL;
	for (uint32_t i = 0; i < from->count; i++) {
		struct open *open = &from->place[(hint + i) % from->count];

		if (__atomic_load_n(&open->taken, __ATOMIC_RELAXED) ||
		    __atomic_exchange_n(&open->taken, 1, __ATOMIC_ACQUIRE))
			continue;
		if (i)
			__atomic_store_n(&from->hint, (uint32_t)(open - from->place), __ATOMIC_RELAXED);
		open->event = event;
		open->outer = NULL;
		open->over = 0;
		open->serial++;
		sonde_layer_fill(&open->info, bytes, what, name);
		return open;
	}
	tell_lost(event, bytes, what, name);
	return NULL;
}

static void begin(struct open *open)
{
	sonde_layer_open(open->event, &open->info.op, &open->span);
}

static void end(struct open *open)
{
	open->info.op.name = NULL; /* Kokkos' text may be gone */
	sonde_layer_end(open->event, &open->info.op, &open->span, 0);
	__atomic_store_n(&open->taken, 0, __ATOMIC_RELEASE);
}

/* ---- those that Kokkos ends by a number, and copies: within a function of its, which an exception may leave ---- */

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 1469598103934665603u;

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 1099511628211u;
	return hash;
}

/* It was left, when is not known. */
static void leave(struct open *open)
{
	operations = open->outer;
	if (!open->over) {
		open->info.op.flags |= SONDE_LAYER_LEFT;
		open->info.op.name = NULL;
		sonde_layer_end(open->event, &open->info.op, &open->span, -1);
	}
	__atomic_store_n(&open->taken, 0, __ATOMIC_RELEASE);
}

/*
 * Is an operation over, since another one begins? Kokkos calls a hook at the same distance from where the operation
 * stands in the program: the same hook from further up, or from the very same place for the same operation, is not
 * called within the earlier one.
 */
static bool is_left(const struct open *open, const struct open *next)
{
	return open->hook == next->hook &&
	       (open->frame < next->frame || (open->frame == next->frame && open->name == next->name));
}

static void enter(struct open *open, const void *hook, uintptr_t frame, const char *name)
{
	struct open *outermost = NULL;

	open->hook = hook;
	open->frame = frame;
	open->name = hash_of(name);
	for (struct open *at = operations; at; at = at->outer)
		if (is_left(at, open))
			outermost = at;
	while (outermost && operations != outermost->outer)
		leave(operations);
	open->outer = operations;
	operations = open;
	begin(open);
}

static bool is_mine(const struct open *open)
{
	const struct open *at = operations;

	while (at && at != open)
		at = at->outer;
	return at;
}

static void finish(struct open *open)
{
	if (!is_mine(open)) { /* it stays where it is in its own thread's list */
		open->info.op.name = NULL;
		sonde_layer_end(open->event, &open->info.op, &open->span, 0);
		open->over = 1;
		return;
	}
	while (operations != open)
		leave(operations);
	operations = open->outer;
	end(open);
}

static uint64_t number_of(const struct open *open)
{
	return open ? (uint64_t)open->serial << 32 | ((uint64_t)(open - places) + 1) : 0;
}

static void end_number(uint64_t number)
{
	uint32_t at = (uint32_t)number - 1;

	if (at < OPEN_MAX && places[at].serial == number >> 32 && places[at].taken && !places[at].over)
		finish(&places[at]);
}

/* ---- devices and spaces --------------------------------------------------------------------------------- */

/* The layer's number of a device, which it tells of once. */
static uint64_t device_of(uint32_t type)
{
	static uint32_t told;
	struct sonde_layer_device info;

	if (type >= DEVICE_TYPES)
		return 0;
	if (SONDE_LAYER_ON(SONDE_LAYER_DEVICE) && !(__atomic_load_n(&told, __ATOMIC_RELAXED) >> type & 1) &&
	    !(__atomic_fetch_or(&told, 1u << type, __ATOMIC_RELAXED) >> type & 1)) {
		sonde_layer_fill(&info, sizeof(info), SONDE_LAYER_CREATE, device_types[type].name);
		info.op.device = type + 1;
		info.api = device_types[type].api;
		sonde_layer_point(SONDE_LAYER_DEVICE, &info.op);
	}
	return type + 1;
}

static void set_device(struct sonde_layer_op *op, uint32_t number)
{
	uint32_t type = number >> 24;

	op->device = device_of(type);
	op->stream = number;
	op->flags = (uint16_t)(type < DEVICE_TYPES ? device_types[type].flags : 0);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Flags of a memory space, and what kind of device has it. */
static uint16_t space_flags(const struct space *space, uint32_t *type_out)
{
	static const uint8_t types[] = {CUDA, HIP, SYCL, OPENMP_TARGET, OPENACC};
	const char *name = space->name;

	*type_out = DEVICE_TYPES;
	for (size_t i = 0; i < sizeof(types); i++)
		if (begins(name, device_types[types[i]].name))
			*type_out = types[i];
	if (*type_out == DEVICE_TYPES)
		return SONDE_LAYER_ON_HOST;
	if (strstr(name, "HostPinned") || strstr(name, "HostUSM"))
		return SONDE_LAYER_PINNED;
	return strstr(name, "UVM") || strstr(name, "Managed") || strstr(name, "SharedUSM") ? SONDE_LAYER_MANAGED : 0;
}

/* ---- what Kokkos calls ---------------------------------------------------------------------------------- */

EXPORT void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, void *infos)
{
	(void)sequence;
	(void)version;
	(void)devices;
	(void)infos;
	sonde_layer_start(&self);
}

/* Without this, Kokkos waits for the device around all that it tells of, and nothing overlaps any more. */
EXPORT void kokkosp_request_tool_settings(uint32_t count, struct settings *settings)
{
	if (count)
		settings->requires_global_fencing = false;
}

#define FRAME ((uintptr_t)__builtin_frame_address(0))

static void launch(uint16_t what, const char *name, uint32_t device, uint64_t *number, const void *hook,
		   uintptr_t frame)
{
	struct open *open = take(&table, SONDE_LAYER_LAUNCH, sizeof(struct sonde_layer_launch), what,
				 name ? name : "");

	*number = number_of(open);
	if (!open)
		return;
	set_device(&open->info.op, device);
	enter(open, hook, frame, open->info.op.name);
}

EXPORT void kokkosp_begin_parallel_for(const char *name, uint32_t device, uint64_t *number)
{
	launch(SONDE_LAYER_FOR, name, device, number, kokkosp_begin_parallel_for, FRAME);
}

EXPORT void kokkosp_begin_parallel_reduce(const char *name, uint32_t device, uint64_t *number)
{
	launch(SONDE_LAYER_REDUCE, name, device, number, kokkosp_begin_parallel_reduce, FRAME);
}

EXPORT void kokkosp_begin_parallel_scan(const char *name, uint32_t device, uint64_t *number)
{
	launch(SONDE_LAYER_SCAN, name, device, number, kokkosp_begin_parallel_scan, FRAME);
}

EXPORT void kokkosp_end_parallel_for(uint64_t number)
{
	end_number(number);
}

EXPORT void kokkosp_end_parallel_reduce(uint64_t number)
{
	end_number(number);
}

EXPORT void kokkosp_end_parallel_scan(uint64_t number)
{
	end_number(number);
}

EXPORT void kokkosp_begin_fence(const char *name, uint32_t device, uint64_t *number)
{
	struct open *open = take(&table, SONDE_LAYER_SYNC, sizeof(struct sonde_layer_sync),
				 SONDE_LAYER_WAIT_DEVICE, name ? name : "");

	*number = number_of(open);
	if (!open)
		return;
	set_device(&open->info.op, device);
	open->info.op.flags &= (uint16_t)~SONDE_LAYER_ASYNC;
	enter(open, kokkosp_begin_fence, FRAME, open->info.op.name);
}

EXPORT void kokkosp_end_fence(uint64_t number)
{
	end_number(number);
}

EXPORT void kokkosp_begin_deep_copy(struct space to, const char *to_label, const void *to_address, struct space from,
				    const char *from_label, const void *from_address, uint64_t bytes)
{
	uint32_t to_type, from_type;
	bool to_host = space_flags(&to, &to_type) & (SONDE_LAYER_ON_HOST | SONDE_LAYER_PINNED);
	bool from_host = space_flags(&from, &from_type) & (SONDE_LAYER_ON_HOST | SONDE_LAYER_PINNED);
	uint16_t what = to_host ? from_host ? SONDE_LAYER_H2H : SONDE_LAYER_D2H
				: from_host ? SONDE_LAYER_H2D : SONDE_LAYER_D2D;
	struct open *open = take(&table, SONDE_LAYER_COPY, sizeof(struct sonde_layer_copy), what, "deep_copy");

	if (!open)
		return;
	open->info.op.device = device_of(to_host ? from_type : to_type);
	open->info.copy.bytes = bytes;
	open->info.copy.to = to_address;
	open->info.copy.from = from_address;
	open->info.copy.to_label = to_label;
	open->info.copy.from_label = from_label;
	enter(open, kokkosp_begin_deep_copy, FRAME, "");
}

EXPORT void kokkosp_end_deep_copy(void)
{
	struct open *open = operations;

	while (open && open->event != SONDE_LAYER_COPY)
		open = open->outer;
	if (!open)
		return;
	open->info.copy.to_label = open->info.copy.from_label = NULL;
	finish(open);
}

/* Told behind the allocation and before the end of one: how long it took is not known. */
static void memory(uint16_t what, const struct space *space, const char *label, const void *address, uint64_t bytes)
{
	struct sonde_layer_memory info;
	uint32_t type;

	if (!SONDE_LAYER_ON(SONDE_LAYER_MEMORY))
		return;
	sonde_layer_fill(&info, sizeof(info), what, NULL);
	info.op.flags = space_flags(space, &type);
	info.op.device = device_of(type);
	info.bytes = bytes;
	info.address = address;
	info.label = label;
	info.space = space->name;
	sonde_layer_point(SONDE_LAYER_MEMORY, &info.op);
}

EXPORT void kokkosp_allocate_data(struct space space, const char *label, const void *address, uint64_t bytes)
{
	memory(SONDE_LAYER_ALLOCATE, &space, label, address, bytes);
}

EXPORT void kokkosp_deallocate_data(struct space space, const char *label, const void *address, uint64_t bytes)
{
	memory(SONDE_LAYER_FREE, &space, label, address, bytes);
}

/* Above one that is lost, further ones are: the next pop is of the last. */
EXPORT void kokkosp_push_profile_region(const char *name)
{
	struct open *open = NULL;

	if (!SONDE_LAYER_ON(SONDE_LAYER_REGION))
		return;
	if (regions_above || regions_deep == REGIONS_DEEP)
		tell_lost(SONDE_LAYER_REGION, sizeof(struct sonde_layer_region), SONDE_LAYER_RANGE, name);
	else
		open = take(&region_table, SONDE_LAYER_REGION, sizeof(struct sonde_layer_region), SONDE_LAYER_RANGE,
			    name);
	if (!open) {
		regions_above++;
		return;
	}
	open->outer = regions;
	regions = open;
	regions_deep++;
	begin(open);
}

EXPORT void kokkosp_pop_profile_region(void)
{
	struct open *open = regions;

	if (regions_above) {
		regions_above--;
		return;
	}
	if (!open)
		return;
	regions = open->outer;
	regions_deep--;
	end(open);
}

EXPORT void kokkosp_profile_event(const char *name)
{
	struct sonde_layer_region info;

	if (!SONDE_LAYER_ON(SONDE_LAYER_REGION))
		return;
	sonde_layer_fill(&info, sizeof(info), SONDE_LAYER_RANGE, name);
	sonde_layer_point(SONDE_LAYER_REGION, &info.op);
}

/* A number is given again when its section was destroyed. */
EXPORT void kokkosp_create_profile_section(const char *name, uint32_t *number)
{
	size_t length = strlen(name) < SECTION_NAME - 1 ? strlen(name) : SECTION_NAME - 1;

	*number = NO_SECTION;
	for (uint32_t i = 0; i < SECTIONS_MAX; i++) {
		if (__atomic_exchange_n(&sections[i].used, 1, __ATOMIC_ACQUIRE))
			continue;
		memcpy(sections[i].name, name, length);
		sections[i].name[length] = '\0';
		*number = i;
		return;
	}
}

EXPORT void kokkosp_start_profile_section(uint32_t number)
{
	struct section *section = &sections[number % SECTIONS_MAX];

	if (number == NO_SECTION)
		tell_lost(SONDE_LAYER_REGION, sizeof(struct sonde_layer_region), SONDE_LAYER_SECTION, "section");
	if (number >= SECTIONS_MAX || !SONDE_LAYER_ON(SONDE_LAYER_REGION) ||
	    !__atomic_load_n(&section->used, __ATOMIC_ACQUIRE) ||
	    __atomic_exchange_n(&section->started, 1, __ATOMIC_ACQUIRE))
		return;
	section->open.event = SONDE_LAYER_REGION;
	sonde_layer_fill(&section->open.info, sizeof(struct sonde_layer_region), SONDE_LAYER_SECTION, section->name);
	begin(&section->open);
	__atomic_store_n(&section->begun, 1, __ATOMIC_RELEASE);
}

/* Of threads that stop it at once, one does. */
EXPORT void kokkosp_stop_profile_section(uint32_t number)
{
	struct section *section = &sections[number % SECTIONS_MAX];

	if (number >= SECTIONS_MAX || !__atomic_exchange_n(&section->begun, 0, __ATOMIC_ACQUIRE))
		return;
	end(&section->open);
	__atomic_store_n(&section->started, 0, __ATOMIC_RELEASE);
}

EXPORT void kokkosp_destroy_profile_section(uint32_t number)
{
	kokkosp_stop_profile_section(number);
	if (number < SECTIONS_MAX)
		__atomic_store_n(&sections[number].used, 0, __ATOMIC_RELEASE);
}
