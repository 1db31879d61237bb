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

bool ranks_rule_applies(const struct attach_rank *rule)
{
	return variable(rule->rank) && (!rule->needs || variable(rule->needs));
}

/* The nearest process above whose environment lacks the variable; *above_out: how far above. */
static pid_t lacks_variable(const char *name, unsigned *above_out)
{
	struct process proc = { 0 };
	pid_t pid = getppid();
	unsigned above = 0;

	for (; pid > 1 && proc_has_variable(pid, name, NULL) && process_read(pid, &proc); above++)
		pid = proc.parent;
	*above_out = above;
	return pid;
}

/* Of the nearest launcher. Later rules for the same one only fill in what earlier ones do not say. */
static void apply_rule(const struct attach_rank *rule, struct ranks *ranks, unsigned *nearest)
{
	struct launch_ranks *numbers = &ranks->numbers;
	unsigned above;
	pid_t ancestor = lacks_variable(rule->rank, &above);

	if (ranks->variable && above > *nearest)
		return;
	if (!ranks->variable || above < *nearest) {
		*ranks = (struct ranks){ .variable = rule->rank, .numbers = { number(rule->rank), -1, -1 },
					 .ancestor = ancestor };
		*nearest = above;
	}
	if (numbers->size < 0)
		numbers->size = number(rule->size);
	if (numbers->local_size < 0)
		numbers->local_size = number(rule->local_size);
}

static void make_key(struct ranks *ranks)
{
	const char *job = variable("SONDE_JOB");
	struct process proc = { 0 };

	if (!job) {
		process_read(ranks->ancestor, &proc);
		snprintf(ranks->key, sizeof(ranks->key), "%d.%llu", (int)ranks->ancestor, proc.start);
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
	unsigned nearest = 0;

	for (const struct attach_backend *backend = attach_backends; backend->name; backend++)
		for (const struct attach_rank *rule = backend->rank; rule->rank; rule++)
			if (ranks_rule_applies(rule))
				apply_rule(rule, &ranks, &nearest);
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
	struct process proc;
	pid_t found = 0;

	for (pid_t pid = ancestor; pid > 1 && process_read(pid, &proc) && is_launcher(proc.name); pid = proc.parent)
		found = pid;
	return found;
}

int ranks_check_list(const char *list)
{
	if (!number_is_list(list))
		return log_error(SONDE_EUSAGE, "--ranks takes a list like 0,2,8-15, not '%s'", list);
	return 0;
}
