/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is put into the program's environment so that recorder and wrappers come into it. User's
 * entries of lists stay, in front of ours.
 */
#ifndef SONDE_CLI_PRELOAD_H
#define SONDE_CLI_PRELOAD_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/attach.h"
#include "cli/options.h"
#include "cli/target.h"

#define PRELOAD_MAX 32 /* backends */

struct preload {
	struct arena arena;
	const struct options *options;
	char *const *words;                /* the program and its arguments; NULL: not known */
	bool telling;                      /* messages are wanted: other ranks of the job would repeat them */
	const char *directory;           /* that holds our libraries; NULL: there are none to be used */
	const char *first;               /* goes in front of everything: the target's own sanitizer; or NULL */
	const char *library[2 * PRELOAD_MAX];
	unsigned libraries;              /* 0: the program runs untraced */
	const struct attach_alias *alias[PRELOAD_MAX]; /* names by which libraries have to be found as well, */
	const char *alias_path[PRELOAD_MAX];           /* and where they are */
	unsigned aliases;
	bool enabled[PRELOAD_MAX];       /* by index of attach_backends */
	const char *linked;              /* libraries of the enabled APIs that the target is linked with; or NULL */
	const char *missing;             /* a library that the target needs and that was not found; or NULL */
};

/* Where our libraries and samplers are, in the arena; NULL: nowhere. */
const char *preload_directory(struct arena *arena);

/* Checks the names in --backends. 0 or SONDE_EUSAGE, logged. */
int preload_check_options(const struct options *options);
/* Does --backends ask for it, by name or because it is absent? */
bool preload_is_enabled(const struct options *options, const char *backend);

/*
 * Decides what to load into the target; target->reason becomes TARGET_SANITIZER where that stands in the
 * way. telling: say what cannot be loaded or traced. preload is zero-initialised.
 */
void preload_plan(struct preload *preload, const struct options *options, struct target *target, bool telling);

/* A variable that holds the backend's one tool, and in which the user has another one: it stays. NULL: none. */
const char *preload_users_tool(const struct preload *preload, const struct attach_backend *backend);

/* Has the user switched off the interface that the backend is reached by? */
bool preload_is_off(const struct attach_backend *backend);

/* Sets the variables in this process. directory: SONDE_DIR. Called in the child before exec. */
void preload_export(const struct preload *preload, const char *directory);

/* Base names of what is loaded, for people; in the preload's arena. */
const char *preload_names(struct preload *preload);

#endif
