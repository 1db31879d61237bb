/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What NVTX tells beside names of ranges: payloads of each type, categories with and without a name, given before and
 * after their use, names of threads.
 *
 *	told values | names | threads N | fork
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "client.h"

enum { U64 = 1, S64, F64, U32, S32, F32 };

static struct client client;

static struct client_attributes named(const char *name)
{
	return (struct client_attributes){.version = 3, .size = sizeof(struct client_attributes), .message_type = 1,
					  .message = name};
}

/* The upper half of what has 32 bits is anything. */
static struct client_attributes with_payload(const char *name, int type, const void *value, size_t bytes)
{
	struct client_attributes attributes = named(name);

	attributes.payload_type = type;
	attributes.payload = 0xdeadbeefdeadbeefu;
	memcpy(&attributes.payload, value, bytes);
	return attributes;
}

static void push(void *domain, struct client_attributes attributes)
{
	client_push_told(&client, domain, &attributes);
	client_pop_in(&client, domain);
}

static void in_category(void *domain, const char *name, uint32_t category)
{
	struct client_attributes attributes = named(name);

	attributes.category = category;
	push(domain, attributes);
}

static void values(void)
{
	const uint64_t u64 = 0xfedcba9876543210u;
	const int64_t s64 = -5000000000;
	const double f64 = 0.1;
	const uint32_t u32 = 4000000000u;
	const int32_t s32 = -7;
	const float f32 = 0.1f;
	struct client_attributes attributes;
	uint64_t key;

	push(NULL, with_payload("u64", U64, &u64, sizeof(u64)));
	push(NULL, with_payload("s64", S64, &s64, sizeof(s64)));
	push(NULL, with_payload("f64", F64, &f64, sizeof(f64)));
	push(NULL, with_payload("u32", U32, &u32, sizeof(u32)));
	push(NULL, with_payload("s32", S32, &s32, sizeof(s32)));
	push(NULL, with_payload("f32", F32, &f32, sizeof(f32)));
	push(NULL, with_payload("unknown type", 77, &u64, sizeof(u64)));
	push(NULL, with_payload("no type", 0, &u64, sizeof(u64)));
	attributes = with_payload("mark", S32, &s32, sizeof(s32));
	attributes.category = 3;
	client_mark_told(&client, NULL, &attributes);
	attributes = with_payload("whole", F64, &f64, sizeof(f64));
	attributes.category = 4;
	key = client_start_told(&client, NULL, &attributes);
	client_end(&client, key);
	client_push(&client, "plain");
	client_pop(&client);
}

static void names(void)
{
	void *alpha = client_domain(&client, "alpha"), *beta = client_domain(&client, "beta");
	char longest[4097];

	for (size_t i = 0; i < sizeof(longest) - 1; i++)
		longest[i] = "\"\\\n\xff\xc3(%s,\t"[i % 10];
	longest[sizeof(longest) - 1] = '\0';
	client_name_category(&client, NULL, 1, "replaced");
	client_name_category(&client, NULL, 1, "solver");
	in_category(NULL, "before", 1);
	in_category(NULL, "after", 2);
	client_name_category(&client, NULL, 2, "named later");
	client_name_category(&client, alpha, 1, "first");
	client_name_category(&client, beta, 1, "second");
	in_category(alpha, "range", 1);
	in_category(beta, "range", 1);
	in_category(beta, "nameless", 2);
	client_name_category(&client, NULL, 9, longest);
	in_category(NULL, "long", 9);
	client_name_category(&client, NULL, 10, "taken back");
	client_name_category(&client, NULL, 10, NULL);
	in_category(NULL, "forgotten", 10);
}

static pthread_barrier_t barrier;

static void *thread(void *number)
{
	char name[32];

	snprintf(name, sizeof(name), "worker \"%d\"", *(int *)number);
	client_name_thread(&client, (uint32_t)syscall(SYS_gettid), name);
	pthread_barrier_wait(&barrier); /* so that no number of a thread is used twice */
	for (int i = 0; i < 100; i++)
		in_category(NULL, "work", 1 + (uint32_t)(i % 2));
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void threads(int count)
{
	pthread_t id[64];
	int number[64];

	count = count < 64 ? count : 64;
	client_name_thread_wide(&client, (uint32_t)getpid(), L"caf\u00e9");
	client_name_category(&client, NULL, 1, "even");
	client_name_category(&client, NULL, 2, "odd");
	in_category(NULL, "work", 1);
	pthread_barrier_init(&barrier, NULL, (unsigned)count);
	for (int i = 0; i < count; i++) {
		number[i] = i;
		pthread_create(&id[i], NULL, thread, &number[i]);
	}
	for (int i = 0; i < count; i++)
		pthread_join(id[i], NULL);
}

/* A name that was given in the parent holds in the child. */
static void in_child(void)
{
	int status;
	pid_t pid;

	client_name_category(&client, NULL, 1, "inherited");
	in_category(NULL, "parent", 1);
	pid = fork();
	if (!pid) {
		in_category(NULL, "child", 1);
		_exit(0);
	}
	waitpid(pid, &status, 0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	client_open(&client);
	if (!strcmp(what, "values"))
		values();
	else if (!strcmp(what, "names"))
		names();
	else if (!strcmp(what, "threads"))
		threads(argc > 2 ? atoi(argv[2]) : 2);
	else if (!strcmp(what, "fork"))
		in_child();
	else
		return 2;
	printf("attached=%d\n", client.attached);
	return 0;
}
