/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory. Each allocation is a modeBuffer_t, made by its constructor with its size and ended by its destructor,
 * whichever way memory is released (most is by destructors): those two are the footprint. Pools make theirs empty and
 * fill them by a virtual function, so a pool is asked for its size before and after what may change it.
 */
#include "occa.h"

struct buffer {
	uint64_t bytes;
	uint32_t record; /* in which its allocation is */
	bool on_host;
};
static struct rec_map buffers = REC_MAP(struct buffer); /* address of modeBuffer_t -> buffer */
static uint32_t record;

void occa_opened(void)
{
	record++;
}

static void add(const struct buffer *buffer, int64_t bytes)
{
	if (bytes && buffer->record == record && rec_on())
		rec_memory(&occa_backend, UINT32_MAX, buffer->on_host ? SONDE_MEMORY_pageable : SONDE_MEMORY_device,
			   bytes);
}

static bool is_counted(void)
{
	return !occa_aside && rec_on();
}

REC_EXPORT void occa_wrap_create(void *at, void *device, uint64_t bytes, const void *properties)
	__asm__("_ZN4occa12modeBuffer_tC2EPNS_12modeDevice_tEmRKNS_4jsonE");
void occa_wrap_create(void *at, void *device, uint64_t bytes, const void *properties)
{
	void (*create)(void *, void *, uint64_t, const void *) =
		(void (*)(void *, void *, uint64_t, const void *))occa_real(OCCA_BUFFER_CREATE, OCCA_CALLER);
	const void *(*mode)(const void *) = (const void *(*)(const void *))occa_asked(OCCA_DEVICE_MODE);
	/* an object of class occa::device that stands for it */
	const void *asked[] = {NULL, NULL, device};
	struct buffer buffer = {bytes, record, false};

	occa_enter();
	create(at, device, bytes, properties);
	if (!bytes || occa_thread.wrapping || !is_counted())
		return;
	buffer.on_host = mode && occa_is_host(occa_text(mode(asked)));
	if (rec_map_put(&buffers, (rec_word)at, &buffer))
		add(&buffer, (int64_t)bytes);
}

REC_EXPORT void occa_wrap_destroy(void *at) __asm__("_ZN4occa12modeBuffer_tD2Ev");
void occa_wrap_destroy(void *at)
{
	void (*destroy)(void *) = (void (*)(void *))occa_real(OCCA_BUFFER_DESTROY, OCCA_CALLER);
	struct buffer buffer;

	if (rec_map_take(&buffers, (rec_word)at, &buffer))
		add(&buffer, -(int64_t)buffer.bytes);
	destroy(at);
}

REC_EXPORT void occa_wrap_free(void *memory) __asm__("_ZN4occa6memory4freeEv");
void occa_wrap_free(void *memory)
{
	void (*release)(void *) = (void (*)(void *))occa_real(OCCA_FREE, OCCA_CALLER);
	struct occa_op op OCCA_ENDS(occa_op_end) = {.call = {.slot = 0}};

	occa_enter();
	occa_op_begin(&op, occa_label(OCCA_FREE), SONDE_KIND_free, OCCA_FRAME);
	release(memory);
	op.returned = true;
}

#if OCCA_OBJECTS
static uint64_t type_bytes(const void *type)
{
	int (*bytes)(const void *) = (int (*)(const void *))occa_asked(OCCA_TYPE_BYTES);

	return bytes ? (uint64_t)bytes(type) : 0;
}

REC_EXPORT void *occa_wrap_malloc(void *result, void *device, long count, const void *type, const void *from,
				  const void *properties)
	__asm__("_ZN4occa6device6mallocElRKNS_7dtype_tEPKvRKNS_4jsonE");
void *occa_wrap_malloc(void *result, void *device, long count, const void *type, const void *from,
		       const void *properties)
{
	void *(*allocate)(void *, void *, long, const void *, const void *, const void *) =
		(void *(*)(void *, void *, long, const void *, const void *, const void *))
		occa_real(OCCA_MALLOC, OCCA_CALLER);
	static const char text[] = "device::malloc H2D"; /* what is copied then is seen in no other way */
	struct rec_label with_copy = rec_label(NULL, text);
	struct occa_op op OCCA_ENDS(occa_op_end) = {.call = {.slot = 0}};

	occa_enter();
	occa_op_begin(&op, from ? &with_copy : occa_label(OCCA_MALLOC), SONDE_KIND_alloc, OCCA_FRAME);
	allocate(result, device, count, type, from, properties);
	if (from && op.call.slot)
		rec_call_bytes(&op.call, (uint64_t)count * type_bytes(type), 0, false);
	op.returned = true;
	return result;
}

static void wrapping_end(const bool *outer)
{
	occa_thread.wrapping = *outer;
}

REC_EXPORT void *occa_wrap_memory(void *result, void *device, const void *at, long count, const void *type,
				  const void *properties)
	__asm__("_ZN4occa6device10wrapMemoryEPKvlRKNS_7dtype_tERKNS_4jsonE");
void *occa_wrap_memory(void *result, void *device, const void *at, long count, const void *type,
		       const void *properties)
{
	void *(*wrap)(void *, void *, const void *, long, const void *, const void *) =
		(void *(*)(void *, void *, const void *, long, const void *, const void *))
		occa_real(OCCA_WRAP_MEMORY, OCCA_CALLER);
	bool outer OCCA_ENDS(wrapping_end) = occa_thread.wrapping;

	occa_enter();
	occa_thread.wrapping = true;
	return wrap(result, device, at, count, type, properties);
}
#endif

/* ---- pools ------------------------------------------------------------------------------------- */

struct pool_op {
	struct occa_op op;
	const void *pool; /* an object of class occa::memoryPool */
	uint64_t before;
};

static uint64_t pool_bytes(const void *pool)
{
	uint64_t (*size)(const void *) = (uint64_t (*)(const void *))occa_asked(OCCA_POOL_SIZE);

	return size ? size(pool) : 0;
}

/* A pool that has grown has a new block and is rid of the old one; its own object ends that. */
static void pool_changed(const void *pool, uint64_t before)
{
	void *(*object)(const void *) = (void *(*)(const void *))occa_asked(OCCA_POOL_OBJECT);
	const void *(*mode)(const void *) = (const void *(*)(const void *))occa_asked(OCCA_POOL_MODE);
	uint64_t now = pool_bytes(pool);
	struct buffer buffer = {now, record, false}, old;

	if (now == before || !object || !mode || !is_counted())
		return;
	buffer.on_host = occa_is_host(occa_text(mode(pool)));
	if (rec_map_take(&buffers, (rec_word)object(pool), &old))
		add(&old, -(int64_t)old.bytes);
	if (rec_map_put(&buffers, (rec_word)object(pool), &buffer))
		add(&buffer, (int64_t)now);
}

static void pool_begin(struct pool_op *op, enum occa_symbol symbol, uintptr_t frame)
{
	op->before = pool_bytes(op->pool);
	occa_op_begin(&op->op, occa_label(symbol), SONDE_KIND_alloc, frame);
}

static void pool_end(struct pool_op *op)
{
	occa_op_end(&op->op);
	if (op->op.returned) /* while an exception passes OCCA is asked nothing: another one would end the program */
		pool_changed(op->pool, op->before);
}

#define CHANGES(id, function, mangled) \
	REC_EXPORT void function(void *pool, uint64_t bytes) __asm__(mangled); \
	void function(void *pool, uint64_t bytes) \
	{ \
		void (*change)(void *, uint64_t) = (void (*)(void *, uint64_t))occa_real(id, OCCA_CALLER); \
		struct pool_op op OCCA_ENDS(pool_end) = {.pool = pool}; \
\
		occa_enter(); \
		pool_begin(&op, id, OCCA_FRAME); \
		change(pool, bytes); \
		op.op.returned = true; \
	}
CHANGES(OCCA_POOL_RESIZE, occa_wrap_resize, "_ZN4occa10memoryPool6resizeEm")
CHANGES(OCCA_POOL_ALIGN, occa_wrap_align, "_ZN4occa10memoryPool12setAlignmentEm")

#if OCCA_OBJECTS
REC_EXPORT void *occa_wrap_reserve(void *result, void *pool, long count, const void *type)
	__asm__("_ZN4occa10memoryPool7reserveElRKNS_7dtype_tE");
void *occa_wrap_reserve(void *result, void *pool, long count, const void *type)
{
	void *(*reserve)(void *, void *, long, const void *) =
		(void *(*)(void *, void *, long, const void *))occa_real(OCCA_POOL_RESERVE, OCCA_CALLER);
	struct pool_op op OCCA_ENDS(pool_end) = {.pool = pool};

	occa_enter();
	pool_begin(&op, OCCA_POOL_RESERVE, OCCA_FRAME);
	reserve(result, pool, count, type);
	op.op.returned = true;
	return result;
}
#endif
