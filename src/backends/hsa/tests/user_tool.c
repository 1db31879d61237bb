/* SPDX-License-Identifier: BSD-3-Clause */
/* A tool of the user's, which does nothing; or, by its name, a runtime of an API above. */
#include <stdbool.h>

bool OnLoad(void *tables, unsigned long version, unsigned long failed_count, const char *const *failed);

bool OnLoad(void *tables, unsigned long version, unsigned long failed_count, const char *const *failed)
{
	(void)version;
	(void)failed_count;
	(void)failed;
	return tables;
}
