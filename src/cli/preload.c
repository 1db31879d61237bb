/* SPDX-License-Identifier: BSD-3-Clause */
/* See preload.h. */
#include "cli/preload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/attach.h"
#include "cli/clock.h"
#include "cli/closure.h"
#include "cli/libraries.h"
#include "cli/programs.h"
#include "cli/ranks.h"
#include "cli/select.h"
#include "cli/tell.h"

#define LIBRARY "libsonde.so"
#define LIBDIR_MARK "@LIBDIR@"

static bool list_holds(const char *list, const char *separators, const char *item)
{
	while (list && *list) {
		size_t length = strcspn(list, separators);

		if (length == strlen(item) && !strncmp(list, item, length))
			return true;
		list += length + (list[length] != '\0');
	}
	return false;
}

static void append_variable(const char *name, const char *separators, const char *item)
{
	const char *old = getenv(name);
	char *joined;

	if (!old || !*old) {
		setenv(name, item, 1);
		return;
	}
	if (list_holds(old, separators, item) || asprintf(&joined, "%s%c%s", old, *separators, item) < 0)
		return;
	setenv(name, joined, 1);
	free(joined);
}

static void prepend_variable(const char *name, const char *item)
{
	const char *old = getenv(name);
	char *joined;

	if (old && !strncmp(old, item, strlen(item)))
		return;
	if (asprintf(&joined, "%s%s%s", item, old && *old ? ":" : "", old ? old : "") < 0)
		return;
	setenv(name, joined, 1);
	free(joined);
}

int preload_check_options(const struct options *options)
{
	const char *list = options->backends;

	while (list && *list) {
		size_t length = strcspn(list, ",");
		const struct attach_backend *backend = attach_backends;

		while (backend->name && (strlen(backend->name) != length || strncmp(backend->name, list, length) != 0))
			backend++;
		if (!backend->name)
			return log_error(SONDE_EUSAGE, "unknown backend '%.*s' (there are: %s)", (int)length, list,
					 select_backends());
		list += length + (list[length] == ',');
	}
	return 0;
}

/* Beside this program in a build tree, in ../lib/sonde in an installation. */
const char *preload_directory(struct arena *arena)
{
	static const char *const places[] = { ".", "../lib/sonde" };
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length <= 0)
		return NULL;
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	for (size_t i = 0; i < 2; i++) {
		char *path = realpath(arena_printf(arena, "%s/%s/" LIBRARY, self, places[i]), NULL);

		if (path) {
			const char *directory = arena_strndup(arena, path, strlen(path) - sizeof(LIBRARY));

			free(path);
			return directory;
		}
	}
	return NULL;
}

/* The loader splits LD_PRELOAD at both, with no way to quote them. */
static bool directory_is_usable(const struct preload *preload)
{
	bool usable = preload->directory && !strpbrk(preload->directory, ": ");

	if (usable || !preload->telling)
		return usable;
	if (preload->directory)
		tell("%s: LD_PRELOAD takes no path with a space or colon: nothing is traced",
			    preload->directory);
	else
		tell(LIBRARY " is neither beside the command nor in ../lib/sonde: nothing is traced");
	return false;
}

static void add_library(struct preload *preload, const char *name, const struct closure *closure)
{
	const char *path = arena_printf(&preload->arena, "%s/%s", preload->directory, name);
	bool asked = closure && closure->absents;
	const char *absent = NULL;
	struct elf wrapper;

	for (unsigned i = 0; i < preload->libraries; i++)
		if (!strcmp(preload->library[i], path))
			return;
	errno = 0;
	if ((asked ? elf_open(path, &wrapper) : elf_look(path)) != ELF_OK) {
		if (preload->telling)
			tell("%s: %s", path, errno ? strerror(errno) : "is no library for this machine");
		return;
	}
	if (asked) {
		absent = closure_asks_for_absent(closure, &wrapper);
		elf_close(&wrapper);
	}
	if (absent) {
		if (preload->options->verbose && preload->telling)
			tell("%s is not loaded: the program asks whether %s exists, and it does not", name,
				    absent);
		return;
	}
	if (preload->libraries < 2 * PRELOAD_MAX)
		preload->library[preload->libraries++] = path;
}

/* Path of a library of the runtime that the program is linked with; NULL: none. */
static const char *linked_library(const struct attach_backend *backend, const struct closure *closure)
{
	const char *path = NULL;

	for (const char *const *library = backend->library; *library && !path; library++)
		path = closure_find(closure, *library);
	return path;
}

static void note_linked(struct preload *preload, const struct attach_backend *backend,
			const struct closure *closure)
{
	const char *path = linked_library(backend, closure);

	if (path)
		preload->linked = preload->linked ? arena_printf(&preload->arena, "%s, %s", preload->linked,
								 basename(path))
						  : arena_strdup(&preload->arena, basename(path));
}

static void note_aliases(struct preload *preload, const struct attach_backend *backend, const struct closure *closure)
{
	for (const struct attach_alias *alias = backend->alias; alias->name; alias++) {
		const char *path = closure_find(closure, alias->library);

		if (!path || !closure_find(closure, alias->needed) || preload->aliases == PRELOAD_MAX)
			continue;
		preload->alias[preload->aliases] = alias;
		preload->alias_path[preload->aliases++] = arena_strdup(&preload->arena, path);
	}
}

static void tell_taken(const struct preload *preload, const struct attach_backend *backend,
		       const struct closure *closure)
{
	const char *path = backend->taken ? closure_definer(closure, backend->taken) : NULL;

	if (path && preload->telling)
		tell("%s has a tool of its own (%s), which stays: nothing of %s is traced", basename(path),
		     backend->taken, backend->name);
}

bool preload_is_off(const struct attach_backend *backend)
{
	const char *value = backend->off[0] ? getenv(backend->off[0]) : NULL;

	return value && !strcmp(value, backend->off[1]);
}

static void tell_off(const struct preload *preload, const struct attach_backend *backend,
		     const struct closure *closure)
{
	if (preload->telling && preload_is_off(backend) && linked_library(backend, closure))
		tell("%s is set to %s: nothing of %s is traced", backend->off[0], backend->off[1], backend->name);
}

/* Sanitizer runtimes insist on being loaded first; other libraries of theirs do not mind us. */
static bool sanitizer_is_met(struct preload *preload, const struct closure *closure)
{
	static const char *const runtimes[] = { "libasan.so", "libclang_rt.asan", "libtsan.so", "libclang_rt.tsan" };

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		const char *path = closure_find(closure, runtimes[i]);

		if (path)
			preload->first = arena_strdup(&preload->arena, path);
		if (path ? strpbrk(path, ": ") != NULL
			 : closure->missing && !strncmp(closure->missing, runtimes[i], strlen(runtimes[i])))
			return false;
	}
	return true;
}

bool preload_is_enabled(const struct options *options, const char *backend)
{
	return !options->backends || list_holds(options->backends, ",", backend);
}

/*
 * Programs open this library by name, for tools alone: where there is none, empty objects that have the names are there
 * already, and what is looked up in them is ours.
 */
static void add_opened(struct preload *preload, const struct attach_backend *backend, const struct closure *closure)
{
	if (!*backend->opened || (closure && linked_library(backend, closure)) ||
	    libraries_there(&preload->arena, backend, backend->opened))
		return;
	for (const char *const *name = backend->opened; *name; name++)
		add_library(preload, arena_printf(&preload->arena, "stand-in/%s", *name), NULL);
}

static void plan_libraries(struct preload *preload, struct target *target)
{
	struct closure closure;
	bool known = closure_open(&closure, target->object, getenv("LD_PRELOAD"));

	if (known && closure.missing)
		preload->missing = arena_strdup(&preload->arena, closure.missing);
	if (known && !sanitizer_is_met(preload, &closure)) {
		target->reason = TARGET_SANITIZER;
		closure_close(&closure);
		return;
	}
	for (unsigned i = 0; attach_backends[i].name && i < PRELOAD_MAX; i++) {
		if (!preload->enabled[i] && !attach_backends[i].controls)
			continue;
		if (known && preload->enabled[i]) {
			note_linked(preload, &attach_backends[i], &closure);
			note_aliases(preload, &attach_backends[i], &closure);
			tell_taken(preload, &attach_backends[i], &closure);
			tell_off(preload, &attach_backends[i], &closure);
		}
		if (attach_backends[i].preload)
			add_library(preload, attach_backends[i].preload,
				    known && !attach_backends[i].weak ? &closure : NULL);
		if (preload->enabled[i])
			add_opened(preload, &attach_backends[i], known ? &closure : NULL);
	}
	/* behind its wrapper objects, so that what it finds by RTLD_NEXT is never one of them */
	add_library(preload, LIBRARY, NULL);
	closure_close(&closure);
}

void preload_plan(struct preload *preload, const struct options *options, struct target *target, bool telling)
{
	preload->options = options;
	preload->telling = telling;
	for (unsigned i = 0; attach_backends[i].name && i < PRELOAD_MAX; i++)
		preload->enabled[i] = preload_is_enabled(options, attach_backends[i].name);
	preload->directory = preload_directory(&preload->arena);
	if (directory_is_usable(preload) && target_children_reached(target->reason))
		plan_libraries(preload, target);
	if (target->reason && telling)
		tell("%s %s: it runs untraced", target->object, target_reason_text(target->reason));
}

/* A variable of ours that holds an option: as given, or absent. */
static void set_or_clear(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

/* With @LIBDIR@ replaced; lives until exec. */
static const char *value_of(const struct preload *preload, const struct attach_env *env)
{
	const char *mark = strstr(env->value, LIBDIR_MARK);
	char *path;

	if (!mark)
		return env->value;
	if (asprintf(&path, "%.*s%s%s", (int)(mark - env->value), env->value, preload->directory,
		     mark + strlen(LIBDIR_MARK)) < 0)
		return NULL;
	return path;
}

/* Variables that hold one tool; several of a backend are names of one place. */
const char *preload_users_tool(const struct preload *preload, const struct attach_backend *backend)
{
	if (list_holds(preload->options->backends, ",", backend->name))
		return NULL;
	for (const struct attach_env *env = backend->env; env->name; env++) {
		const char *old = getenv(env->name), *value = value_of(preload, env);

		if (!env->separator && old && *old && value && strcmp(old, value) != 0)
			return env->name;
	}
	return NULL;
}

/* Does the word give the option: alone, with "=", or within a command for a shell? */
static bool word_gives(const char *word, const char *option)
{
	size_t length = strlen(option);

	while ((word = strstr(word, option))) {
		word += length;
		if (strchr("= \t", *word)) /* or the end */
			return true;
	}
	return false;
}

/*
 * An option among the program's own by which it gets a tool: that one stays in any case, since runtimes do not take
 * another one from a variable. NULL: none.
 */
static const char *tool_by_argument(const struct preload *preload, const struct attach_backend *backend)
{
	for (const char *const *option = backend->argument; preload->words && *option; option++)
		for (char *const *word = preload->words + 1; *word; word++)
			if (word_gives(*word, *option))
				return *option;
	return NULL;
}

static void tell_users_tool(const struct preload *preload, const struct attach_backend *backend,
			    const char *option, const char *variable)
{
	if (!preload->telling || !preload_is_enabled(preload->options, backend->name))
		return;
	if (option)
		tell("%s gives the program a tool, which stays: nothing of %s is traced", option, backend->name);
	else if (variable)
		tell("%s is set to %s and stays so: nothing of %s is traced (-b %s takes it)", variable,
		     getenv(variable), backend->name, backend->name);
}

static void export_backend(const struct preload *preload, const struct attach_backend *backend)
{
	const char *variable = preload_users_tool(preload, backend), *option = tool_by_argument(preload, backend);

	tell_users_tool(preload, backend, option, variable);
	for (const struct attach_env *env = backend->env; env->name; env++) {
		const char *value = value_of(preload, env);

		if (value && env->separator && !strpbrk(value, env->separator))
			append_variable(env->name, env->separator, value);
		else if (value && !env->separator && !variable && !option)
			setenv(env->name, value, 1);
	}
}

static void export_backends(const struct preload *preload)
{
	for (unsigned i = 0; attach_backends[i].name && i < PRELOAD_MAX; i++)
		if (preload->enabled[i] || attach_backends[i].controls)
			export_backend(preload, &attach_backends[i]);
}

/*
 * A folder of links, behind the user's own in LD_LIBRARY_PATH: the library that is found there is the very file that is
 * in the process already, so that no second one is loaded.
 */
static void export_aliases(const struct preload *preload, const char *directory)
{
	char *folder, *link;

	if (!preload->aliases || asprintf(&folder, "%s/alias", directory) < 0)
		return;
	mkdir(folder, 0700); /* by all ranks of a job; there may be one already */
	for (unsigned i = 0; i < preload->aliases; i++) {
		if (asprintf(&link, "%s/%s", folder, preload->alias[i]->name) < 0)
			continue;
		if (symlink(preload->alias_path[i], link) != 0 && errno != EEXIST && preload->telling)
			tell("%s: %s", link, strerror(errno));
		free(link);
	}
	append_variable("LD_LIBRARY_PATH", ":", folder);
	free(folder);
}

/*
 * How ranks that are started below one `sonde` for all of them tell which they are, "RANK/SIZE/NEEDS,...". What this
 * process's own environment says is its own rank, and known.
 */
static void export_ranks(const char *ranks)
{
	char names[1024] = "";

	for (const struct attach_backend *backend = attach_backends; backend->name; backend++)
		for (const struct attach_rank *rule = backend->rank; rule->rank; rule++)
			if (!ranks_rule_applies(rule))
				snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s/%s/%s",
					 names[0] ? "," : "", rule->rank, rule->size ? rule->size : "",
					 rule->needs ? rule->needs : "");
	set_or_clear("SONDE_RANKS", ranks);
	setenv("SONDE_RANK_FROM", names, 1);
}

void preload_export(const struct preload *preload, const char *directory)
{
	const struct options *options = preload->options;
	struct arena arena = {NULL};

	if (!preload->libraries)
		return;
	setenv("SONDE_DIR", directory, 1);
	setenv("SONDE_CLOCK", clock_name(clock_choose()), 1);
	set_or_clear("SONDE_BACKENDS", options->backends);
	set_or_clear("SONDE_QUERIES", options->queries || options->trace ? "1" : NULL);
	set_or_clear("SONDE_START_PAUSED", options->start_paused ? "1" : NULL);
	set_or_clear("SONDE_INCLUDE", programs_absolute(&arena, options->include));
	set_or_clear("SONDE_EXCLUDE", programs_absolute(&arena, options->exclude));
	arena_free(&arena);
	set_or_clear("SONDE_DEBUG", options->debug ? "1" : NULL);
	export_ranks(options->ranks);
	for (unsigned i = 0; i < preload->libraries; i++)
		append_variable("LD_PRELOAD", ": ", preload->library[i]);
	export_backends(preload);
	export_aliases(preload, directory);
	/* an ASan program that one of our children starts would refuse to run behind our libraries */
	append_variable("ASAN_OPTIONS", ":", "verify_asan_link_order=0");
	if (preload->first)
		prepend_variable("LD_PRELOAD", preload->first);
}

const char *preload_names(struct preload *preload)
{
	const char *names = "";

	for (unsigned i = 0; i < preload->libraries; i++)
		names = arena_printf(&preload->arena, "%s%s%s", names, i ? " " : "", basename(preload->library[i]));
	return names;
}
