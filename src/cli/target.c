/* SPDX-License-Identifier: BSD-3-Clause */
/* See target.h. */
#include "cli/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

#include "cli/elf.h"

#define SCRIPT_DEPTH 5 /* as the kernel allows */

static const struct {
	const char *text;
	bool children;
} reasons[TARGET_REASON_COUNT] = {
#define TARGET_ROW(id, text, children) [TARGET_##id] = { text, children },
	TARGET_REASONS(TARGET_ROW)
};

const char *target_reason_text(enum target_reason reason)
{
	return reasons[reason].text;
}

bool target_children_reached(enum target_reason reason)
{
	return reason == TARGET_TRACEABLE || reasons[reason].children;
}

/* 0, or why the file cannot be executed. */
static int check_executable(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return errno;
	if (!S_ISREG(status.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0)
		return EACCES;
	return 0;
}

static int find_program(const char *program, char *path_out)
{
	const char *list = getenv("PATH");
	int result = ENOENT;

	if (!*program)
		return ENOENT;
	if (strchr(program, '/')) {
		if (snprintf(path_out, PATH_MAX, "%s", program) >= PATH_MAX)
			return ENAMETOOLONG;
		return check_executable(program);
	}
	if (!list)
		list = "/bin:/usr/bin";
	for (;;) {
		size_t length = strcspn(list, ":");

		const char *slash = length ? "/" : ""; /* an empty entry means the current directory */

		if (snprintf(path_out, PATH_MAX, "%.*s%s%s", (int)length, list, slash, program) < PATH_MAX) {
			int err = check_executable(path_out);

			if (!err)
				return 0;
			if (err == EACCES)
				result = EACCES; /* like execvp: told when nothing better is found */
		}
		if (!list[length])
			return result;
		list += length + 1;
	}
}

/* Interpreter in the first line of a script; false: the file is no script. */
static bool script_interpreter(const char *path, char *interpreter_out)
{
	char line[512], *word;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);

	if (fd >= 0)
		close(fd);
	if (length < 2 || strncmp(line, "#!", 2) != 0)
		return false;
	line[length] = '\0';
	word = line + 2 + strspn(line + 2, " \t");
	word[strcspn(word, " \t\n")] = '\0';
	return *word && snprintf(interpreter_out, PATH_MAX, "%s", word) < PATH_MAX;
}

/* The ELF file that the kernel ends up with. A file it cannot run itself goes to a shell (execvp). */
static void find_object(const char *path, char *object_out)
{
	char interpreter[PATH_MAX];

	snprintf(object_out, PATH_MAX, "%s", path);
	for (int i = 0; i < SCRIPT_DEPTH && script_interpreter(object_out, interpreter); i++)
		strcpy(object_out, interpreter);
}

/* Would exec change the user or group? Only then does the loader ignore our variables. */
static bool changes_identity(const struct stat *status, const char *path)
{
	struct statvfs fs;
	bool user = (status->st_mode & S_ISUID) && status->st_uid != getuid();
	bool group = (status->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && status->st_gid != getgid();

	if (!user && !group)
		return false;
	if (statvfs(path, &fs) == 0 && (fs.f_flag & ST_NOSUID))
		return false;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
}

static enum target_reason look_at_object(const char *object)
{
	enum target_reason reason = TARGET_TRACEABLE;
	const char *interpreter;
	struct stat status;
	struct elf elf;

	if (stat(object, &status) == 0 && changes_identity(&status, object))
		return TARGET_SET_ID;
	if (getuid() != 0 && getxattr(object, "security.capability", NULL, 0) > 0)
		return TARGET_CAPABILITIES;
	switch (elf_open(object, &elf)) {
	case ELF_OTHER_MACHINE:
		return TARGET_OTHER_MACHINE;
	case ELF_UNREADABLE: /* executable, not readable: nothing speaks against trying */
	case ELF_NOT_ELF:    /* a file for a shell, or for a binfmt handler */
		return TARGET_TRACEABLE;
	case ELF_OK:
		break;
	}
	interpreter = elf_interpreter(&elf);
	if (!interpreter)
		reason = TARGET_STATIC;
	else if (strstr(interpreter, "ld-musl"))
		reason = TARGET_OTHER_LIBC;
	elf_close(&elf);
	return reason;
}

int target_look(const char *program, struct target *target_out)
{
	int err;

	memset(target_out, 0, sizeof(*target_out));
	err = find_program(program, target_out->path);
	if (err)
		return err;
	find_object(target_out->path, target_out->object);
	target_out->reason = look_at_object(target_out->object);
	return 0;
}
