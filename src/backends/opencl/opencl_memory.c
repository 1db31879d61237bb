/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory in use: buffers, images and pipes until they are really destroyed (commands and sub-buffers
 * keep them alive after the program's last release), SVM until it is freed. What shares the memory
 * of another object is not counted again.
 */
#include "opencl.h"

struct object {
	uint64_t bytes;
	struct opencl_device *device;
	uint32_t memory;     /* enum sonde_memory_kind */
	uint32_t generation;
};
static struct rec_map objects = REC_MAP(struct object);

struct rec_extents opencl_pointers, opencl_mappings;

static uint32_t kind_of_flags(uint64_t flags)
{
	return flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR) ? SONDE_MEMORY_pinned : SONDE_MEMORY_device;
}

uint32_t opencl_memory_kind(enum opencl_variant level, cl_handle handle)
{
	struct object object;

	if (rec_map_get(&objects, handle, &object))
		return object.memory;
	return kind_of_flags(opencl_info_word(level, OPENCL_OWN_clGetMemObjectInfo, handle, CL_MEM_FLAGS));
}

static uint32_t recorded_device(const struct opencl_device *device)
{
	return device ? device->recorded : UINT32_MAX;
}

static void object_gone(cl_handle handle)
{
	struct object object;

	if (rec_map_take(&objects, handle, &object) && object.generation == opencl_generation)
		rec_memory(&opencl_backend, recorded_device(object.device), object.memory, -(int64_t)object.bytes);
}

/* Called by the runtime when the object is destroyed, on any thread. */
static void object_destroyed(cl_handle handle, void *data)
{
	(void)data;
	object_gone(handle);
}

static bool tell_end(enum opencl_variant level, cl_handle handle)
{
	int32_t (*set)(cl_handle, void (*)(cl_handle, void *), void *) =
		opencl_own_call(level, OPENCL_OWN_clSetMemObjectDestructorCallback);
	uint32_t token = rec_guard_enter();
	int32_t error = set ? set(handle, object_destroyed, NULL) : CL_INVALID_OPERATION;

	rec_guard_leave(token);
	return error == CL_SUCCESS;
}

void opencl_memory_leave(const struct opencl_call *view, rec_word result)
{
	enum opencl_variant level = view->level;
	struct object object = {
		.memory = kind_of_flags(opencl_arg(view, OPENCL_ARG_FLAGS)),
		.generation = opencl_generation
	};

	if (!opencl_is_followed(view->call) || view->call->failed || !result)
		return;
	if (opencl_info_word(level, OPENCL_OWN_clGetMemObjectInfo, result, CL_MEM_ASSOCIATED_MEMOBJECT))
		return;
	object.bytes = opencl_info_word(level, OPENCL_OWN_clGetMemObjectInfo, result, CL_MEM_SIZE);
	object.device = opencl_device_of_context(level, opencl_arg(view, OPENCL_ARG_CONTEXT));
	/* without news of its end an object would be counted as in use for ever */
	if (!rec_map_put(&objects, result, &object) || !tell_end(level, result))
		return;
	rec_memory(&opencl_backend, recorded_device(object.device), object.memory, (int64_t)object.bytes);
	if (view->call->slot)
		rec_call_bytes(view->call, object.bytes, 0, false);
}

/* ---- memory known by its address -------------------------------------------------------------------- */

static void range_gone(uint64_t base)
{
	struct rec_extent range;

	if (rec_extents_take(&opencl_pointers, base, &range))
		rec_memory(&opencl_backend, recorded_device(range.device), range.memory, -(int64_t)range.bytes);
}

void opencl_pointer_leave(const struct opencl_call *view, rec_word result)
{
	struct rec_extent range = {
		.base = result,
		.bytes = opencl_arg(view, OPENCL_ARG_BYTES),
		.memory = view->role->memory
	};
	cl_handle device = opencl_arg(view, OPENCL_ARG_DEVICE);

	if (!opencl_is_followed(view->call) || view->call->failed || !result)
		return;
	range_gone(result); /* freed by a call that was not seen */
	range.device = device ? opencl_device_of(view->level, device)
			      : opencl_device_of_context(view->level, opencl_arg(view, OPENCL_ARG_CONTEXT));
	if (!rec_extents_add(&opencl_pointers, &range))
		return;
	rec_memory(&opencl_backend, recorded_device(range.device), range.memory, (int64_t)range.bytes);
	if (view->call->slot)
		rec_call_bytes(view->call, range.bytes, 0, false);
}

/* Before the call: afterwards another thread may have been given the same address. */
void opencl_pointer_free_enter(const struct opencl_call *view)
{
	range_gone(opencl_arg(view, OPENCL_ARG_POINTER));
}
