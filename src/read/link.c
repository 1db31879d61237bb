/* SPDX-License-Identifier: BSD-3-Clause */
/* What belongs together: hosts, the launch that a process comes from, ranks, what still runs. */
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "read/read_internal.h"

#define ANCESTORS_MAX 64 /* parents that are followed; ends circles in damaged records */

uint32_t recording_host(struct recording *recording, const char *name)
{
	char own[256] = "";
	size_t i;

	for (i = 0; i < recording->hosts; i++)
		if (!strcmp(recording->host[i].name, name))
			return (uint32_t)i;
	recording->host = arena_grow(&recording->arena, recording->host, recording->hosts, &recording->host_capacity,
				     sizeof(*recording->host));
	gethostname(own, sizeof(own) - 1);
	recording->host[i].name = name;
	recording->host[i].local = own[0] && !strcmp(own, name);
	recording->hosts++;
	return (uint32_t)i;
}

/* Key of a process id on a host; 0 in `kind` finds launches by their program, 1 tallies. */
static void **link_value(struct map *map, uint64_t kind, uint32_t host, uint32_t pid)
{
	uint64_t key[3] = {kind, host, pid};

	return map_value(map, key, sizeof(key));
}

static bool link_same_start(uint64_t left, uint64_t right)
{
	return !left || !right || left == right;
}

static uint32_t link_launch(struct recording *recording, struct map *map, struct tally *tally)
{
	uint32_t host = tally->host, pid = tally->raw.pid, parent = tally->raw.ppid;
	struct read_launch *launch = *link_value(map, 0, host, pid);
	struct tally *ancestor;
	int i;

	if (launch && link_same_start(launch->raw.program_start, tally->raw.start_time)) {
		tally->is_program = true;
		return (uint32_t)(launch - recording->launch);
	}
	for (i = 0; i < ANCESTORS_MAX && parent > 1; i++) {
		launch = *link_value(map, 0, host, parent);
		if (launch)
			return (uint32_t)(launch - recording->launch);
		ancestor = *link_value(map, 1, host, parent);
		if (!ancestor)
			break;
		parent = ancestor->raw.ppid;
	}
	return READ_NONE;
}

static bool link_alive(const struct recording *recording, uint32_t host, uint32_t pid, uint64_t start)
{
	return recording->host[host].local && pid && start && process_runs((pid_t)pid, start);
}

void recording_link(struct recording *recording)
{
	struct map map = {.arena = &recording->arena};
	size_t i;

	for (i = 0; i < recording->launches; i++) {
		struct read_launch *launch = &recording->launch[i];

		if (launch->raw.program_pid)
			*link_value(&map, 0, launch->host, launch->raw.program_pid) = launch;
		launch->alive = !launch->raw.ended && link_alive(recording, launch->host, launch->raw.program_pid,
								 launch->raw.program_start);
	}
	for (i = 0; i < recording->tallies; i++)
		*link_value(&map, 1, recording->tally[i].host, recording->tally[i].raw.pid) = &recording->tally[i];
	for (i = 0; i < recording->tallies; i++) {
		struct tally *tally = &recording->tally[i];

		tally->launch = link_launch(recording, &map, tally);
		tally->rank = tally->raw.rank;
		if (tally->rank < 0)
			tally->rank = tally->launch == READ_NONE ? -1 : recording->launch[tally->launch].raw.rank;
		if (tally->rank < 0)
			tally->rank = -1;
		tally->alive = tally->raw.end != FMT_END_EXEC &&
			       link_alive(recording, tally->host, tally->raw.pid, tally->raw.start_time);
	}
}
