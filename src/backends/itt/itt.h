/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the ITT backend: what its files share, and facts of the interface. */
#ifndef SONDE_BACKENDS_ITT_H
#define SONDE_BACKENDS_ITT_H

#include "record/rec_tools.h"

struct itt_domain {
	volatile int flags;    /* 0: switched off */
	const char *name;
	void *wide;
	int extra1;
	void *extra2;
	struct itt_domain *next;
};

struct itt_string {
	const char *text;
	void *wide;
	int extra1;
	void *extra2;
	struct itt_string *next;
};

struct itt_id {
	uint64_t d1, d2, d3;
};

/* What values are, of counters and metadata. */
enum itt_type {
	ITT_U64 = 1, ITT_S64, ITT_U32, ITT_S32, ITT_U16, ITT_S16, ITT_F32, ITT_F64
};

struct itt_counter {
	const char *name;
	void *wide;
	const char *domain;
	void *domain_wide;
	int type;              /* enum itt_type */
	long index;
	struct itt_counter *next;
};

#pragma GCC visibility push(hidden)
extern struct rec_backend itt_backend;

/* "domain:" as a label; its text lives in `room`. A name that is too long for it is cut. */
#define ITT_GROUP_ROOM 256
struct rec_label itt_group(const char *domain, char *room);

/* itt_values.c, by their names in the interface without underscores */
void itt_metadata_add(const struct itt_domain *domain, struct itt_id id, const struct itt_string *key, int type,
		      size_t count, const void *data);
void itt_metadata_str_add(const struct itt_domain *domain, struct itt_id id, const struct itt_string *key,
			  const char *data, size_t length);
void itt_thread_set_name(const char *name);
struct itt_counter *itt_counter_create(const char *name, const char *domain);
struct itt_counter *itt_counter_create_typed(const char *name, const char *domain, int type);
void itt_counter_inc(struct itt_counter *counter);
void itt_counter_dec(struct itt_counter *counter);
void itt_counter_inc_delta(struct itt_counter *counter, unsigned long long delta);
void itt_counter_dec_delta(struct itt_counter *counter, unsigned long long delta);
void itt_counter_set_value(struct itt_counter *counter, const void *value);
void itt_counter_set_value_ex(struct itt_counter *counter, void *clock, unsigned long long time, const void *value);
void itt_counter_inc_v3(const struct itt_domain *domain, const struct itt_string *name);
void itt_counter_dec_v3(const struct itt_domain *domain, const struct itt_string *name);
void itt_counter_inc_delta_v3(const struct itt_domain *domain, const struct itt_string *name, unsigned long long delta);
void itt_counter_dec_delta_v3(const struct itt_domain *domain, const struct itt_string *name, unsigned long long delta);
#pragma GCC visibility pop

#endif
