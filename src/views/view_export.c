/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of formats, and what they share; see view_export.h. */
#include "views/view_export.h"

#include <stdio_ext.h>
#include <string.h>

#include "base/log.h"
#include "views/progress.h"
#include "views/view_internal.h"

#define FILE_BUFFER (64u << 10)

const struct export_format *const export_formats[] = {
	&export_csv, &export_json, &export_chrome, &export_speedscope, &export_ctf, NULL
};

/* ---- rows ---- */

static const char *const row_ending[] = {
	[EVENT_RETURNED] = NULL, [EVENT_LEFT] = "left", [EVENT_CUT] = "cut", [EVENT_OPEN] = "open"
};

static void row_device(struct export_row *row, const struct tally_body *names, uint32_t device)
{
	if (device >= names->devices)
		return;
	row->device = names->device[device].name;
	row->ordinal = names->device[device].ordinal;
}

static void row_operation(struct export_row *row, const struct tally_body *names, const struct event *event)
{
	const struct event_operation *operation = &event->operation;

	row->type = "operation";
	row->backend = names->backend[operation->backend].name;
	row->kind = view_kind[operation->kind];
	row->name = *operation->name ? operation->name : row->kind;
	row->error = operation->error_ns;
	row_device(row, names, operation->device);
	if (operation->queue < names->queues)
		row->queue = names->queue[operation->queue].name;
	if (operation->kind != SONDE_KIND_copy && operation->kind != SONDE_KIND_fill)
		return;
	row->direction = view_direction[operation->direction];
	row->memory = view_memory[operation->memory];
}

static void row_call(struct export_row *row, const struct export *export, const struct tally_body *names,
		     const struct event *event)
{
	const struct tally_function *function = events_function(export->events, event);

	row->type = "call";
	row->backend = names->backend[function->backend].name;
	row->kind = view_kind[function->kind];
	row->name = function->name;
	row->ended = row_ending[event->ended];
}

static const char *row_moment(const struct export *export, const struct event *event)
{
	if (event->type != EVENT_MARK)
		return event->type == EVENT_START ? "start" : "end";
	return events_function(export->events, event)->kind == SONDE_KIND_counter ? "counter" : "mark";
}

void export_row_make(const struct export *export, const struct event *event, struct export_row *row_out)
{
	const struct tally *tally = events_process(export->events, event->process)->tally;
	const struct tally_body *names = events_process(export->events, event->process)->names;

	*row_out = (struct export_row){
		.type = "gap", .host = export->recording->host[tally->host].name, .pid = tally->raw.pid,
		.tid = event->lane == READ_NONE ? 0 : events_lane(export->events, event->lane)->tid,
		.rank = tally->rank, .begin = event->begin, .duration = event->end - event->begin,
	};
	switch (event->type) {
	case EVENT_CALL:
		row_call(row_out, export, names, event);
		break;
	case EVENT_OPERATION:
		row_operation(row_out, names, event);
		break;
	case EVENT_MEMORY:
		row_out->type = "memory";
		row_out->begin = event->time;
		row_out->duration = 0;
		if (event->memory.backend < names->backends)
			row_out->backend = names->backend[event->memory.backend].name;
		row_out->memory = view_memory[event->memory.memory];
		row_device(row_out, names, event->memory.device);
		break;
	case EVENT_MARK:
	case EVENT_START:
	case EVENT_END:
		row_call(row_out, export, names, event);
		row_out->type = row_moment(export, event);
		row_out->ended = NULL;
		row_out->begin = event->time;
		row_out->duration = 0;
		break;
	default:
		break;
	}
}

bool export_has_process(const struct export *export, uint32_t process)
{
	return events_process(export->events, process)->streams > 0;
}

/* ---- sampled counters ---- */

struct exported_samples {
	struct export *export;
	const struct export_format *format;
	const struct read_samples *samples;
	uint32_t process; /* on its host: for times */
};

static bool export_sample_write(void *context, const struct fmt_sample *sample)
{
	const struct exported_samples *sampled = context;
	const struct read_samples *samples = sampled->samples;
	const struct events_filter *filter = &sampled->export->options->filter;
	struct export_sample row = {
		.host = sampled->export->recording->host[samples->host].name,
		.device = samples->device[sample->device].name, .ordinal = samples->device[sample->device].ordinal,
		.time = events_time(sampled->export->events, sampled->process, sample->raw_ns),
	};
	uint32_t i;

	if ((filter->has_from && row.time < filter->from) || (filter->has_to && row.time >= filter->to))
		return true;
	for (i = 0; i < samples->raw.counters; i++) {
		if (sample->value[i] == FMT_SAMPLE_NONE)
			continue;
		row.name = samples->counter[i].name;
		row.unit = samples->counter[i].unit;
		row.divisor = samples->counter[i].divisor;
		row.value = sample->value[i];
		sampled->format->sample(sampled->export, &row);
	}
	return !sampled->export->sink.error;
}

static void export_samples_write(struct export *export, const struct export_format *format)
{
	struct recording *recording = export->recording;
	uint32_t process;
	size_t i;

	for (i = 0; format->sample && i < recording->samplings; i++) {
		for (process = 0; process < recording->tallies; process++)
			if (recording->tally[process].host == recording->samples[i].host)
				break;
		if (process < recording->tallies)
			samples_each(&recording->samples[i], export_sample_write,
				     &(struct exported_samples){export, format, &recording->samples[i], process});
	}
}

/* ---- one export ---- */

static int export_rows_write(struct export *export, const struct export_format *format)
{
	struct progress progress = {0};
	const struct event *event;
	int err = format->start(export);

	if (err)
		return err;
	while (!export->sink.error && (event = events_next(export->events))) {
		format->event(export, event);
		progress_step(&progress, export->events);
	}
	progress_end(&progress);
	export_samples_write(export, format);
	return format->end(export);
}

static int export_file_write(struct export *export, const struct export_format *format)
{
	int err = sink_open(&export->sink, export->path);

	if (err)
		return err;
	export->file = sink_file(&export->sink);
	if (!export->file)
		return sink_close(&export->sink, false), SONDE_EIO;
	setvbuf(export->file, NULL, _IOFBF, FILE_BUFFER);
	__fsetlocking(export->file, FSETLOCKING_BYCALLER);
	err = export_rows_write(export, format);
	fclose(export->file); /* what it could not write, the sink knows */
	if (!err && !export->rows && !export->sink.error)
		err = log_error(SONDE_EFORMAT,
				"no call, range or operation is left to export (see the filters, if there are any)");
	return sink_close(&export->sink, !err) || err ? SONDE_EIO : 0;
}

int export_write(struct recording *recording, const struct export_format *format, const struct export_options *options,
		 const char *path, uint64_t *rows_out)
{
	struct events_wish wish = {.what = EVENTS_CALLS_BY_BEGIN, .order = format->order, .filter = options->filter};
	struct export export = {.recording = recording, .options = options, .path = path};
	int err = events_open(recording, &wish, &export.events);

	if (err)
		return err;
	if (!events_have_streams(export.events))
		err = log_error(SONDE_EFORMAT, "%s", events_absence(export.events));
	else
		err = format->write ? format->write(&export) : export_file_write(&export, format);
	if (!err)
		*rows_out = export.rows;
	events_close(export.events);
	arena_free(&export.arena);
	return err;
}
