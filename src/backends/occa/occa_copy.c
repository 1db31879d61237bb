/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies, by direction as the program sees it: in modes without a device, and to pinned memory, they are plain copies
 * by the host. The shorter forms of each function end in these.
 */
#include "occa.h"

static uint64_t copied_bytes(const void *memory, long count)
{
	uint64_t (*all)(const void *) = (uint64_t (*)(const void *))occa_asked(OCCA_MEMORY_BYTES);
	const void *(*type)(const void *) = (const void *(*)(const void *))occa_asked(OCCA_MEMORY_TYPE);
	int (*bytes)(const void *) = (int (*)(const void *))occa_asked(OCCA_TYPE_BYTES);

	if (count == -1) /* all of it */
		return all ? all(memory) : 0;
	return type && bytes ? (uint64_t)count * (uint64_t)bytes(type(memory)) : 0;
}

static void begin(struct occa_op *op, enum occa_symbol symbol, uintptr_t frame)
{
	occa_op_begin(op, occa_label(symbol), SONDE_KIND_copy, frame);
}

static void copied(struct occa_op *op, uint64_t out, uint64_t in)
{
	if (op->call.slot)
		rec_call_bytes(&op->call, out, in, false);
	op->returned = true;
}

#define HOST(id, function, mangled, out, in) \
	REC_EXPORT void function(void *memory, void *host, long count, long offset, const void *properties) \
		__asm__(mangled); \
	void function(void *memory, void *host, long count, long offset, const void *properties) \
	{ \
		void (*copy)(void *, void *, long, long, const void *) = \
			(void (*)(void *, void *, long, long, const void *))occa_real(id, OCCA_CALLER); \
		struct occa_op op OCCA_ENDS(occa_op_end) = {.call = {.slot = 0}}; \
		uint64_t bytes; \
\
		occa_enter(); \
		bytes = copied_bytes(memory, count); \
		begin(&op, id, OCCA_FRAME); \
		copy(memory, host, count, offset, properties); \
		copied(&op, out, in); \
	}
HOST(OCCA_COPY_FROM_HOST, occa_wrap_copy_from, "_ZN4occa6memory8copyFromEPKvllRKNS_4jsonE", bytes, 0)
HOST(OCCA_COPY_TO_HOST, occa_wrap_copy_to, "_ZNK4occa6memory6copyToEPvllRKNS_4jsonE", 0, bytes)

#define DEVICE(id, function, mangled) \
	REC_EXPORT void function(void *memory, void *other, long count, long to, long from, const void *properties) \
		__asm__(mangled); \
	void function(void *memory, void *other, long count, long to, long from, const void *properties) \
	{ \
		void (*copy)(void *, void *, long, long, long, const void *) = \
			(void (*)(void *, void *, long, long, long, const void *))occa_real(id, OCCA_CALLER); \
		struct occa_op op OCCA_ENDS(occa_op_end) = {.call = {.slot = 0}}; \
		uint64_t bytes; \
\
		occa_enter(); \
		bytes = copied_bytes(memory, count); \
		begin(&op, id, OCCA_FRAME); \
		copy(memory, other, count, to, from, properties); \
		copied(&op, bytes, 0); \
	}
DEVICE(OCCA_COPY_FROM_DEVICE, occa_wrap_copy_from_device, "_ZN4occa6memory8copyFromES0_lllRKNS_4jsonE")
DEVICE(OCCA_COPY_TO_DEVICE, occa_wrap_copy_to_device, "_ZNK4occa6memory6copyToES0_lllRKNS_4jsonE")
