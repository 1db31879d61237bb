/* SPDX-License-Identifier: BSD-3-Clause */
/* Of the summary as JSON: the run, its processes and threads, and who used which device. See view_json.c. */
#include "base/json.h"
#include "views/view_internal.h"
#include "views/view_json.h"

void view_json_rank(struct json *json, int32_t rank)
{
	if (rank < 0)
		json_null(json, "rank");
	else
		json_i64(json, "rank", rank);
}

static void json_run_write(struct json *json, const struct summary_run *run)
{
	size_t i;

	json_object(json, "run");
	json_array_line(json, "command");
	for (i = 0; run->argv[i]; i++)
		json_text(json, NULL, run->argv[i]);
	json_array_end(json);
	json_u64(json, "wall_ns", run->wall_ns);
	json_i64(json, "paused_ns", run->paused_ns);
	json_u64(json, "processes", run->processes);
	json_u64(json, "hosts", run->hosts);
	json_u64(json, "ranks", run->ranks);
	json_text(json, "end", run->end);
	json_object_end(json);
}

static void categories_write(struct json *json, const int64_t *category)
{
	int i;

	json_object_line(json, "breakdown");
	for (i = 0; i < SONDE_CATEGORY_COUNT; i++)
		json_i64(json, view_category[i], category[i]);
	json_object_end(json);
}

static void processes_write(struct json *json, const struct summary *summary)
{
	static const char *const source[] = {"own", "launcher", "running", "end of the run", "last sign of life"};
	size_t i;

	json_array(json, "processes");
	for (i = 0; i < summary->processes; i++) {
		const struct summary_process *process = &summary->process[i];

		json_object_line(json, NULL);
		json_text(json, "host", process->host);
		json_u64(json, "pid", process->pid);
		json_u64(json, "ppid", process->ppid);
		json_text(json, "exe", process->exe);
		json_text(json, "command", process->command);
		view_json_rank(json, process->rank);
		json_i64(json, "start_ns", process->start_ns);
		json_i64(json, "end_ns", process->end_ns);
		json_text(json, "end", process->end);
		json_text(json, "end_known_from", source[process->end_source]);
		json_u64(json, "image", process->image);
		json_u64(json, "reference_tid", process->reference_tid);
		json_u64(json, "calls", process->calls);
		json_i64(json, "paused_ns", process->paused_ns);
		categories_write(json, process->category);
		json_object_end(json);
	}
	json_array_end(json);
}

static void threads_write(struct json *json, const struct summary *summary)
{
	size_t i;

	if (summary->by != SUMMARY_BY_THREAD)
		return;
	json_array(json, "threads");
	for (i = 0; i < summary->threads; i++) {
		const struct summary_thread *thread = &summary->thread[i];

		json_object_line(json, NULL);
		json_text(json, "host", summary->process[thread->process].host);
		json_u64(json, "pid", summary->process[thread->process].pid);
		json_u64(json, "tid", thread->tid);
		json_text(json, "name", thread->name);
		json_u64(json, "served", thread->served);
		json_bool(json, "reference", thread->reference);
		json_u64(json, "calls", thread->calls);
		categories_write(json, thread->category);
		json_object_end(json);
	}
	json_array_end(json);
}

static void rank_devices_write(struct json *json, const struct summary *summary)
{
	size_t i;

	json_array(json, "rank_device");
	for (i = 0; i < summary->rank_devices; i++) {
		json_object_line(json, NULL);
		json_i64(json, "rank", summary->rank_device[i].rank);
		json_text(json, "device", summary->rank_device[i].device);
		json_text(json, "host", summary->rank_device[i].host);
		json_object_end(json);
	}
	json_array_end(json);
}

void view_json_processes(struct json *json, const struct summary *summary)
{
	json_run_write(json, &summary->run);
	processes_write(json, summary);
	threads_write(json, summary);
	rank_devices_write(json, summary);
}
