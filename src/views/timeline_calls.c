/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls as nested slices. A call's end is written before anything that begins after it, so that edges of a
 * track stand in the file in their order also where times are equal: readers pair them by position.
 */
#include <stdlib.h>

#include "base/log.h"
#include "views/timeline_internal.h"
#include "views/view_internal.h"

#define LANES_STEP 16
#define CORRELATION_BITS 40

/* Names of notes; their addresses are their keys. */
static const char note_failed[] = "failed", note_result[] = "result", note_ended[] = "ended", note_out[] = "bytes_out",
		  note_in[] = "bytes_in", note_lost[] = "lost", note_duration[] = "duration_ns",
		  note_continued[] = "continued", note_more[] = "arguments left out", name_gap[] = "events lost";

static const char *const ending[] = {
	[EVENT_RETURNED] = "returned",
	[EVENT_LEFT] = "left without return",
	[EVENT_CUT] = "unknown: events lost",
	[EVENT_OPEN] = "did not return"
};

/* A number that is unique over processes: devices of one machine may be used by several. */
uint64_t timeline_correlation(uint32_t process, uint64_t correlation)
{
	if (correlation >> CORRELATION_BITS) /* no serial number */
		return (uint64_t)1 << 63 | view_mix(view_mix(process + 1) + correlation);
	return (uint64_t)process << CORRELATION_BITS | correlation;
}

/* ---- notes ---- */

static uint8_t *note_start(struct timeline *timeline, struct pf_sequence *sequence, const char *name)
{
	uint32_t number = pf_name(&timeline->trace, sequence, PF_ANNOTATION_NAMES, name, *name ? name : "?");
	uint8_t *start = pf_begin(&timeline->trace.packet, PF_EVENT_ANNOTATION);

	pf_u64(&timeline->trace.packet, PF_ANNOTATION_NAME, number);
	return start;
}

void timeline_note_u64(struct timeline *timeline, struct pf_sequence *sequence, const char *name, uint64_t value)
{
	uint8_t *start = note_start(timeline, sequence, name);

	pf_u64(&timeline->trace.packet, PF_ANNOTATION_UINT, value);
	pf_end(&timeline->trace.packet, start);
}

void timeline_note_extent(struct timeline *timeline, struct pf_sequence *sequence, const char *name,
			  const uint32_t extent[3])
{
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *start = note_start(timeline, sequence, name), *element;

	for (int i = 0; i < 3; i++) {
		element = pf_begin(message, PF_ANNOTATION_ARRAY);
		pf_u64(message, PF_ANNOTATION_UINT, extent[i]);
		pf_end(message, element);
	}
	pf_end(message, start);
}

void timeline_note_text(struct timeline *timeline, struct pf_sequence *sequence, const char *name, const char *text)
{
	uint8_t *start = note_start(timeline, sequence, name);
	uint32_t number = pf_name(&timeline->trace, sequence, PF_ANNOTATION_TEXTS, text, text);

	pf_u64(&timeline->trace.packet, PF_ANNOTATION_TEXT_NAME, number);
	pf_end(&timeline->trace.packet, start);
}

void timeline_note_true(struct timeline *timeline, struct pf_sequence *sequence, const char *name)
{
	uint8_t *start = note_start(timeline, sequence, name);

	pf_u64(&timeline->trace.packet, PF_ANNOTATION_BOOL, 1);
	pf_end(&timeline->trace.packet, start);
}

/* ---- arguments ---- */

static void argument_flags_write(struct pf_message *message, const struct tally_arg *arg, uint64_t value)
{
	char text[EVENT_FLAGS_TEXT];

	event_flags_text(arg, value, text, sizeof(text));
	pf_text(message, PF_ANNOTATION_TEXT, text);
}

/* One value that is no string. */
static void argument_value_write(struct timeline *timeline, struct pf_sequence *sequence,
				 const struct event_argument *argument, uint32_t index)
{
	struct pf_message *message = &timeline->trace.packet;
	const struct tally_arg *arg = argument->arg;
	const char *name;
	uint64_t word;

	if (arg->type == FMT_ARG_F32 || arg->type == FMT_ARG_F64) {
		pf_double(message, PF_ANNOTATION_DOUBLE, event_double(argument, index));
		return;
	}
	word = event_word(argument, index);
	name = arg->words ? event_word_name(arg, word) : NULL;
	if (name)
		pf_u64(message, PF_ANNOTATION_TEXT_NAME,
		       pf_name(&timeline->trace, sequence, PF_ANNOTATION_TEXTS, name, name));
	else if (arg->words && arg->flags & FMT_ARG_FLAGS && word)
		argument_flags_write(message, arg, word);
	else if (arg->type == FMT_ARG_POINTER)
		pf_u64(message, PF_ANNOTATION_POINTER, word);
	else
		pf_u64(message, event_is_signed(argument) ? PF_ANNOTATION_INT : PF_ANNOTATION_UINT, word);
}

static void call_argument_write(struct timeline *timeline, struct pf_sequence *sequence,
			   const struct event_argument *argument)
{
	struct pf_message *message = &timeline->trace.packet;
	bool is_array = event_is_list(argument);
	const char *text = argument->arg->type == FMT_ARG_STRING ? event_string(argument) : NULL;
	uint8_t *start = note_start(timeline, sequence, argument->arg->name), *element;
	uint32_t i;

	for (i = 0; i < argument->count && !pf_is_full(message); i++) {
		element = is_array ? pf_begin(message, PF_ANNOTATION_ARRAY) : NULL;
		if (text) {
			pf_text(message, PF_ANNOTATION_TEXT, text);
			text += strlen(text) + 1;
		} else {
			argument_value_write(timeline, sequence, argument, i);
		}
		if (element)
			pf_end(message, element);
	}
	if (!argument->count && !is_array)
		pf_text(message, PF_ANNOTATION_TEXT, "NULL");
	pf_end(message, start);
}

void timeline_arguments(struct timeline *timeline, struct pf_sequence *sequence, const struct event *event,
			enum fmt_arg_when when)
{
	struct event_arguments arguments;
	struct event_argument argument;
	uint64_t more = 0;

	event_arguments(&arguments, timeline->events, event, when);
	while (event_arguments_next(&arguments, &argument)) {
		if (pf_is_full(&timeline->trace.packet))
			more++;
		else if (argument.count || !event->failed)
			call_argument_write(timeline, sequence, &argument);
	}
	if (more)
		timeline_note_u64(timeline, sequence, note_more, more);
}

/* Where the type of results is not recorded, what no status or count can be is shown in base 16. */
static bool is_address(uint64_t result)
{
	return (int64_t)result > INT32_MAX || (int64_t)result < INT32_MIN;
}

static void result_write(struct timeline *timeline, struct pf_sequence *sequence, const struct event *event)
{
	bool wanted = event->result || event->failed || event->in.length || event->out.length;
	struct event_argument result;
	uint8_t *start;

	if (event->failed)
		timeline_note_true(timeline, sequence, note_failed);
	if (!event->has_result || !wanted) /* 0 where nothing failed tells nothing, and is most of all results */
		return;
	start = note_start(timeline, sequence, note_result);
	if (event_result(&result, timeline->events, event))
		argument_value_write(timeline, sequence, &result, 0);
	else
		pf_u64(&timeline->trace.packet,
		       is_address(event->result) ? PF_ANNOTATION_POINTER : PF_ANNOTATION_INT, event->result);
	pf_end(&timeline->trace.packet, start);
}

/* ---- what the call started ---- */

static void links_write(struct timeline *timeline, const struct event *event)
{
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *start = NULL;
	uint32_t i;

	if (!timeline->options->gpu_tracks)
		start = pf_begin(message, PF_EVENT_CORRELATION);
	for (i = 0; i < event->links && !pf_is_full(message); i++) {
		uint64_t id = timeline_correlation(event->process, event->link[i]);

		if (start)
			pf_u64(message, PF_CORRELATION_SUBMITTED, id);
		else
			pf_fixed64(message, PF_EVENT_FLOW, id);
	}
	if (start)
		pf_end(message, start);
}

/* ---- slices ---- */

uint8_t *timeline_event_start(struct timeline *timeline, const struct pf_sequence *sequence, int64_t time,
			      enum pf_event_type type)
{
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *start;

	pf_packet_start(&timeline->trace, sequence);
	pf_u64(message, PF_PACKET_TIMESTAMP, (uint64_t)time);
	pf_u64(message, PF_PACKET_FLAGS, PF_FLAGS_NEEDED);
	start = pf_begin(message, PF_PACKET_TRACK_EVENT);
	pf_u64(message, PF_EVENT_TYPE, type);
	return start;
}

static uint8_t *slice_start(struct timeline *timeline, struct timeline_lane *lane, const struct timeline_frame *frame)
{
	const struct tally_body *names = timeline_names(timeline, lane->process);
	const char *backend = names->backend[frame->function->backend].name;
	const char *name = frame->function->name;
	struct pf_message *message = &timeline->trace.packet;
	uint8_t *start = timeline_event_start(timeline, &lane->sequence, frame->begin, PF_TYPE_BEGIN);

	pf_u64(message, PF_EVENT_NAME,
	       pf_name(&timeline->trace, &lane->sequence, PF_EVENT_NAMES, name, *name ? name : "?"));
	pf_u64(message, PF_EVENT_CATEGORY,
	       pf_name(&timeline->trace, &lane->sequence, PF_CATEGORIES, backend, backend));
	if (frame->ended != EVENT_RETURNED)
		timeline_note_text(timeline, &lane->sequence, note_ended, ending[frame->ended]);
	return start;
}

void timeline_event_put(struct timeline *timeline, uint8_t *start)
{
	pf_end(&timeline->trace.packet, start);
	pf_packet_put(&timeline->trace);
}

static void frame_end(struct timeline *timeline, struct timeline_lane *lane)
{
	const struct timeline_frame *frame = &lane->frame[--lane->depth];

	timeline_event_put(timeline, timeline_event_start(timeline, &lane->sequence, frame->end, PF_TYPE_END));
	if (frame->end > lane->last)
		lane->last = frame->end;
	timeline->open_frames--;
}

void timeline_lane_finish(struct timeline *timeline, struct timeline_lane *lane)
{
	while (lane->depth)
		frame_end(timeline, lane);
}

/* In a new file: the calls that are still open there begin when they began. */
void timeline_lane_continue(struct timeline *timeline, struct timeline_lane *lane, int64_t time)
{
	uint32_t depth = lane->depth, i;

	lane->depth = 0;
	for (i = 0; i < depth && lane->frame[i].end > time; i++) {
		uint8_t *start;

		timeline_lane_describe(timeline, lane);
		start = slice_start(timeline, lane, &lane->frame[i]);
		timeline_note_true(timeline, &lane->sequence, note_continued);
		if (lane->frame[i].failed)
			timeline_note_true(timeline, &lane->sequence, note_failed);
		timeline_event_put(timeline, start);
		lane->depth++;
		timeline->open_frames++;
	}
}

/* ---- lanes ---- */

/* The thread of an event; what its block's former thread left is put away. */
static struct timeline_lane *lane_of(struct timeline *timeline, const struct event *event)
{
	const struct events_lane *who = events_lane(timeline->events, event->lane);
	struct timeline_process *process = timeline_process(timeline, event->process);
	struct timeline_lane *lane;

	if (who->stream >= process->lanes) {
		uint32_t lanes = (who->stream / LANES_STEP + 1) * LANES_STEP;
		struct timeline_lane **larger = realloc(process->lane, lanes * sizeof(*larger));

		if (!larger)
			return NULL;
		memset(larger + process->lanes, 0, (lanes - process->lanes) * sizeof(*larger));
		process->lane = larger;
		process->lanes = lanes;
	}
	lane = process->lane[who->stream];
	if (!lane) {
		lane = process->lane[who->stream] = calloc(1, sizeof(*lane));
		if (!lane)
			return NULL;
		lane->number = READ_NONE;
	}
	if (lane->number != event->lane) {
		timeline_lane_finish(timeline, lane);
		lane->number = event->lane;
		lane->process = event->process;
		lane->tid = who->tid;
		lane->stream = who->stream;
		lane->file = 0;
		lane->last = 0;
	}
	timeline_lane_describe(timeline, lane);
	return lane;
}

/* Closes what is over where the event begins. False: the event has no place in the order of its track. */
static bool lane_advance(struct timeline *timeline, struct timeline_lane *lane, uint32_t depth, int64_t begin,
			 int64_t end)
{
	while (lane->depth && lane->frame[lane->depth - 1].depth >= depth)
		frame_end(timeline, lane);
	return begin >= lane->last && end >= begin && lane->depth < FMT_FRAMES + FMT_RANGES &&
	       (!lane->depth || end <= lane->frame[lane->depth - 1].end);
}

struct timeline_lane *timeline_lane_at(struct timeline *timeline, const struct event *event)
{
	struct timeline_lane *lane = lane_of(timeline, event);

	if (!lane || !lane_advance(timeline, lane, event->depth, event->time, event->time))
		return NULL;
	return lane;
}

void timeline_call(struct timeline *timeline, const struct event *event)
{
	struct timeline_lane *lane = lane_of(timeline, event);
	struct timeline_frame *frame;
	struct pf_sequence *sequence;
	uint8_t *start;

	if (!lane || !lane_advance(timeline, lane, event->depth, event->begin, event->end)) {
		timeline->result.left_out++;
		return;
	}
	frame = &lane->frame[lane->depth++];
	*frame = (struct timeline_frame){events_function(timeline->events, event), event->begin, event->end,
					 event->depth, event->ended, event->failed};
	sequence = &lane->sequence;
	timeline->open_frames++;
	start = slice_start(timeline, lane, frame);
	timeline_arguments(timeline, sequence, event, FMT_ARG_IN);
	timeline_arguments(timeline, sequence, event, FMT_ARG_OUT);
	result_write(timeline, sequence, event);
	if (event->bytes_out)
		timeline_note_u64(timeline, sequence, note_out, event->bytes_out);
	if (event->bytes_in)
		timeline_note_u64(timeline, sequence, note_in, event->bytes_in);
	if (event->links)
		links_write(timeline, event);
	timeline_event_put(timeline, start);
	lane->last = event->begin;
	if (function_is_range(frame->function))
		timeline->result.ranges++;
	else
		timeline->result.calls++;
}

/* An instant where events are missing; for how long and how many stands beside it. */
void timeline_gap(struct timeline *timeline, const struct event *event)
{
	struct timeline_process *process = timeline_process(timeline, event->process);
	struct timeline_lane *lane = event->lane == READ_NONE ? NULL : lane_of(timeline, event);
	struct pf_sequence *sequence = lane ? &lane->sequence : &timeline->global;
	uint8_t *start;

	if (event->begin < 0)
		return;
	if (!lane) { /* of a device: beside the process's threads */
		timeline_process_describe(timeline, event->process);
		if (process->gaps != timeline->file)
			timeline_track_describe(timeline, process, timeline_uuid(process, TRACK_GAPS, 0),
						timeline_uuid(process, TRACK_PROCESS, 0), "lost device events");
		process->gaps = timeline->file;
	} else if (!lane_advance(timeline, lane, event->depth, event->begin, event->begin)) {
		return;
	}
	start = timeline_event_start(timeline, sequence, event->begin, PF_TYPE_INSTANT);
	if (!lane)
		pf_u64(&timeline->trace.packet, PF_EVENT_TRACK, timeline_uuid(process, TRACK_GAPS, 0));
	pf_u64(&timeline->trace.packet, PF_EVENT_NAME,
	       pf_name(&timeline->trace, sequence, PF_EVENT_NAMES, name_gap, name_gap));
	if (event->lost)
		timeline_note_u64(timeline, sequence, note_lost, event->lost);
	timeline_note_u64(timeline, sequence, note_duration, (uint64_t)(event->end - event->begin));
	timeline_event_put(timeline, start);
}
