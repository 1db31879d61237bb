/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stream files: growth, packets, loss. A file grows by areas. Every page of a new area is first written as an
 * empty packet, so that a full disk is an error here and not a signal later, and so that the file is valid
 * wherever a kill cuts the growth off; then one store makes the area one packet. A thread that takes
 * over a block splits the rest of its packet off. No descriptor stays open. Areas double with the file: fresh pages
 * are most of what events cost, and 2 MiB in one piece are a single page to a kernel that can do that.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "record/rec_state.h"
#include "record/rec_stream.h"

#define AREA_FIRST (64u << 10)
#define AREA_MOST (2u << 20)
#define RETRY_EVENTS 4096u /* discarded events after which room is looked for again */
#define BLOCK_STEP_NS 10000000
#define AREAS_KEPT 8u

struct area {
	char *map;
	uint32_t bytes;
};

struct stream {
	struct fmt_packet *packet; /* the last one, NULL: none yet */
	char *area; /* the current one, mapped */
	uint32_t area_bytes;
	uint32_t kept_count;
	struct area kept[AREAS_KEPT]; /* earlier ones, still mapped: see keep_area() */
	uint64_t file_bytes;
	uint64_t sequence;
	uint64_t discarded;
	uint32_t retry;   /* events until room is looked for again */
	uint32_t failure; /* enum fmt_streams_end: why it did not grow */
};
static struct stream streams[REC_THREADS_MAX + 1];
char rec_stream_unread[REC_STREAM_EVENT_MAX];
/* Not on the stack, which may be a signal handler's or a thread's of the least size. One stream grows at a time. */
static struct {
	uint32_t lock;
	char path[REC_PATH_MAX + 32];
	char page[FMT_PACKET_UNIT];
	struct iovec part[AREA_MOST / FMT_PACKET_UNIT];
} growing;
static struct fmt_packet nowhere; /* of writers without room: nobody reads it */

static void stream_path(const struct rec_writer *writer, char *path, size_t size)
{
	int directory = (int)(strrchr(rec_state.path, '/') - rec_state.path);

	if (writer->stream == REC_STREAM_DEVICE)
		snprintf(path, size, "%.*s/" FMT_STREAM_DIRECTORY "/device", directory, rec_state.path);
	else
		snprintf(path, size, "%.*s/" FMT_STREAM_DIRECTORY "/thread.%u", directory, rec_state.path,
			 writer->stream);
}

/* An empty packet. */
static void describe(struct fmt_packet *packet, const struct rec_writer *writer, const struct fmt_triple *now,
		     uint64_t bytes)
{
	const struct stream *stream = &streams[writer->stream];
	bool device = writer->stream == REC_STREAM_DEVICE;

	*packet = (struct fmt_packet){
		.magic = FMT_PACKET_MAGIC,
		.stream = device ? FMT_STREAM_DEVICE : FMT_STREAM_THREAD,
		.begin = now->ticks, .end = now->ticks,
		.content_bits = sizeof(*packet) * 8, .packet_bits = bytes * 8,
		.discarded = stream->discarded, .sequence = stream->sequence,
		.pid = rec_pid(), .tid = device ? 0 : (uint32_t)syscall(SYS_gettid),
		.raw_ns = now->raw_ns, .real_ns = now->real_ns,
	};
}

/* As many parts of `growing` as `bytes` from `done` on are: the same page again and again. */
static int lay_out_parts(uint32_t done, uint32_t bytes)
{
	const uint32_t page_bytes = sizeof(growing.page);
	uint32_t at = done % page_bytes;
	int parts = 0;

	for (done -= at; done < bytes; done += page_bytes, at = 0)
		growing.part[parts++] = (struct iovec){growing.page + at, page_bytes - at};
	return parts;
}

/* Writes the area as empty packets of one page each; where that fails the file stays as it was. */
static bool write_area(int fd, const struct rec_writer *writer, const struct fmt_triple *now, uint32_t bytes)
{
	uint64_t from = streams[writer->stream].file_bytes;
	uint32_t done = 0;

	memset(growing.page, 0, sizeof(growing.page));
	describe((struct fmt_packet *)growing.page, writer, now, sizeof(growing.page));
	while (done < bytes) {
		ssize_t wrote = pwritev(fd, growing.part, lay_out_parts(done, bytes), (off_t)(from + done));

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0) {
			errno = wrote ? errno : ENOSPC;
			if (ftruncate(fd, (off_t)from) != 0)
				rec_debug("a stream cannot be cut back");
			return false;
		}
		done += (uint32_t)wrote;
	}
	return true;
}

static bool fail(struct stream *stream, enum fmt_streams_end reason)
{
	stream->failure = reason;
	return false;
}

static bool is_allowed(struct stream *stream, uint32_t bytes)
{
	if (!rec_file_may_grow(stream->file_bytes + bytes))
		return fail(stream, FMT_STREAMS_FILE_LIMIT);
	return rec_plan_use(bytes) || fail(stream, FMT_STREAMS_MAX_SIZE);
}

static char *map_area(const struct rec_writer *writer, const struct fmt_triple *now, uint32_t bytes)
{
	char *area = MAP_FAILED;
	int fd;

	stream_path(writer, growing.path, sizeof(growing.path));
	fd = open(growing.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return NULL;
	if (write_area(fd, writer, now, bytes)) {
		area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    (off_t)streams[writer->stream].file_bytes);
		if (area != MAP_FAILED && !rec_back(area, bytes)) {
			munmap(area, bytes);
			area = MAP_FAILED;
		}
		if (area == MAP_FAILED && ftruncate(fd, (off_t)streams[writer->stream].file_bytes) != 0)
			rec_debug("a stream cannot be cut back");
	}
	close(fd);
	if (area == MAP_FAILED)
		return NULL;
	madvise(area, bytes, MADV_DONTDUMP);
	return area;
}

static void enter_packet(struct rec_writer *writer, char *packet, char *limit)
{
	writer->packet = streams[writer->stream].packet = (struct fmt_packet *)packet;
	writer->at = packet + sizeof(struct fmt_packet);
	writer->limit = limit;
	streams[writer->stream].sequence++;
}

/*
 * A call that a signal handler has interrupted may be about to fill a place in any of the areas that the handler's
 * calls have left since. While the thread is in its outermost call there is no such call but the one that opens the
 * next area itself.
 */
static void keep_area(const struct rec_writer *writer, struct stream *stream)
{
	bool outermost = writer->stream == REC_STREAM_DEVICE || !rec_tls.thread || rec_tls.thread->depth <= 1;
	uint32_t gone = outermost ? stream->kept_count : stream->kept_count == AREAS_KEPT;

	for (uint32_t i = 0; i < gone; i++)
		munmap(stream->kept[i].map, stream->kept[i].bytes);
	stream->kept_count -= gone;
	memmove(stream->kept, stream->kept + gone, stream->kept_count * sizeof(*stream->kept));
	if (stream->area)
		stream->kept[stream->kept_count++] = (struct area){stream->area, stream->area_bytes};
}

/* The last packet, with all places in it that interrupted calls are about to fill. */
static void leave_packet(const struct rec_writer *writer, const struct fmt_triple *now)
{
	struct stream *stream = &streams[writer->stream];

	if (stream->area && writer->packet == stream->packet) {
		writer->packet->end = now->ticks;
		__atomic_store_n(&writer->packet->content_bits, (uint64_t)(writer->at - (char *)writer->packet) * 8,
				 __ATOMIC_RELEASE);
	}
	keep_area(writer, stream);
}

static bool add_area_of(struct rec_writer *writer, uint32_t bytes)
{
	struct stream *stream = &streams[writer->stream];
	struct fmt_triple now;
	bool full;
	char *area;

	if (!is_allowed(stream, bytes))
		return false;
	rec_triple(&now);
	rec_lock(&growing.lock);
	area = map_area(writer, &now, bytes);
	full = errno == ENOSPC || errno == EDQUOT || errno == EFAULT; /* EFAULT: of a mapping */
	rec_unlock(&growing.lock);
	if (!area) {
		rec_plan_use(-(int64_t)bytes);
		return fail(stream, full ? FMT_STREAMS_NO_SPACE : FMT_STREAMS_NO_FILE);
	}
	__atomic_store_n(&((struct fmt_packet *)area)->packet_bits, (uint64_t)bytes * 8, __ATOMIC_RELEASE);
	leave_packet(writer, &now);
	stream->failure = 0;
	stream->area = area;
	stream->area_bytes = bytes;
	stream->file_bytes += bytes;
	enter_packet(writer, area, area + bytes);
	return true;
}

/* As much again as there is, up to the next whole multiple of the most; little where there may be little left. */
static bool add_area(struct rec_writer *writer)
{
	struct stream *stream = &streams[writer->stream];
	uint64_t bytes = AREA_MOST - stream->file_bytes % AREA_MOST;

	if (bytes > stream->file_bytes)
		bytes = stream->file_bytes;
	if (!stream->failure && bytes > AREA_FIRST && add_area_of(writer, (uint32_t)bytes))
		return true;
	if (add_area_of(writer, AREA_FIRST))
		return true;
	if (!rec_state.process->streams_end) /* the first reason of the process is what the summary tells */
		rec_state.process->streams_end = stream->failure;
	return false;
}

/* events: that find no room. */
static void discard(struct rec_writer *writer, uint32_t events)
{
	struct stream *stream = &streams[writer->stream];

	stream->discarded += events;
	if (stream->packet)
		stream->packet->discarded = stream->discarded;
	/* a packet holds no gap: what comes later stands in the next one */
	writer->packet = &nowhere;
	writer->limit = NULL;
	rec_stream_lost(events);
}

void rec_stream_lost(uint32_t events)
{
	__atomic_fetch_add(&rec_state.process->streams_lost, events, __ATOMIC_RELAXED);
}

/*
 * May the program be made to wait for room? Not where room cannot come: only a disk can be emptied. Not while the tool
 * holds a lock that other threads want, and not at the program's end.
 */
static bool may_wait(const struct rec_writer *writer)
{
	return rec_state.on_loss == FMT_LOSS_BLOCK && writer->stream != REC_STREAM_DEVICE && !rec_tls.guard &&
	       !rec_state.streams_stopped && streams[writer->stream].failure == FMT_STREAMS_NO_SPACE;
}

/*
 * Opens the next packet. No handler may write an event meanwhile, no cancellation point may end the thread in here, and
 * errno is the program's.
 */
static bool turn(struct rec_writer *writer, uint32_t bytes)
{
	struct timespec step = {0, BLOCK_STEP_NS};
	int saved = errno, cancel_state;
	uint64_t signals;
	bool done;

	rec_signals_block(&signals);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	/* a handler may have turned it just before */
	done = writer->at + bytes <= writer->limit || add_area(writer);
	while (!done && may_wait(writer)) {
		rec_signals_restore(&signals); /* the program must stay killable while it waits */
		nanosleep(&step, NULL);
		rec_signals_block(&signals);
		done = writer->at + bytes <= writer->limit || add_area(writer);
	}
	pthread_setcancelstate(cancel_state, NULL);
	rec_signals_restore(&signals);
	errno = saved;
	if (!done) {
		streams[writer->stream].retry = RETRY_EVENTS;
		rec_state.streams_stopped |= rec_state.on_loss == FMT_LOSS_STOP;
	}
	return done;
}

bool rec_stream_turn(struct rec_writer *writer, uint32_t bytes)
{
	struct stream *stream = &streams[writer->stream];

	if (!rec_ready() || !writer->packet)
		return false;
	/* where growth has failed, the disk is not asked again for each event */
	if (rec_state.streams_stopped || stream->retry)
		stream->retry -= stream->retry > 0;
	else if (turn(writer, bytes))
		return true;
	discard(writer, 1);
	return false;
}

/* The next owner of a thread block goes on behind what the last one wrote; false: there is no page left. */
static bool split_packet(struct rec_writer *writer)
{
	struct stream *stream = &streams[writer->stream];
	struct fmt_packet *last = (struct fmt_packet *)stream->area, *next;
	char *limit = stream->area + stream->area_bytes, *rest;
	struct fmt_triple now;

	if (!last)
		return false;
	while ((char *)last + last->packet_bits / 8 < limit) /* packets that earlier owners left */
		last = (struct fmt_packet *)((char *)last + last->packet_bits / 8);
	rest = (char *)last + (last->content_bits / 8 + FMT_PACKET_UNIT - 1) / FMT_PACKET_UNIT * FMT_PACKET_UNIT;
	if (rest >= limit)
		return false;
	rec_triple(&now);
	next = (struct fmt_packet *)rest;
	describe(next, writer, &now, (uint64_t)(limit - rest));
	__atomic_store_n(&last->packet_bits, (uint64_t)(rest - (char *)last) * 8, __ATOMIC_RELEASE);
	enter_packet(writer, rest, limit);
	return true;
}

void rec_stream_open(struct rec_writer *writer, uint32_t stream)
{
	memset(writer, 0, sizeof(*writer));
	if (!rec_state.process->streams)
		return;
	writer->stream = stream;
	writer->packet = &nowhere;
	if (!split_packet(writer) && !rec_state.streams_stopped)
		turn(writer, sizeof(struct fmt_packet));
}

static void append_left(struct fmt_packet *packet, uint64_t slot)
{
	struct fmt_event_left left = {slot};
	char *at = (char *)packet + packet->content_bits / 8;

	if (!slot || slot > rec_state.streamed || packet->content_bits + 8 * (8 + sizeof(left)) > packet->packet_bits)
		return;
	rec_stream_head(at, FMT_EVENT_LEFT, packet->end);
	memcpy(at + 8, &left, sizeof(left));
	__atomic_store_n(&packet->content_bits, packet->content_bits + 8 * (8 + sizeof(left)), __ATOMIC_RELEASE);
}

void rec_stream_left(uint32_t stream, const struct fmt_thread *thread)
{
	struct fmt_packet *packet = streams[stream].packet;
	uint32_t depth = thread->depth & REC_DEPTH_MASK;

	if (!packet)
		return;
	/* calls and ranges are one stack in the stream: a range may be over with a call around it already */
	for (uint32_t i = depth < FMT_FRAMES ? depth : FMT_FRAMES; i; i--)
		append_left(packet, thread->frame[i].slot);
	for (uint32_t i = thread->ranges < FMT_RANGES ? thread->ranges : FMT_RANGES; i; i--)
		append_left(packet, thread->range[i].slot);
}

void rec_stream_past(struct rec_writer *writer, uint32_t slot, bool failed, rec_word result, uint64_t begin,
		     uint64_t end)
{
	struct fmt_packet *packet = writer->packet;
	const struct fmt_triple *image = &rec_state.image;
	char *at = writer->at;

	if (!packet->sequence && packet->content_bits == sizeof(*packet) * 8) {
		/* the packet was opened after it */
		packet->begin = packet->end = image->ticks;
		packet->raw_ns = image->raw_ns;
		packet->real_ns = image->real_ns;
	}
	if (begin < packet->end || at + 24 > writer->limit) { /* of another thread, at the same time */
		rec_stream_lost(2);
		return;
	}
	rec_stream_head(at, fmt_event_id(slot, rec_state.arguments ? FMT_CALL_BARE_ENTRY : FMT_CALL_ENTRY), begin);
	rec_stream_head(at + 8, fmt_event_id(slot, rec_state.arguments ? FMT_CALL_BARE_EXIT : FMT_CALL_EXIT) + failed,
			end);
	rec_stream_put(at + 16, result);
	writer->at = at + 24;
	rec_stream_publish(writer, at + 24, end);
}

void rec_streams_forget(void)
{
	memset(streams, 0, sizeof(streams));
}
