/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers, UTF-8, JSON, CSV and tables of the offline code. */
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/csv.h"
#include "base/demangle.h"
#include "base/json.h"
#include "base/map.h"
#include "base/number.h"
#include "base/process.h"
#include "base/table.h"
#include "base/utf8.h"

static char output[8192];

static FILE *open_output(void)
{
	memset(output, 0, sizeof(output));
	return fmemopen(output, sizeof(output), "w");
}

/* ---- numbers ---- */

static void times_have_four_digits_and_the_unit_that_fits(void **state)
{
	struct number number;

	(void)state;
	assert_string_equal(number_time(&number, 0), "0 ns");
	assert_string_equal(number_time(&number, 999), "999 ns");
	assert_string_equal(number_time(&number, 1000), "1.000 us");
	assert_string_equal(number_time(&number, 12345), "12.35 us");
	assert_string_equal(number_time(&number, 999949), "999.9 us");
	assert_string_equal(number_time(&number, 999950), "1.000 ms");
	assert_string_equal(number_time(&number, 123456789), "123.5 ms");
	assert_string_equal(number_time(&number, 5999600000), "6.000 s");
	assert_string_equal(number_time(&number, 120000000000), "120.0 s");
	assert_string_equal(number_time(&number, 123456000000000), "123456 s");
	assert_string_equal(number_time(&number, -3000000), "-3.000 ms");
	assert_string_equal(number_time(&number, INT64_MIN), "-9223372037 s");
}

static void sizes_have_binary_units(void **state)
{
	struct number number;

	(void)state;
	assert_string_equal(number_bytes(&number, 1023), "1023 B");
	assert_string_equal(number_bytes(&number, 1536), "1.500 KiB");
	assert_string_equal(number_bytes(&number, 3u << 20), "3.000 MiB");
	assert_string_equal(number_bytes(&number, UINT64_MAX), "16.00 EiB");
}

static void rates_need_a_time(void **state)
{
	struct number number;

	(void)state;
	assert_string_equal(number_rate(&number, 1000, 0), "-");
	assert_string_equal(number_rate(&number, 12300000000, 1000000000), "12.30 GB/s");
	assert_string_equal(number_rate(&number, 5, 1000000), "5.000 kB/s");
}

static void what_is_not_zero_is_not_shown_as_zero_per_cent(void **state)
{
	struct number number;

	(void)state;
	assert_string_equal(number_percent(&number, 0), "0.0");
	assert_string_equal(number_percent(&number, 1), "<0.1");
	assert_string_equal(number_percent(&number, 812345), "81.2");
	assert_string_equal(number_percent(&number, 1000000), "100.0");
	assert_string_equal(number_percent(&number, -250000), "-25.0");
	assert_string_equal(number_ppm(&number, -1), "-0.000001");
	assert_string_equal(number_ppm(&number, 1000000), "1.000000");
}

static void shares_sum_to_their_total_whatever_the_parts(void **state)
{
	unsigned seed = 3, round;
	int64_t parts[9], shares[9], sum;
	int i;

	(void)state;
	for (round = 0; round < 10000; round++) {
		for (i = 0; i < 9; i++)
			parts[i] = rand_r(&seed) % 5 ? rand_r(&seed) : 0;
		parts[8] = -rand_r(&seed) % 1000; /* a negative part, too */
		parts[0] += 2000;
		number_shares(parts, 9, 1000, shares);
		for (sum = 0, i = 0; i < 9; i++)
			sum += shares[i];
		assert_int_equal(sum, 1000);
	}
}

/* ---- UTF-8 ---- */

static void bad_utf8_is_replaced_and_control_characters_are_shown(void **state)
{
	struct arena arena = {NULL};

	(void)state;
	assert_string_equal(utf8_display(&arena, "plain", 0), "plain");
	assert_string_equal(utf8_display(&arena, "a\xff" "b\xc3", 0), "a\xef\xbf\xbd" "b\xef\xbf\xbd");
	assert_string_equal(utf8_display(&arena, "\xc0\xaf", 0), "\xef\xbf\xbd\xef\xbf\xbd");       /* overlong */
	assert_string_equal(utf8_display(&arena, "\xed\xa0\x80", 0),
			    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");                                     /* surrogate */
	assert_string_equal(utf8_display(&arena, "\x1b[31m\n\tx", 0), "\\x1b[31m\\n\\tx");
	assert_string_equal(utf8_display(&arena, "\xe2\x80\xae" "evil", 0), "\\u202eevil");
	arena_free(&arena);
}

static void long_names_are_cut_in_the_middle_when_asked(void **state)
{
	struct arena arena = {NULL};

	(void)state;
	assert_string_equal(utf8_display(&arena, "0123456789abcdefghij", 11), "0123...ghij");
	assert_string_equal(utf8_display(&arena, "0123456789", 10), "0123456789");
	/* the same ends, and something else between them */
	assert_int_equal(utf8_width(utf8_display(&arena, "0123456789abcdefghij", 16)), 16);
	assert_string_not_equal(utf8_display(&arena, "0123456789abcdefghij", 16),
				utf8_display(&arena, "0123456789Abcdefghij", 16));
	assert_string_equal(utf8_display(&arena, "0123456789", 2), "01");
	assert_int_equal(utf8_width(utf8_display(&arena, "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97", 7)), 7);
	arena_free(&arena);
}

/* ---- JSON ---- */

static void json_is_valid_for_any_bytes(void **state)
{
	struct json json;
	FILE *file = open_output();

	(void)state;
	json_start(&json, file);
	json_object_line(&json, NULL);
	json_text(&json, "quote\"key", "a\\b\"c\x01\n\x7f\xff\xc3\xa9");
	json_i64(&json, "min", INT64_MIN);
	json_u64(&json, "max", UINT64_MAX);
	json_array(&json, "empty");
	json_array_end(&json);
	json_bool(&json, "yes", true);
	json_null(&json, "none");
	json_ppm(&json, "share", 500000);
	json_object_end(&json);
	json_finish(&json);
	fclose(file);
	assert_string_equal(output, "{\"quote\\\"key\": \"a\\\\b\\\"c\\u0001\\u000a\\u007f\xef\xbf\xbd\xc3\xa9\", "
				    "\"min\": -9223372036854775808, \"max\": 18446744073709551615, \"empty\": [], "
				    "\"yes\": true, \"none\": null, \"share\": 0.500000}\n");
}

static void json_breaks_lines_between_rows_only(void **state)
{
	struct json json;
	FILE *file = open_output();

	(void)state;
	json_start(&json, file);
	json_object(&json, NULL);
	json_array(&json, "rows");
	json_object_line(&json, NULL);
	json_u64(&json, "a", 1);
	json_u64(&json, "b", 2);
	json_object_end(&json);
	json_array_end(&json);
	json_object_end(&json);
	json_finish(&json);
	fclose(file);
	assert_string_equal(output, "{\n\t\"rows\": [\n\t\t{\"a\": 1, \"b\": 2}\n\t]\n}\n");
}

/* ---- CSV ---- */

static void csv_quotes_as_rfc_4180_says(void **state)
{
	struct csv csv;
	FILE *file = open_output();

	(void)state;
	csv_start(&csv, file);
	csv_header(&csv, (const char *const[]){"name", "value", NULL});
	csv_text(&csv, "void f(int, \"x\")");
	csv_i64(&csv, -5);
	csv_end(&csv);
	csv_text(&csv, "two\nlines");
	csv_empty(&csv);
	csv_end(&csv);
	csv_text(&csv, "plain\xff");
	csv_text(&csv, "");
	csv_end(&csv);
	fclose(file);
	assert_string_equal(output, "name,value\r\n\"void f(int, \"\"x\"\")\",-5\r\n\"two\nlines\",\r\n"
				    "plain\xef\xbf\xbd,\"\"\r\n");
}

/* ---- tables ---- */

static void make_table(struct table *table, struct arena *arena)
{
	table_start(table, arena);
	table_column(table, "time", 0);
	table_column(table, "never filled", 0);
	table_column(table, "detail", 2);
	table_column(table, "more", 1);
	table_column_left(table, "name", 0);
	table_row(table);
	table_cell(table, 0, "1.000 s");
	table_cell(table, 2, "xx");
	table_cell(table, 3, "yyyyyyyy");
	table_cell(table, 4, "a long name that is not cut");
	table_row(table);
	table_cell(table, 0, "5 ns");
	table_cell(table, 4, "\xc3\xa9");
}

static void numbers_are_right_aligned_and_names_last(void **state)
{
	struct arena arena = {NULL};
	struct table table;
	FILE *file = open_output();

	(void)state;
	make_table(&table, &arena);
	table_print(&table, file, 0, false);
	fclose(file);
	assert_string_equal(output, "     time  detail      more  name\n"
				    "  1.000 s      xx  yyyyyyyy  a long name that is not cut\n"
				    "     5 ns                    \xc3\xa9\n");
	arena_free(&arena);
}

static void a_narrow_terminal_loses_columns_but_not_names(void **state)
{
	struct arena arena = {NULL};
	struct table table;
	FILE *file = open_output();

	(void)state;
	make_table(&table, &arena);
	table_print(&table, file, 40, false);
	fclose(file);
	assert_string_equal(output, "     time      more  name\n"
				    "  1.000 s  yyyyyyyy  a long name that is not cut\n"
				    "     5 ns            \xc3\xa9\n");
	arena_free(&arena);
}

/* ---- map ---- */

static void a_map_keeps_thousands_of_keys_apart(void **state)
{
	struct arena arena = {NULL};
	struct map map = {.arena = &arena};
	static int values[5000];
	struct map_key key = {NULL, 0, 0};
	int i;

	(void)state;
	for (i = 0; i < 5000; i++) {
		map_key_start(&key);
		map_key_number(&key, &arena, (uint64_t)i / 50);
		map_key_text(&key, &arena, i % 50 ? "x" : "");
		map_key_number(&key, &arena, (uint64_t)i % 50);
		*map_value(&map, key.bytes, key.length) = &values[i];
	}
	assert_int_equal(map.used, 5000);
	assert_ptr_equal(*map_value(&map, key.bytes, key.length), &values[4999]);
	map_key_start(&key);
	map_key_text(&key, &arena, "ab");
	map_key_text(&key, &arena, "c");
	*map_value(&map, key.bytes, key.length) = &values[0];
	map_key_start(&key);
	map_key_text(&key, &arena, "a");
	map_key_text(&key, &arena, "bc");
	assert_null(*map_value(&map, key.bytes, key.length));
	arena_free(&arena);
}

static void names_of_cxx_functions_are_written_as_in_cxx(void **state)
{
	struct arena arena = {0};
	char endless[5000];

	(void)state;
	assert_string_equal(demangle(&arena, "_Z4spinx"), "spin(long long)");
	assert_string_equal(demangle(&arena, "spin"), "spin");
	assert_string_equal(demangle(&arena, "Z4mainEUliE_"), "main::{lambda(int)#1}");
	assert_string_equal(demangle(&arena, "N3sim4StepE"), "sim::Step");
	assert_string_equal(demangle(&arena, "4Axpy"), "4Axpy");
	assert_string_equal(demangle(&arena, "N5"), "N5");
	assert_string_equal(demangle(&arena, "_Z"), "_Z");
	assert_string_equal(demangle(&arena, "_Z4spi"), "_Z4spi");
	assert_string_equal(demangle(&arena, "_Z\xff\xfe\"'"), "_Z\xff\xfe\"'");
	memset(endless, 'N', sizeof(endless));
	memcpy(endless, "_Z", 2);
	endless[sizeof(endless) - 1] = '\0';
	assert_ptr_equal(demangle(&arena, endless), endless);
	endless[4000] = '\0';
	assert_ptr_equal(demangle(&arena, endless), endless);
	arena_free(&arena);
}

/* ---- processes ---- */

static int until_closed[2];

static void *run_until_closed(void *unused)
{
	char byte;

	_exit(read(until_closed[0], &byte, 1) == 0 ? 0 : 1);
	return unused;
}

/* Waits for the state of the initial thread, and with `ended` for the end of the others. */
static struct process wait_for_state(pid_t pid, char wanted, bool ended)
{
	struct process proc;

	for (int i = 0; i < 2000; i++) {
		assert_true(process_read(pid, &proc));
		if (proc.state == wanted && proc.ended == ended)
			break;
		usleep(5000);
	}
	assert_int_equal(proc.state, wanted);
	return proc;
}

static void a_process_runs_until_its_last_thread_has_ended(void **state)
{
	struct process self, proc;
	pthread_t thread;
	pid_t pid;

	(void)state;
	assert_true(process_read(getpid(), &self));
	assert_true(process_runs(getpid(), self.start));
	assert_false(process_runs(getpid(), self.start + 1));
	assert_int_equal(self.parent, getppid());
	assert_int_equal(pipe(until_closed), 0);
	pid = fork();
	if (!pid) {
		close(until_closed[1]);
		if (pthread_create(&thread, NULL, run_until_closed, NULL) == 0)
			pthread_exit(NULL);
		_exit(1);
	}
	proc = wait_for_state(pid, 'Z', false);
	assert_int_equal(proc.parent, getpid());
	assert_true(process_runs(pid, proc.start));
	close(until_closed[1]);
	proc = wait_for_state(pid, 'Z', true);
	assert_true(proc.ended);
	assert_false(process_runs(pid, proc.start));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(process_read(pid, &proc));
	close(until_closed[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_have_four_digits_and_the_unit_that_fits),
		cmocka_unit_test(sizes_have_binary_units),
		cmocka_unit_test(rates_need_a_time),
		cmocka_unit_test(what_is_not_zero_is_not_shown_as_zero_per_cent),
		cmocka_unit_test(shares_sum_to_their_total_whatever_the_parts),
		cmocka_unit_test(bad_utf8_is_replaced_and_control_characters_are_shown),
		cmocka_unit_test(long_names_are_cut_in_the_middle_when_asked),
		cmocka_unit_test(json_is_valid_for_any_bytes),
		cmocka_unit_test(json_breaks_lines_between_rows_only),
		cmocka_unit_test(csv_quotes_as_rfc_4180_says),
		cmocka_unit_test(numbers_are_right_aligned_and_names_last),
		cmocka_unit_test(a_narrow_terminal_loses_columns_but_not_names),
		cmocka_unit_test(a_map_keeps_thousands_of_keys_apart),
		cmocka_unit_test(names_of_cxx_functions_are_written_as_in_cxx),
		cmocka_unit_test(a_process_runs_until_its_last_thread_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
