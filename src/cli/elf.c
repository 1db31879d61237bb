/* SPDX-License-Identifier: BSD-3-Clause */
/* See elf.h. */
#include "cli/elf.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_NONE
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN_DATA ELFDATA2LSB
#else
#define OWN_DATA ELFDATA2MSB
#endif

/* Copies `length` bytes at a file offset; false: they are not all inside the file. */
static bool take(const struct elf *elf, uint64_t offset, void *out, size_t length)
{
	if (offset > elf->size || length > elf->size - offset)
		return false;
	memcpy(out, elf->bytes + offset, length);
	return true;
}

/* A NUL-terminated text inside the file, or NULL. */
static const char *take_text(const struct elf *elf, uint64_t offset)
{
	if (offset >= elf->size || !memchr(elf->bytes + offset, '\0', elf->size - offset))
		return NULL;
	return (const char *)elf->bytes + offset;
}

static bool take_segment(const struct elf *elf, unsigned index, Elf64_Phdr *segment_out)
{
	if (index >= elf->header.e_phnum || elf->header.e_phentsize != sizeof(*segment_out))
		return false;
	if (elf->header.e_phoff > elf->size)
		return false;
	return take(elf, elf->header.e_phoff + (uint64_t)index * sizeof(*segment_out), segment_out,
		    sizeof(*segment_out));
}

/* File offset of an address; 0: no segment holds it (offset 0 is the header: never what is asked for). */
static uint64_t offset_of(const struct elf *elf, uint64_t address)
{
	Elf64_Phdr segment;

	for (unsigned i = 0; take_segment(elf, i, &segment); i++) {
		uint64_t into = address - segment.p_vaddr;

		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && into < segment.p_filesz &&
		    segment.p_offset <= elf->size)
			return segment.p_offset + into;
	}
	return 0;
}

/* Value of the index-th dynamic entry with that tag. */
static bool dynamic_value(const struct elf *elf, int64_t tag, unsigned index, uint64_t *value_out)
{
	Elf64_Dyn entry;

	for (uint64_t i = 0; i < elf->dynamic_count; i++) {
		if (!take(elf, elf->dynamic + i * sizeof(entry), &entry, sizeof(entry)) || entry.d_tag == DT_NULL)
			return false;
		if (entry.d_tag == tag && index-- == 0) {
			*value_out = entry.d_un.d_val;
			return true;
		}
	}
	return false;
}

static uint64_t dynamic_offset(const struct elf *elf, int64_t tag)
{
	uint64_t address;

	return dynamic_value(elf, tag, 0, &address) ? offset_of(elf, address) : 0;
}

struct gnu_hash {
	uint32_t buckets, first, bloom_words, shift;
	uint64_t bucket, chain; /* file offsets */
};

static bool gnu_hash_read(const struct elf *elf, struct gnu_hash *hash_out)
{
	uint32_t words[4];

	if (!elf->gnu_hash || !take(elf, elf->gnu_hash, words, sizeof(words)) || !words[0])
		return false;
	*hash_out = (struct gnu_hash){ words[0], words[1], words[2], words[3], 0, 0 };
	hash_out->bucket = elf->gnu_hash + sizeof(words) + (uint64_t)words[2] * 8;
	hash_out->chain = hash_out->bucket + (uint64_t)words[0] * 4;
	return true;
}

/* The table does not say how long it is: the last chain's end does. */
static uint64_t count_by_gnu_hash(const struct elf *elf)
{
	struct gnu_hash hash;
	uint32_t last = 0, symbol, value;

	if (!gnu_hash_read(elf, &hash))
		return 0;
	for (uint32_t i = 0; i < hash.buckets; i++) {
		if (!take(elf, hash.bucket + (uint64_t)i * 4, &symbol, 4))
			return 0;
		if (symbol > last)
			last = symbol;
	}
	if (last < hash.first)
		return hash.first; /* nothing is exported: only references stand in the table */
	for (;; last++) {
		if (!take(elf, hash.chain + (uint64_t)(last - hash.first) * 4, &value, 4))
			return 0;
		if (value & 1)
			return (uint64_t)last + 1;
	}
}

uint64_t elf_symbol_count(const struct elf *elf)
{
	uint64_t hash = dynamic_offset(elf, DT_HASH), count;
	uint32_t words[2];

	count = hash && take(elf, hash, words, sizeof(words)) ? words[1] : count_by_gnu_hash(elf);
	return count < elf->symbol_room ? count : elf->symbol_room;
}

static void find_dynamic(struct elf *elf)
{
	Elf64_Phdr segment;

	for (unsigned i = 0; take_segment(elf, i, &segment); i++) {
		if (segment.p_type != PT_DYNAMIC || segment.p_offset > elf->size)
			continue;
		elf->dynamic = segment.p_offset;
		elf->dynamic_count = segment.p_filesz / sizeof(Elf64_Dyn);
	}
	elf->strings = dynamic_offset(elf, DT_STRTAB);
	elf->symbols = dynamic_offset(elf, DT_SYMTAB);
	elf->gnu_hash = dynamic_offset(elf, DT_GNU_HASH);
	if (elf->symbols && elf->symbols < elf->size)
		elf->symbol_room = (elf->size - elf->symbols) / sizeof(Elf64_Sym);
}

static enum elf_result check_header(const Elf64_Ehdr *header, size_t length)
{
	if (length < EI_NIDENT || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return ELF_NOT_ELF;
	if (length < sizeof(*header) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_ident[EI_DATA] != OWN_DATA || header->e_machine != OWN_MACHINE)
		return ELF_OTHER_MACHINE;
	return ELF_OK;
}

/* Opens a file that is one; else fd_out is of no use. */
static enum elf_result open_file(const char *path, int *fd_out, struct stat *status_out)
{
	*fd_out = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd_out < 0)
		return ELF_UNREADABLE;
	if (fstat(*fd_out, status_out) == 0 && S_ISREG(status_out->st_mode) && status_out->st_size >= EI_NIDENT)
		return ELF_OK;
	close(*fd_out);
	return ELF_NOT_ELF;
}

enum elf_result elf_look(const char *path)
{
	Elf64_Ehdr header;
	struct stat status;
	ssize_t length;
	int fd;
	enum elf_result result = open_file(path, &fd, &status);

	if (result)
		return result;
	length = read(fd, &header, sizeof(header));
	close(fd);
	return length < 0 ? ELF_UNREADABLE : check_header(&header, (size_t)length);
}

enum elf_result elf_open(const char *path, struct elf *elf_out)
{
	struct elf elf = { 0 };
	struct stat status;
	int fd;
	enum elf_result result = open_file(path, &fd, &status);

	if (result)
		return result;
	elf.size = (size_t)status.st_size;
	elf.bytes = mmap(NULL, elf.size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (elf.bytes == MAP_FAILED)
		return ELF_UNREADABLE;
	memcpy(&elf.header, elf.bytes, elf.size < sizeof(elf.header) ? elf.size : sizeof(elf.header));
	result = check_header(&elf.header, elf.size);
	if (result) {
		elf_close(&elf);
		return result;
	}
	find_dynamic(&elf);
	*elf_out = elf;
	return ELF_OK;
}

void elf_close(struct elf *elf)
{
	if (elf->bytes)
		munmap((void *)(uintptr_t)elf->bytes, elf->size);
	elf->bytes = NULL;
}

const char *elf_interpreter(const struct elf *elf)
{
	Elf64_Phdr segment;

	for (unsigned i = 0; take_segment(elf, i, &segment); i++)
		if (segment.p_type == PT_INTERP)
			return take_text(elf, segment.p_offset);
	return NULL;
}

const char *elf_dynamic_text(const struct elf *elf, int64_t tag, unsigned index)
{
	uint64_t value;

	if (!elf->strings || !dynamic_value(elf, tag, index, &value) || value > elf->size)
		return NULL;
	return take_text(elf, elf->strings + value);
}

bool elf_symbol(const struct elf *elf, uint64_t index, struct elf_symbol *symbol_out)
{
	Elf64_Sym symbol;
	unsigned binding;

	if (index >= elf->symbol_room || !elf->strings ||
	    !take(elf, elf->symbols + index * sizeof(symbol), &symbol, sizeof(symbol)))
		return false;
	binding = ELF64_ST_BIND(symbol.st_info);
	if (binding == STB_LOCAL)
		return false;
	symbol_out->name = take_text(elf, elf->strings + symbol.st_name);
	symbol_out->defined = symbol.st_shndx != SHN_UNDEF;
	symbol_out->weak = binding == STB_WEAK;
	return symbol_out->name != NULL;
}

static uint32_t gnu_hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static bool is_definition(const struct elf *elf, uint64_t index, const char *name)
{
	struct elf_symbol symbol;

	return elf_symbol(elf, index, &symbol) && symbol.defined && !strcmp(symbol.name, name);
}

uint64_t elf_undefined_end(const struct elf *elf)
{
	struct gnu_hash hash;

	if (!gnu_hash_read(elf, &hash) || hash.first <= 1 || hash.first > elf->symbol_room)
		return elf_symbol_count(elf); /* an empty table says 1, whatever stands in front */
	return hash.first;
}

bool elf_defines(const struct elf *elf, const char *name)
{
	uint32_t want = gnu_hash_of(name), index, value;
	struct gnu_hash hash;

	if (!gnu_hash_read(elf, &hash)) {
		for (uint64_t i = 0, count = elf_symbol_count(elf); i < count; i++)
			if (is_definition(elf, i, name))
				return true;
		return false;
	}
	if (!take(elf, hash.bucket + (uint64_t)(want % hash.buckets) * 4, &index, 4) || index < hash.first)
		return false;
	for (;; index++) {
		if (!take(elf, hash.chain + (uint64_t)(index - hash.first) * 4, &value, 4))
			return false;
		if ((value | 1) == (want | 1) && is_definition(elf, index, name))
			return true;
		if (value & 1)
			return false;
	}
}
