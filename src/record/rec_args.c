/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arguments of calls and what they point to, where they are recorded. HOT then: no libc. What a pointer leads to is
 * read where the API reads it itself (IN, at the entry) or has written it (OUT, after success). But a call that is
 * refused may have been given anything: the kernel is asked whether memory can be read before it is, one system call
 * for all that its words point to, and more only where one of them is bad or an array goes on behind its page.
 * Other threads may change it meanwhile: sizes are taken once.
 */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "record/rec_state.h"
#include "record/rec_stream.h"

#define VALUES_MAX 32u    /* of one array */
#define STRING_MAX 1000u  /* bytes of one string */
#define PLACES_MAX (2 * REC_ARGUMENTS_MAX) /* an argument and its length, or the pages of an array */
#define ROOM 6000u        /* bytes of all arrays and strings of an event */

_Static_assert(ROOM + REC_ARGUMENTS_MAX * 12 + 16 <= REC_STREAM_EVENT_MAX, "an event fits");

static const uint8_t type_bytes[] = {
	[FMT_ARG_U8] = 1, [FMT_ARG_U16] = 2, [FMT_ARG_U32] = 4, [FMT_ARG_U64] = 8,
	[FMT_ARG_S8] = 1, [FMT_ARG_S16] = 2, [FMT_ARG_S32] = 4, [FMT_ARG_S64] = 8,
	[FMT_ARG_F32] = 4, [FMT_ARG_F64] = 8, [FMT_ARG_POINTER] = 8, [FMT_ARG_STRING] = 1,
};

/* A call's arguments in the language that made it. */
struct view {
	struct rec_call *call;
	const struct rec_symbol *symbol;
	const struct rec_argument *argument; /* the first with this `when` */
	uint32_t arguments;
	bool by_reference;
	bool heads;          /* what its words point to can be read, as far as the page of the first byte goes */
};

struct capture {
	const char *from; /* memory that holds the values; NULL: the word itself */
	uint32_t values;
	uint32_t bytes;   /* in the event, without the count */
};

static inline const struct rec_argument *find(const struct rec_backend *backend, uint32_t function,
					      enum fmt_arg_when when, uint32_t *count_out)
{
	const struct rec_function *described = &backend->function[function];
	const struct rec_argument *first = &backend->argument[described->argument];

	*count_out = when == FMT_ARG_IN ? described->in : described->out;
	return when == FMT_ARG_IN ? first : first + described->in;
}

static inline void look_at(struct view *view, struct rec_call *call, enum fmt_arg_when when)
{
	const struct rec_backend *backend = call->backend;

	view->call = call;
	view->symbol = &backend->symbol[call->symbol];
	view->argument = find(backend, view->symbol->function, when, &view->arguments);
	view->by_reference = backend->reference_variants >> view->symbol->variant & 1;
}

/* The word of an argument; 0 where the language has none. */
static rec_word word_of(const struct view *view, const struct rec_argument *argument)
{
	uint8_t index = view->by_reference ? argument->reference : argument->index;

	return index == REC_ARGUMENT_ABSENT ? 0 : view->call->args[index];
}

static bool is_handle(const struct rec_argument *argument)
{
	return argument->flags & (REC_ARGUMENT_HANDLE | REC_ARGUMENT_OBJECT);
}

/* Whose memory is asked about: the initial thread may have ended, and a process by its pid has none then. */
static uint32_t own_tid(void)
{
	const struct rec_tls *tls = &rec_tls;

	if (likely(tls->thread && tls->generation == rec_generation()))
		return tls->thread->tid;
	return (uint32_t)syscall(SYS_gettid);
}

/* Can a byte be read at each of these places? Where the kernel does not let us ask, roles are trusted. */
static bool ask(const struct iovec *there, uint32_t places)
{
	char seen[PLACES_MAX];
	struct iovec here = {seen, places};
	int saved = errno;
	long got = syscall(SYS_process_vm_readv, own_tid(), &here, 1ul, there, (unsigned long)places, 0ul);

	if (got < 0 && errno != EFAULT)
		got = places;
	errno = saved;
	return got == (long)places;
}

/* One byte of each page is looked at, but for the first where that is known. */
static bool are_pages_readable(const char *from, const char *last, bool head)
{
	struct iovec there[2 + VALUES_MAX * 32 / REC_PAGE];
	uint32_t pages = 0;

	for (const char *at = from; at <= last && pages < sizeof(there) / sizeof(there[0]);
	     at = (const char *)(((uintptr_t)at & ~(uintptr_t)(REC_PAGE - 1)) + REC_PAGE))
		if (!head || at != from)
			there[pages++] = (struct iovec){(void *)at, 1};
	return ask(there, pages);
}

/* Can the bytes be read? head: the first can. */
static inline bool is_readable(const char *from, size_t bytes, bool head)
{
	const char *last = from + (bytes ? bytes - 1 : 0);

	if (unlikely(last < from)) /* beyond the end of the address space */
		return false;
	return (head && !(((uintptr_t)from ^ (uintptr_t)last) & ~(uintptr_t)(REC_PAGE - 1))) ||
	       are_pages_readable(from, last, head);
}

bool rec_readable(const void *from, size_t bytes)
{
	return is_readable(from, bytes, false);
}

static bool is_handle_or_number(const struct rec_argument *argument)
{
	return argument->type != FMT_ARG_POINTER || is_handle(argument);
}

/* Does a variant of the API pass this buffer by a descriptor? That begins with its address. */
static bool is_descriptor(const struct view *view, const struct rec_argument *argument)
{
	return view->by_reference && argument->flags & REC_ARGUMENT_BUFFER &&
	       view->call->backend->descriptor_variants >> view->symbol->variant & 1;
}

/* Is the word of an argument that is passed by value in C an address? */
static bool is_pointed(const struct view *view, const struct rec_argument *argument)
{
	return view->by_reference && (is_handle_or_number(argument) || is_descriptor(view, argument));
}

static bool has_length_elsewhere(const struct view *view, const struct rec_argument *argument)
{
	return argument->how >= REC_ARGUMENT_OPTIONAL && !(argument->flags & REC_ARGUMENT_LENGTH_FIXED) &&
	       (view->by_reference || argument->flags & REC_ARGUMENT_LENGTH_POINTED);
}

static inline uint32_t add_place(struct iovec *there, uint32_t places, rec_word word)
{
	if (word >= REC_POINTER_MIN && (!places || (rec_word)there[places - 1].iov_base != word))
		there[places++] = (struct iovec){(void *)word, 1};
	return places;
}

/* Bytes of one value in the program's memory. */
static inline uint32_t stride(const struct view *view, const struct rec_argument *argument)
{
	if (argument->part)
		return view->call->backend->part_bytes;
	if (view->by_reference && is_handle(argument))
		return 4;
	if (!(argument->flags & REC_ARGUMENT_HANDLE))
		return type_bytes[argument->type];
	return view->call->backend->handle_bytes ? view->call->backend->handle_bytes : 8;
}

/* Copies of a length that the compiler knows: no call. */
static inline uint64_t load(const char *from, uint32_t bytes)
{
	uint64_t value = 0;

	switch (bytes) {
	case 1: memcpy(&value, from, 1); break;
	case 2: memcpy(&value, from, 2); break;
	case 4: memcpy(&value, from, 4); break;
	default: memcpy(&value, from, 8); break;
	}
	return value;
}

static inline char *store(char *at, uint64_t value, uint32_t bytes)
{
	switch (bytes) {
	case 1: memcpy(at, &value, 1); break;
	case 2: memcpy(at, &value, 2); break;
	case 4: memcpy(at, &value, 4); break;
	default: memcpy(at, &value, 8); break;
	}
	return at + bytes;
}

/* A value in the program's memory. */
static uint64_t read_value(const struct view *view, const struct rec_argument *argument, const char *from)
{
	const struct rec_backend *backend = view->call->backend;
	uint64_t value;

	if (argument->part)
		return backend->part(argument->part, from);
	value = load(from, stride(view, argument));
	return view->by_reference && is_handle(argument) && backend->convert ?
		backend->convert(argument->names, value) : value;
}

/* How many values an array has, as another argument says. */
static uint64_t array_length(const struct view *view, const struct rec_argument *argument)
{
	bool wide = argument->flags & REC_ARGUMENT_LENGTH_WIDE;
	rec_word word = argument->length;
	int64_t length;

	if (argument->flags & REC_ARGUMENT_LENGTH_FIXED)
		return word;
	word = view->call->args[argument->length];
	if (has_length_elsewhere(view, argument)) {
		if (word < REC_POINTER_MIN || !is_readable((const char *)word, wide ? 8 : 4, view->heads))
			return 0;
		word = load((const char *)word, wide ? 8 : 4);
	}
	length = wide ? (int64_t)word : (int32_t)word;
	if (argument->how == REC_ARGUMENT_OPTIONAL)
		return length != 0; /* true may be -1 */
	return length > 0 ? (uint64_t)length : 0;
}

/* Length of a string; Fortran's is given apart and padded with blanks. */
static uint32_t string_length(const struct view *view, const struct rec_argument *argument, const char *text,
			      uint32_t most)
{
	uint32_t length = 0;

	if (view->by_reference) {
		/* compilers differ in its width */
		uint32_t given = (uint32_t)view->call->args[view->symbol->args - argument->length];

		most = given < most ? given : most;
		if (!is_readable(text, most, view->heads))
			return 0;
		while (most && text[most - 1] == ' ')
			most--;
	}
	while (length < most && text[length]) {
		length++;
		if (!((uintptr_t)(text + length) & (REC_PAGE - 1)) && !is_readable(text + length, 1, false))
			break; /* more than is there */
	}
	return length;
}

static void measure_pointed(const struct view *view, const struct rec_argument *argument, struct capture *capture,
			    uint32_t *room)
{
	uint32_t bytes = type_bytes[argument->type];
	uint64_t values = 1, most = *room / bytes < VALUES_MAX ? *room / bytes : VALUES_MAX;
	rec_word word = word_of(view, argument);

	capture->values = capture->bytes = 0;
	capture->from = (const char *)word;
	if (word < REC_POINTER_MIN || (argument->part && !view->call->backend->part))
		return;
	if (argument->type == FMT_ARG_STRING) {
		if (*room < 2 || !is_readable((const char *)word, 1, view->heads))
			return;
		capture->values = 1;
		capture->bytes = 1 + string_length(view, argument, (const char *)word,
						   *room - 1 < STRING_MAX ? *room - 1 : STRING_MAX);
	} else {
		if (argument->how != REC_ARGUMENT_POINTED)
			values = array_length(view, argument);
		if (values > most)
			values = most;
		if (!values || !is_readable((const char *)word, values * stride(view, argument), view->heads))
			return;
		capture->values = (uint32_t)values;
		capture->bytes = capture->values * bytes;
	}
	*room -= capture->bytes;
}

/* May the place be read that the program gave for something to be written? */
static bool is_written(const struct view *view, const struct rec_argument *argument, bool failed)
{
	return (!failed || argument->flags & REC_ARGUMENT_ERROR) &&
	       (argument->index >= 64 || view->call->given >> argument->index & 1);
}

/* One question for all that the call's words point to. If one of them is bad, each is asked for when it is read. */
static bool can_read_heads(const struct view *view, bool failed)
{
	struct iovec there[PLACES_MAX];
	uint32_t places = 0;

	if (view->arguments < 2 && !view->by_reference)
		return false;
	for (uint32_t i = 0; i < view->arguments; i++) {
		const struct rec_argument *argument = &view->argument[i];

		if (argument->how == REC_ARGUMENT_VALUE ? !is_pointed(view, argument) :
		    argument->when == FMT_ARG_OUT && !is_written(view, argument, failed))
			continue;
		places = add_place(there, places, word_of(view, argument));
		if (has_length_elsewhere(view, argument))
			places = add_place(there, places, view->call->args[argument->length]);
	}
	return places > 1 && ask(there, places); /* one is asked for when it is read as well */
}

/* Bytes of all arguments in the event. */
static uint32_t measure(struct view *view, bool failed, struct capture *capture)
{
	uint32_t total = 0, room = ROOM;

	view->heads = can_read_heads(view, failed);
	for (uint32_t i = 0; i < view->arguments; i++) {
		const struct rec_argument *argument = &view->argument[i];

		if (argument->how == REC_ARGUMENT_VALUE) {
			total += capture[i].bytes = type_bytes[argument->type];
			continue;
		}
		total += 4;
		if (argument->when == FMT_ARG_OUT && !is_written(view, argument, failed))
			capture[i] = (struct capture){NULL, 0, 0};
		else
			measure_pointed(view, argument, &capture[i], &room);
		total += capture[i].bytes;
	}
	return total;
}

/* An argument that is passed by value, in C. */
static uint64_t value_of(const struct view *view, const struct rec_argument *argument)
{
	const struct rec_backend *backend = view->call->backend;
	rec_word word = word_of(view, argument);

	if (view->by_reference) {
		if (is_pointed(view, argument) && word >= REC_POINTER_MIN &&
		    !is_readable((const char *)word, stride(view, argument), view->heads))
			return 0;
		if (is_handle_or_number(argument))
			return word < REC_POINTER_MIN ? 0 : read_value(view, argument, (const char *)word);
		if (!(argument->flags & REC_ARGUMENT_BUFFER))
			return word;
		word = rec_buffer_address(backend, view->symbol->variant, word);
		return backend->convert ? backend->convert(argument->names, word) : word;
	}
	return argument->flags & REC_ARGUMENT_HANDLE && stride(view, argument) == 4 ? (uint32_t)word : word;
}

static char *write_string(char *at, const struct capture *capture)
{
	for (uint32_t i = 0; i + 1 < capture->bytes; i++)
		*at++ = capture->from[i] ? capture->from[i] : '?'; /* it has become shorter */
	*at++ = '\0';
	return at;
}

static char *write_values(char *at, const struct view *view, const struct rec_argument *argument,
			  const struct capture *capture)
{
	uint32_t step = stride(view, argument), bytes = type_bytes[argument->type];

	for (uint32_t i = 0; i < capture->values; i++)
		at = store(at, read_value(view, argument, capture->from + i * step), bytes);
	return at;
}

static void write_all(char *at, const struct view *view, const struct capture *capture)
{
	for (uint32_t i = 0; i < view->arguments; i++, capture++) {
		const struct rec_argument *argument = &view->argument[i];

		if (argument->how == REC_ARGUMENT_VALUE) {
			at = store(at, value_of(view, argument), capture->bytes);
			continue;
		}
		at = store(at, capture->values, 4);
		if (capture->values)
			at = argument->type == FMT_ARG_STRING ? write_string(at, capture) :
								write_values(at, view, argument, capture);
	}
}

/* Which pointers to results the program gave: hooks may put others in place of none. */
static void note_given(struct view *view)
{
	struct rec_call *call = view->call;
	uint32_t count;
	const struct rec_argument *argument = find(call->backend, view->symbol->function, FMT_ARG_OUT, &count);

	call->given = 0;
	for (; count; count--, argument++)
		if (argument->index < 64 && word_of(view, argument) >= REC_POINTER_MIN &&
		    !(argument->part && call->backend->ignores && call->backend->ignores(word_of(view, argument))))
			call->given |= (uint64_t)1 << argument->index;
}

uint64_t rec_args_entry(struct rec_call *call)
{
	struct rec_writer *writer = &rec_tls.writer;
	struct capture capture[REC_ARGUMENTS_MAX];
	uint64_t ticks, begin = rec_now_ticks();
	struct view view;
	uint32_t bytes;
	char *at;

	look_at(&view, call, FMT_ARG_IN);
	note_given(&view);
	bytes = 8 + measure(&view, false, capture);
	at = rec_stream_take(writer, bytes, false, &ticks);
	rec_stream_head(at, fmt_event_id(call->slot, FMT_CALL_ENTRY), ticks);
	write_all(at + 8, &view, capture);
	rec_stream_publish(writer, at + bytes, ticks);
	call->thread->arguments += rec_now_ticks() - begin;
	return ticks;
}

uint64_t rec_args_exit(struct rec_call *call)
{
	struct rec_writer *writer = &rec_tls.writer;
	struct capture capture[REC_ARGUMENTS_MAX];
	uint64_t ticks, begin = rec_now_ticks();
	struct view view;
	uint32_t bytes;
	char *at;

	look_at(&view, call, FMT_ARG_OUT);
	bytes = 16 + measure(&view, call->failed, capture);
	at = rec_stream_take(writer, bytes, false, &ticks);
	rec_stream_head(at, fmt_event_id(call->slot, FMT_CALL_EXIT) + call->failed, ticks);
	rec_stream_put(at + 8, call->result);
	write_all(at + 16, &view, capture);
	rec_stream_publish(writer, at + bytes, ticks);
	call->thread->arguments += rec_now_ticks() - begin;
	return ticks;
}

/* ---- what stands in the record about them: locked, at a function's first call ---- */

/* NULL: its values have no names. */
static const char *names_of(const struct rec_backend *backend, const struct rec_argument *argument)
{
	const char *text;

	if (!argument->names)
		return NULL;
	text = backend->pool + backend->names[argument->names];
	return !*text && backend->names_found ? backend->names_found(argument->names) : text;
}

/* Where a function says why it failed: by a pointer, or by its result. NULL: nowhere that is described. */
static const struct rec_argument *answer_of(const struct rec_backend *backend, const struct rec_function *described)
{
	const struct rec_argument *first = &backend->argument[described->argument];
	uint32_t arguments = (uint32_t)described->in + described->out;

	for (uint32_t i = 0; i < arguments; i++)
		if (first[i].flags & REC_ARGUMENT_ERROR)
			return &first[i];
	return described->results ? &first[arguments] : NULL;
}

/* No lock of first calls is held: names of answers are texts that a library has from the beginning. */
const char *rec_args_answers(const struct rec_backend *backend, const struct rec_function *described)
{
	const struct rec_argument *argument = backend->argument ? answer_of(backend, described) : NULL;

	return argument ? names_of(backend, argument) : NULL;
}

rec_word rec_args_answer(const struct rec_call *call)
{
	const struct rec_backend *backend = call->backend;
	const struct rec_symbol *symbol;
	const struct rec_argument *argument;
	int32_t answer;

	if (call->symbol >= backend->symbols || !backend->argument)
		return call->result;
	symbol = &backend->symbol[call->symbol];
	argument = answer_of(backend, &backend->function[symbol->function]);
	if (!argument || argument->when == FMT_ARG_RESULT || backend->reference_variants >> symbol->variant & 1)
		return call->result; /* of Fortran the error argument */
	if (!call->args || call->args[argument->index] < REC_POINTER_MIN ||
	    !rec_readable((const void *)call->args[argument->index], sizeof(answer)))
		return 0;
	memcpy(&answer, (const void *)call->args[argument->index], sizeof(answer));
	return (rec_word)(intptr_t)answer;
}

static bool describe(const struct rec_backend *backend, uint32_t slot, const struct rec_argument *argument)
{
	const char *name = backend->pool + argument->name, *names = names_of(backend, argument);
	struct fmt_arg *item = rec_area_add(FMT_SECTION_ARGS, NULL);

	if (!item)
		return false;
	item->name = rec_name(name, strlen(name));
	item->slot = slot;
	item->when = argument->when;
	item->type = argument->type;
	item->flags = argument->flags & REC_ARGUMENT_FLAGS ? FMT_ARG_FLAGS : 0;
	if (argument->how != REC_ARGUMENT_VALUE)
		item->flags |= argument->how == REC_ARGUMENT_ARRAY ? FMT_ARG_ARRAY : FMT_ARG_ARRAY | FMT_ARG_SCALAR;
	item->enumeration = names ? rec_text(names, strlen(names)) : 0;
	rec_area_publish(FMT_SECTION_ARGS);
	return item->name || argument->when == FMT_ARG_RESULT;
}

bool rec_args_describe(const struct rec_backend *backend, uint32_t function, uint32_t slot)
{
	const struct rec_function *described = &backend->function[function];

	for (uint32_t i = 0; i < (uint32_t)described->in + described->out + described->results; i++) {
		const struct rec_argument *argument = &backend->argument[described->argument + i];

		if ((rec_state.arguments || argument->when == FMT_ARG_RESULT) && !describe(backend, slot, argument))
			return false;
	}
	return true;
}

const struct rec_argument *rec_args_of(const struct rec_backend *backend, uint32_t function, enum fmt_arg_when when,
				       uint32_t *count_out)
{
	const struct rec_argument *first = find(backend, function, when, count_out);

	if (!rec_state.arguments)
		*count_out = 0;
	return first;
}
