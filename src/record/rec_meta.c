/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ctf/metadata: what other readers of CTF need to know. The file is padded with spaces and mapped. A line is
 * written behind a comment mark and comes to life by one store of two spaces over it, before the first event
 * that needs it: the text is valid at any moment. Locked slow path.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "format/stream.h"
#include "record/rec_state.h"

#define STEP (64u << 10)

static struct {
	char *map; /* the last STEP bytes of the file */
	uint64_t from, used; /* where in the file they begin, how many are in use */
	char path[REC_PATH_MAX + 32];
} meta;

static const char preamble[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"typealias integer { size = 8; align = 8; signed = true; } := int8_t;\n"
	"typealias integer { size = 16; align = 8; signed = true; } := int16_t;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
	"typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = 16; } := pointer_t;\n"
	"typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := float32_t;\n"
	"typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := float64_t;\n"
	"trace { major = 1; minor = 8; byte_order = le;\n"
	"\tpacket.header := struct { uint32_t magic; uint32_t stream_id; };\n"
	"};\n";

static const char streams[] =
	"typealias integer { size = 64; align = 8; signed = false; map = clock.sonde.value; } := ticks_t;\n"
	"typealias integer { size = 48; align = 8; signed = false; map = clock.sonde.value; } := ticks48_t;\n"
	"struct context { ticks_t timestamp_begin; uint64_t content_size; ticks_t timestamp_end;\n"
	"\tuint64_t packet_size;"
	"\tuint64_t events_discarded; uint64_t packet_seq_num; uint32_t pid; uint32_t tid; uint64_t raw_ns;\n"
	"\tuint64_t real_ns; };\n"
	"struct head { uint16_t id; ticks48_t timestamp; };\n"
	"stream { id = 0; packet.context := struct context; event.header := struct head; };\n"
	"stream { id = 1; packet.context := struct context; event.header := struct head; };\n"
	"event { name = \"sonde:link\"; id = 1; stream_id = 0; fields := struct { uint64_t correlation; }; };\n"
	"event { name = \"sonde:bytes\"; id = 2; stream_id = 0; fields := struct { uint64_t out; uint64_t in; }; };\n"
	"event { name = \"sonde:memory\"; id = 3; stream_id = 0; fields := struct { uint64_t live_bytes;"
	" int64_t change; uint32_t backend; uint32_t device; uint32_t memory; uint32_t reserved; }; };\n"
	"event { name = \"sonde:left\"; id = 4; stream_id = 0; fields := struct { uint64_t slot; }; };\n"
	"enum value_type : uint32_t { none = 0, u8, u16, u32, u64, s8, s16, s32, s64, f32, f64, pointer, string_at };\n"
	"variant value { uint64_t none; uint64_t u8; uint64_t u16; uint64_t u32; uint64_t u64; int64_t s8; int64_t s16;"
	" int64_t s32; int64_t s64; float64_t f32; float64_t f64; pointer_t pointer; uint64_t string_at; };\n"
	"struct told { enum value_type type; uint32_t category; uint32_t scope; uint32_t reserved;"
	" variant value <type> value; };\n"
	"event { name = \"sonde:operation\"; id = 1; stream_id = 1; fields := struct { uint64_t begin_ns;"
	" uint64_t end_ns; uint64_t correlation; uint64_t name; uint64_t bytes; uint32_t device; uint32_t queue;"
	" uint32_t error_ns; uint32_t backend; uint8_t kind; uint8_t direction; uint8_t memory;"
	" uint8_t waited; uint8_t reserved[4]; }; };\n"
	"event { name = \"sonde:detailed_operation\"; id = 3; stream_id = 1; fields := struct { uint64_t begin_ns;"
	" uint64_t end_ns; uint64_t correlation; uint64_t name; uint64_t bytes; uint32_t device; uint32_t queue;"
	" uint32_t error_ns; uint32_t backend; uint8_t kind; uint8_t direction; uint8_t memory;"
	" uint8_t waited; uint8_t reserved[4]; uint32_t known; uint32_t grid[3]; uint32_t block[3];"
	" uint32_t registers; uint32_t static_shared; uint32_t dynamic_shared; uint32_t graph;"
	" uint32_t reserved_too; uint64_t node; }; };\n"
	"event { name = \"sonde:name\"; id = 2; stream_id = 1; fields := struct { uint64_t name; string text; }; };\n";

/* Other readers see ticks as the launcher found them to run, the same for all processes of the node. */
static int clock_text(char *text, size_t size, const struct fmt_plan *plan)
{
	double seconds = (double)plan->clock.ticks / (double)plan->clock_rate;
	int64_t zero_ns = (int64_t)plan->clock.real_ns - (int64_t)(seconds * 1e9);

	return snprintf(text, size,
			"clock { name = sonde; description = \"ticks of the recording\"; freq = %llu; absolute = true;"
			" offset_s = %lld; offset = %llu; };\n",
			(unsigned long long)plan->clock_rate, (long long)(zero_ns / 1000000000),
			(unsigned long long)((double)(zero_ns % 1000000000) * 1e-9 * (double)plan->clock_rate));
}

/* Appends a step of spaces to the file and maps it. */
static bool extend(int fd, uint64_t from)
{
	static char spaces[4096]; /* the stack may be a small one */
	char *map;

	if (!rec_file_may_grow(from + STEP))
		return false;
	memset(spaces, ' ', sizeof(spaces));
	for (uint64_t done = 0; done < STEP;) {
		ssize_t wrote;

		if (done == STEP - sizeof(spaces)) /* ends the line that a kill cuts off */
			spaces[sizeof(spaces) - 1] = '\n';
		wrote = pwrite(fd, spaces, sizeof(spaces), (off_t)(from + done));

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote != (ssize_t)sizeof(spaces))
			return false;
		done += (uint64_t)wrote;
	}
	map = mmap(NULL, STEP, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)from);
	if (map == MAP_FAILED)
		return false;
	if (!rec_back(map, STEP)) {
		munmap(map, STEP);
		return false;
	}
	if (meta.map)
		munmap(meta.map, STEP);
	meta.map = map;
	meta.from = from;
	meta.used = 0;
	return true;
}

static bool make_room(size_t length)
{
	bool done;
	int fd;

	if (meta.map && meta.used + length < STEP)
		return true;
	fd = open(meta.path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	done = extend(fd, meta.from + STEP);
	close(fd);
	return done;
}

/* Adds a line that begins with two characters of no meaning. */
static bool add_line(const char *line, size_t length)
{
	char *at;

	if (!make_room(length))
		return false;
	at = meta.map + meta.used;
	memcpy(at, "//", 2);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	memcpy(at + 2, line + 2, length - 2);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(at, "  ", 2);
	meta.used += length;
	return true;
}

/* Declares an argument. What leads with an underscore loses it in readers, and cannot be a word of the language. */
static size_t add_field(char *text, size_t size, const char *name, const struct rec_argument *argument)
{
	static const char *const types[] = {
		[FMT_ARG_U8] = "uint8_t", [FMT_ARG_U16] = "uint16_t", [FMT_ARG_U32] = "uint32_t",
		[FMT_ARG_U64] = "uint64_t", [FMT_ARG_S8] = "int8_t", [FMT_ARG_S16] = "int16_t",
		[FMT_ARG_S32] = "int32_t", [FMT_ARG_S64] = "int64_t", [FMT_ARG_F32] = "float32_t",
		[FMT_ARG_F64] = "float64_t", [FMT_ARG_POINTER] = "pointer_t", [FMT_ARG_STRING] = "string",
	};
	const char *type = types[argument->type];
	char field[80];
	size_t length = 0;

	for (; name[length] && length + 1 < sizeof(field); length++)
		field[length] = name[length] == '.' ? '_' : name[length];
	field[length] = '\0';
	if (argument->how == REC_ARGUMENT_VALUE)
		return (size_t)snprintf(text, size, "%s _%s; ", type, field);
	return (size_t)snprintf(text, size, "uint32_t __%s_length; %s _%s[__%s_length]; ", field, type, field, field);
}

/* Describes one event of a call: a result or none, and arguments. */
static bool add_class(uint32_t slot, enum fmt_call_event event, const char *suffix, const struct rec_backend *backend,
		      uint32_t function)
{
	static char line[8192];
	const char *name = backend->pool + backend->function[function].name;
	enum fmt_arg_when when = event == FMT_CALL_ENTRY ? FMT_ARG_IN : FMT_ARG_OUT;
	const struct rec_argument *argument;
	uint32_t count;
	size_t used;

	argument = rec_args_of(backend, function, when, &count);
	used = (size_t)snprintf(line, sizeof(line),
				"  event { name = \"%s:%s_%s\"; id = %u; stream_id = 0; fields := struct { %s",
				backend->name, name, suffix, fmt_event_id(slot, event),
				fmt_is_entry(event) ? "" : "int64_t result; ");
	for (; count && event < FMT_CALL_BARE_ENTRY && used < sizeof(line); count--, argument++)
		used += add_field(line + used, sizeof(line) - used, backend->pool + argument->name, argument);
	if (used < sizeof(line))
		used += (size_t)snprintf(line + used, sizeof(line) - used, "}; };\n");
	return used < sizeof(line) && add_line(line, used);
}

static bool add_classes(uint32_t slot, const struct rec_backend *backend, uint32_t function)
{
	return rec_args_describe(backend, function, slot) &&
	       add_class(slot, FMT_CALL_ENTRY, "entry", backend, function) &&
	       add_class(slot, FMT_CALL_EXIT, "exit", backend, function) &&
	       add_class(slot, FMT_CALL_FAILED, "failed", backend, function) &&
	       (!rec_state.arguments || (add_class(slot, FMT_CALL_BARE_ENTRY, "entry", backend, function) &&
					 add_class(slot, FMT_CALL_BARE_EXIT, "exit", backend, function) &&
					 add_class(slot, FMT_CALL_BARE_FAILED, "failed", backend, function)));
}

/* A name that only the program knows, inside of quotes: what is no plain character is written in base 8. */
static size_t quote(char *text, size_t size, const char *name)
{
	size_t used = 0;

	for (; *name && used + 5 < size; name++) {
		unsigned char c = (unsigned char)*name;

		if (c >= ' ' && c < 0x7f && c != '"' && c != '\\')
			text[used++] = (char)c;
		else
			used += (size_t)snprintf(text + used, size - used, "\\%03o", c);
	}
	text[used] = '\0';
	return used;
}

static bool add_dynamic_class(uint32_t slot, enum fmt_call_event event, const char *suffix,
			      const struct rec_backend *backend, const char *name, const char *fields)
{
	static char line[20480];
	size_t used = (size_t)snprintf(line, sizeof(line), "  event { name = \"%s:", backend->name);

	used += quote(line + used, sizeof(line) - used - 256, name);
	used += (size_t)snprintf(line + used, sizeof(line) - used,
				 "%s\"; id = %u; stream_id = 0; fields := struct { %s}; };\n", suffix,
				 fmt_event_id(slot, event), fields);
	return add_line(line, used);
}

void rec_meta_dynamic(uint32_t slot, const struct rec_backend *backend, const char *name, enum sonde_kind kind)
{
	bool done;

	if (!rec_state.process->streams || rec_state.streamed != slot - 1 || slot > FMT_EVENT_FUNCTIONS_MAX)
		return;
	if (kind == SONDE_KIND_counter)
		done = add_dynamic_class(slot, FMT_CALL_TOLD, "", backend, name, "struct told told; ");
	else if (kind == SONDE_KIND_mark)
		done = add_dynamic_class(slot, FMT_CALL_INSTANT, "", backend, name, "") &&
		       add_dynamic_class(slot, FMT_CALL_TOLD, "", backend, name, "struct told told; ");
	else if (kind == SONDE_KIND_range)
		done = add_dynamic_class(slot, FMT_CALL_ENTRY, "_entry", backend, name, "") &&
		       add_dynamic_class(slot, FMT_CALL_EXIT, "_exit", backend, name, "") &&
		       add_dynamic_class(slot, FMT_CALL_NUMBERED, "_entry", backend, name, "uint64_t number; ") &&
		       add_dynamic_class(slot, FMT_CALL_TOLD, "_entry", backend, name, "struct told told; ") &&
		       add_dynamic_class(slot, FMT_CALL_TOLD_START, "_range", backend, name,
					 "uint64_t range; struct told told; ") &&
		       add_dynamic_class(slot, FMT_CALL_ASYNC, "_range", backend, name, "uint64_t range; ");
	else
		done = add_dynamic_class(slot, FMT_CALL_ENTRY, "_entry", backend, name, "") &&
		       add_dynamic_class(slot, FMT_CALL_EXIT, "_exit", backend, name, "int64_t result; ") &&
		       add_dynamic_class(slot, FMT_CALL_FAILED, "_failed", backend, name, "int64_t result; ") &&
		       (!rec_state.arguments ||
			(add_dynamic_class(slot, FMT_CALL_BARE_ENTRY, "_entry", backend, name, "") &&
			 add_dynamic_class(slot, FMT_CALL_BARE_EXIT, "_exit", backend, name, "int64_t result; ") &&
			 add_dynamic_class(slot, FMT_CALL_BARE_FAILED, "_failed", backend, name, "int64_t result; ")));
	if (done)
		__atomic_store_n(&rec_state.streamed, slot, __ATOMIC_RELEASE);
	else if (!rec_state.process->streams_end)
		rec_state.process->streams_end = FMT_STREAMS_NO_SPACE;
}

void rec_meta_function(uint32_t slot, const struct rec_backend *backend, uint32_t function, bool counted)
{
	if (!rec_state.process->streams || rec_state.streamed != slot - 1 || slot > FMT_EVENT_FUNCTIONS_MAX)
		return;
	/* a counted function has no events; without its description a function's events, and later ones', are lost */
	if (counted || add_classes(slot, backend, function))
		__atomic_store_n(&rec_state.streamed, slot, __ATOMIC_RELEASE);
	else if (!rec_state.process->streams_end)
		rec_state.process->streams_end = FMT_STREAMS_NO_SPACE;
}

static void write_head(const struct fmt_plan *plan)
{
	char clock[512];
	int length = clock_text(clock, sizeof(clock), plan);

	memcpy(meta.map, preamble, sizeof(preamble) - 1);
	meta.used = sizeof(preamble) - 1;
	memcpy(meta.map + meta.used, clock, (size_t)length);
	meta.used += (size_t)length;
	memcpy(meta.map + meta.used, streams, sizeof(streams) - 1);
	meta.used += sizeof(streams) - 1;
}

/*
 * Under other names first: a folder of streams has its metadata, and what is called metadata is whole, wherever a kill
 * comes.
 */
bool rec_meta_open(const struct fmt_plan *plan)
{
	int directory = (int)(strrchr(rec_state.path, '/') - rec_state.path);
	static char folder[REC_PATH_MAX + 32], draft[REC_PATH_MAX + 48], ready[REC_PATH_MAX + 48];
	bool done;
	int fd;

	snprintf(folder, sizeof(folder), "%.*s/" FMT_STREAM_DIRECTORY ".new", directory, rec_state.path);
	snprintf(draft, sizeof(draft), "%s/draft", folder);
	snprintf(ready, sizeof(ready), "%s/metadata", folder);
	snprintf(meta.path, sizeof(meta.path), "%.*s/" FMT_STREAM_DIRECTORY, directory, rec_state.path);
	if (mkdir(folder, 0700) != 0)
		return false;
	fd = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	done = fd >= 0 && extend(fd, 0);
	if (fd >= 0)
		close(fd);
	if (done)
		write_head(plan);
	if (done && rename(draft, ready) == 0 && rename(folder, meta.path) == 0) {
		snprintf(meta.path, sizeof(meta.path), "%.*s/" FMT_STREAM_DIRECTORY "/metadata", directory,
			 rec_state.path);
		return true;
	}
	unlink(draft);
	unlink(ready);
	rmdir(folder);
	return false;
}

void rec_meta_forget(void)
{
	meta.map = NULL; /* the parent's */
	rec_state.streamed = 0;
	rec_state.streams_stopped = false;
}
