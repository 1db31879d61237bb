/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On-disk form of sampled counters: RUN/samples.<what>.<host>.<pid>.<start>, one file per node, job and sampler.
 *
 * A sampler, a process of its own beside the traced program, appends a record per device and round with one
 * write per round, so that the file is valid however the sampler ended: what is behind the last whole record is no
 * record. Head, counters and devices lie in front of the records at fixed places; what is learned later (a device is
 * gone, a counter is denied) is written over them. Times are CLOCK_MONOTONIC_RAW of the node.
 */
#ifndef SONDE_FORMAT_SAMPLES_H
#define SONDE_FORMAT_SAMPLES_H

#include "format/tally.h"

#define FMT_SAMPLES_MAGIC "SONDESMP"
#define FMT_SAMPLES_PREFIX "samples."
#define FMT_SAMPLES_COUNTERS 32u
#define FMT_SAMPLES_DEVICES 64u
#define FMT_SAMPLES_KEYS 3u
#define FMT_SAMPLES_TEXT 160u
#define FMT_SAMPLE_NONE INT64_MIN /* a value that was not to be had */

/* Exit status of a sampler, for who started it; what is wrong with the source itself stands in the file. */
enum fmt_samples_status { FMT_SAMPLES_DONE = 0, FMT_SAMPLES_USAGE = 2, FMT_SAMPLES_NOT_WRITTEN = 3 };

struct fmt_samples {
	char magic[8];
	uint16_t major, minor;
	uint32_t byte_order;
	uint32_t head_bytes;     /* sizeof(struct fmt_samples); counters follow */
	uint32_t counters, counter_bytes;
	uint32_t devices, device_bytes; /* behind the counters; records are behind the devices */
	uint32_t record_bytes;   /* struct fmt_sample with its values */
	uint64_t interval_ns;
	uint64_t start_raw_ns;   /* of round 0 */
	uint32_t pid;            /* of the sampler */
	uint32_t error;          /* errno of what ended the samples; 0: nothing did, or nobody could say so */
	char what[32];           /* name of the sampler */
	char host[64];
	char trouble[FMT_SAMPLES_TEXT]; /* why there are none at all, or "" */
	uint64_t reserved[8];
};

struct fmt_counter {
	char name[40];
	char unit[16];           /* "bytes" and "bytes/s" are scaled for people, others stand as they are */
	uint64_t divisor;        /* a value is so many times what it says in its unit */
	uint64_t reserved;
};

/* Why a device has no values of a counter. */
enum fmt_counter_state {
	FMT_COUNTER_READ = 0,
	FMT_COUNTER_ABSENT = 1,  /* it has no such thing */
	FMT_COUNTER_DENIED = 2   /* this user may not know */
};

struct fmt_sample_device {
	char key[FMT_SAMPLES_KEYS][64]; /* as fmt_device.key of the APIs that know it; unused ones are "" */
	char name[96];
	uint32_t ordinal;
	uint32_t reserved32;
	uint64_t gone_raw_ns;    /* it has not answered since; 0: it is there */
	char why[64];            /* it is gone, in the words of its API */
	uint8_t state[FMT_SAMPLES_COUNTERS]; /* enum fmt_counter_state */
	uint64_t reserved[4];
};

struct fmt_sample {
	uint64_t raw_ns;
	uint32_t round;          /* intervals since start_raw_ns: those that are not there were missed */
	uint32_t device;
	int64_t value[];         /* by counter */
};

_Static_assert(sizeof(struct fmt_samples) == 384, "head of samples");
_Static_assert(sizeof(struct fmt_counter) == 72, "counter");
_Static_assert(sizeof(struct fmt_sample_device) == 432, "device of samples");
_Static_assert(sizeof(struct fmt_sample) == 16, "record of samples");

#endif
