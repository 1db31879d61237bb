/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks from the environment, lists of ranks, and the parser of the command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/number.h"
#include "cli/attach.h"
#include "cli/options.h"
#include "cli/proc.h"
#include "cli/ranks.h"

/* First rule of the table that asks for (or does not ask for) a second variable. */
static const struct attach_rank *find_rule(bool needs)
{
	for (const struct attach_backend *backend = attach_backends; backend->name; backend++)
		for (const struct attach_rank *rule = backend->rank; rule->rank; rule++)
			if (!rule->needs == !needs && rule->size && rule->local_size)
				return rule;
	return NULL;
}

static void clear_rules(void)
{
	for (const struct attach_backend *backend = attach_backends; backend->name; backend++) {
		for (const struct attach_rank *rule = backend->rank; rule->rank; rule++) {
			const char *const names[] = { rule->rank, rule->size, rule->local_size, rule->needs };

			for (size_t i = 0; i < 4; i++)
				if (names[i])
					unsetenv(names[i]);
		}
	}
	unsetenv("SONDE_JOB");
}

static int clean(void **state)
{
	(void)state;
	clear_rules();
	return 0;
}

static void without_variables_there_is_no_rank(void **state)
{
	struct ranks ranks;

	(void)state;
	assert_false(ranks_find(&ranks));
}

static void rank_and_sizes_come_from_the_table(void **state)
{
	const struct attach_rank *rule = find_rule(false);
	struct ranks ranks;

	(void)state;
	if (!rule)
		skip();
	setenv(rule->rank, "3", 1);
	setenv(rule->size, "8", 1);
	setenv(rule->local_size, "4", 1);
	assert_true(ranks_find(&ranks));
	assert_int_equal(ranks.numbers.rank, 3);
	assert_int_equal(ranks.numbers.size, 8);
	assert_int_equal(ranks.numbers.local_size, 4);
	assert_string_equal(ranks.variable, rule->rank);
}

/* A batch script has a rank variable of its own and is no rank. */
static void a_rule_that_needs_another_variable_waits_for_it(void **state)
{
	const struct attach_rank *rule = find_rule(true);
	struct ranks ranks;

	(void)state;
	if (!rule)
		skip();
	setenv(rule->rank, "0", 1);
	setenv(rule->size, "1", 1);
	assert_false(ranks_find(&ranks));
	setenv(rule->needs, "0", 1);
	assert_true(ranks_find(&ranks));
}

static void sizes_per_machine_are_understood(void **state)
{
	static const struct { const char *text; int size; } cases[] = {
		{ "4", 4 }, { "2(x3)", 2 }, { "2,1", -1 }, { "2(x2),1", -1 }, { "", -1 }, { "many", -1 }, { "-3", -1 },
		{ "99999999999999999999", -1 },
	};
	const struct attach_rank *rule = find_rule(false);
	struct ranks ranks;

	(void)state;
	if (!rule)
		skip();
	setenv(rule->rank, "0", 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setenv(rule->local_size, cases[i].text, 1);
		assert_true(ranks_find(&ranks));
		assert_int_equal(ranks.numbers.local_size, cases[i].size);
	}
}

static void the_key_is_the_nearest_process_that_is_no_rank(void **state)
{
	const struct attach_rank *rule = find_rule(false);
	struct ranks ranks;
	struct process parent;
	char expected[64];

	(void)state;
	if (!rule)
		skip();
	/* set in this process only: the parent was started without it */
	setenv(rule->rank, "0", 1);
	assert_true(ranks_find(&ranks));
	assert_true(process_read(getppid(), &parent));
	snprintf(expected, sizeof(expected), "%d.%llu", (int)getppid(), parent.start);
	assert_string_equal(ranks.key, expected);
	assert_int_equal(ranks.ancestor, getppid());
}

static void a_given_key_becomes_a_file_name(void **state)
{
	const struct attach_rank *rule = find_rule(false);
	struct ranks ranks;

	(void)state;
	if (!rule)
		skip();
	setenv(rule->rank, "0", 1);
	setenv("SONDE_JOB", "../a/b c", 1);
	assert_true(ranks_find(&ranks));
	assert_string_equal(ranks.key, "___a_b_c");
}

static void lists_of_ranks(void **state)
{
	(void)state;
	assert_int_equal(ranks_check_list("0"), 0);
	assert_int_equal(ranks_check_list("0,2,8-15"), 0);
	assert_int_equal(ranks_check_list("3-3"), 0);
	assert_true(number_in_list("0,2,8-15", 0));
	assert_false(number_in_list("0,2,8-15", 1));
	assert_true(number_in_list("0,2,8-15", 8));
	assert_true(number_in_list("0,2,8-15", 15));
	assert_false(number_in_list("0,2,8-15", 16));
	assert_false(number_in_list("0,2,8-15", -1));
}

static void malformed_lists_are_refused(void **state)
{
	static const char *const lists[] = { "a", "1-", "-1", "3-2", "1;2", "1,,2", "1 2", ",", "1-2-3", "1,",
		"0-99999999999", "4294967296" };

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		assert_int_equal(ranks_check_list(lists[i]), SONDE_EUSAGE);
}

static int parse(struct options *options, char **words)
{
	int count = 0;

	while (words[count])
		count++;
	return options_parse(COMMAND_run, count, words, options);
}
#define PARSE(options, ...) parse(options, (char *[]){ (char *)"sonde", __VA_ARGS__, NULL })

static void options_end_at_the_program(void **state)
{
	struct options options;

	(void)state;
	assert_int_equal(PARSE(&options, "-q", "prog", "-v", "--json", "x"), 2);
	assert_true(options.quiet);
	assert_false(options.verbose);
	assert_null(options.json);
	assert_int_equal(PARSE(&options, "-q", "--", "-v"), 3);
	assert_false(options.verbose);
	assert_int_equal(PARSE(&options, "-", "x"), 1);
}

static void values_of_every_type(void **state)
{
	struct options options;

	(void)state;
	assert_int_equal(PARSE(&options, "-qodir", "--json=a", "--top", "3", "--exclude", "a*", "--exclude=b", "p"), 8);
	assert_true(options.quiet);
	assert_string_equal(options.output, "dir");
	assert_string_equal(options.json, "a");
	assert_int_equal(options.top, 3);
	assert_string_equal(options.exclude, "a*,b");
	assert_null(options.include);
}

static void the_environment_speaks_where_the_line_does_not(void **state)
{
	struct options options;

	(void)state;
	setenv("SONDE_EXCLUDE", "sh", 1);
	setenv("SONDE_QUERIES", "0", 1);
	assert_true(PARSE(&options, "p") > 0);
	assert_string_equal(options.exclude, "sh");
	assert_false(options.queries);
	setenv("SONDE_QUERIES", "1", 1);
	assert_true(PARSE(&options, "--exclude", "x", "p") > 0);
	assert_string_equal(options.exclude, "x");
	assert_true(options.queries);
	unsetenv("SONDE_EXCLUDE");
	unsetenv("SONDE_QUERIES");
}

static void wrong_use_is_refused(void **state)
{
	struct options options;

	(void)state;
	assert_int_equal(PARSE(&options, "--foo", "p"), SONDE_EUSAGE);
	assert_int_equal(PARSE(&options, "-Z"), SONDE_EUSAGE);
	assert_int_equal(PARSE(&options, "-qZ"), SONDE_EUSAGE);
	assert_int_equal(PARSE(&options, "-o"), SONDE_EUSAGE);
	assert_int_equal(PARSE(&options, "--json"), SONDE_EUSAGE);
	assert_int_equal(PARSE(&options, "--json="), SONDE_EUSAGE);
	assert_int_equal(PARSE(&options, "--quiet=yes"), SONDE_EUSAGE);
	assert_int_equal(PARSE(&options, "--qui"), SONDE_EUSAGE);
	assert_int_equal(PARSE(&options, "--top", "-1"), SONDE_EUSAGE);
	assert_int_equal(PARSE(&options, "--top", "1x"), SONDE_EUSAGE);
	assert_int_equal(PARSE(&options, "--top", "99999999999999999999"), SONDE_EUSAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(without_variables_there_is_no_rank, clean),
		cmocka_unit_test_setup(rank_and_sizes_come_from_the_table, clean),
		cmocka_unit_test_setup(a_rule_that_needs_another_variable_waits_for_it, clean),
		cmocka_unit_test_setup(sizes_per_machine_are_understood, clean),
		cmocka_unit_test_setup(the_key_is_the_nearest_process_that_is_no_rank, clean),
		cmocka_unit_test_setup(a_given_key_becomes_a_file_name, clean),
		cmocka_unit_test(lists_of_ranks),
		cmocka_unit_test(malformed_lists_are_refused),
		cmocka_unit_test(options_end_at_the_program),
		cmocka_unit_test(values_of_every_type),
		cmocka_unit_test(the_environment_speaks_where_the_line_does_not),
		cmocka_unit_test(wrong_use_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
