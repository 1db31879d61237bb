/* SPDX-License-Identifier: BSD-3-Clause */
/* Globs of programs: what they hold, and how the launcher makes them absolute. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fnmatch.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/programs.h"
#include "format/glob.h"

static uint64_t state_of_dice = 1;

static unsigned dice(unsigned sides)
{
	state_of_dice = state_of_dice * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state_of_dice >> 33) % sides;
}

static void add(char *text, const char *format, char a, char b)
{
	sprintf(text + strlen(text), format, a, b);
}

/* A set that ends; what stands in it may be special elsewhere. */
static void add_set(char *glob)
{
	static const char plain[] = "abczA0/.,!^*?\xc3\xa9", last[] = "abcz]0\xc3";
	static const char *const class[] = {"[:alpha:]", "[:digit:]", "[:punct:]", "[:space:]", "[:xdigit:]"};

	strcat(glob, dice(3) ? "[" : dice(2) ? "[!" : "[^");
	strcat(glob, dice(6) ? "b" : "]"); /* no '!', which could make another set of it, one that does not end */
	for (unsigned i = dice(4); i; i--) {
		char one = plain[dice(sizeof(plain) - 1)], two = plain[dice(sizeof(plain) - 1)];

		switch (dice(6)) {
		case 0: strcat(glob, class[dice(sizeof(class) / sizeof(class[0]))]); break;
		case 1: add(glob, "%c-%c", one, two); break;
		case 2: add(glob, "\\%c", last[dice(sizeof(last) - 1)], 0); break;
		case 3: add(glob, "%c-\\%c", one, last[dice(sizeof(last) - 1)]); break;
		default: add(glob, "%c", one, 0);
		}
	}
	strcat(glob, dice(5) ? "]" : "-]"); /* elsewhere '-' makes a range, and of one up to a class nothing is said */
}

static void make_glob(char *glob)
{
	static const char plain[] = "aabbcz]/.-!\xc3";

	*glob = '\0';
	for (unsigned i = dice(7); i; i--) {
		switch (dice(6)) {
		case 0: strcat(glob, "*"); break;
		case 1: strcat(glob, "?"); break;
		case 2: add_set(glob); break;
		case 3: add(glob, "\\%c", "ab*?[]\\"[dice(7)], 0); break;
		default: add(glob, "%c", plain[dice(sizeof(plain) - 1)], 0);
		}
	}
	if (!dice(50))
		strcat(glob, "\\");
}

static void make_text(char *text)
{
	static const char any[] = "aaabbbcz]/.-!*?[\\0A \xc3\xa9";

	*text = '\0';
	for (unsigned i = dice(7); i; i--)
		add(text, "%c", any[dice(sizeof(any) - 1)], 0);
}

static void test_as_fnmatch(void **state)
{
	char glob[512], text[64];
	unsigned held = 0, sets = 0;

	(void)state;
	assert_non_null(setlocale(LC_ALL, "C"));
	for (unsigned i = 0; i < 500000; i++) {
		bool wanted;

		make_glob(glob);
		make_text(text);
		wanted = fnmatch(glob, text, 0) == 0;
		if (fmt_glob_matches(glob, strlen(glob), text) != wanted)
			fail_msg("'%s' and '%s': fnmatch says %d", glob, text, wanted);
		held += wanted;
		sets += wanted && strchr(glob, '[');
	}
	assert_true(held > 5000 && sets > 1000); /* it was about something */
}

static bool holds(const char *glob, const char *text)
{
	return fmt_glob_matches(glob, strlen(glob), text);
}

static void test_what_is_not_closed(void **state)
{
	(void)state;
	assert_true(holds("[a", "[a"));
	assert_false(holds("[a", "a"));
	assert_true(holds("*[!", "x[!"));
	assert_true(holds("[]", "[]"));
	assert_true(holds("[[:alpha:]", "[a")); /* the second one ends there */
	assert_false(holds("a\\", "a"));
	assert_false(holds("a\\", "a\\"));
	assert_false(holds("[a\\", "a"));
	assert_true(holds("", ""));
	assert_false(holds("", "a"));
}

/* Nothing is copied: a glob of any length counts, and what is behind it does not. */
static void test_lists(void **state)
{
	char *list = malloc(8200);

	(void)state;
	assert_false(fmt_globs_hold("x,b?st,y", "/a/burst"));
	assert_true(fmt_globs_hold("x,b*st", "/a/burst"));
	assert_true(fmt_globs_hold(",,burst,", "/a/burst"));
	assert_false(fmt_globs_hold("bur,st", "/a/burst"));
	assert_false(fmt_globs_hold("a", "/a/burst"));
	assert_true(fmt_globs_hold("/a/*", "/a/b/burst"));
	assert_false(fmt_globs_hold("bur[s,t]t", "/a/burst"));
	assert_false(fmt_globs_hold("", "/a/burst"));
	assert_non_null(list);
	strcpy(list, "/");
	for (unsigned i = 0; i < 4000; i++)
		strcat(list, "a*");
	strcat(list, ",no");
	assert_false(fmt_globs_hold(list, "/a"));
	memset(list + 1, '*', 8000);
	assert_true(fmt_globs_hold(list, "/any"));
	free(list);
}

static void holds_alone(struct arena *arena, const char *folder, const char *glob, const char *name)
{
	const char *list = programs_absolute(arena, arena_printf(arena, "x,%s", glob));

	if (!fmt_globs_hold(list, arena_printf(arena, "%s/%s", folder, name)))
		fail_msg("'%s' became '%s', which does not hold %s/%s", glob, list, folder, name);
	assert_false(fmt_globs_hold(list, arena_printf(arena, "/elsewhere/%s", name)));
}

/* Every character that means something in a list may stand in the name of the folder. */
static void test_absolute(void **state)
{
	char base[] = "/tmp/sonde-programs-XXXXXX", before[4096];
	struct arena arena = {NULL};
	const char *odd;
	FILE *file;

	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_non_null(mkdtemp(base));
	odd = arena_printf(&arena, "%s/%s", base, "a,b [1] *?\\,c");
	assert_int_equal(mkdir(odd, 0755), 0);
	assert_int_equal(chdir(odd), 0);
	file = fopen("burst", "w");
	assert_non_null(file);
	fclose(file);
	holds_alone(&arena, odd, "./burst", "burst");
	holds_alone(&arena, odd, "./b[tu]r*", "burst");
	holds_alone(&arena, odd, "../a?b*/burst", "burst");
	assert_string_equal(programs_absolute(&arena, "a,*/b"), "a,*/b");
	assert_null(programs_absolute(&arena, NULL));
	assert_int_equal(unlink("burst") | chdir(before) | rmdir(odd) | rmdir(base), 0);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_fnmatch),
		cmocka_unit_test(test_what_is_not_closed),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_absolute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
