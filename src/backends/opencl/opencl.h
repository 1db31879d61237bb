/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the OpenCL backend: what its C files share. Runs in the traced program; a question to
 * the runtime is asked inside a guard (so that it is not recorded), and nothing here ever waits for a
 * command, flushes a queue or adds one.
 *
 * No vendor header: the few constants of the standard that are needed stand below, a handle is a
 * machine word.
 */
#ifndef SONDE_BACKENDS_OPENCL_H
#define SONDE_BACKENDS_OPENCL_H

#include "opencl_gen.h"
#include "record/rec_tools.h"

typedef rec_word cl_handle; /* cl_platform_id, cl_context, cl_event, ... */

/* ---- facts of the standard -------------------------------------------------------------------- */

#define CL_SUCCESS 0
#define CL_INVALID_VALUE (-30)
#define CL_INVALID_OPERATION (-59)
#define CL_PROFILING_INFO_NOT_AVAILABLE (-7)
#define CL_COMPLETE 0
#define CL_DEVICE_TYPE_ALL 0xffffffffu

#define CL_PLATFORM_NAME 0x0902u
#define CL_DEVICE_NAME 0x102bu
#define CL_DEVICE_PLATFORM 0x1031u
#define CL_DEVICE_PARENT_DEVICE 0x1042u
#define CL_DEVICE_UUID_KHR 0x106au
#define CL_DEVICE_PCI_BUS_INFO_KHR 0x410fu
#define CL_DEVICE_PCI_BUS_ID_NV 0x4008u
#define CL_DEVICE_PCI_SLOT_ID_NV 0x4009u
#define CL_CONTEXT_DEVICES 0x1081u

#define CL_QUEUE_DEVICE 0x1091u
#define CL_QUEUE_PROPERTIES 0x1093u /* also the key in a list of properties */
#define CL_QUEUE_PROPERTIES_ARRAY 0x1098u
#define CL_QUEUE_OUT_OF_ORDER ((uint64_t)1 << 0)
#define CL_QUEUE_PROFILING_ENABLE ((uint64_t)1 << 1)
#define CL_QUEUE_ON_DEVICE ((uint64_t)1 << 2)

#define CL_MEM_FLAGS 0x1101u
#define CL_MEM_SIZE 0x1102u
#define CL_MEM_USE_HOST_PTR ((uint64_t)1 << 3)
#define CL_MEM_ALLOC_HOST_PTR ((uint64_t)1 << 4)
#define CL_MEM_ASSOCIATED_MEMOBJECT 0x1107u
#define CL_IMAGE_ELEMENT_SIZE 0x1111u
#define CL_MAP_READ ((uint64_t)1 << 0)
#define CL_MAP_WRITE ((uint64_t)1 << 1)
#define CL_MAP_WRITE_INVALIDATE_REGION ((uint64_t)1 << 2)
#define CL_MIGRATE_MEM_OBJECT_HOST ((uint64_t)1 << 0)
#define CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED ((uint64_t)1 << 1)

#define CL_PROGRAM_DEVICES 0x1163u
#define CL_PROGRAM_KERNEL_NAMES 0x1168u
#define CL_PROGRAM_BUILD_STATUS 0x1181u
#define CL_BUILD_SUCCESS 0
#define CL_KERNEL_FUNCTION_NAME 0x1190u

#define CL_EVENT_COMMAND_QUEUE 0x11d0u
#define CL_EVENT_REFERENCE_COUNT 0x11d2u
#define CL_EVENT_COMMAND_EXECUTION_STATUS 0x11d3u
#define CL_PROFILING_COMMAND_QUEUED 0x1280u
#define CL_PROFILING_COMMAND_START 0x1282u
#define CL_PROFILING_COMMAND_END 0x1283u

#define CL_LAYER_API_VERSION 0x4240u
#define CL_LAYER_NAME 0x4241u
#define CL_LAYER_API_VERSION_100 100u

/* ---- reaching the runtime (opencl_runtime.c) ------------------------------------------------- */

/* X(name): functions of the API that this backend calls itself, for itself or in the program's place. */
#define OPENCL_OWN_CALLS(X)          \
	X(clGetDeviceIDs)            \
	X(clGetPlatformInfo)         \
	X(clGetDeviceInfo)           \
	X(clGetContextInfo)          \
	X(clGetCommandQueueInfo)     \
	X(clGetMemObjectInfo)        \
	X(clGetImageInfo)            \
	X(clGetProgramInfo)          \
	X(clGetProgramBuildInfo)     \
	X(clGetKernelInfo)           \
	X(clGetEventInfo)            \
	X(clGetEventProfilingInfo)   \
	X(clSetEventCallback)        \
	X(clSetMemObjectDestructorCallback) \
	X(clRetainEvent)             \
	X(clReleaseEvent)            \
	X(clGetDeviceAndHostTimer)   \
	X(clCreateCommandQueue)      \
	X(clCreateCommandQueueWithProperties) \
	X(clCreateCommandQueueWithPropertiesKHR) \
	X(clSetCommandQueueProperty) \
	X(clGetExtensionFunctionAddress) \
	X(clGetExtensionFunctionAddressForPlatform)

#define OPENCL_ENUM_OWN(name) OPENCL_OWN_##name,
enum opencl_own { OPENCL_OWN_CALLS(OPENCL_ENUM_OWN) OPENCL_OWN_COUNT };

/*
 * The runtime's function, NULL where this runtime lacks it. Call it inside a guard. level: where the
 * handles come from. Other layers may stand between the exported functions and ours and may wrap
 * handles, so what was seen at one level is only ever asked about at that level.
 */
void *opencl_own_call(enum opencl_variant level, enum opencl_own which);

/* Is the object that this call makes followed? While recording is paused as well: it may be used later. */
static inline bool opencl_is_followed(const struct rec_call *call)
{
	return call->slot || rec_is_paused();
}
/* One property of an object; bytes of the answer, 0 when there is none. */
size_t opencl_info(enum opencl_variant level, enum opencl_own which, cl_handle object, uint32_t param, size_t room,
		   void *value);
/* A property that is one word (or less); 0 when there is none. */
uint64_t opencl_info_word(enum opencl_variant level, enum opencl_own which, cl_handle object, uint32_t param);

/* A call as the handlers of a family see it. */
struct opencl_call {
	struct rec_call *call;
	const struct opencl_role *role;
	rec_word *args;
	uint32_t function;
	enum opencl_variant level;
};

static inline bool opencl_has(const struct opencl_call *view, enum opencl_argument argument)
{
	return view->role->arg[argument] >= 0;
}
/* The argument's word, 0 where the function has none. */
static inline rec_word opencl_arg(const struct opencl_call *view, enum opencl_argument argument)
{
	return view->role->arg[argument] < 0 ? 0 : view->args[view->role->arg[argument]];
}
static inline uint32_t opencl_arg32(const struct opencl_call *view, enum opencl_argument argument)
{
	return (uint32_t)opencl_arg(view, argument);
}
static inline uint8_t opencl_kind(const struct opencl_call *view)
{
	return opencl_backend.function[view->function].kind;
}

/* Counts records of this process: handles' figures of another count belong to the parent of a fork. */
extern uint32_t opencl_generation;

/* ---- devices and their clocks (opencl_device.c, opencl_clock.c) -------------------------------- */

#define OPENCL_DEVICES 128

/* Offset from a device's clock to CLOCK_MONOTONIC_RAW, ns: it lies in [low, high]. */
struct opencl_clock {
	int64_t low, high;      /* narrowest bounds so far */
	uint64_t seen;          /* raw ns of the last narrowing of either bound */
	uint32_t known;
	uint32_t outliers;      /* commands in a row that contradict the bounds */
	uint32_t host_clocks;   /* bit i: host clock i still agrees with every observation */
	uint32_t timer;         /* 0: not asked yet, 1: the runtime offers a device timer, 2: it does not */
	uint64_t timer_asked;   /* raw ns */
};

/* Stamps of one command in the device's clock and what the host knows of it, all ns. */
struct opencl_stamps {
	uint64_t queued, start, end;
	uint64_t host_begin; /* before the command was handed over */
	uint64_t host_end;   /* after it was known to be complete */
};

/* What the host's clocks are behind CLOCK_MONOTONIC_RAW right now; read only when it matters. */
#define OPENCL_HOST_CLOCKS 4
struct opencl_host_clocks {
	uint32_t read; /* 0: not read yet */
	int64_t offset[OPENCL_HOST_CLOCKS];
};
void opencl_clock_hosts(struct opencl_host_clocks *hosts_out);
/*
 * Host times of a command. False: the stamps cannot be right (zero, backwards, outside of what the
 * host saw); nothing is written then.
 */
bool opencl_clock_convert(struct opencl_clock *clock, struct opencl_host_clocks *hosts,
			  const struct opencl_stamps *stamps, struct rec_span *span_out);
/* A reading of the device's own timer between two host times. */
void opencl_clock_read(struct opencl_clock *clock, uint64_t device_ns, uint64_t before, uint64_t after);

struct opencl_device {
	cl_handle handle;
	cl_handle parent;     /* of a sub-device, else 0 */
	uint32_t generation;
	uint32_t level;       /* enum opencl_variant */
	uint32_t recorded;    /* rec_device() */
	uint32_t lock;        /* of the clock */
	struct opencl_clock clock;
};
/* NULL: unknown to the runtime or no room. */
struct opencl_device *opencl_device_of(enum opencl_variant level, cl_handle device);
/* The first device of the context. */
struct opencl_device *opencl_device_of_context(enum opencl_variant level, cl_handle context);
void opencl_devices_reset(void); /* in the child of a fork */
void opencl_device_span(struct opencl_device *device, const struct opencl_stamps *stamps, struct rec_span *span,
			bool *valid_out);

/* ---- queues (opencl_queue.c) --------------------------------------------------------------- */

enum opencl_queue_flag {
	OPENCL_QUEUE_TIMED = 1u << 0,   /* events have times */
	OPENCL_QUEUE_FORCED = 1u << 1,  /* because of us: the program must not see it */
	OPENCL_QUEUE_LISTED = 1u << 2,  /* made from a list that was not NULL */
	OPENCL_QUEUE_ADDED = 1u << 3,   /* our pair stands at the end of the list */
	OPENCL_QUEUE_IN_ORDER = 1u << 4 /* each command begins when the one before it has ended */
};
struct opencl_queue {
	struct opencl_device *device;
	uint32_t flags;
	uint32_t generation;
	uint32_t recorded;    /* rec_queue() */
	uint32_t reserved;
};
bool opencl_queue_of(enum opencl_variant level, cl_handle queue, struct opencl_queue *queue_out);

/* ---- commands (opencl_command.c, opencl_transfer.c, opencl_pending.c) -------------------------- */

struct opencl_transfer {
	uint64_t bytes;
	uint64_t freed;     /* bytes of SVM that the command frees */
	uint32_t direction; /* enum sonde_direction */
	uint32_t memory;    /* enum sonde_memory_kind of the host side */
};
/* Of a command that has just been accepted; keeps the books of mappings. result: of the call. */
void opencl_transfer_of(const struct opencl_call *view, rec_word result, struct opencl_transfer *transfer_out);
/* Bytes that the command will free, taken out of the books: before another thread can get the addresses again. */
uint64_t opencl_transfer_frees(const struct opencl_call *view);

struct opencl_pending {
	uint16_t kind;         /* enum sonde_kind */
	uint16_t level;        /* enum opencl_variant */
	cl_handle event;
	struct opencl_device *device;
	uint64_t begin_raw;    /* before the command was handed over */
	uint64_t name;         /* rec_name() */
	uint64_t correlation;  /* as given to rec_call_link(); 0: nobody asks */
	uint32_t queue;        /* rec_queue() */
	uint16_t waited;       /* 1: by the call that started it */
	uint16_t in_order;     /* 1: its queue is */
	uint32_t context;      /* rec_context() of the thread that handed it over */
	struct opencl_transfer transfer;
};
/* Reads the times of a finished command and hands them to the record; false: it has no usable ones. */
bool opencl_pending_deliver(const struct opencl_pending *command, int32_t status, uint64_t end_raw,
			    uint64_t *device_ns_out);
/*
 * Waits for a command in the background. The caller's reference to the event passes to the
 * pool. False: no room; the caller keeps it.
 */
bool opencl_pending_add(const struct opencl_pending *command);
/* References to this event that only the pool holds. */
uint32_t opencl_pending_references(cl_handle event);
void opencl_pending_reset(void);
void opencl_pending_flush(uint64_t deadline_raw_ns);
uint64_t opencl_pending_oldest(void);

/* ---- names, memory, programs --------------------------------------------------------------------- */

uint64_t opencl_kernel_name(enum opencl_variant level, cl_handle kernel);

/* A device is a struct opencl_device *, the flags are those of the mapping. */
extern struct rec_extents opencl_pointers; /* SVM and other memory known by address */
extern struct rec_extents opencl_mappings; /* mapped parts of memory objects */
/* enum sonde_memory_kind of a memory object, by the flags that it was made with */
uint32_t opencl_memory_kind(enum opencl_variant level, cl_handle object);

/* ---- handlers by family ------------------------------------------------------------------------- */

typedef void opencl_enter_handler(const struct opencl_call *view);
typedef void opencl_leave_handler(const struct opencl_call *view, rec_word result);

opencl_enter_handler opencl_command_enter, opencl_queue_enter, opencl_queue_list_enter, opencl_queue_set_enter;
opencl_enter_handler opencl_queue_info_enter, opencl_event_info_enter, opencl_event_times_enter;
opencl_enter_handler opencl_pointer_free_enter, opencl_build_enter, opencl_address_enter;
opencl_leave_handler opencl_queue_leave, opencl_command_leave, opencl_kernel_leave, opencl_memory_leave;
opencl_leave_handler opencl_pointer_leave, opencl_program_leave, opencl_build_leave;

#endif
