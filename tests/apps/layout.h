/* SPDX-License-Identifier: BSD-3-Clause */
/* Our declarations of a runtime's structures and constants against the real ones, while a test is compiled. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stddef.h>

#define SAME(ours, field, theirs, member) \
	_Static_assert(offsetof(struct ours, field) == offsetof(theirs, member), #ours "." #field)
#define SIZE(ours, theirs) _Static_assert(sizeof(struct ours) == sizeof(theirs), #ours)
#define IS(ours, theirs) _Static_assert((unsigned)(ours) == (unsigned)(theirs), #ours)

#endif
