/* SPDX-License-Identifier: BSD-3-Clause */
/* See ranks.h. */
#include "cli/ranks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/number.h"
#include "cli/attach.h"
#include "cli/proc.h"

#define COMM_LENGTH 15 /* the kernel cuts names there */

static const char *variable(const char *name)
{
	const char *value = name ? getenv(name) : NULL;

	return value && *value ? value : NULL;
}

/*
 * A count, or -1. Lists per machine are written "4", "2(x3)" (the same on all) or "2,1"; the last form
 * does not tell which of them is this machine.
 */
static int number(const char *name)
{
	const char *text = variable(name);
	char *end;
	long value;

	if (!text)
		return -1;
	value = strtol(text, &end, 10);
	if (end == text || value < 0 || value > INT_MAX || strchr(end, ','))
		return -1;
	return (int)value;
}

/* Later rules only fill in what earlier ones do not say. */
static void apply_rule(const struct attach_rank *rule, struct ranks *ranks)
{
	struct launch_ranks *numbers = &ranks->numbers;

	if (!variable(rule->rank) || (rule->needs && !variable(rule->needs)))
		return;
	if (!ranks->variable) {
		ranks->variable = rule->rank;
		numbers->rank = number(rule->rank);
	}
	if (numbers->size < 0)
		numbers->size = number(rule->size);
	if (numbers->local_size < 0)
		numbers->local_size = number(rule->local_size);
}

static void make_key(struct ranks *ranks)
{
	const char *job = variable("SONDE_JOB");
	struct proc proc = { 0 };
	pid_t pid = getppid();

	while (pid > 1 && proc_has_variable(pid, ranks->variable, NULL) && proc_read(pid, &proc))
		pid = proc.parent;
	ranks->ancestor = pid;
	if (!job) {
		proc_read(pid, &proc);
		snprintf(ranks->key, sizeof(ranks->key), "%d.%llu", (int)pid, proc.start);
		return;
	}
	snprintf(ranks->key, sizeof(ranks->key), "%s", job);
	for (char *c = ranks->key; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-_", *c))
			*c = '_'; /* part of a file name */
}

bool ranks_find(struct ranks *ranks_out)
{
	struct ranks ranks = { .numbers = { -1, -1, -1 } };

	for (const struct attach_backend *backend = attach_backends; backend->name; backend++)
		for (const struct attach_rank *rule = backend->rank; rule->rank; rule++)
			apply_rule(rule, &ranks);
	*ranks_out = ranks;
	if (!ranks.variable)
		return false;
	make_key(ranks_out);
	return true;
}

static bool is_launcher(const char *name)
{
	for (const struct attach_backend *backend = attach_backends; backend->name; backend++)
		for (const char *const *prefix = backend->launcher; *prefix; prefix++)
			if (!strncmp(name, *prefix, strnlen(*prefix, COMM_LENGTH)))
				return true;
	return false;
}

pid_t ranks_launcher(pid_t ancestor)
{
	struct proc proc;
	pid_t found = 0;

	for (pid_t pid = ancestor; pid > 1 && proc_read(pid, &proc) && is_launcher(proc.name); pid = proc.parent)
		found = pid;
	return found;
}

int ranks_check_list(const char *list)
{
	if (!number_is_list(list))
		return log_error(SONDE_EUSAGE, "--ranks takes a list like 0,2,8-15, not '%s'", list);
	return 0;
}
