/* SPDX-License-Identifier: BSD-3-Clause */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_events.h"
#if !defined(BENCH_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_EVENTS_H

#include <stdint.h>

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(bench, test_entry,
	LTTNG_UST_TP_ARGS(int *, request, int *, flag, void *, status),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uintptr_t, request, (uintptr_t)request)
		lttng_ust_field_integer_hex(uintptr_t, flag, (uintptr_t)flag)
		lttng_ust_field_integer_hex(uintptr_t, status, (uintptr_t)status)))

LTTNG_UST_TRACEPOINT_EVENT(bench, test_exit,
	LTTNG_UST_TP_ARGS(int, result, int, flag),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, result, result)
		lttng_ust_field_integer(int, flag, flag)))

#endif

#include <lttng/tracepoint-event.h>
