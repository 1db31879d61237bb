/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the NVTX backend. */
#ifndef SONDE_BACKENDS_NVTX_H
#define SONDE_BACKENDS_NVTX_H

#include <wchar.h>

#include "record/rec_tools.h"

#pragma GCC visibility push(hidden)
extern struct rec_backend nvtx_backend;

/* What programs hold as handles; they live as long as the process. */
struct nvtx_domain {
	struct rec_label label; /* "name:", what names in it begin with */
	uint32_t stack;         /* of its ranges: 1, 2, ...; 0 is that of ranges without a domain */
};

struct nvtx_string {
	struct rec_label label; /* in its domain */
	const struct nvtx_domain *domain;
};

/* One handle per name, whichever object asks; NULL: no memory. name may be NULL. */
struct nvtx_domain *nvtx_create(const char *name);
struct nvtx_string *nvtx_register(struct nvtx_domain *domain, const char *name);

/* UTF-8 of a wide text, in `text`, cut at a whole character; NULL stays NULL. */
const char *nvtx_narrow(const wchar_t *wide, char *text, size_t size);
#pragma GCC visibility pop

#endif
