/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OCCA as it is: its C++ API by the mangled names of its functions, which are called here and defined here by assembler
 * labels, without any header of OCCA. What is assumed of the ABI: Itanium C++; a member function gets `this` first; an
 * object that has a destructor is passed by address and returned where the caller says, before `this`; the text of a
 * libstdc++ string is what the string begins with. Objects that users hold (occa::kernel, ...) are two links of a ring
 * followed by the pointer to what they stand for.
 *
 * Functions of the C API end in those of the C++ API, so that both are seen by the same wrappers.
 */
#ifndef SONDE_OCCA_H
#define SONDE_OCCA_H

#include "record/rec_tools.h"

#define OCCA_STRING "RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

/* X(id, mangled name, as users know it): functions of OCCA that have a wrapper here */
#define OCCA_WRAPPED_VOID(X) \
	X(KERNEL_RUN, "_ZNK4occa6kernel3runEv", "kernel::run") \
	X(COPY_FROM_HOST, "_ZN4occa6memory8copyFromEPKvllRKNS_4jsonE", "memory::copyFrom H2D") \
	X(COPY_TO_HOST, "_ZNK4occa6memory6copyToEPvllRKNS_4jsonE", "memory::copyTo D2H") \
	X(COPY_FROM_DEVICE, "_ZN4occa6memory8copyFromES0_lllRKNS_4jsonE", "memory::copyFrom D2D") \
	X(COPY_TO_DEVICE, "_ZNK4occa6memory6copyToES0_lllRKNS_4jsonE", "memory::copyTo D2D") \
	X(FREE, "_ZN4occa6memory4freeEv", "memory::free") \
	X(BUFFER_CREATE, "_ZN4occa12modeBuffer_tC2EPNS_12modeDevice_tEmRKNS_4jsonE", "modeBuffer_t::modeBuffer_t") \
	X(BUFFER_DESTROY, "_ZN4occa12modeBuffer_tD2Ev", "modeBuffer_t::~modeBuffer_t") \
	X(POOL_RESIZE, "_ZN4occa10memoryPool6resizeEm", "memoryPool::resize") \
	X(POOL_ALIGN, "_ZN4occa10memoryPool12setAlignmentEm", "memoryPool::setAlignment") \
	X(DEVICE_SETUP, "_ZN4occa6device5setupERKNS_4jsonE", "device::setup") \
	X(DEVICE_FINISH, "_ZN4occa6device6finishEv", "device::finish") \
	X(DEVICE_FINISH_ALL, "_ZN4occa6device9finishAllEv", "device::finishAll") \
	X(STREAM_FINISH, "_ZN4occa6stream6finishEv", "stream::finish") \
	X(WAIT_FOR, "_ZN4occa6device7waitForENS_9streamTagE", "device::waitFor") \
	X(TAG_WAIT, "_ZNK4occa9streamTag4waitEv", "streamTag::wait") \
	X(TIME_BETWEEN, "_ZN4occa6device11timeBetweenERKNS_9streamTagES3_", "device::timeBetween") \
	X(SYS_CALL, "_ZN4occa3sys4callE" OCCA_STRING "RS6_", "sys::call") \
	X(COMPILER_VENDOR, "_ZN4occa3sys14compilerVendorE" OCCA_STRING, "sys::compilerVendor")

/* likewise; these return an object */
#define OCCA_WRAPPED_OBJECT(X) \
	X(MALLOC, "_ZN4occa6device6mallocElRKNS_7dtype_tEPKvRKNS_4jsonE", "device::malloc") \
	X(WRAP_MEMORY, "_ZN4occa6device10wrapMemoryEPKvlRKNS_7dtype_tERKNS_4jsonE", "device::wrapMemory") \
	X(POOL_RESERVE, "_ZN4occa10memoryPool7reserveElRKNS_7dtype_tE", "memoryPool::reserve") \
	X(BUILD_FILE, "_ZNK4occa6device11buildKernelE" OCCA_STRING "S8_RKNS_4jsonE", "device::buildKernel") \
	X(BUILD_STRING, "_ZNK4occa6device21buildKernelFromStringE" OCCA_STRING "S8_RKNS_4jsonE", \
	  "device::buildKernelFromString") \
	X(BUILD_BINARY, "_ZNK4occa6device21buildKernelFromBinaryE" OCCA_STRING "S8_RKNS_4jsonE", \
	  "device::buildKernelFromBinary") \
	X(CACHE_FILE, "_ZN4occa2io9cacheFileE" OCCA_STRING "S8_RKNS_6hash_tES8_", "io::cacheFile") \
	X(TAG_STREAM, "_ZN4occa6device9tagStreamEv", "device::tagStream") \
	X(CREATE_STREAM, "_ZN4occa6device12createStreamERKNS_4jsonE", "device::createStream")

/* likewise; these are called here to ask, and change nothing */
#define OCCA_ASKED(X) \
	X(KERNEL_NAME, "_ZN4occa6kernel4nameB5cxx11Ev", "kernel::name") \
	X(KERNEL_MODE, "_ZNK4occa6kernel4modeB5cxx11Ev", "kernel::mode") \
	X(DEVICE_MODE, "_ZNK4occa6device4modeB5cxx11Ev", "device::mode") \
	X(POOL_MODE, "_ZNK4occa10memoryPool4modeB5cxx11Ev", "memoryPool::mode") \
	X(POOL_SIZE, "_ZNK4occa10memoryPool4sizeEv", "memoryPool::size") \
	X(POOL_OBJECT, "_ZNK4occa10memoryPool17getModeMemoryPoolEv", "memoryPool::getModeMemoryPool") \
	X(MEMORY_BYTES, "_ZNK4occa6memory9byte_sizeEv", "memory::byte_size") \
	X(MEMORY_TYPE, "_ZNK4occa6memory5dtypeEv", "memory::dtype") \
	X(TYPE_BYTES, "_ZNK4occa7dtype_t5bytesEv", "dtype_t::bytes")

#define OCCA_SYMBOLS_ALL(X) OCCA_WRAPPED_VOID(X) OCCA_WRAPPED_OBJECT(X) OCCA_ASKED(X)

#define OCCA_ID(id, mangled, text) OCCA_##id,
enum occa_symbol { OCCA_SYMBOLS_ALL(OCCA_ID) OCCA_SYMBOLS };

/* Where the address of a returned object is not an argument, C has no way to hand it on. */
#if defined(__x86_64__)
#define OCCA_OBJECTS 1
#else
#define OCCA_OBJECTS 0
#endif

extern struct rec_backend occa_backend __attribute__((visibility("hidden")));

/* What the calling thread is in. */
struct occa_thread {
	uintptr_t run;      /* frame of the launch that all others are parts of; 0: none */
	uintptr_t build;    /* likewise of the build */
	uint32_t commands;  /* that the build has run */
	bool missed;        /* the build has found nothing in OCCA's cache */
	bool wrapping;      /* memory that it is given is the program's own */
};
extern __thread struct occa_thread occa_thread __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* An operation of OCCA from its wrapper's entry to its exit, by an exception or not. */
struct occa_op {
	struct rec_call call;
	bool returned;
};

/* The function that the program meant. */
void *occa_real(enum occa_symbol symbol, const void *return_address) __attribute__((visibility("hidden")));
/* One that is called to ask; NULL: this OCCA has none. */
void *occa_asked(enum occa_symbol symbol) __attribute__((visibility("hidden")));
/* Anything else that OCCA exports; NULL likewise. */
void *occa_provided(const char *name) __attribute__((visibility("hidden")));
/* A record has been opened: memory from before is not in it. */
void occa_opened(void) __attribute__((visibility("hidden")));
extern bool occa_met __attribute__((visibility("hidden")));
extern bool occa_aside __attribute__((visibility("hidden"))); /* this OCCA tells by itself what it does */
void occa_meet(void) __attribute__((visibility("hidden")));
void occa_op_begin(struct occa_op *op, const struct rec_label *label, enum sonde_kind kind, uintptr_t frame)
	__attribute__((visibility("hidden")));
void occa_op_end(struct occa_op *op) __attribute__((visibility("hidden")));
void occa_vtables_take(void) __attribute__((visibility("hidden")));
void occa_unwind_find(void) __attribute__((visibility("hidden")));

/* Named as in OCCA_SYMBOLS_ALL. */
const struct rec_label *occa_label(enum occa_symbol symbol) __attribute__((visibility("hidden")));

#define OCCA_FRAME ((uintptr_t)__builtin_dwarf_cfa())
#define OCCA_CALLER __builtin_return_address(0)
/* Also when an exception passes: what it looks at has to be set where it is declared. */
#define OCCA_ENDS(function) __attribute__((cleanup(function)))

/* First thing in each wrapper. */
static inline void occa_enter(void)
{
	if (unlikely(!__atomic_load_n(&occa_met, __ATOMIC_ACQUIRE)))
		occa_meet();
}

static inline const char *occa_text(const void *string)
{
	return string ? *(const char *const *)string : "";
}

/* Do the program's own threads run kernels of this mode, in its own memory? */
static inline bool occa_is_host(const char *mode)
{
	return !__builtin_strcmp(mode, "Serial") || !__builtin_strcmp(mode, "OpenMP");
}

#endif
