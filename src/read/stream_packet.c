/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of a stream file. A header that makes no sense is passed over: packets begin at multiples of
 * FMT_PACKET_UNIT, so the next sound one is found again.
 */
#include <string.h>

#include "read/stream.h"

void stream_trouble(struct stream_trouble *trouble, const char *code, const char *what)
{
	if (!trouble->recording || trouble->told)
		return;
	trouble->told = true;
	recording_note(trouble->recording, code, "%s: %s", trouble->path, what);
}

static bool is_sound(const struct fmt_packet *packet, enum fmt_stream_class class)
{
	return packet->magic == FMT_PACKET_MAGIC && packet->stream == (uint32_t)class;
}

static uint64_t round_to_unit(uint64_t offset)
{
	return (offset + FMT_PACKET_UNIT - 1) / FMT_PACKET_UNIT * FMT_PACKET_UNIT;
}

/* The next place from `offset` on where a packet begins; the end of the file when there is none. */
static uint64_t resync(struct stream_file *file, enum fmt_stream_class class, uint64_t offset)
{
	struct fmt_packet packet;
	uint64_t data;

	for (offset = round_to_unit(offset); offset < file->bytes; offset += FMT_PACKET_UNIT) {
		if (file->fd >= 0) { /* holes may be large */
			data = file_next_data(file->fd, offset);
			if (data == UINT64_MAX)
				break;
			if (data > offset)
				offset = data / FMT_PACKET_UNIT * FMT_PACKET_UNIT;
		}
		if (stream_file_read(file, offset, &packet, sizeof(packet)) == sizeof(packet) &&
		    is_sound(&packet, class))
			return offset;
	}
	return file->bytes;
}

/* How far the packet and its events reach, as far as that can be believed. */
static void packet_measure(struct stream_file *file, struct stream_trouble *trouble, struct stream_packet *packet)
{
	const uint64_t bytes = packet->raw.packet_bits / 8, content = packet->raw.content_bits / 8;
	const bool sized = packet->raw.packet_bits % (8 * FMT_PACKET_UNIT) == 0 && bytes >= FMT_PACKET_UNIT;
	const bool filled = packet->raw.content_bits % 8 == 0 && content >= sizeof(packet->raw);
	uint64_t room;

	if (sized && bytes > file->bytes - packet->at)
		stream_file_refresh(file); /* it may have grown since */
	room = file->bytes - packet->at;
	if (!sized)
		stream_trouble(trouble, "damaged", "a packet has no sound size; what can be told of it is read");
	else if (bytes > room)
		stream_trouble(trouble, "truncated", "cut off; what is there is read");
	if (sized && bytes < room)
		room = bytes;
	else if (!sized && !filled && room > FMT_PACKET_UNIT)
		room = FMT_PACKET_UNIT;
	packet->next = packet->at + room;
	packet->content_end = packet->at + room;
	packet->cut = filled && sized && content <= bytes && content > room;
	if (filled && content <= room)
		packet->content_end = packet->at + content;
	else if (!filled || !sized || content > bytes)
		stream_trouble(trouble, "damaged", "a packet claims content that it has no room for");
	if (!sized && packet->content_end < packet->next)
		packet->next = round_to_unit(packet->content_end);
	if (packet->raw.begin > packet->raw.end) {
		stream_trouble(trouble, "damaged", "a packet ends before it begins");
		packet->raw.end = 0;
	}
}

bool stream_packet_find(struct stream_file *file, struct stream_trouble *trouble, enum fmt_stream_class class,
			uint64_t offset, struct stream_packet *packet_out)
{
	struct stream_packet packet = {.at = offset};

	if (offset >= file->bytes)
		stream_file_refresh(file);
	if (offset >= file->bytes)
		return false;
	if (file->bytes - offset < sizeof(packet.raw)) {
		stream_trouble(trouble, "truncated", "cut off; what is there is read");
		return false;
	}
	if (stream_file_read(file, offset, &packet.raw, sizeof(packet.raw)) != sizeof(packet.raw)) {
		stream_trouble(trouble, "unreadable", "cannot be read to its end");
		return false;
	}
	if (!is_sound(&packet.raw, class)) {
		stream_trouble(trouble, "damaged", "no packet where one should begin; the next one is looked for");
		packet.skipped = true;
		packet.at = resync(file, class, offset + FMT_PACKET_UNIT);
		if (packet.at >= file->bytes ||
		    stream_file_read(file, packet.at, &packet.raw, sizeof(packet.raw)) != sizeof(packet.raw)) {
			packet_out->skipped = true;
			packet_out->next = file->bytes;
			return false;
		}
	}
	packet_measure(file, trouble, &packet);
	*packet_out = packet;
	return true;
}
