/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a sampler consists of: a process of its own, started by `sonde` beside the traced program, which asks for
 * counters again and again and writes what it hears to a file of the recording (format/samples.h). This folder has
 * the loop; src/backends/<api>/ has what is asked, as a struct sample_source. libc only.
 *
 * It is no part of the traced program, and not of `sonde` either: vendors' libraries open devices, start threads and
 * crash, and some calls take as long as they like. Nobody waits for it: `sonde` kills it when the program has ended.
 */
#ifndef SONDE_SAMPLE_SAMPLE_H
#define SONDE_SAMPLE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#include "format/samples.h"

struct sample_source {
	const char *what;                   /* its name in --sample */
	const struct fmt_counter *counter;
	uint32_t counters;                  /* at most FMT_SAMPLES_COUNTERS */
	/*
	 * Fills device[0 .. returned) of zeros, at most FMT_SAMPLES_DEVICES. 0: there is nothing to sample, and one
	 * sentence in `trouble` says why.
	 */
	uint32_t (*open)(struct fmt_sample_device *device, char trouble[FMT_SAMPLES_TEXT], bool alone);
	/*
	 * Asks a device for all counters but those whose device->state says that it is vain; value[] is FMT_SAMPLE_NONE
	 * everywhere before. False: the device is gone, device->why says why.
	 */
	bool (*read)(uint32_t index, struct fmt_sample_device *device, int64_t *value);
};

/*
 * main() of a sampler, called as  sonde-sample-WHAT INTERVAL_NS START_RAW_NS alone|shared  with the file as standard
 * output and a pipe as standard input that is closed when sampling is over. alone: the program that is traced has the
 * environment of this process; shared: it is one of several.
 */
int sample_main(const struct sample_source *source, int argc, char **argv);

uint64_t sample_now(void); /* CLOCK_MONOTONIC_RAW */

#endif
