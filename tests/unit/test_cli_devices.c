/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files of devices are missing, and which may not be opened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/devices.h"

#define NOBODY 65534

static char folder[] = "/tmp/sonde-devices-XXXXXX";
static struct arena arena;

static char *place(const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	return path;
}

static const char *make(const char *name, mode_t mode)
{
	const char *path = place(name);
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, mode);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

/* As somebody who has rights by the mode of the file alone. */
static struct devices look(const struct attach_device *list)
{
	bool root = geteuid() == 0;
	struct devices devices;

	if (root)
		assert_int_equal(setgroups(0, NULL) | setegid(NOBODY) | seteuid(NOBODY), 0);
	devices = devices_look(&arena, list);
	if (root)
		assert_int_equal(seteuid(0) | setegid(0), 0);
	return devices;
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? chmod(folder, 0755) : -1;
}

static int clean(void **state)
{
	char *command;

	(void)state;
	arena_free(&arena);
	return asprintf(&command, "rm -rf %s", folder) < 0 ? -1 : system(command);
}

static void one_of_a_line_is_enough(void **state)
{
	struct attach_device list[] = {
		{{place("other*"), make("there0", 0666)}, 0}, {{place("there[0-9]*")}, 0}, {{NULL}, 0}};

	(void)state;
	assert_null(look(list).trouble);
	assert_null(look(&list[2]).trouble);
}

static void what_is_absent_is_named_by_the_first_of_its_line(void **state)
{
	struct attach_device list[] = {{{"/nowhere/a", "/nowhere/b*"}, 0}, {{"/nowhere/c"}, 0}, {{NULL}, 0}};
	struct devices devices = look(list);

	(void)state;
	assert_string_equal(devices.trouble, "no /nowhere/a, no /nowhere/c");
	assert_true(devices.absent);
	assert_false(devices.refused);
}

static void what_may_not_be_opened_is_named_with_its_group(void **state)
{
	const char *closed = make("closed0", 0660), *readable = make("readable0", 0644);
	struct attach_device list[] = {{{place("closed*")}, 0}, {{readable}, 0}, {{NULL}, 0}};
	struct group *group;
	struct devices devices;
	struct stat file;
	char expected[512];

	(void)state;
	if (geteuid() != 0) /* an owner without rights, where nobody else can be */
		assert_int_equal(chmod(closed, 0060) | chmod(readable, 0040), 0);
	assert_int_equal(stat(closed, &file), 0);
	group = getgrgid(file.st_gid);
	assert_non_null(group);
	devices = look(list);
	snprintf(expected, sizeof(expected), "%s: Permission denied (group %s), %s: Permission denied", closed,
		 group->gr_name, readable);
	assert_string_equal(devices.trouble, expected);
	assert_true(devices.refused);
	assert_false(devices.absent);
	make("closed1", 0666); /* another's is closed, ours is not */
	list[1].path[0] = NULL;
	assert_null(look(list).trouble);
}

/* A file that any driver makes tells nothing where one of this driver's own is missing, or where it has none. */
static void what_may_be_of_another_driver_is_no_device(void **state)
{
	const char *closed = make("card0", geteuid() == 0 ? 0660 : 0060), *own = make("own0", 0666);
	struct attach_device list[] = {{{"/nowhere/own"}, 0}, {{closed}, 1}, {{NULL}, 0}};
	struct devices devices = look(list);

	(void)state;
	assert_true(devices.refused && devices.absent);
	assert_false(devices.present);
	devices = look(&list[1]);
	assert_true(devices.refused && !devices.absent);
	assert_false(devices.present);
	list[0].path[0] = own;
	devices = look(list);
	assert_true(devices.refused && devices.present);
	list[0].path[0] = closed; /* of this driver, and not for this user either */
	assert_true(look(list).present);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_a_line_is_enough),
		cmocka_unit_test(what_is_absent_is_named_by_the_first_of_its_line),
		cmocka_unit_test(what_may_not_be_opened_is_named_with_its_group),
		cmocka_unit_test(what_may_be_of_another_driver_is_no_device),
	};

	return cmocka_run_group_tests(tests, make_folder, clean);
}
