/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See place.h. Symbols and lines are read by elfutils' libdw, which is opened when the first place is asked for: sonde
 * itself needs none. What has been found is kept for the other processes of the recording.
 */
#include "base/place.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/demangle.h"
#include "base/map.h"

#define NAME_MAX_LENGTH 2048 /* of a name with a place */
#define LINE_REACH 64   /* bytes */
#define BUILD_ID_MAX 40 /* digits of it that a recording has */

/* ---- libdw ------------------------------------------------------------------------------------------- */

typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;
typedef struct Dwfl_Line Dwfl_Line;
typedef struct Dwarf_Die Dwarf_Die;
typedef struct Dwarf_Line Dwarf_Line;

/* As in its header: the interface is versioned and has not changed. */
struct dwfl_callbacks {
	void *find_elf, *find_debuginfo, *section_address;
	char **debuginfo_path;
};

static struct {
	bool looked, found;
	struct dwfl_callbacks callbacks;
	Dwfl *(*begin)(const struct dwfl_callbacks *callbacks);
	Dwfl_Module *(*report)(Dwfl *dwfl, const char *name, const char *file, int fd);
	int (*report_end)(Dwfl *dwfl, void *removed, void *argument);
	int (*build_id)(Dwfl_Module *module, const unsigned char **bits, uint64_t *address);
	void *(*elf)(Dwfl_Module *module, uint64_t *bias);
	const char *(*symbol)(Dwfl_Module *module, uint64_t address, uint64_t *offset, void *symbol, unsigned *section,
			      void **elf, uint64_t *bias);
	Dwfl_Line *(*line)(Dwfl_Module *module, uint64_t address);
	const char *(*line_info)(Dwfl_Line *line, uint64_t *address, int *number, int *column, uint64_t *time,
				 uint64_t *length);
	Dwarf_Die *(*next_unit)(Dwfl_Module *module, Dwarf_Die *last, uint64_t *bias);
	int (*unit_has)(Dwarf_Die *unit, uint64_t address);
	Dwarf_Line *(*unit_line)(Dwarf_Die *unit, uint64_t address);
	int (*line_number)(Dwarf_Line *line, int *number);
	const char *(*line_file)(Dwarf_Line *line, uint64_t *time, uint64_t *length);
} dw;

static bool find_function(void *library, const char *name, void *function_out)
{
	void *found = dlsym(library, name);

	memcpy(function_out, &found, sizeof(found));
	return found != NULL;
}

static bool dw_open(void)
{
	void *library;

	if (dw.looked)
		return dw.found;
	dw.looked = true;
	library = dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);
	dw.found = library && find_function(library, "dwfl_begin", &dw.begin) &&
		   find_function(library, "dwfl_report_offline", &dw.report) &&
		   find_function(library, "dwfl_report_end", &dw.report_end) &&
		   find_function(library, "dwfl_module_build_id", &dw.build_id) &&
		   find_function(library, "dwfl_module_getelf", &dw.elf) &&
		   find_function(library, "dwfl_module_addrinfo", &dw.symbol) &&
		   find_function(library, "dwfl_module_getsrc", &dw.line) &&
		   find_function(library, "dwfl_lineinfo", &dw.line_info) &&
		   find_function(library, "dwfl_module_nextcu", &dw.next_unit) &&
		   find_function(library, "dwarf_haspc", &dw.unit_has) &&
		   find_function(library, "dwarf_getsrc_die", &dw.unit_line) &&
		   find_function(library, "dwarf_lineno", &dw.line_number) &&
		   find_function(library, "dwarf_linesrc", &dw.line_file) &&
		   find_function(library, "dwfl_build_id_find_elf", &dw.callbacks.find_elf) &&
		   find_function(library, "dwfl_standard_find_debuginfo", &dw.callbacks.find_debuginfo) &&
		   find_function(library, "dwfl_offline_section_address", &dw.callbacks.section_address);
	unsetenv("DEBUGINFOD_URLS"); /* a summary does not wait for a server */
	return dw.found;
}

/* ---- modules ------------------------------------------------------------------------------------------- */

struct module {
	Dwfl_Module *dwfl;
	uint64_t bias;
};

static struct arena kept; /* until the end of sonde */
static struct map modules = {.arena = &kept}, places = {.arena = &kept};

static struct module *module_open(const char *path)
{
	struct module *module = arena_zalloc(&kept, sizeof(*module));
	struct stat file;
	Dwfl *dwfl;

	if (stat(path, &file) != 0 || !S_ISREG(file.st_mode) || !dw_open())
		return module;
	dwfl = dw.begin(&dw.callbacks);
	module->dwfl = dwfl ? dw.report(dwfl, path, path, -1) : NULL;
	if (!module->dwfl)
		return module;
	dw.report_end(dwfl, NULL, NULL);
	if (!dw.elf(module->dwfl, &module->bias))
		module->dwfl = NULL;
	return module;
}

static struct module *module_of(const char *path)
{
	void **value = map_value(&modules, path, strlen(path));

	if (!*value)
		*value = module_open(path);
	return *value;
}

/* Is the file what was traced? */
static bool is_same(const struct module *module, const char *path, const char *id, uint64_t written_ns)
{
	const unsigned char *bits = NULL;
	char digits[BUILD_ID_MAX + 1] = "";
	uint64_t address;
	struct stat file;
	int bytes;

	if (!*id)
		return stat(path, &file) == 0 && (uint64_t)file.st_mtim.tv_sec * 1000000000u +
			(uint64_t)file.st_mtim.tv_nsec <= written_ns;
	bytes = dw.build_id(module->dwfl, &bits, &address);
	for (int i = 0; i < bytes && i < BUILD_ID_MAX / 2; i++)
		snprintf(digits + 2 * i, 3, "%02x", bits[i]);
	return !strcmp(digits, id);
}

/* ---- places ------------------------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Compilers name parts that they take out of a function after it, with a dot. */
static const char *function_name(struct arena *arena, const char *symbol)
{
	const char *dot = strchr(symbol + 1, '.');
	const char *name = demangle(arena, dot ? arena_strndup(arena, symbol, (size_t)(dot - symbol)) : symbol);
	const char *parameters = name == symbol ? NULL : strchr(name, '(');

	return parameters && parameters != name ? arena_strndup(arena, name, (size_t)(parameters - name)) : name;
}

/* The source file and line of an address; NULL: not known. */
static const char *find_line(Dwfl_Module *module, uint64_t address, int *number_out)
{
	Dwfl_Line *line = dw.line(module, address);
	Dwarf_Die *unit = NULL;
	Dwarf_Line *in_unit;
	uint64_t bias;

	if (line)
		return dw.line_info(line, NULL, number_out, NULL, NULL, NULL);
	/* the index that this was found by is not made by all compilers */
	while ((unit = dw.next_unit(module, unit, &bias))) {
		if (dw.unit_has(unit, address - bias) <= 0)
			continue;
		in_unit = dw.unit_line(unit, address - bias);
		if (in_unit && dw.line_number(in_unit, number_out) == 0)
			return dw.line_file(in_unit, NULL, NULL);
	}
	return NULL;
}

static const char *describe(const char *path, const char *id, uint64_t offset, uint64_t written_ns)
{
	struct module *module = module_of(path);
	const char *symbol = NULL, *function = NULL, *file = NULL;
	uint64_t within = 0, address = offset + module->bias;
	char elf_symbol[64]; /* more than a GElf_Sym */
	int number = 0;

	if (module->dwfl && is_same(module, path, id, written_ns)) {
		symbol = dw.symbol(module->dwfl, address, &within, elf_symbol, NULL, NULL, NULL);
		file = find_line(module->dwfl, address, &number);
		/* code that compilers add has line 0: soon after it comes what it was added for */
		for (unsigned step = 1; file && !number && step < LINE_REACH; step++)
			file = find_line(module->dwfl, address + step, &number);
	}
	/* one that begins so is the compiler's own */
	if (symbol && !(*symbol == '.' && file && number > 0))
		function = function_name(&kept, symbol);
	if (file && number > 0)
		return arena_printf(&kept, "%s%s%s:%d", function ? function : "", function ? " " : "", base_name(file),
				    number);
	if (symbol) /* several parts of one function would have the same name */
		return arena_printf(&kept, "%s+0x%llx", strchr(symbol + 1, '.') ? symbol : function,
				    (unsigned long long)within);
	return arena_printf(&kept, "%s+0x%llx", base_name(path), (unsigned long long)offset);
}

/* "...@/path[id]+0x1a2b": where the parts begin in `text`, a copy that is cut there. */
static bool split(char *text, char **path_out, const char **id_out, uint64_t *offset_out)
{
	char *path = strstr(text, " @/"), *plus, *bracket, *end;

	if (!path)
		return false;
	path += 2;
	plus = strrchr(path, '+');
	if (!plus || strncmp(plus, "+0x", 3) != 0)
		return false;
	*offset_out = strtoull(plus + 3, &end, 16);
	if (end == plus + 3 || *end)
		return false;
	*plus = '\0';
	*id_out = "";
	bracket = strrchr(path, '[');
	if (bracket && plus[-1] == ']') {
		plus[-1] = *bracket = '\0';
		*id_out = bracket + 1;
	}
	*path_out = path;
	return true;
}

const char *place_name(const char *name, uint64_t written_ns)
{
	const char *at = strstr(name, " @/"), *id;
	size_t length = at ? strnlen(name, NAME_MAX_LENGTH) : NAME_MAX_LENGTH;
	char *path, *text;
	uint64_t offset;
	void **value;

	if (length == NAME_MAX_LENGTH)
		return name;
	value = map_value(&places, name, length);
	if (*value)
		return *value;
	text = arena_strndup(&kept, name, length);
	if (split(text, &path, &id, &offset))
		text = arena_printf(&kept, "%.*s %s", (int)(at - name), name, describe(path, id, offset, written_ns));
	*map_value(&places, name, length) = text;
	return text;
}
