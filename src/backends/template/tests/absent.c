/* SPDX-License-Identifier: BSD-3-Clause */
/* Linked with the wrappers alone: what the functions of an API answer where no library provides it. */
#include <stddef.h>
#include <stdio.h>

int template_open(unsigned flags);
void *template_alloc(size_t bytes);
double template_time(void);
int template_version(int *version);
int template_log(int level, ...);
void template_free(void *memory);

int main(void)
{
	int version = 99;

	if (template_open(1) != -1)
		return 1;
	if (template_alloc(8))
		return 2;
	if (template_time() != 0)
		return 3;
	if (template_version(&version) != 0 || version != 0)
		return 4;
	if (template_version(NULL) != 0)
		return 5;
	if (template_log(1, 2.5, 3) != -1)
		return 6;
	template_free(&version);
	puts("absent");
	return 0;
}
