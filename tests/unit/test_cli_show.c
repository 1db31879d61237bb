/* SPDX-License-Identifier: BSD-3-Clause */
/* What a summary says of the backends that recorded it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/show.h"

static const struct attach_backend backends[] = {
	{.name = "real", .state = "real hardware"}, {.name = "host", .state = "real runtime on CPU"},
	{.name = "sim", .state = "simulated"}, {.name = "unused", .state = "not yet"},
	{.name = "new", .state = "not yet"}, {.name = "newer", .state = "not yet"}, {.name = NULL},
};

static void test_notes_of_what_never_ran_on_the_real_thing(void **state)
{
	struct summary_ledger ledger[] = {
		{.backend = "real", .recorded = 1}, {.backend = "host", .recorded = 1},
		{.backend = "sim", .recorded = 1},
		{.backend = "new", .recorded = 1}, {.backend = "newer", .device_recorded = 1},
		{.backend = "unused", .seen = 1}, {.backend = "of a layer", .recorded = 1},
	};
	struct summary summary = {.ledger = ledger, .ledgers = sizeof(ledger) / sizeof(ledger[0])};

	(void)state;
	show_states(&summary, backends);
	assert_string_equal(ledger[0].tested_on, "real hardware");
	assert_string_equal(ledger[5].tested_on, "not yet");
	assert_null(ledger[6].tested_on);
	assert_int_equal(summary.notes, 2);
	assert_string_equal(summary.note[0].code, "simulated");
	assert_ptr_equal(strstr(summary.note[0].text, "sim: "), summary.note[0].text);
	assert_string_equal(summary.note[1].code, "untested");
	assert_ptr_equal(strstr(summary.note[1].text, "new, newer: "), summary.note[1].text);
	arena_free(&summary.arena);
}

static void test_none_of_what_did(void **state)
{
	struct summary_ledger ledger[] = {{.backend = "real", .recorded = 1}, {.backend = "sim", .seen = 1}};
	struct summary summary = {.ledger = ledger, .ledgers = 2};

	(void)state;
	show_states(&summary, backends);
	assert_int_equal(summary.notes, 0);
	arena_free(&summary.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes_of_what_never_ran_on_the_real_thing),
		cmocka_unit_test(test_none_of_what_did),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
