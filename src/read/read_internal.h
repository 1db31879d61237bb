/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of read/ offer each other. */
#ifndef SONDE_READ_READ_INTERNAL_H
#define SONDE_READ_READ_INTERNAL_H

#include "base/map.h"
#include "read/recording.h"

/* ---- file.c: nothing is mapped, because a file that shrinks under a mapping kills the reader ---- */

/* Reads as much of `bytes` as the file holds; what it does not hold is zero. Bytes read, or -1. */
int64_t file_read_at(int fd, uint64_t offset, void *buffer, size_t bytes);
/* Start of the first written part at or behind offset; offset itself where holes cannot be told;
 * UINT64_MAX when there is none. */
uint64_t file_next_data(int fd, uint64_t offset);
/* Opens a regular file for reading and says how large it is. -1 and errno. */
int file_open(const char *path, uint64_t *bytes_out);

/* ---- recording.c ---- */

/* Why a file of another major version is not read. */
const char *recording_version(struct recording *recording, const char *path, uint16_t major, uint16_t minor);

/* ---- tally_open.c ---- */

uint32_t tally_struct_bytes(enum fmt_section_kind kind); /* 0: unknown kind */
/*
 * Checks the head of an open file and fills tally->section. SONDE_EFORMAT with a sentence in *why_out
 * (from the arena) when the file is no tally; sections that do not fit are cut and noted.
 */
int tally_check_head(struct recording *recording, struct tally *tally, int fd, const char **why_out);
/* Opens a tally and adds it to the recording. Failure is noted with `code` and the reason, not logged. */
int tally_open(struct recording *recording, const char *path);
/* A name in the strings of an open file, in the arena. "" for 0 and for anything out of bounds. */
const char *tally_read_name(const struct tally *tally, int fd, struct arena *arena, uint64_t offset);

/* ---- tally_load.c ---- */

/* The names of a tally alone: backends, functions, devices, queues, arguments. NULL: noted. */
struct tally_body *tally_names_load(struct recording *recording, const struct tally *tally);
void tally_body_destroy(struct tally_body *body);

/* ---- tally_names.c ---- */

void strings_load(struct tally_body *body, const struct tally *tally, int fd);
/* A name of at most READ_NAME_MAX bytes; "" for 0 and for anything out of bounds. Lives as long as the body. */
const char *strings_name(struct tally_body *body, const struct tally *tally, uint64_t offset);
/* The same of any length, where the whole section is in memory. */
const char *strings_text(struct tally_body *body, const struct tally *tally, uint64_t offset);

/* ---- launch.c ---- */

int launch_open(struct recording *recording, const char *path);

/* ---- samples.c ---- */

int samples_open(struct recording *recording, const char *path);

/* ---- link.c: what belongs together ---- */

uint32_t recording_host(struct recording *recording, const char *name);
/* Finds launch and rank of every tally and what is still alive. */
void recording_link(struct recording *recording);

/* ---- clock.c ---- */

void recording_fit_clocks(struct recording *recording);

#endif
