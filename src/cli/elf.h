/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads ELF64 files as untrusted input: every offset is checked against the file's size. Answers
 * what the launcher has to know of a program and its libraries before it starts them.
 */
#ifndef SONDE_CLI_ELF_H
#define SONDE_CLI_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
	const unsigned char *bytes; /* the mapped file */
	size_t size;
	Elf64_Ehdr header;
	uint64_t dynamic, dynamic_count; /* file offset and entries of PT_DYNAMIC; count 0: none */
	uint64_t strings;                /* file offset of the dynamic string table; 0: none */
	uint64_t symbols, symbol_room;   /* file offset of the dynamic symbol table; entries that fit behind it */
	uint64_t gnu_hash;               /* file offset of DT_GNU_HASH; 0: none */
};

enum elf_result {
	ELF_OK = 0,
	ELF_UNREADABLE,   /* could not be opened, errno tells why */
	ELF_NOT_ELF,      /* no ELF file at all: a script, text, ... */
	ELF_OTHER_MACHINE /* 32-bit, or for another architecture than this program */
};

/* Of the header alone, without a mapping. */
enum elf_result elf_look(const char *path);
enum elf_result elf_open(const char *path, struct elf *elf_out);
void elf_close(struct elf *elf);

/* Path of the dynamic loader that the program asks for; NULL: none, it is statically linked. */
const char *elf_interpreter(const struct elf *elf);

/* Text of the dynamic entry with that tag, counted from 0 (DT_NEEDED may come often); NULL: no more. */
const char *elf_dynamic_text(const struct elf *elf, int64_t tag, unsigned index);

struct elf_symbol {
	const char *name;
	bool defined; /* else it is a reference */
	bool weak;
};
/* Entries of the dynamic symbol table: found by way of all its hash buckets. */
uint64_t elf_symbol_count(const struct elf *elf);
/* Symbol with that index, below the count; false: there is none, or it is local or damaged. */
bool elf_symbol(const struct elf *elf, uint64_t index, struct elf_symbol *symbol_out);
/* Symbols that are asked for stand below this index: where definitions are hashed, they come last. */
uint64_t elf_undefined_end(const struct elf *elf);

/* Does the object define the name for others? */
bool elf_defines(const struct elf *elf, const char *name);

#endif
