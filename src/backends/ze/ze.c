/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Level Zero backend: the hooks of the generated wrappers. What a function means stands in ze.roles; here each family
 * of functions meets its handlers. All of it runs on the program's threads.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ze.h"

static const struct {
	zed_enter_handler *enter;
	zed_leave_handler *leave;
} family[] = {
	[ZE_FAMILY_COMMAND] = { zed_command_enter, zed_command_leave },
	[ZE_FAMILY_SIGNAL] = { zed_signal_enter, NULL },
	[ZE_FAMILY_LIST] = { NULL, zed_list_leave },
	[ZE_FAMILY_IMMEDIATE] = { NULL, zed_immediate_leave },
	[ZE_FAMILY_LIST_RESET] = { zed_list_reset_enter, NULL },
	[ZE_FAMILY_LIST_DESTROY] = { zed_list_destroy_enter, NULL },
	[ZE_FAMILY_EXECUTE] = { zed_execute_enter, zed_execute_leave },
	[ZE_FAMILY_PASS_ON] = { zed_pass_on_enter, zed_pass_on_leave },
	[ZE_FAMILY_CAPTURE] = { NULL, zed_capture_leave },
	[ZE_FAMILY_CAPTURED] = { NULL, zed_captured_leave },
	[ZE_FAMILY_QUEUE] = { NULL, zed_queue_leave },
	[ZE_FAMILY_QUEUE_DESTROY] = { zed_queue_destroy_enter, NULL },
	[ZE_FAMILY_FENCE] = { NULL, zed_fence_leave },
	[ZE_FAMILY_FENCE_DESTROY] = { zed_fence_destroy_enter, NULL },
	[ZE_FAMILY_QUEUE_WAIT] = { NULL, zed_queue_wait_leave },
	[ZE_FAMILY_FENCE_WAIT] = { NULL, zed_fence_wait_leave },
	[ZE_FAMILY_LIST_WAIT] = { NULL, zed_list_wait_leave },
	[ZE_FAMILY_EVENT_WAIT] = { NULL, zed_event_wait_leave },
	[ZE_FAMILY_DEVICE_WAIT] = { NULL, zed_device_wait_leave },
	[ZE_FAMILY_POOL] = { zed_pool_enter, zed_pool_leave },
	[ZE_FAMILY_POOL_DESTROY] = { zed_pool_destroy_enter, NULL },
	[ZE_FAMILY_POOL_FLAGS] = { zed_pool_flags_enter, zed_pool_flags_leave },
	[ZE_FAMILY_COUNTER] = { zed_counter_enter, zed_counter_leave },
	[ZE_FAMILY_COUNTER_FLAGS] = { zed_counter_flags_enter, zed_counter_flags_leave },
	[ZE_FAMILY_EVENT] = { NULL, zed_event_leave },
	[ZE_FAMILY_EVENT_RESET] = { zed_event_reset_enter, NULL },
	[ZE_FAMILY_EVENT_DESTROY] = { zed_event_destroy_enter, NULL },
	[ZE_FAMILY_KERNEL] = { NULL, zed_kernel_leave },
	[ZE_FAMILY_KERNEL_SIZE] = { NULL, zed_kernel_size_leave },
	[ZE_FAMILY_MODULE] = { NULL, zed_module_leave },
	[ZE_FAMILY_ADDRESS] = { NULL, zed_address_leave },
	[ZE_FAMILY_ADDRESS_FREE] = { zed_address_free_enter, zed_address_free_leave },
	[ZE_FAMILY_PHYSICAL] = { NULL, zed_physical_leave },
	[ZE_FAMILY_PHYSICAL_FREE] = { zed_physical_free_enter, zed_physical_free_leave },
	[ZE_FAMILY_IMAGE] = { NULL, zed_image_leave },
	[ZE_FAMILY_IMAGE_FREE] = { zed_image_free_enter, zed_image_free_leave },
	[ZE_FAMILY_CONTEXT_DESTROY] = { zed_context_destroy_enter, NULL },
	[ZE_FAMILY_GRAPH] = { zed_signal_enter, zed_unseen_leave },
	[ZE_FAMILY_UNSEEN] = { NULL, zed_unseen_leave },
	[ZE_FAMILY_EXTENSION] = { NULL, zed_extension_leave },
	[ZE_FAMILY_TABLE] = { NULL, zed_table_leave },
	[ZE_FAMILY_START] = { NULL, zed_start_leave },
};

/* rec_call.user: the families use the words before it */
enum { USER_OURS = sizeof(((struct rec_call *)NULL)->user) / sizeof(uint64_t) - 1 };

static struct zed_call view_of(struct rec_call *call, rec_word *args)
{
	uint32_t function = ze_backend.symbol[call->symbol].function;

	return (struct zed_call){ .call = call, .role = &ze_role[function], .args = args, .function = function };
}

/*
 * While recording is paused nothing stands among the open calls, by which what the layer tells of is known to be this
 * call: its hooks do then what is to be done.
 */
static bool is_left_to_layer(const struct rec_call *call, const struct zed_call *view)
{
	return unlikely(zed_layer_is_live()) && rec_is_paused() && !zed_is_told(view) && zed_layer_has(call->symbol);
}

void ze_enter(struct rec_call *call, rec_word *args)
{
	struct zed_call view = view_of(call, args);
	int saved = errno;

	/* another provider of the API, or none: handles of the one are nothing to the other */
	call->user[USER_OURS] = call->real == ze_backend.real[call->symbol] && !is_left_to_layer(call, &view);
	if (call->user[USER_OURS] && family[view.role->family].enter)
		family[view.role->family].enter(&view);
	errno = saved;
}

void ze_leave(struct rec_call *call, rec_word *args, rec_word result)
{
	struct zed_call view = view_of(call, args);
	bool entered = ze_backend.function[view.function].flags & REC_ENTER;
	int saved = errno;

	call->result = result;
	if (entered ? call->user[USER_OURS] :
		      call->real == ze_backend.real[call->symbol] && !is_left_to_layer(call, &view))
		if (family[view.role->family].leave)
			family[view.role->family].leave(&view);
	errno = saved;
}

const char *zed_attached_how(void)
{
	return zed_layer_is_live() ? "preload, tracing layer" : "preload";
}

/* A record has been opened: the first one, or that of a forked child. */
void ze_opened(void)
{
	static uint32_t opened;

	rec_attached(&ze_backend, zed_attached_how(), NULL);
	ze_backend.part_bytes = 3 * sizeof(uint32_t); /* of a ze_group_count_t */
	if (opened++ == 0)
		return;
	zed_pending_reset();
	zed_devices_reset();
	zed_events_reset();
	zed_lists_reset();
	zed_kernels_reset();
	zed_memory_reset();
}

uint64_t ze_oldest_open(void)
{
	return zed_pending_oldest();
}

/* A member of ze_group_count_t, the one structure whose members are recorded. */
uint64_t ze_part(uint32_t part, const void *at)
{
	uint32_t value;

	memcpy(&value, (const char *)at + sizeof(value) * (part - 1), sizeof(value));
	return value;
}

/* ---- builds ---------------------------------------------------------------------------------------- */

/* By the first of its kernels; one that has none, or was not built, by its number. */
static uint64_t module_name(zed_handle module)
{
	static uint32_t built;
	uint32_t (*get)(zed_handle, uint32_t *, const char **) =
		(uint32_t (*)(zed_handle, uint32_t *, const char **))ZED_REAL(zeModuleGetKernelNames);
	uint32_t number = __atomic_add_fetch(&built, 1, __ATOMIC_RELAXED), count = 1, token = rec_guard_enter();
	const char *first = NULL;
	char name[32];
	int length;

	if (module && get && get(module, &count, &first) != ZED_SUCCESS)
		first = NULL;
	rec_guard_leave(token);
	if (first && count && *first)
		return rec_name(first, strlen(first));
	length = snprintf(name, sizeof(name), "module %u", number);
	return rec_name(name, (size_t)length);
}

void zed_module_leave(const struct zed_call *view)
{
	const struct zed_module_desc *desc = (const struct zed_module_desc *)zed_arg(view, ZE_ARG_DESC);

	bool is_il;

	if (!view->call->slot || !desc)
		return;
	/* what was refused may be no address */
	is_il = (!view->call->failed || rec_readable(desc, sizeof(*desc))) && desc->format == ZED_MODULE_IL;
	rec_build(&ze_backend, module_name(zed_made(view)), is_il ? SONDE_BUILD_il : SONDE_BUILD_binary,
		  view->call->duration, view->call->failed);
}

/* ---- loaders of the program's own ------------------------------------------------------------------ */

static bool table_taken;

/*
 * A loader that is linked into the program takes the tables of the one that is installed. oneAPI's then asks for each
 * function by name, so that all is seen; one that calls through the tables is not.
 */
void zed_table_leave(const struct zed_call *view)
{
	if (view->call->slot && !view->call->failed) /* not the installed loader itself */
		table_taken = true;
}

static void tell_unseen(void)
{
	if (table_taken && !zed_streams_opened() && !zed_layer_is_live())
		rec_backend_note(&ze_backend, "a loader that is part of the program has taken the functions' addresses "
				 "from libze_loader.so, and made no queue or immediate list that was seen: calls "
				 "through these addresses are not; ZE_ENABLE_TRACING_LAYER=1 shows them");
	table_taken = false;
}

void ze_flush(uint64_t deadline_raw_ns)
{
	tell_unseen();
	zed_layer_tell();
	zed_pending_flush(deadline_raw_ns);
}
