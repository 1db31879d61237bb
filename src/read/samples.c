/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampled counters: RUN/samples.*. Untrusted input like everything here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "read/read_internal.h"

#define AT_ONCE 256u /* records */
#define RECORD_BYTES_MAX 4096u

static const char *samples_check(struct recording *recording, const struct read_samples *samples, int64_t got)
{
	const struct fmt_samples *raw = &samples->raw;

	if (got < 0)
		return arena_printf(&recording->arena, "%s: %s", samples->path, strerror(errno));
	if (got < (int64_t)sizeof(*raw))
		return arena_printf(&recording->arena, "%s: cut off", samples->path);
	if (memcmp(raw->magic, FMT_SAMPLES_MAGIC, sizeof(raw->magic)))
		return arena_printf(&recording->arena, "%s: no samples (wrong magic)", samples->path);
	if (raw->byte_order != FMT_BYTE_ORDER)
		return arena_printf(&recording->arena, "%s: sampled on a machine of another byte order", samples->path);
	if (raw->major != FMT_MAJOR)
		return recording_version(recording, samples->path, raw->major, raw->minor);
	if (raw->head_bytes < sizeof(*raw) || raw->counters > FMT_SAMPLES_COUNTERS ||
	    raw->devices > FMT_SAMPLES_DEVICES || raw->counter_bytes < sizeof(struct fmt_counter) ||
	    raw->device_bytes < sizeof(struct fmt_sample_device) || !raw->interval_ns ||
	    raw->record_bytes < sizeof(struct fmt_sample) + raw->counters * sizeof(int64_t) ||
	    raw->record_bytes > RECORD_BYTES_MAX || raw->record_bytes % sizeof(int64_t))
		return arena_printf(&recording->arena, "%s: its head is damaged", samples->path);
	return NULL;
}

#define END_TEXT(text) ((text)[sizeof(text) - 1] = '\0')

static void read_counters(struct read_samples *samples, int fd)
{
	for (uint32_t i = 0; i < samples->raw.counters; i++) {
		struct fmt_counter *counter = &samples->counter[i];

		file_read_at(fd, samples->raw.head_bytes + (uint64_t)i * samples->raw.counter_bytes, counter,
			     sizeof(*counter));
		END_TEXT(counter->name);
		END_TEXT(counter->unit);
		if (!counter->divisor)
			counter->divisor = 1;
	}
}

static void read_devices(struct read_samples *samples, int fd)
{
	uint64_t first = samples->raw.head_bytes + (uint64_t)samples->raw.counters * samples->raw.counter_bytes;

	for (uint32_t i = 0; i < samples->raw.devices; i++) {
		struct fmt_sample_device *device = &samples->device[i];

		file_read_at(fd, first + (uint64_t)i * samples->raw.device_bytes, device, sizeof(*device));
		for (uint32_t k = 0; k < FMT_SAMPLES_KEYS; k++)
			END_TEXT(device->key[k]);
		END_TEXT(device->name);
		END_TEXT(device->why);
	}
	samples->first = first + (uint64_t)samples->raw.devices * samples->raw.device_bytes;
}

int samples_open(struct recording *recording, const char *path)
{
	struct read_samples samples = {.path = path};
	uint64_t file_bytes;
	int fd = file_open(path, &file_bytes);
	const char *why;
	int64_t got;

	if (fd < 0) {
		recording_note(recording, "counters", "%s: %s", path, strerror(errno));
		return SONDE_EIO;
	}
	got = file_read_at(fd, 0, &samples.raw, sizeof(samples.raw));
	why = samples_check(recording, &samples, got);
	if (why) {
		recording_note(recording, "counters", "%s", why); /* the figures of calls are whole without them */
		close(fd);
		return SONDE_EFORMAT;
	}
	END_TEXT(samples.raw.host);
	END_TEXT(samples.raw.what);
	END_TEXT(samples.raw.trouble);
	samples.counter = arena_array(&recording->arena, samples.raw.counters, sizeof(*samples.counter));
	samples.device = arena_array(&recording->arena, samples.raw.devices, sizeof(*samples.device));
	read_counters(&samples, fd);
	read_devices(&samples, fd);
	close(fd);
	samples.host = recording_host(recording, arena_strdup(&recording->arena, samples.raw.host));
	recording->samples = arena_grow(&recording->arena, recording->samples, recording->samplings,
					&recording->samples_capacity, sizeof(samples));
	recording->samples[recording->samplings++] = samples;
	return 0;
}

void samples_each(const struct read_samples *samples, bool (*visit)(void *context, const struct fmt_sample *sample),
		  void *context)
{
	size_t bytes = samples->raw.record_bytes, block = AT_ONCE * bytes, i;
	uint64_t file_bytes, at = samples->first;
	int fd = file_open(samples->path, &file_bytes);
	char *records = fd >= 0 ? malloc(block) : NULL;
	int64_t got = records ? (int64_t)block : 0;

	while (got == (int64_t)block) {
		got = file_read_at(fd, at, records, block);
		at += block;
		for (i = 0; got > 0 && i < (size_t)got / bytes; i++) {
			const struct fmt_sample *sample = (const struct fmt_sample *)(void *)(records + i * bytes);

			if (sample->device < samples->raw.devices && !visit(context, sample))
				got = 0;
		}
	}
	free(records);
	if (fd >= 0)
		close(fd);
}
