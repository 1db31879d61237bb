/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Target constructs: regions, data operations and kernels, each by the place of its construct. On a device that is the
 * host itself (a plugin that runs kernels on its processors) all of it happens within these events, which then are the
 * device's operations; what other devices do is told by their own API, beneath these calls.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "ompt.h"

#define DEVICES_MAX 64

/* By number; the host plugin's alone. device: as the record knows it, + 1; 0: not asked for yet. */
static struct {
	uint32_t is_host, device;
} devices[DEVICES_MAX];
static uint32_t device_events, lock;

struct allocation {
	uint64_t bytes;
};
static struct rec_map allocations = REC_MAP(struct allocation); /* by address and device */

void ompt_target_opened(void)
{
	for (unsigned i = 0; i < DEVICES_MAX; i++)
		devices[i].device = 0;
}

static void on_device_initialize(int number, const char *type, void *device, ompt_lookup lookup,
				 const char *documentation)
{
	(void)device;
	(void)lookup;
	(void)documentation;
	__atomic_store_n(&device_events, 1, __ATOMIC_RELAXED);
	if (number >= 0 && number < DEVICES_MAX && type)
		devices[number].is_host = !strncmp(type, "generic", 7) || !strncmp(type, "x86_64", 6) ||
					  !strncmp(type, "host", 4);
}

static bool is_host(int number)
{
	return number >= 0 && number < DEVICES_MAX && devices[number].is_host;
}

/* Of a host plugin; UINT32_MAX: it is another kind of device, or there is no record. */
static uint32_t device_of(int number)
{
	char key[32], name[32];
	uint32_t device;

	if (!is_host(number) || !rec_on())
		return UINT32_MAX;
	device = __atomic_load_n(&devices[number].device, __ATOMIC_ACQUIRE);
	if (device)
		return device - 1;
	snprintf(key, sizeof(key), "openmp-host-%d", number);
	snprintf(name, sizeof(name), "host as device %d", number);
	rec_lock(&lock);
	device = rec_device(&ompt_backend, key, name, (uint32_t)number);
	if (device != UINT32_MAX)
		__atomic_store_n(&devices[number].device, device + 1, __ATOMIC_RELEASE);
	rec_unlock(&lock);
	return device;
}

/* ---- target constructs ------------------------------------------------------------------------------- */

static const char *target_name(int kind)
{
	switch (kind & ~OMPT_TARGET_NOWAIT) {
	case OMPT_TARGET_ENTER:
		return "target enter data";
	case OMPT_TARGET_EXIT:
		return "target exit data";
	case OMPT_TARGET_UPDATE:
		return "target update";
	default:
		return "target";
	}
}

static enum sonde_kind target_kind(int kind)
{
	return (kind & ~OMPT_TARGET_NOWAIT) == OMPT_TARGET_REGION ? SONDE_KIND_launch : SONDE_KIND_map;
}

static void on_target(int kind, int endpoint, int device, ompt_word *task, ompt_word *target_task, ompt_word *target,
		      const void *code)
{
	struct self *self = ompt_self();
	struct rec_label label;
	struct rec_call call;

	(void)task;
	(void)target_task;
	__atomic_store_n(&device_events, 1, __ATOMIC_RELAXED);
	if (!self)
		return;
	if (endpoint == OMPT_BEGIN) {
		self->target = code;
		self->device = device;
		label = rec_code_label(&ompt_backend, target_name(kind), code);
		ompt_open(self, IN_TARGET, target, &label, target_kind(kind), &call);
		return;
	}
	if (ompt_close(self, IN_TARGET, target, &call))
		rec_leave(&call);
	self->target = NULL;
}

/* ---- data -------------------------------------------------------------------------------------------- */

struct data_op {
	const char *name;
	enum sonde_kind kind;
};

static struct data_op data_op(int op)
{
	switch (op & ~OMPT_DATA_ASYNC) {
	case OMPT_ALLOC:
		return (struct data_op){"device alloc", SONDE_KIND_alloc};
	case OMPT_TO_DEVICE:
		return (struct data_op){"copy to device", SONDE_KIND_copy};
	case OMPT_FROM_DEVICE:
		return (struct data_op){"copy from device", SONDE_KIND_copy};
	case OMPT_DELETE:
		return (struct data_op){"device free", SONDE_KIND_free};
	case OMPT_ASSOCIATE:
		return (struct data_op){"associate", SONDE_KIND_map};
	case OMPT_DISASSOCIATE:
		return (struct data_op){"disassociate", SONDE_KIND_map};
	default:
		return (struct data_op){"data operation", SONDE_KIND_other};
	}
}

static rec_word allocation_key(const void *address, int device)
{
	return ((uintptr_t)address * 0x9e3779b97f4a7c15u) ^ ((rec_word)(device + 1) << 56);
}

static void note_memory(int op, int device, const void *address, uint64_t bytes)
{
	uint32_t index = device_of(device);
	struct allocation item = {bytes};

	if (index == UINT32_MAX || !address)
		return;
	if (op == OMPT_ALLOC && rec_map_put(&allocations, allocation_key(address, device), &item))
		rec_memory(&ompt_backend, index, SONDE_MEMORY_device, (int64_t)bytes);
	else if (op == OMPT_DELETE && rec_map_take(&allocations, allocation_key(address, device), &item))
		rec_memory(&ompt_backend, index, SONDE_MEMORY_device, -(int64_t)item.bytes);
}

/* When an operation of a device begins; 0: recording is paused, it is none to be recorded. */
static uint64_t begin_ns(void)
{
	return rec_is_paused() ? 0 : rec_raw_ns();
}

static void note_copy(const struct self *self, int op, int device, uint64_t bytes, const struct rec_label *label)
{
	struct rec_span span = {.begin_ns = self->data_begin, .end_ns = rec_raw_ns(), .bytes = bytes,
				.device = device_of(device), .queue = UINT32_MAX, .kind = SONDE_KIND_copy,
				.direction = op == OMPT_TO_DEVICE ? SONDE_DIRECTION_h2d : SONDE_DIRECTION_d2h,
				.memory = SONDE_MEMORY_pageable, .waited = true};

	if (span.device == UINT32_MAX || !self->data_begin)
		return;
	span.name = rec_name(label->name, label->length);
	span.context = rec_context(&ompt_backend);
	rec_device_seen(&ompt_backend);
	rec_device_span(&ompt_backend, &span);
}

static void data_end(struct self *self, int op, int from, int to, const void *address, uint64_t bytes,
		     const struct rec_label *label)
{
	struct rec_call call;
	bool recorded;

	if (op == OMPT_TO_DEVICE || op == OMPT_FROM_DEVICE)
		note_copy(self, op, op == OMPT_TO_DEVICE ? to : from, bytes, label);
	recorded = ompt_close(self, IN_DATA, NULL, &call);
	if (recorded) {
		rec_leave(&call);
		if (call.slot)
			rec_call_bytes(&call, op == OMPT_TO_DEVICE ? bytes : 0, op == OMPT_FROM_DEVICE ? bytes : 0,
				       false);
	}
	if (op == OMPT_ALLOC)
		note_memory(op, to, address, bytes);
}

static void on_data_op(int endpoint, ompt_word *target_task, ompt_word *target, uint64_t *operation, int op, void *from,
		       int from_device, void *to, int to_device, size_t bytes, const void *code)
{
	struct self *self = ompt_self();
	struct data_op meaning = data_op(op);
	struct rec_label label;
	struct rec_call call;

	(void)target_task;
	(void)target;
	(void)operation;
	__atomic_store_n(&device_events, 1, __ATOMIC_RELAXED);
	if (!self)
		return;
	label = rec_code_label(&ompt_backend, meaning.name, code ? code : self->target);
	op &= ~OMPT_DATA_ASYNC;
	if (endpoint == OMPT_BEGIN) {
		if (op == OMPT_DELETE)
			note_memory(op, from_device, from, 0);
		ompt_open(self, IN_DATA, NULL, &label, meaning.kind, &call);
		self->data_begin = begin_ns();
		return;
	}
	data_end(self, op, from_device, to_device, to, bytes, &label);
}

/* ---- kernels ------------------------------------------------------------------------------------------- */

static void submit_end(struct self *self)
{
	struct rec_label label = rec_code_label(&ompt_backend, "target", self->target);
	struct rec_span span = {.begin_ns = self->submit_begin, .end_ns = rec_raw_ns(),
				.device = device_of(self->device), .queue = UINT32_MAX, .kind = SONDE_KIND_launch};
	struct rec_call call;

	if (span.device != UINT32_MAX && self->submit_begin) {
		span.name = rec_name(label.name, label.length);
		span.context = rec_context(&ompt_backend);
		rec_device_seen(&ompt_backend);
		rec_device_span(&ompt_backend, &span);
	}
	self->mute -= is_host(self->device);
	if (ompt_close(self, IN_SUBMIT, NULL, &call))
		rec_leave(&call);
}

static void on_submit(int endpoint, ompt_word *target, uint64_t *operation, unsigned teams)
{
	struct self *self = ompt_self();
	struct rec_label label;
	struct rec_call call;

	(void)target;
	(void)operation;
	(void)teams;
	if (!self)
		return;
	if (endpoint == OMPT_BEGIN) {
		label = rec_code_label(&ompt_backend, "kernel", self->target);
		/* the host as a device runs the kernel now, others only take it */
		ompt_open(self, IN_SUBMIT, NULL, &label, is_host(self->device) ? SONDE_KIND_wait : SONDE_KIND_launch,
			  &call);
		self->mute += is_host(self->device);
		self->submit_begin = begin_ns();
		return;
	}
	submit_end(self);
}

void ompt_target_start(ompt_set_callback set)
{
	set(OMPT_DEVICE_INITIALIZE, (ompt_function)on_device_initialize);
	set(OMPT_TARGET, (ompt_function)on_target);
	set(OMPT_TARGET_DATA_OP, (ompt_function)on_data_op);
	set(OMPT_TARGET_SUBMIT, (ompt_function)on_submit);
}

/* LLVM's library for devices finds the tool interface by one file name alone, and says nothing where it does not. */
void ompt_target_check(void)
{
	if (!__atomic_load_n(&device_events, __ATOMIC_RELAXED) && dlsym(RTLD_DEFAULT, "__tgt_target_kernel"))
		rec_backend_note(&ompt_backend,
				 "libomptarget is in the process and told of no device: target constructs, if there "
				 "were any, are missing (it looks for OMPT in a file called libomp.so)");
}
