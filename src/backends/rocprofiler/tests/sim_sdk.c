/* SPDX-License-Identifier: BSD-3-Clause */
/* librocprofiler-sdk: see table.h. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rocprofiler.h"
#include "table.h"

#define EXPORT __attribute__((visibility("default")))
#define CLIENTS 8u
#define RECORDS 256u
#define RECORD_BYTES 256u
#define LOCKED 16
enum { CPU = 7, GPU = 100 }; /* agents' handles; further GPUs follow */

/* A tool. Its context, its buffer and its thread have its number, from 1 on. */
struct client {
	rocp_configure configure;
	struct rocp_configured configured;
	bool kinds[64];
	void (*stream)(struct rocp_call_1, uint64_t *, void *);
	void *code;
	rocp_ask_external ask;
	rocp_buffer_full take;
	size_t hand_over;
	bool started;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	unsigned used, delivering; /* records */
	unsigned dropped;
	bool wanted;
	char record[2][RECORDS][RECORD_BYTES];
	struct rocp_header header[2][RECORDS];
	struct rocp_header *list[RECORDS];
	unsigned half;
};
static struct client client[CLIENTS];
static unsigned clients, initializing;
static int status; /* 0: not initialised, -1: being, 1: done */
static rocp_configure forced;
static uint32_t version[3] = {1, 0, 0};

static bool refuses(const char *function)
{
	const char *name = getenv("SIM_REFUSE");

	return name && strcmp(name, function) == 0;
}

/* ---- buffers ---- */

static void put_back(struct client *to, unsigned count)
{
	bool back = getenv("SIM_ORDER") != NULL;

	for (unsigned i = 0; i < count; i++)
		to->list[i] = &to->header[to->half][back ? count - 1 - i : i];
}

/* With the mutex held: hands over what is there. */
static void hand_over(struct client *to)
{
	unsigned count = to->used, dropped = to->dropped;

	if (!count && !dropped)
		return;
	put_back(to, count);
	to->half ^= 1;
	to->used = to->dropped = 0;
	to->delivering = 1;
	pthread_mutex_unlock(&to->mutex);
	to->take((rocp_handle)(to - client) + 1, (rocp_handle)(to - client) + 1, to->list, count, NULL, dropped);
	pthread_mutex_lock(&to->mutex);
	to->delivering = 0;
	to->wanted = false;
	pthread_cond_broadcast(&to->changed);
}

static void *deliver(void *data)
{
	struct client *to = data;

	pthread_mutex_lock(&to->mutex);
	for (;;) {
		while (!to->wanted)
			pthread_cond_wait(&to->changed, &to->mutex);
		hand_over(to);
		to->wanted = false;
		pthread_cond_broadcast(&to->changed);
	}
	return NULL;
}

static void put(struct client *to, uint32_t kind, const void *record, size_t bytes)
{
	const char *drop = getenv("SIM_DROP");
	static int dropped;

	pthread_mutex_lock(&to->mutex);
	while (to->used == RECORDS) { /* without loss */
		to->wanted = true;
		pthread_cond_broadcast(&to->changed);
		pthread_cond_wait(&to->changed, &to->mutex);
	}
	if (drop && __atomic_fetch_add(&dropped, 1, __ATOMIC_RELAXED) < atoi(drop)) {
		to->dropped++;
	} else {
		struct rocp_header *header = &to->header[to->half][to->used];

		memcpy(to->record[to->half][to->used], record, bytes);
		*header = (struct rocp_header){ROCP_CATEGORY_TRACING, kind, to->record[to->half][to->used]};
		to->used++;
	}
	if (to->used * RECORD_BYTES >= to->hand_over) {
		to->wanted = true;
		pthread_cond_broadcast(&to->changed);
	}
	pthread_mutex_unlock(&to->mutex);
}

EXPORT int rocprofiler_flush_buffer(rocp_handle buffer)
{
	struct client *to = &client[buffer - 1];

	pthread_mutex_lock(&to->mutex);
	to->wanted = true;
	pthread_cond_broadcast(&to->changed);
	while (to->wanted)
		pthread_cond_wait(&to->changed, &to->mutex);
	pthread_mutex_unlock(&to->mutex);
	return ROCP_SUCCESS;
}

/* ---- what a tool may ask for, while it is initialised ---- */

EXPORT int rocprofiler_get_version(uint32_t *major, uint32_t *minor, uint32_t *patch)
{
	const char *text = getenv("SIM_VERSION");

	if (text)
		sscanf(text, "%u.%u.%u", &version[0], &version[1], &version[2]);
	*major = version[0];
	*minor = version[1];
	*patch = version[2];
	return ROCP_SUCCESS;
}

EXPORT int rocprofiler_get_timestamp(uint64_t *time)
{
	*time = sim_clock(sim_raw_ns());
	return ROCP_SUCCESS;
}

EXPORT int rocprofiler_create_context(rocp_handle *context)
{
	*context = initializing;
	return status < 0 && !refuses("create_context") ? ROCP_SUCCESS : LOCKED;
}

EXPORT int rocprofiler_start_context(rocp_handle context)
{
	client[context - 1].started = true;
	return refuses("start_context");
}

EXPORT int rocprofiler_stop_context(rocp_handle context)
{
	client[context - 1].started = false;
	return ROCP_SUCCESS;
}

EXPORT int rocprofiler_create_buffer(rocp_handle context, size_t bytes, size_t hand_over_at, int policy,
				     rocp_buffer_full take, void *data, rocp_handle *buffer)
{
	struct client *of = &client[context - 1];
	pthread_t thread;

	(void)data;
	if (status >= 0 || policy != ROCP_POLICY_LOSSLESS || hand_over_at > bytes)
		return LOCKED;
	pthread_mutex_init(&of->mutex, NULL);
	pthread_cond_init(&of->changed, NULL);
	of->take = take;
	of->hand_over = hand_over_at;
	*buffer = context;
	return pthread_create(&thread, NULL, deliver, of);
}

EXPORT int rocprofiler_configure_buffer_tracing_service(rocp_handle context, int kind, const int32_t *operations,
							size_t count, rocp_handle buffer)
{
	if (status >= 0 || operations || count || buffer != context || refuses("configure_buffer_tracing_service"))
		return LOCKED;
	client[context - 1].kinds[kind] = true;
	return ROCP_SUCCESS;
}

EXPORT int rocprofiler_configure_callback_tracing_service(rocp_handle context, int kind, const int32_t *operations,
							  size_t count, void *callback, void *data)
{
	(void)data;
	if (status >= 0 || operations || count)
		return LOCKED;
	if (kind == ROCP_CALLBACK_CODE_OBJECT)
		client[context - 1].code = callback;
	else if (kind == ROCP_CALLBACK_STREAM && version[0] >= 1)
		client[context - 1].stream = (void (*)(struct rocp_call_1, uint64_t *, void *))callback;
	return ROCP_SUCCESS;
}

EXPORT int rocprofiler_configure_external_correlation_id_request_service(rocp_handle context, const int *kinds,
									 size_t count, rocp_ask_external ask,
									 void *data)
{
	(void)kinds;
	(void)count;
	(void)data;
	client[context - 1].ask = ask;
	return ROCP_SUCCESS;
}

EXPORT int rocprofiler_query_available_agents(int what, rocp_take_agents take, size_t bytes, void *data)
{
	static struct rocp_agent agent[16];
	const void *list[16];
	unsigned count = 1 + sim_devices();

	if (what != ROCP_AGENTS_VERSION || bytes > sizeof(agent[0]))
		return 1;
	for (unsigned i = 0; i < count && i < 16; i++) {
		agent[i] = (struct rocp_agent){.size = sizeof(agent[i]), .id = i ? GPU + i - 1 : CPU,
					       .type = i ? ROCP_AGENT_GPU : ROCP_AGENT_CPU, .location = (i + 3) << 8,
					       .name = i ? "gfx0000" : "cpu", .product = i ? "Simulated GPU" : ""};
		list[i] = &agent[i];
	}
	return take(what, list, count, data);
}

EXPORT int rocprofiler_at_internal_thread_create(rocp_thread_made before, rocp_thread_made after, int which, void *data)
{
	(void)which;
	before(1, data);
	after(1, data);
	return ROCP_SUCCESS;
}

EXPORT int rocprofiler_create_callback_thread(rocp_handle *thread)
{
	*thread = initializing;
	return ROCP_SUCCESS;
}

EXPORT int rocprofiler_assign_callback_thread(rocp_handle buffer, rocp_handle thread)
{
	return buffer != thread;
}

/* ---- from the runtime ---- */

static void code_loaded(uint64_t kernel, const char *name)
{
	struct rocp_kernel_symbol symbol = {sizeof(symbol), kernel, 1, name};
	struct rocp_call_0 old = {.kind = ROCP_CALLBACK_CODE_OBJECT, .operation = ROCP_CODE_OBJECT_KERNEL,
				  .phase = ROCP_LOAD, .payload = &symbol};
	struct rocp_call_1 now = {.kind = old.kind, .operation = old.operation, .phase = old.phase, .payload = &symbol};
	uint64_t user = 0;

	for (unsigned i = 0; i < clients; i++) {
		if (client[i].code && version[0])
			((void (*)(struct rocp_call_1, uint64_t *, void *))client[i].code)(now, &user, NULL);
		else if (client[i].code)
			((void (*)(struct rocp_call_0, uint64_t *, void *))client[i].code)(old, &user, NULL);
	}
}

static void stream_set(uint64_t stream, bool enter)
{
	struct rocp_stream_set set = {sizeof(set), stream, 0};
	struct rocp_call_1 call = {.kind = ROCP_CALLBACK_STREAM, .operation = ROCP_STREAM_SET,
				   .phase = enter ? ROCP_ENTER : ROCP_EXIT, .payload = &set};
	uint64_t user = 0;

	for (unsigned i = 0; i < clients; i++)
		if (client[i].stream)
			client[i].stream(call, &user, NULL);
}

static void operation_started(struct sim_operation *operation)
{
	for (unsigned i = 0; i < clients; i++)
		if (client[i].started && client[i].ask)
			client[i].ask((uint64_t)getpid(), i + 1,
				      operation->copy ? ROCP_REQUEST_COPY : ROCP_REQUEST_KERNEL, 0, 1,
				      &operation->external[i], NULL);
}

static void give_copy(struct client *to, const struct sim_operation *operation, struct sim_times times)
{
	bool up = operation->direction == ROCP_H2D, down = operation->direction == ROCP_D2H;
	struct rocp_memory_copy record = {
		.size = sizeof(record), .kind = ROCP_COPY, .operation = operation->direction,
		.correlation = {1, operation->external[to - client]}, .begin = times.begin, .end = times.end,
		.to = down ? CPU : GPU, .from = up ? CPU : GPU, .bytes = operation->bytes};

	put(to, ROCP_COPY, &record, sizeof(record));
}

static void give_kernel(struct client *to, const struct sim_operation *operation, struct sim_times times)
{
	struct rocp_kernel record = {
		.size = sizeof(record), .kind = ROCP_KERNEL, .operation = 2,
		.correlation = {1, operation->external[to - client]}, .begin = times.begin, .end = times.end,
		.dispatch = {.size = sizeof(record.dispatch), .agent = GPU, .queue = operation->queue,
			     .kernel = operation->kernel}};

	memcpy(record.dispatch.group, operation->group, sizeof(operation->group));
	memcpy(record.dispatch.grid, operation->grid, sizeof(operation->grid));
	put(to, ROCP_KERNEL, &record, sizeof(record));
}

static void operation_ended(const struct sim_operation *operation)
{
	struct sim_times times = sim_event_times(operation->event);

	for (unsigned i = 0; i < clients; i++) {
		if (!times.known || !client[i].started)
			continue;
		if (operation->copy && client[i].kinds[ROCP_COPY])
			give_copy(&client[i], operation, times);
		if (!operation->copy && client[i].kinds[ROCP_KERNEL])
			give_kernel(&client[i], operation, times);
	}
}

static void memory_changed(uint64_t address, uint64_t bytes)
{
	struct rocp_memory record = {.size = sizeof(record), .kind = ROCP_ALLOCATION, .agent = GPU, .address = address,
				     .operation = bytes ? ROCP_ALLOCATE : ROCP_FREE, .bytes = bytes};

	for (unsigned i = 0; i < clients; i++)
		if (client[i].started && client[i].kinds[ROCP_ALLOCATION])
			put(&client[i], ROCP_ALLOCATION, &record, sizeof(record));
}

static void scratch_changed(uint64_t queue, uint64_t bytes)
{
	struct rocp_scratch_memory record = {.size = sizeof(record), .kind = ROCP_SCRATCH, .agent = GPU, .queue = queue,
					     .operation = bytes ? ROCP_SCRATCH_ALLOC : ROCP_SCRATCH_FREE,
					     .bytes = bytes};

	for (unsigned i = 0; i < clients; i++)
		if (client[i].started && client[i].kinds[ROCP_SCRATCH])
			put(&client[i], ROCP_SCRATCH, &record, sizeof(record));
}

/* ---- tools ---- */

static void add_client(rocp_configure configure)
{
	for (unsigned i = 0; i < clients; i++)
		if (client[i].configure == configure)
			return;
	if (configure && clients < CLIENTS)
		client[clients++].configure = configure;
}

static void find_clients(void)
{
	char list[4096], *rest = list, *name;

	add_client(forced);
	snprintf(list, sizeof(list), "%s", getenv("ROCP_TOOL_LIBRARIES") ? getenv("ROCP_TOOL_LIBRARIES") : "");
	while ((name = strsep(&rest, ":"))) {
		void *library = *name ? dlopen(name, RTLD_LAZY | RTLD_LOCAL) : NULL;

		if (library)
			add_client((rocp_configure)dlsym(library, "rocprofiler_configure"));
	}
	add_client((rocp_configure)dlsym(RTLD_DEFAULT, "rocprofiler_configure"));
}

static void finalize(void)
{
	for (unsigned i = 0; i < clients; i++)
		if (client[i].configured.finalize)
			client[i].configured.finalize(client[i].configured.data);
}

static void initialize(void)
{
	if (status)
		return;
	status = -1;
	find_clients();
	atexit(finalize);
	for (unsigned i = 0; i < clients; i++) {
		uint64_t told[3] = {sizeof(told), 0, i};
		struct rocp_configured *result = client[i].configure(10000 * version[0], "simulated", i,
									       (struct rocp_client *)told);

		if (!result)
			continue;
		client[i].configured = *result;
		initializing = i + 1;
		if (result->initialize(NULL, result->data))
			client[i].started = false;
	}
	status = 1;
}

EXPORT int rocprofiler_force_configure(rocp_configure configure)
{
	if (status || forced || refuses("force_configure"))
		return LOCKED;
	setenv("ROCPROFILER_REGISTER_FORCE_LOAD", "1", 1);
	forced = configure;
	initialize();
	return ROCP_SUCCESS;
}

EXPORT int rocprofiler_set_api_table(const char *name, uint64_t number, uint64_t instance, void **tables,
				     uint64_t count)
{
	struct sim_table *table = tables[0];

	(void)name;
	(void)number;
	(void)instance;
	(void)count;
	initialize();
	*table = (struct sim_table){code_loaded, stream_set, operation_started, operation_ended, memory_changed,
				    scratch_changed};
	return 0;
}
