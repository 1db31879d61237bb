/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds of kernels. What OCCA does not find in its cache it first copies there (io::cacheFile), then compiles by
 * commands (sys::call, and sys::compilerVendor for what a compiler is): so much tells a hit from a miss, and how many
 * commands a build has run. The compilers are processes that inherit us and use nothing that we record.
 */
#include <string.h>

#include "occa.h"

/* The command's first word, without its folder. */
static struct rec_label command_label(const char *command, char *room, size_t bytes)
{
	const char *end = command + strcspn(command, " \t\n"), *at = end;
	static const char begin[] = "sys::call ";
	size_t length;

	while (at > command && at[-1] != '/')
		at--;
	length = (size_t)(end - at);
	if (length + sizeof(begin) > bytes)
		length = bytes - sizeof(begin);
	memcpy(room, begin, sizeof(begin));
	memcpy(room + sizeof(begin) - 1, at, length);
	room[sizeof(begin) - 1 + length] = '\0';
	return rec_label(NULL, room);
}

REC_EXPORT int occa_wrap_call(const void *command, void *output)
	__asm__("_ZN4occa3sys4callE" OCCA_STRING "RS6_");
int occa_wrap_call(const void *command, void *output)
{
	int (*call)(const void *, void *) = (int (*)(const void *, void *))occa_real(OCCA_SYS_CALL, OCCA_CALLER);
	struct occa_op op OCCA_ENDS(occa_op_end) = {.call = {.slot = 0}};
	struct rec_label label;
	char room[128];
	int status;

	occa_enter();
	label = command_label(occa_text(command), room, sizeof(room));
	occa_thread.commands++;
	occa_op_begin(&op, &label, SONDE_KIND_build, OCCA_FRAME);
	status = call(command, output);
	op.returned = status == 0;
	return status;
}

REC_EXPORT int occa_wrap_vendor(const void *compiler) __asm__("_ZN4occa3sys14compilerVendorE" OCCA_STRING);
int occa_wrap_vendor(const void *compiler)
{
	int (*vendor)(const void *) = (int (*)(const void *))occa_real(OCCA_COMPILER_VENDOR, OCCA_CALLER);
	struct occa_op op OCCA_ENDS(occa_op_end) = {.call = {.slot = 0}};
	int found;

	occa_enter();
	occa_op_begin(&op, occa_label(OCCA_COMPILER_VENDOR), SONDE_KIND_build, OCCA_FRAME);
	found = vendor(compiler);
	op.returned = true;
	return found;
}

#if OCCA_OBJECTS
REC_EXPORT void *occa_wrap_cache(void *result, const void *file, const void *name, const void *hash,
				 const void *header)
	__asm__("_ZN4occa2io9cacheFileE" OCCA_STRING "S8_RKNS_6hash_tES8_");
void *occa_wrap_cache(void *result, const void *file, const void *name, const void *hash, const void *header)
{
	void *(*cache)(void *, const void *, const void *, const void *, const void *) =
		(void *(*)(void *, const void *, const void *, const void *, const void *))
		occa_real(OCCA_CACHE_FILE, OCCA_CALLER);

	occa_thread.missed = true;
	return cache(result, file, name, hash, header);
}

struct build {
	struct occa_op op;
	struct occa_thread outer;
	const char *name, *file;
	enum occa_symbol by;
};

/* "name (file)", without folders */
static uint64_t build_name(const struct build *build)
{
	const char *file = strrchr(build->file, '/');
	size_t name = strlen(build->name), length;
	char room[1024];

	file = file ? file + 1 : build->file;
	length = strlen(file);
	if (build->by == OCCA_BUILD_STRING || name + length + 3 > sizeof(room))
		return rec_name(build->name, name);
	memcpy(room, build->name, name);
	memcpy(room + name, " (", 2);
	memcpy(room + name + 2, file, length);
	room[name + 2 + length] = ')';
	return rec_name(room, name + length + 3);
}

static void build_end(struct build *build)
{
	enum sonde_build_source source = build->by == OCCA_BUILD_BINARY ? SONDE_BUILD_binary :
					 occa_thread.missed		? SONDE_BUILD_source : SONDE_BUILD_cache;
	bool recorded = build->op.call.slot != 0;

	occa_op_end(&build->op);
	if (recorded && build->op.call.slot) {
		uint64_t name = build_name(build);

		rec_build(&occa_backend, name, source, build->op.call.duration, build->op.call.failed);
		if (occa_thread.commands)
			rec_build_processes(&occa_backend, name, source, occa_thread.commands);
	}
	occa_thread = build->outer;
}

typedef void *build_function(void *result, const void *device, const void *file, const void *name,
			     const void *properties);

/* One from a string goes on to one from a file. */
static bool is_within(uintptr_t frame)
{
	return occa_thread.build && frame < occa_thread.build;
}

static void *build(build_function *real, enum occa_symbol by, uintptr_t frame, void *result, const void *device,
		   const void *file, const void *name, const void *properties)
{
	struct build build OCCA_ENDS(build_end) = {.outer = occa_thread};

	build.by = by;
	build.name = occa_text(name);
	build.file = occa_text(file);
	occa_thread.build = frame;
	occa_thread.commands = 0;
	occa_thread.missed = false;
	occa_op_begin(&build.op, occa_label(by), SONDE_KIND_build, frame);
	real(result, device, file, name, properties);
	build.op.returned = true;
	return result;
}

#define BUILDS(id, function, mangled) \
	REC_EXPORT void *function(void *result, const void *device, const void *file, const void *name, \
				  const void *properties) __asm__(mangled); \
	void *function(void *result, const void *device, const void *file, const void *name, const void *properties) \
	{ \
		build_function *real = (build_function *)occa_real(id, OCCA_CALLER); \
\
		occa_enter(); \
		if (is_within(OCCA_FRAME)) \
			return real(result, device, file, name, properties); \
		return build(real, id, OCCA_FRAME, result, device, file, name, properties); \
	}
BUILDS(OCCA_BUILD_FILE, occa_wrap_build_file, "_ZNK4occa6device11buildKernelE" OCCA_STRING "S8_RKNS_4jsonE")
BUILDS(OCCA_BUILD_STRING, occa_wrap_build_string,
       "_ZNK4occa6device21buildKernelFromStringE" OCCA_STRING "S8_RKNS_4jsonE")
BUILDS(OCCA_BUILD_BINARY, occa_wrap_build_binary,
       "_ZNK4occa6device21buildKernelFromBinaryE" OCCA_STRING "S8_RKNS_4jsonE")
#endif
