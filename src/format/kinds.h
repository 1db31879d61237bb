/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The closed vocabulary of a recording: what a traced call means (kind), which share of the
 * wall time it counts towards (category), and the fixed names of directions and memory kinds.
 * Shared by record/, read/ and the generator (tools/apigen.py parses the X-lists below).
 */
#ifndef SONDE_FORMAT_KINDS_H
#define SONDE_FORMAT_KINDS_H

/* X(name): shares of the wall time, in the order in which they are printed. */
#define SONDE_CATEGORIES(X) \
	X(device_wait)      \
	X(comm)             \
	X(thread_wait)      \
	X(memory)           \
	X(copy)             \
	X(launch)           \
	X(build)            \
	X(other_api)        \
	X(host)             \
	X(not_running)

/*
 * X(kind, category). compute: a loop or kernel that runs on the host; sync: threads wait for each other; counter: the
 * program sets a value
 */
#define SONDE_KINDS(X)               \
	X(other, other_api)          \
	X(launch, launch)            \
	X(graph_launch, launch)      \
	X(copy, copy)                \
	X(fill, copy)                \
	X(map, copy)                 \
	X(alloc, memory)             \
	X(free, memory)              \
	X(wait, device_wait)         \
	X(poll, device_wait)         \
	X(build, build)              \
	X(load, build)               \
	X(p2p, comm)                 \
	X(coll, comm)                \
	X(rma, comm)                 \
	X(io, comm)                  \
	X(range, other_api)          \
	X(mark, other_api)           \
	X(query, other_api)          \
	X(setup, other_api)          \
	X(compute, host)             \
	X(sync, thread_wait)         \
	X(counter, other_api)

/* X(id, text): direction of a transfer */
#define SONDE_DIRECTIONS(X) \
	X(h2d, "H2D")       \
	X(d2h, "D2H")       \
	X(d2d, "D2D")       \
	X(h2h, "H2H")       \
	X(p2p, "P2P")       \
	X(fill, "fill")

/* X(id, text): kind of memory of a transfer or an allocation */
#define SONDE_MEMORY_KINDS(X)     \
	X(unknown, "unknown")     \
	X(device, "device")       \
	X(pinned, "pinned host")  \
	X(managed, "managed")     \
	X(pageable, "pageable")   \
	X(svm, "svm")             \
	X(window, "rma window")   \
	X(statics, "device static")

/* X(id, text): where the binary of a build came from */
#define SONDE_BUILD_SOURCES(X) \
	X(source, "source")    \
	X(binary, "binary")    \
	X(il, "il")            \
	X(cache, "cache")

#define SONDE_ENUM_CATEGORY(name) SONDE_CATEGORY_##name,
enum sonde_category { SONDE_CATEGORIES(SONDE_ENUM_CATEGORY) SONDE_CATEGORY_COUNT };

#define SONDE_ENUM_KIND(name, category) SONDE_KIND_##name,
enum sonde_kind { SONDE_KINDS(SONDE_ENUM_KIND) SONDE_KIND_COUNT };

#define SONDE_ENUM_DIRECTION(name, text) SONDE_DIRECTION_##name,
enum sonde_direction { SONDE_DIRECTIONS(SONDE_ENUM_DIRECTION) SONDE_DIRECTION_COUNT };

#define SONDE_ENUM_MEMORY(name, text) SONDE_MEMORY_##name,
enum sonde_memory_kind { SONDE_MEMORY_KINDS(SONDE_ENUM_MEMORY) SONDE_MEMORY_COUNT };

#define SONDE_ENUM_BUILD(name, text) SONDE_BUILD_##name,
enum sonde_build_source { SONDE_BUILD_SOURCES(SONDE_ENUM_BUILD) SONDE_BUILD_COUNT };

#endif
