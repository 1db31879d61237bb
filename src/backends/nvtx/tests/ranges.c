/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ranges MODE [N]: a program with NVTX ranges, which states by its own clock what they took.
 *
 *	times     outer 3 x (inner 2 x 5 ms, 5 ms of its own), a range of the process over all of it
 *	loop N    N pairs, for counting instructions
 *	names     names of all kinds
 *	domains   two objects, two domains that do not nest, registered strings
 *	open      ends inside of two ranges
 *	threads N as many threads with ranges of their own and a shared name
 *	many      more names than are kept
 *	deep N    in N threads three ranges inside each other of 100 ms in all, prints what pushes and pops answer
 */
#include <pthread.h>

#include "app.h"
#include "client.h"

static struct client client;

static void say_ns(const char *key, double seconds)
{
	app_say(key, (long)(seconds * 1e9));
}

/* By the program's clock from outside of a range and from inside: what is recorded lies between. */
struct bracket {
	double from, within;
	double outside, inside; /* sums */
};

static void enter(struct bracket *bracket, const char *name)
{
	bracket->from = app_now();
	client_push(&client, name);
	bracket->within = app_now();
}

static void leave(struct bracket *bracket)
{
	bracket->inside += app_now() - bracket->within;
	client_pop(&client);
	bracket->outside += app_now() - bracket->from;
}

static void times(void)
{
	struct bracket whole = { 0 }, outer = { 0 }, inner = { 0 };
	uint64_t id;

	whole.from = app_now();
	id = client_start(&client, "whole");
	whole.within = app_now();
	for (int i = 0; i < 3; i++) {
		enter(&outer, "outer");
		for (int j = 0; j < 2; j++) {
			enter(&inner, "inner");
			app_pause_ms(5);
			client_mark(&client, "tick");
			leave(&inner);
		}
		app_pause_ms(5);
		leave(&outer);
	}
	whole.inside = app_now() - whole.within;
	client_end(&client, id);
	whole.outside = app_now() - whole.from;
	say_ns("whole", whole.outside);
	say_ns("whole_in", whole.inside);
	say_ns("outer", outer.outside);
	say_ns("outer_in", outer.inside);
	say_ns("inner", inner.outside);
	say_ns("inner_in", inner.inside);
}

static void loop(long count)
{
	for (long i = 0; i < count; i++) {
		client_push(&client, "a range of 20 bytes.");
		client_pop(&client);
	}
}

static void names(void)
{
	static const wchar_t wide[] = { L'w', 0xe9, 0x20ac, 0x1f600, 0 };
	static char longest[4097];

	for (int i = 0; i < 4096; i++)
		longest[i] = "\"\\\n\xff\xc3(%s,\t"[i % 10];
	client_push(&client, longest);
	client_pop(&client);
	client_push_wide(&client, wide);
	client_pop(&client);
	client_push(&client, "");
	client_pop(&client);
	client_push(&client, NULL);
	client_pop(&client);
	client_push(&client, "caf\xc3\xa9 \"quoted\", \\ and, comma");
	client_pop(&client);
	client_mark(&client, "mark \"one\"");
	client_pop(&client); /* of nothing */
}

static void domains(void)
{
	static struct client other;
	void *a, *b, *same, *string;
	long shared = 0;

	client_open(&other);
	a = client_domain(&client, "alpha");
	b = client_domain(&other, "beta");
	same = client_domain(&other, "alpha");
	string = client_string(&client, a, "registered");
	app_say("one_handle", a == same && string == client_string(&other, same, "registered"));
	for (int i = 0; i < 16; i++) {
		char name[16];

		snprintf(name, sizeof(name), "both %d", i);
		shared += client_string(&client, NULL, name) == client_domain(&client, name);
	}
	app_say("shared", shared); /* strings and domains of the same name */
	client_push_in(&client, a, 1, "first");
	client_push_in(&other, b, 1, "second");
	app_pause_ms(5);
	client_pop_in(&client, a); /* "second" goes on */
	app_pause_ms(5);
	client_pop_in(&other, b);
	client_push_in(&client, a, 3, string);
	client_pop_in(&client, a);
	app_say("level", client_push(&other, "plain"));
	app_say("level", client_pop(&client)); /* one stack, whichever object */
}

static void *work(void *argument)
{
	char name[32];

	snprintf(name, sizeof(name), "thread %ld", (long)argument);
	client_push(&client, name);
	for (int i = 0; i < 100; i++) {
		client_push(&client, "shared");
		client_pop(&client);
	}
	client_pop(&client);
	return NULL;
}

static void threads(long count)
{
	pthread_t thread[64];

	for (long i = 0; i < count && i < 64; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	for (long i = 0; i < count && i < 64; i++)
		pthread_join(thread[i], NULL);
}

static void many(void)
{
	char name[32];

	for (int i = 0; i < 1500; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		client_push(&client, name);
		client_pop(&client);
	}
}

static void *deep_in(void *argument)
{
	static const char *const name[] = {"deep 0", "deep 1", "deep 2"};
	struct bracket range[3];
	int right = 0;

	memset(range, 0, sizeof(range));
	for (int i = 0; i < 3; i++) {
		range[i].from = app_now();
		right += client_push(&client, name[i]) == i;
		range[i].within = app_now();
	}
	app_pause_ms(100);
	for (int i = 2; i >= 0; i--) {
		range[i].inside = app_now() - range[i].within;
		right += client_pop(&client) == i;
		range[i].outside = app_now() - range[i].from;
	}
	right += client_pop(&client) == -2; /* of nothing */
	((struct bracket *)argument)[0] = range[0];
	((struct bracket *)argument)[1] = range[2];
	return (void *)(long)right;
}

static void deep(long count)
{
	static struct bracket range[64][2];
	pthread_t thread[64];
	double sum[4] = {0};
	long right = 0;
	void *result;

	for (long i = 0; i < count && i < 64; i++)
		pthread_create(&thread[i], NULL, deep_in, range[i]);
	for (long i = 0; i < count && i < 64; i++) {
		pthread_join(thread[i], &result);
		right += (long)result;
		for (int j = 0; j < 2; j++) {
			sum[2 * j] += range[i][j].outside;
			sum[2 * j + 1] += range[i][j].inside;
		}
	}
	app_say("right_levels", right);
	say_ns("outer", sum[0]);
	say_ns("outer_in", sum[1]);
	say_ns("inner", sum[2]);
	say_ns("inner_in", sum[3]);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "times";
	long count = argc > 2 ? atol(argv[2]) : 1;

	client_open(&client);
	app_say("attached", client.attached);
	if (!strcmp(mode, "times"))
		times();
	else if (!strcmp(mode, "loop"))
		loop(count);
	else if (!strcmp(mode, "names"))
		names();
	else if (!strcmp(mode, "domains"))
		domains();
	else if (!strcmp(mode, "threads"))
		threads(count);
	else if (!strcmp(mode, "many"))
		many();
	else if (!strcmp(mode, "deep"))
		deep(count);
	if (!strcmp(mode, "open")) {
		client_push(&client, "main");
		client_push(&client, "last");
		app_pause_ms(20);
		app_end(argc > 2 ? argv[2] : "return");
	}
	return 0;
}
