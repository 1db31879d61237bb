/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop of a sampler; see sample.h. */
#include "sample/sample.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull
#define FILE_FD STDOUT_FILENO
#define STOP_FD STDIN_FILENO

static const struct sample_source *source;
static struct fmt_samples head;
static struct fmt_sample_device device[FMT_SAMPLES_DEVICES], written[FMT_SAMPLES_DEVICES]; /* as they are in the file */
static uint64_t file_end;

uint64_t sample_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static bool write_at(const void *bytes, size_t count, uint64_t offset)
{
	const char *next = bytes;
	ssize_t done;

	while (count) {
		done = pwrite(FILE_FD, next, count, (off_t)offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false; /* what there was room for is left there: a reader takes whole records alone */
		next += done;
		offset += (uint64_t)done;
		count -= (size_t)done;
	}
	return true;
}

static uint64_t device_offset(uint32_t index)
{
	return sizeof(head) + (uint64_t)head.counters * sizeof(struct fmt_counter) +
	       (uint64_t)index * sizeof(struct fmt_sample_device);
}

/* The magic comes last: a file without it has no head. */
static bool write_head(void)
{
	if (!write_at(source->counter, head.counters * sizeof(*source->counter), sizeof(head)))
		return false;
	if (head.devices && !write_at(device, head.devices * sizeof(*device), device_offset(0)))
		return false;
	memcpy(written, device, sizeof(written));
	file_end = device_offset(head.devices);
	return write_at(&head, sizeof(head), 0);
}

static void fill_head(uint64_t interval_ns, uint64_t start_raw_ns)
{
	memcpy(head.magic, FMT_SAMPLES_MAGIC, sizeof(head.magic));
	head.major = FMT_MAJOR;
	head.minor = FMT_MINOR;
	head.byte_order = FMT_BYTE_ORDER;
	head.head_bytes = sizeof(head);
	head.counters = source->counters;
	head.counter_bytes = sizeof(struct fmt_counter);
	head.device_bytes = sizeof(struct fmt_sample_device);
	head.record_bytes = (uint32_t)(sizeof(struct fmt_sample) + source->counters * sizeof(int64_t));
	head.interval_ns = interval_ns;
	head.start_raw_ns = start_raw_ns;
	head.pid = (uint32_t)getpid();
	strncpy(head.what, source->what, sizeof(head.what) - 1);
	gethostname(head.host, sizeof(head.host) - 1);
}

/* One record; true where there is one. */
static bool ask(uint32_t index, struct fmt_sample *record)
{
	uint32_t i;

	if (device[index].gone_raw_ns)
		return false;
	for (i = 0; i < head.counters; i++)
		record->value[i] = FMT_SAMPLE_NONE;
	record->raw_ns = sample_now();
	record->round = (uint32_t)((record->raw_ns - head.start_raw_ns) / head.interval_ns);
	record->device = index;
	if (source->read(index, &device[index], record->value))
		return true;
	device[index].gone_raw_ns = record->raw_ns;
	return false;
}

/* False: nothing is left to ask, or no room to write it to. */
static bool round_write(void)
{
	static _Alignas(8) char records[FMT_SAMPLES_DEVICES * (sizeof(struct fmt_sample) + FMT_SAMPLES_COUNTERS * 8)];
	uint32_t i, there = 0;
	size_t used = 0;

	for (i = 0; i < head.devices; i++) {
		if (ask(i, (struct fmt_sample *)(records + used)))
			used += head.record_bytes;
		there += !device[i].gone_raw_ns;
		if (memcmp(&device[i], &written[i], sizeof(device[i])) != 0 &&
		    write_at(&device[i], sizeof(device[i]), device_offset(i)))
			written[i] = device[i];
	}
	if (used && !write_at(records, used, file_end)) {
		head.error = (uint32_t)errno;
		write_at(&head, sizeof(head), 0); /* over what is there already: a full disk has room for it */
		return false;
	}
	file_end += used;
	return there > 0;
}

/* Until the next full interval; false: it is over. The clock that poll() waits by need not run just as fast as ours. */
static bool wait_next(void)
{
	struct pollfd stop = { .fd = STOP_FD, .events = POLLIN };
	uint64_t next = (sample_now() - head.start_raw_ns) / head.interval_ns + 1, now;

	next = head.start_raw_ns + next * head.interval_ns;
	while ((now = sample_now()) < next) {
		uint64_t left = next - now;
		struct timespec time = { .tv_sec = (time_t)(left / SECOND_NS), .tv_nsec = (long)(left % SECOND_NS) };

		if (ppoll(&stop, 1, &time, NULL) > 0)
			return false;
	}
	return true;
}

static bool is_over(void)
{
	struct pollfd stop = { .fd = STOP_FD, .events = POLLIN };

	return poll(&stop, 1, 0) > 0;
}

int sample_main(const struct sample_source *own, int argc, char **argv)
{
	uint64_t interval_ns = argc == 4 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t start_raw_ns = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;

	source = own;
	if (!interval_ns || start_raw_ns > sample_now())
		return FMT_SAMPLES_USAGE;
	signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error of write() */
	fill_head(interval_ns, start_raw_ns);
	head.devices = source->open(device, head.trouble, strcmp(argv[3], "alone") == 0);
	if (!write_head())
		return FMT_SAMPLES_NOT_WRITTEN;
	while (head.devices && !is_over() && round_write())
		if (!wait_next())
			break;
	_exit(FMT_SAMPLES_DONE); /* vendors' exit handlers have nothing to add */
}
