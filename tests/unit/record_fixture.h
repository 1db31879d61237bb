/* SPDX-License-Identifier: BSD-3-Clause */
/* A recorder with an open record in a directory of its own, inside the test program. */
#ifndef SONDE_TESTS_RECORD_FIXTURE_H
#define SONDE_TESTS_RECORD_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/rec_state.h"

static uint16_t fixture_slots[2048] __attribute__((aligned(4096)));
static void *fixture_real[1];
static const char fixture_pool[] = "\0thing_do";
static const struct rec_function fixture_function[] = {{.name = 1, .kind = SONDE_KIND_launch}};
static const struct rec_symbol fixture_symbol[] = {{.name = 1}};
static struct rec_backend fixture_backend = {
	.size = sizeof(struct rec_backend), .functions = 1, .symbols = 1, .name = "thing", .pool = fixture_pool,
	.function = fixture_function, .symbol = fixture_symbol, .front = "", .runtimes = "",
	.slot = fixture_slots, .real = fixture_real,
};

static char fixture_dir[] = "/tmp/sonde-test.XXXXXX";

/* What a test puts into the directory before a process opens its record there. */
static void (*fixture_prepare)(const char *directory);

static int fixture_open(void **state)
{
	(void)state;
	strcpy(fixture_dir, "/tmp/sonde-test.XXXXXX");
	assert_non_null(mkdtemp(fixture_dir));
	setenv("SONDE_DIR", fixture_dir, 1);
	if (fixture_prepare)
		fixture_prepare(fixture_dir);
	memset(&rec_state, 0, sizeof(rec_state));
	memset(&rec_tls, 0, sizeof(rec_tls));
	rec_wiped->open = 0;
	rec_slots_forget();
	rec_names_forget();
	rec_streams_forget();
	rec_device_forget();
	rec_graph_forget();
	rec_dynamic_forget();
	rec_context_forget();
	rec_range_forget();
	memset(fixture_slots, 0, sizeof(fixture_slots));
	fixture_backend.low = 0;
	fixture_backend.state = 0;
	fixture_backend.next = NULL;
	rec_backend_register(&fixture_backend, &fixture_backend, &fixture_backend + 1);
	assert_true(rec_open());
	assert_true(rec_backend_open(&fixture_backend));
	return 0;
}

static int fixture_close(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", fixture_dir);
	unsetenv("SONDE_DIR");
	rec_wiped->open = 0;
	return system(command);
}

#endif
