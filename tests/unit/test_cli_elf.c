/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading of ELF files and of the loader's cache: right on real ones, and never out of bounds on damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/elf.h"
#include "cli/ldcache.h"

#define DAMAGED_FILES 400

static char temporary[] = "/tmp/sonde-test-elf-XXXXXX";

/* Content of a file; the caller frees it. */
static unsigned char *read_whole(const char *path, size_t *size_out)
{
	FILE *file = fopen(path, "rb");
	unsigned char *bytes;

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	*size_out = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*size_out);
	assert_int_equal(fread(bytes, 1, *size_out, file), *size_out);
	fclose(file);
	return bytes;
}

static void write_whole(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* Asks everything there is to ask. Answers do not matter, faults do. */
static void ask_everything(const char *path)
{
	struct elf_symbol symbol;
	struct elf elf;

	if (elf_open(path, &elf) != ELF_OK)
		return;
	elf_interpreter(&elf);
	for (unsigned i = 0; i < 64; i++)
		elf_dynamic_text(&elf, DT_NEEDED, i);
	elf_dynamic_text(&elf, DT_RUNPATH, 0);
	for (uint64_t i = 0; i < elf_symbol_count(&elf) && i < 100000; i++)
		if (elf_symbol(&elf, i, &symbol))
			elf_defines(&elf, symbol.name);
	elf_close(&elf);
}

static void a_real_program_is_read(void **state)
{
	struct elf_symbol symbol;
	struct elf elf;
	bool needs_libc = false, refers = false;
	const char *name;

	(void)state;
	assert_int_equal(elf_open("/proc/self/exe", &elf), ELF_OK);
	assert_non_null(elf_interpreter(&elf));
	for (unsigned i = 0; (name = elf_dynamic_text(&elf, DT_NEEDED, i)); i++)
		needs_libc |= !strncmp(name, "libc.so", 7);
	assert_true(needs_libc);
	for (uint64_t i = 0; i < elf_symbol_count(&elf); i++)
		refers |= i < elf_undefined_end(&elf) && elf_symbol(&elf, i, &symbol) && !symbol.defined &&
			  !strcmp(symbol.name, "fopen");
	assert_true(refers);
	assert_false(elf_defines(&elf, "fopen"));
	elf_close(&elf);
}

static void definitions_of_a_library_are_found(void **state)
{
	struct ldcache cache;
	const char *path;
	struct elf elf;

	(void)state;
	ldcache_open("/etc/ld.so.cache", &cache);
	if (!cache.bytes)
		skip();
	path = ldcache_find(&cache, "libc.so.6");
	assert_non_null(path);
	assert_int_equal(access(path, R_OK), 0);
	assert_int_equal(elf_open(path, &elf), ELF_OK);
	assert_true(elf_defines(&elf, "fopen"));
	assert_true(elf_defines(&elf, "environ"));
	assert_false(elf_defines(&elf, "no_such_function_at_all"));
	assert_false(elf_defines(&elf, ""));
	assert_string_equal(elf_dynamic_text(&elf, DT_SONAME, 0), "libc.so.6");
	elf_close(&elf);
	ldcache_close(&cache);
}

static void other_files_are_told_apart(void **state)
{
	unsigned char *bytes;
	struct elf elf;
	size_t size;

	(void)state;
	assert_int_equal(elf_open("/nonexistent", &elf), ELF_UNREADABLE);
	assert_int_equal(elf_open("/", &elf), ELF_NOT_ELF);
	assert_int_equal(elf_open("/dev/null", &elf), ELF_NOT_ELF);
	write_whole(temporary, "#!/bin/sh\nexit 0\n", 17);
	assert_int_equal(elf_open(temporary, &elf), ELF_NOT_ELF);
	bytes = read_whole("/proc/self/exe", &size);
	bytes[EI_CLASS] = ELFCLASS32;
	write_whole(temporary, bytes, size);
	assert_int_equal(elf_open(temporary, &elf), ELF_OTHER_MACHINE);
	bytes[EI_CLASS] = ELFCLASS64;
	((Elf64_Ehdr *)(void *)bytes)->e_machine = EM_PPC64;
	write_whole(temporary, bytes, size);
	assert_int_equal(elf_open(temporary, &elf), ELF_OTHER_MACHINE);
	free(bytes);
}

static void a_cut_off_program_is_survived(void **state)
{
	size_t size;
	unsigned char *bytes = read_whole("/proc/self/exe", &size);

	(void)state;
	for (size_t cut = 0; cut < size; cut = cut < 4096 ? cut + 61 : cut + cut / 3) {
		write_whole(temporary, bytes, cut);
		ask_everything(temporary);
	}
	free(bytes);
}

static void a_damaged_program_is_survived(void **state)
{
	size_t size;
	unsigned char *good = read_whole("/proc/self/exe", &size), *bytes = malloc(size);
	struct elf elf;
	uint64_t dynamic;

	(void)state;
	assert_int_equal(elf_open("/proc/self/exe", &elf), ELF_OK);
	dynamic = elf.dynamic;
	elf_close(&elf);
	srand(1);
	for (int i = 0; i < DAMAGED_FILES; i++) {
		memcpy(bytes, good, size);
		for (int j = 0; j < 6; j++) {
			/* where it hurts: headers, the dynamic section, and what they point to */
			size_t at = (size_t)rand() % 3 == 0 ? dynamic + (size_t)rand() % 512 : (size_t)rand() % 4096;

			bytes[at < size ? at : size - 1] = (unsigned char)(rand() % 4 ? rand() : 255);
		}
		write_whole(temporary, bytes, size);
		ask_everything(temporary);
	}
	free(bytes);
	free(good);
}

struct cache_head {
	char magic[20];
	uint32_t entries, text_bytes, rest[5];
};

struct cache_entry {
	int32_t flags;
	uint32_t name, path, os;
	uint64_t hardware;
};

/* A table with one library of this machine, one of another, and the first once more for special hardware. */
static size_t build_cache(unsigned char *out)
{
	static const char texts[] = "liba.so.1\0/x/other/liba.so.1\0/x/special/liba.so.1\0/x/liba.so.1";
#if defined(__x86_64__)
	const int32_t own = 0x0303, other = 0x0a03;
#else
	const int32_t own = 0x0a03, other = 0x0303;
#endif
	const uint32_t base = sizeof(struct cache_head) + 3 * sizeof(struct cache_entry);
	const struct cache_head head = { "glibc-ld.so.cache1.1", 3, sizeof(texts), { 0 } };
	const struct cache_entry entries[] = {
		{ other, base, base + 10, 0, 0 },
		{ own, base, base + 29, 0, 1 },
		{ own, base, base + 50, 0, 0 },
	};

	memcpy(out, &head, sizeof(head));
	memcpy(out + sizeof(head), entries, sizeof(entries));
	memcpy(out + base, texts, sizeof(texts));
	return base + sizeof(texts);
}

static void expect_liba(const void *bytes, size_t size)
{
	struct ldcache cache;

	write_whole(temporary, bytes, size);
	ldcache_open(temporary, &cache);
	assert_non_null(cache.bytes);
	assert_string_equal(ldcache_find(&cache, "liba.so.1"), "/x/liba.so.1");
	assert_null(ldcache_find(&cache, "libb.so.1"));
	ldcache_close(&cache);
}

static void the_cache_is_read_in_both_forms(void **state)
{
	unsigned char bytes[1024] = "ld.so-1.7.0";
	uint32_t one = 1;
	size_t size;

	(void)state;
	/* an old table with one entry of 12 bytes, the new one aligned behind it */
	memcpy(bytes + 12, &one, 4);
	size = 32 + build_cache(bytes + 32);
	expect_liba(bytes, size);
	size = build_cache(bytes);
	expect_liba(bytes, size);
}

static void a_damaged_cache_is_survived(void **state)
{
	unsigned char good[1024], bytes[1024];
	struct ldcache cache;
	size_t size = build_cache(good);

	(void)state;
	srand(2);
	for (size_t i = 0; i < 2 * size; i++) {
		size_t length = i < size ? i : size;

		memcpy(bytes, good, size);
		if (i >= size)
			for (int j = 0; j < 4; j++)
				bytes[20 + (size_t)rand() % 100] = (unsigned char)rand();
		write_whole(temporary, bytes, length);
		ldcache_open(temporary, &cache);
		ldcache_find(&cache, "liba.so.1");
		ldcache_close(&cache);
	}
}

static int create_temporary(void **state)
{
	int fd = mkstemp(temporary);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_temporary(void **state)
{
	(void)state;
	return unlink(temporary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_real_program_is_read),
		cmocka_unit_test(definitions_of_a_library_are_found),
		cmocka_unit_test(other_files_are_told_apart),
		cmocka_unit_test(a_cut_off_program_is_survived),
		cmocka_unit_test(a_damaged_program_is_survived),
		cmocka_unit_test(the_cache_is_read_in_both_forms),
		cmocka_unit_test(a_damaged_cache_is_survived),
	};

	return cmocka_run_group_tests(tests, create_temporary, remove_temporary);
}
