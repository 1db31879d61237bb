/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rocprofiler-sdk: finding it and having it configured, when the first of AMD's runtimes registers itself with
 * rocprofiler-register. There, and not by an exported rocprofiler_configure(): where a process has that and not the
 * library, rocprofiler-register ends the process.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rocprofiler.h"

#define PATH_BYTES 4096u
/* Small: what is in the buffer that is not full when the program is killed has no times. */
#define BUFFER_BYTES (256u << 10)
#define BUFFER_HAND_OVER (32u << 10)
#define NO_TOOLS 1 /* answer of rocprofiler-register: there is nobody to register with */

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

struct rocp rocp;
static uint16_t slots[2048] __attribute__((aligned(4096)));
static void *real[1];

static void *absent(uint32_t symbol)
{
	(void)symbol;
	return NULL;
}

static void opened(void)
{
	rocp_devices_forget();
}

static void flush(uint64_t deadline_raw_ns);

struct rec_backend rocprofiler_backend = {
	.size = sizeof(struct rec_backend), .name = "rocprofiler", .pool = "", .front = "\0",
	.runtimes = "librocprofiler-sdk\0librocprofiler-register\0", .layer = 1, .perfetto_api = 5, .slot = slots,
	.real = real, .absent = absent, .opened = opened, .flush = flush
};

bool rocp_live(void)
{
	return rocp.owner && rocp.owner == (uint32_t)getpid();
}

/* ---- flushing: the library may wait for a device that hangs, the program's end may not ---- */

static void flush_buffer(void)
{
	rocp.flush_buffer(rocp.buffer);
}

static struct rec_flusher flusher = {.run = flush_buffer};
static uint64_t flush_deadline; /* of the thread that ends the program */

static uint64_t left_on_devices(void)
{
	rec_flusher_run(&flusher, flush_deadline);
	return rec_device_left(&rocprofiler_backend);
}

/* The library hands over what has ended: what is on its way to devices is waited for as it goes. */
static void flush(uint64_t deadline_raw_ns)
{
	flush_deadline = deadline_raw_ns;
	if (rocp_live() && rec_raw_ns() < deadline_raw_ns)
		rec_flush_wait(deadline_raw_ns, left_on_devices);
}

/* ---- finding it ---- */

static void *mapped(const char *name, char *folder_out)
{
	char path[PATH_BYTES], *slash;

	if (!rec_mapped(name, path, sizeof(path)) || !(slash = strrchr(path, '/')))
		return NULL;
	if (folder_out) {
		*slash = '\0';
		memcpy(folder_out, path, sizeof(path));
		return folder_out;
	}
	return dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
}

/* The one that rocprofiler-register would load: of the same installation, not another one that the linker knows. */
static void *open_library(void)
{
	static const char *const beside[] = {"librocprofiler-register.so", "libamdhip64.so", "libhsa-runtime64.so"};
	char folder[PATH_BYTES], path[PATH_BYTES + 32];
	void *library = mapped("librocprofiler-sdk.so", NULL);

	for (size_t i = 0; !library && i < sizeof(beside) / sizeof(beside[0]); i++) {
		if (!mapped(beside[i], folder))
			continue;
		snprintf(path, sizeof(path), "%s/librocprofiler-sdk.so", folder);
		if (access(path, R_OK) == 0)
			library = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
	}
	return library;
}

static bool load(void)
{
	void *library = open_library();

	if (!library)
		return false;
#define LOAD(function, arguments)                                                                       \
	rocp.function = (int (*) arguments)(uintptr_t)dlsym(library, "rocprofiler_" #function);         \
	if (!rocp.function)                                                                             \
		return false;
	ROCP_FUNCTIONS(LOAD)
	return rocp.get_version(&rocp.version[0], &rocp.version[1], &rocp.version[2]) == ROCP_SUCCESS;
}

/* ---- configuring it; called by the library ---- */

static __thread uint32_t thread_token __attribute__((tls_model("initial-exec")));

/* Threads of AMD's libraries are not the program's. */
static void thread_comes(int library, void *data)
{
	(void)library;
	(void)data;
	thread_token = rec_guard_enter();
}

static void thread_is_there(int library, void *data)
{
	(void)library;
	(void)data;
	rec_guard_leave(thread_token);
}

static bool trace(int kind)
{
	return rocp.configure_buffer_tracing_service(rocp.context, kind, NULL, 0, rocp.buffer) == ROCP_SUCCESS;
}

static bool configure_callbacks(void)
{
	static const int asked[] = {ROCP_REQUEST_COPY, ROCP_REQUEST_KERNEL};
	bool grown = rocp.version[0] >= 1;
	void *code = grown ? (void *)rocp_code_call_1 : (void *)rocp_code_call_0;

	if (rocp.configure_callback_tracing_service(rocp.context, ROCP_CALLBACK_CODE_OBJECT, NULL, 0, code, NULL) ||
	    rocp.configure_external_correlation_id_request_service(rocp.context, asked, 2, rocp_started, NULL))
		return false;
	if (grown) /* without it queues stand for streams */
		rocp.configure_callback_tracing_service(rocp.context, ROCP_CALLBACK_STREAM, NULL, 0,
							(void *)rocp_stream_call, NULL);
	return true;
}

static int initialize(void *finalize_all, void *data)
{
	rocp_handle thread = 0;

	(void)finalize_all;
	(void)data;
	rocp.at_internal_thread_create(thread_comes, thread_is_there, ROCP_LIBRARY_ALL, NULL);
	if (rocp.query_available_agents(ROCP_AGENTS_VERSION, rocp_agents_take, sizeof(struct rocp_agent), NULL) ||
	    rocp.create_context(&rocp.context) ||
	    rocp.create_buffer(rocp.context, BUFFER_BYTES, BUFFER_HAND_OVER, ROCP_POLICY_LOSSLESS, rocp_buffer_take,
			       NULL, &rocp.buffer) ||
	    !trace(ROCP_KERNEL) || !trace(ROCP_COPY) || !configure_callbacks())
		return -1;
	if (rocp.version[0] >= 1) {
		trace(ROCP_SCRATCH);
		if (!rec_backend_there("hip") && !rec_backend_there("hsa")) /* they know what the program asked for */
			trace(ROCP_ALLOCATION);
	}
	/* a thread of our own: another tool's callbacks may take their time */
	if (rocp.create_callback_thread(&thread) == ROCP_SUCCESS)
		rocp.assign_callback_thread(rocp.buffer, thread);
	rocp_clock_read();
	if (rocp.start_context(rocp.context))
		return -1;
	rec_flusher_start(&flusher);
	rocp.owner = (uint32_t)getpid();
	return 0;
}

/* The devices have been waited for. */
static void finalize(void *data)
{
	(void)data;
	if (rocp_live())
		rocp.flush_buffer(rocp.buffer);
	rocp.owner = 0;
}

static struct rocp_configured *configure(uint32_t version, const char *text, uint32_t priority,
					 struct rocp_client *client)
{
	static struct rocp_configured configured = {sizeof(configured), initialize, finalize, NULL};

	(void)version;
	(void)text;
	(void)priority;
	(void)client;
	return &configured;
}

static void attach(void)
{
	static char how[64]; /* lasts */
	uint32_t token = rec_guard_enter();

	/* another tool may have been configured already: then it is too late */
	if (rec_control_wanted() && load() && rocp.force_configure(configure) == ROCP_SUCCESS && rocp_live()) {
		rec_backend_register(&rocprofiler_backend, __ehdr_start, _end);
		snprintf(how, sizeof(how), "rocprofiler-sdk %u.%u.%u", rocp.version[0], rocp.version[1],
			 rocp.version[2]);
		rec_attached(&rocprofiler_backend, how, NULL);
	}
	rec_guard_leave(token);
}

bool sonde_rocprofiler(void);

/*
 * For backends whose runtime is about to start: is it told by this one what devices do? Asked for in their own names'
 * wrappers because a program may have opened its runtime so that it does not find ours.
 */
REC_EXPORT bool sonde_rocprofiler(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (!mapped("librocprofiler-register.so", (char[PATH_BYTES]){0}))
		return false;
	pthread_once(&once, attach);
	return rocp_live();
}

typedef int (*register_function)(const char *name, void *import, uint32_t version, void **tables, uint64_t count,
				 void *id_out);
int rocprofiler_register_library_api_table(const char *name, void *import, uint32_t version, void **tables,
					   uint64_t count, void *id_out);

/* Called by each of AMD's runtimes when it starts: from here on its tables are rocprofiler-sdk's. */
REC_EXPORT int rocprofiler_register_library_api_table(const char *name, void *import, uint32_t version, void **tables,
						      uint64_t count, void *id_out)
{
	void *library = mapped("librocprofiler-register.so", NULL);
	register_function call = NULL;

	if (library)
		call = (register_function)(uintptr_t)dlsym(library, "rocprofiler_register_library_api_table");
	if (!call)
		return NO_TOOLS;
	sonde_rocprofiler();
	return call(name, import, version, tables, count, id_out);
}
