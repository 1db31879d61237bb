/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `sonde doctor [PROGRAM]`: what this build can be attached to on this machine, how, and what stands in the way.
 * Exit status 1 where nothing could be recorded here, or nothing of the program.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/log.h"
#include "base/table.h"
#include "cli/clock.h"
#include "cli/commands.h"
#include "cli/devices.h"
#include "cli/libraries.h"
#include "cli/preload.h"
#include "cli/program.h"
#include "cli/rundir.h"

#define SHOWN 3 /* libraries of a runtime, without --verbose */

struct doctor {
	const struct options *options;
	struct preload preload; /* as for the program, or for none */
	struct arena arena;
	bool working;
	bool absent, refused; /* of a file of devices: explained once */
};

static const char *joined(struct doctor *doctor, const char *text, const char *separator, const char *more)
{
	return text ? arena_printf(&doctor->arena, "%s%s%s", text, separator, more) : more;
}

/* ---- this machine ------------------------------------------------------------------------------------ */

static void check_machine(struct doctor *doctor)
{
	struct utsname system;
	char base[PATH_MAX];

	doctor->preload.directory = preload_directory(&doctor->preload.arena);
	uname(&system);
	printf("sonde " SONDE_VERSION ", Linux %s, %s\n", system.release, system.machine);
	if (doctor->preload.directory) {
		printf("Libraries:  %s\n", doctor->preload.directory);
	} else {
		printf("Libraries:  none beside the command or in ../lib/sonde: nothing can be traced\n");
		doctor->working = false;
	}
	if (rundir_find_base(base)) {
		printf("Recordings: %s%s\n", base, rundir_can_map(base) ? "" :
		       ", where files cannot be mapped: what a killed process recorded last is lost (SONDE_TMPDIR)");
	} else {
		printf("Recordings: nowhere: no folder for temporary files can be written to (SONDE_TMPDIR)\n");
		doctor->working = false;
	}
	printf("Clock:      %s\n\n", clock_choose() == FMT_CLOCK_COUNTER ? "the processor's counter" : "the system's");
}

/* ---- runtimes ---------------------------------------------------------------------------------------- */

static const char *reached_by(struct doctor *doctor, const struct attach_backend *backend)
{
	const char *taken = preload_users_tool(&doctor->preload, backend), *text = NULL;

	if (preload_is_off(backend))
		return arena_printf(&doctor->arena, "not: %s is set to %s", backend->off[0], backend->off[1]);
	if (taken)
		return arena_printf(&doctor->arena, "not: %s is set to another tool (-b %s takes it)", taken,
				    backend->name);
	if (backend->preload && doctor->preload.directory &&
	    access(arena_printf(&doctor->arena, "%s/%s", doctor->preload.directory, backend->preload), R_OK) != 0)
		return arena_printf(&doctor->arena, "not: %s is missing", backend->preload);
	for (const struct attach_env *env = backend->env; env->name; env++)
		text = joined(doctor, text, ", ", env->name);
	if (backend->preload)
		text = joined(doctor, text, ", ", "preload");
	if (backend->adds)
		text = joined(doctor, text, getenv(backend->adds) ? ", " : ", or also ", backend->adds);
	return text;
}

static const char *names_of(struct doctor *doctor, const char *const *names)
{
	const char *text = NULL;

	for (; *names; names++)
		text = joined(doctor, text, ", ", *names);
	return text;
}

/* What may not be opened is told without a library, too, where the devices are there. */
static void add_devices(struct doctor *doctor, struct table *table, const struct attach_backend *backend,
			bool asked)
{
	struct devices devices = devices_look(&doctor->arena, backend->device);

	if (!devices.trouble || (!asked && !devices.present))
		return;
	table_row(table);
	table_cell(table, 3, arena_printf(&doctor->arena, "no device: %s", devices.trouble));
	doctor->absent |= devices.absent;
	doctor->refused |= devices.refused;
}

static void add_libraries(struct doctor *doctor, struct table *table, const struct libraries *libraries)
{
	size_t count = libraries->count;
	size_t shown = doctor->options->verbose || count <= SHOWN + 1 ? count : SHOWN;

	for (size_t i = 0; i < shown; i++) {
		if (i)
			table_row(table);
		table_cell(table, 3, libraries->path[i]);
	}
	if (shown < count) {
		table_row(table);
		table_cell(table, 3, arena_printf(&doctor->arena, "and %zu more (-v)", count - shown));
	}
}

static void add_runtime(struct doctor *doctor, struct table *table, const struct attach_backend *backend)
{
	struct libraries libraries;

	table_row(table);
	table_cell(table, 0, backend->name);
	table_cell(table, 1, backend->state);
	table_cell(table, 2, reached_by(doctor, backend));
	if (!*backend->library || (backend->preload && !strcmp(*backend->library, backend->preload))) {
		table_cell(table, 3, "(in the program itself)");
		return;
	}
	libraries_find(&libraries, &doctor->arena, backend);
	if (libraries.count)
		add_libraries(doctor, table, &libraries);
	else
		table_cell(table, 3, joined(doctor, "not found: ", "", names_of(doctor, backend->library)));
	add_devices(doctor, table, backend, libraries.count || doctor->options->backends);
}

static void show_runtimes(struct doctor *doctor)
{
	struct table table;
	struct winsize window;
	size_t width = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;

	table_start(&table, &doctor->arena);
	table_column_left(&table, "runtime", 0);
	table_column_left(&table, "tested on", 0);
	table_column_left(&table, "reached by", 0);
	table_column_left(&table, "found here", 0);
	for (const struct attach_backend *backend = attach_backends; backend->name; backend++)
		if (preload_is_enabled(doctor->options, backend->name))
			add_runtime(doctor, &table, backend);
	table_print(&table, stdout, width, width && !getenv("NO_COLOR"));
	printf("\nWhat is not found here is traced where a program brings it.\n");
	if (doctor->absent)
		printf("A file in /dev is not there where the driver is not loaded, or the container was started "
		       "without it.\n");
	if (doctor->refused)
		printf("A file in /dev is opened by users who are in its group.\n");
}

/* ---- the program ------------------------------------------------------------------------------------- */

static void check_program(struct doctor *doctor, struct target *target)
{
	preload_plan(&doctor->preload, doctor->options, target, false);
	printf("\nProgram:    %s\n", target->path);
	if (strcmp(target->object, target->path) != 0)
		printf("Run by:     %s\n", target->object);
	if (access(target->object, X_OK) != 0) {
		printf("Traced:     no: it cannot be run: %s: %s\n", target->object, strerror(errno));
		doctor->working = false;
		return;
	}
	if (target->reason) {
		printf("Traced:     no: it %s%s\n", target_reason_text(target->reason),
		       target_children_reached(target->reason) ? "; programs that it starts are" : "");
		doctor->working = false;
		return;
	}
	printf("Linked:     %s\n", doctor->preload.linked ? doctor->preload.linked :
	       "with none of these runtimes; it may open them while it runs, which is seen");
	if (doctor->preload.missing)
		printf("Missing:    %s, which it needs\n", doctor->preload.missing);
	printf("Preloaded:  %s\n", preload_names(&doctor->preload));
}

/* Before anything is printed, so that what is wrong stands alone. 0, or logged. */
static int check_words(const struct options *options, char **words, struct target *target)
{
	int err = preload_check_options(options);

	if (err || !words[0])
		return err;
	if (words[1])
		return log_error(SONDE_EUSAGE, "doctor looks at one program: '%s' is too many", words[1]);
	err = target_look(words[0], target);
	return err ? program_cannot_run(words[0], err) : 0;
}

int cmd_doctor(const struct options *options, char **words)
{
	struct doctor doctor = { .options = options, .preload = { .options = options }, .working = true };
	struct target target;
	int err = check_words(options, words, &target);

	if (err)
		return SONDE_EXIT_BAD;
	check_machine(&doctor);
	show_runtimes(&doctor);
	if (words[0])
		check_program(&doctor, &target);
	if (fflush(stdout) == EOF)
		err = log_error(SONDE_EIO, "the standard output cannot be written to");
	arena_free(&doctor.preload.arena);
	arena_free(&doctor.arena);
	return err ? SONDE_EXIT_BAD : !doctor.working;
}
