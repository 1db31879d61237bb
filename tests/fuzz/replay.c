/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for libFuzzer where the compiler has none: runs a fuzz target over the files of a corpus. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0;

	if (!file) {
		perror(path);
		exit(1);
	}
	for (;;) {
		data = realloc(data, size + 65536);
		if (!data)
			abort();
		size_t got = fread(data + size, 1, 65536, file);

		if (!got)
			break;
		size += got;
	}
	fclose(file);
	/* exactly as long as the input, so that a sanitizer sees what is read behind it */
	data = realloc(data, size ? size : 1);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

int main(int argc, char **argv)
{
	int count = 0;

	for (int i = 1; i < argc; i++) {
		DIR *folder = opendir(argv[i]);
		struct dirent *entry;
		char path[4096];

		if (!folder) {
			perror(argv[i]);
			return 1;
		}
		while ((entry = readdir(folder))) {
			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), "%s/%s", argv[i], entry->d_name);
			replay(path);
			count++;
		}
		closedir(folder);
	}
	printf("%d inputs\n", count);
	return count ? 0 : 1;
}
