/* SPDX-License-Identifier: BSD-3-Clause */
/* State while the body of a tally is loaded; shared by tally_load.c, tally_device.c, tally_args.c and tally_named.c. */
#ifndef SONDE_READ_TALLY_LOAD_H
#define SONDE_READ_TALLY_LOAD_H

#include "read/read_internal.h"

#define LOADER_DEVICES_MAX 4096u

struct loader {
	struct recording *recording;
	const struct tally *tally;
	struct tally_body *body;
	int fd;
	char *chunk;          /* room for what is read at once */
	uint32_t backends;    /* of the file, without the one that stands for unknown ones */
	uint64_t damaged;     /* entries that refer to what is not there */
	struct args_state *args; /* of tally_args.c */
	bool names_only;      /* no figures of threads, devices and operations */
	size_t graph_capacity, node_capacity;
	size_t thread_capacity, op_capacity, transfer_capacity, memory_capacity, build_capacity, named_capacity;
	size_t failure_capacity;
};

const char *loader_name(struct loader *loader, uint64_t offset);
uint32_t loader_backend(struct loader *loader, uint32_t backend); /* a valid index in any case */
uint32_t loader_device(struct loader *loader, uint32_t device);   /* a valid index or READ_NONE */
uint64_t stats_calls(const struct fmt_stats *stats);

uint32_t loader_enum(struct loader *loader, uint32_t value, uint32_t count, uint32_t otherwise);
/* Calls `take` for every item of a section; parts of the file that were never written are skipped. */
void items_load(struct loader *loader, enum fmt_section_kind kind, uint64_t most,
		void (*take)(struct loader *loader, const void *item));

/* tally_device.c */
void devices_load(struct loader *loader);

/* tally_named.c */
void named_load(struct loader *loader);

/* tally_args.c */
void args_load(struct loader *loader);

#endif
