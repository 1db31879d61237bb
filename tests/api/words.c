/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls every exported name of an API through its wrapper and looks at what arrives in the simulated
 * runtime: each word, the result, errno. Run with libsonde.so, the wrappers and the simulated
 * runtime preloaded: words API FILE-OF-NAMES. Says what was wrong, one line each.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 20

typedef uintptr_t word;
typedef word (*any_function)(word, word, word, word, word, word, word, word, word, word, word, word, word, word,
			     word, word, word, word, word, word);

/* every word points to one of these: wrappers of Fortran names look at their error argument */
static int64_t target[WORDS];
static word arrived[WORDS];
static unsigned arrived_count, calls;

static word answer(uint32_t symbol, word *words, unsigned count, word usual)
{
	(void)usual;
	arrived_count = count;
	memcpy(arrived, words, count * sizeof(*words));
	calls++;
	errno = ERANGE;
	return 0x5eed000000000000u + symbol;
}

static int wrong(const char *name, const char *what)
{
	printf("%s: %s\n", name, what);
	return 1;
}

/*
 * The same call twice: the first finds the real function, the second takes the short way. For
 * functions whose arguments are all words; the template's tests call the others.
 */
static int try_name(const char *name, unsigned words, bool word_result, any_function function)
{
	word sent[WORDS], result;

	for (unsigned i = 0; i < WORDS; i++)
		sent[i] = (word)&target[i];
	for (unsigned round = 0; round < 2; round++) {
		memset(arrived, 0, sizeof(arrived));
		calls = 0;
		errno = 0;
		result = function(sent[0], sent[1], sent[2], sent[3], sent[4], sent[5], sent[6], sent[7], sent[8],
				  sent[9], sent[10], sent[11], sent[12], sent[13], sent[14], sent[15], sent[16],
				  sent[17], sent[18], sent[19]);
		if (errno != ERANGE)
			return wrong(name, "errno did not come back");
		if (calls != 1)
			return wrong(name, "did not reach the runtime exactly once");
		if (arrived_count != words)
			return wrong(name, "another number of words arrived");
		for (unsigned i = 0; i < arrived_count; i++)
			if (arrived[i] != sent[i])
				return wrong(name, "a word arrived changed");
		if (word_result && result >> 48 != 0x5eed)
			return wrong(name, "the result did not come back");
	}
	return 0;
}

/* The wrapper and not the runtime itself must be what the name means to the program. */
static int is_wrapped(const char *api, void *function)
{
	Dl_info info;

	return dladdr(function, &info) && strstr(info.dli_fname, "libbare-") && strstr(info.dli_fname, api);
}

int main(int argc, char **argv)
{
	char symbol[128], line[256], name[200], words[16], result[16];
	word (**hook)(uint32_t, word *, unsigned, word);
	unsigned tried = 0, bad = 0;
	FILE *names;

	if (argc != 3 || !(names = fopen(argv[2], "r")))
		return 2;
	snprintf(symbol, sizeof(symbol), "%s_fake_answer", argv[1]);
	hook = dlsym(RTLD_DEFAULT, symbol);
	if (!hook)
		return wrong(symbol, "no simulated runtime is preloaded");
	*hook = answer;
	while (fgets(line, sizeof(line), names)) {
		void *function;

		if (sscanf(line, "%199s %15s %15s", name, words, result) != 3)
			return wrong(line, "not a line of three words");
		function = dlsym(RTLD_DEFAULT, name);
		if (!function || !is_wrapped(argv[1], function))
			bad += wrong(name, "is not wrapped");
		else if (strcmp(words, "mixed") != 0)
			bad += try_name(name, (unsigned)atoi(words), strcmp(result, "rec_word") == 0,
					(any_function)function);
		tried++;
	}
	fclose(names);
	printf("%u names, %u wrong\n", tried, bad);
	return bad || !tried;
}
