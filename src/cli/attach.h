/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the launcher has to know of the backends, as plain data: one entry per
 * src/backends/<api>/attach.conf. The generator writes the table (a C file that includes this
 * header and defines attach_backends); nothing in cli/ names a runtime.
 *
 * Every string comes from attach.conf as written there; @LIBDIR@ is left for the launcher to replace.
 */
#ifndef SONDE_CLI_ATTACH_H
#define SONDE_CLI_ATTACH_H

/*
 * `env append NAME VALUE`: VALUE is added at the end of the colon-separated list NAME. `env set NAME VALUE`: NAME holds
 * one value; one that the user has given stays.
 */
struct attach_env {
	const char *name;
	const char *value;
	const char *separator; /* of the list that it is appended to; NULL: it is the only one */
};

/*
 * `rank NAME [size=NAME] [local_size=NAME] [local_rank=NAME] [needs=NAME]`: a process whose environment has
 * NAME (and `needs`) was started as one of several by a parallel launcher. Absent companions are NULL.
 */
struct attach_rank {
	const char *rank;
	const char *size;
	const char *local_size;
	const char *local_rank;
	const char *needs;
};

/*
 * `alias NAME LIBRARY NEEDED`: a program that is linked with LIBRARY and NEEDED (prefixes of file names) opens LIBRARY
 * by NAME as well: where it has to be found then.
 */
struct attach_alias {
	const char *name;
	const char *library;
	const char *needed;
};

#define ATTACH_WORDS 4 /* of a line that takes several */

/* `job NAME [NAME ...]`: together, joined by '.', these variables name the job; all of them must be set. */
struct attach_job {
	const char *name[ATTACH_WORDS]; /* unused ones are NULL */
};

/*
 * `device GLOB [GLOB ...]`: a file that programs have to open to reach devices; of several one is enough, and the first
 * is named where there is none. `device shared GLOB ...`: other drivers make files of that name, too.
 */
struct attach_device {
	const char *path[ATTACH_WORDS]; /* unused ones are NULL */
	int shared;
};

#define ATTACH_SIMULATED "simulated" /* states */
#define ATTACH_UNTESTED  "not yet"

struct attach_backend {
	const char *name;
	const char *preload;           /* wrapper object in the library folder; NULL: libsonde.so itself */
	const char *const *front;      /* prefixes of the API's front library; ends with NULL */
	const struct attach_env *env;  /* ends with name NULL */
	const struct attach_rank *rank;   /* in order of preference; ends with rank NULL */
	const struct attach_job *job;     /* in order of preference; ends with name[0] NULL */
	const struct attach_alias *alias; /* ends with name NULL */
	const char *const *launcher;   /* `launcher NAME ...`: prefixes of parallel launchers' comm; ends with NULL */
	int weak; /* `weak ours`: programs refer weakly to the wrapper object's names, for us to answer */
	int controls; /* `controls`: through it programs pause recording, also where nothing of it is recorded */
	const char *taken; /* `taken NAME`: a program that defines NAME has a tool of its own, which stays; or NULL */
	const char *state; /* `state WORDS`: what it was run on, in the words of the README's table */
	const char *const *library; /* `library NAME ...`, else `front`: prefixes of its files; ends with NULL */
	const char *const *search;  /* `search GLOB ...`: folders where its vendor puts them; ends with NULL */
	const char *off[2]; /* `off NAME VALUE`: so the user switches the runtime's tool interface off; or NULL */
	const char *const *opened;  /* `opened NAME ...`: by which programs open what may be missing; ends with NULL */
	const char *adds; /* `adds NAME`: so the user has the runtime tell of calls that nothing else sees; or NULL */
	/* `argument NAME ...`: options of the program that name a tool, as variables of `env set` do; ends with NULL */
	const char *const *argument;
	const struct attach_device *device; /* all are needed; ends with path[0] NULL */
};

/* In the order of the folders' names; ends with name NULL. No list pointer in an entry is NULL. */
extern const struct attach_backend attach_backends[];

#endif
