/* SPDX-License-Identifier: BSD-3-Clause */
/* See size.h. */
#include "cli/size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

int size_parse(const char *option, const char *text, uint64_t *bytes_out)
{
	static const char units[] = "KMGT";
	const char *unit;
	unsigned long long number;
	char *end;
	unsigned shift = 0;

	errno = 0;
	number = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end & ~0x20) : NULL;
	if (unit) {
		shift = 10 * (unsigned)(unit - units + 1);
		end++;
	}
	if (errno || *text < '0' || *text > '9' || *end || !number || number > UINT64_MAX >> shift)
		return log_error(SONDE_EUSAGE, "--%s takes a size like 512M or 20G, not '%s'", option, text);
	*bytes_out = (uint64_t)number << shift;
	return 0;
}
