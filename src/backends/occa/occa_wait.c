/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices and streams: set-up, and what waits. timeBetween() looks like a question and is one of those: it waits until
 * the second tag has been reached.
 */
#include "occa.h"

#define WAITS(id, function, mangled) \
	REC_EXPORT void function(void *self, void *tag) __asm__(mangled); \
	void function(void *self, void *tag) \
	{ \
		void (*wait)(void *, void *) = (void (*)(void *, void *))occa_real(id, OCCA_CALLER); \
		struct occa_op op OCCA_ENDS(occa_op_end) = {.call = {.slot = 0}}; \
\
		occa_enter(); \
		occa_op_begin(&op, occa_label(id), SONDE_KIND_wait, OCCA_FRAME); \
		wait(self, tag); \
		op.returned = true; \
	}
WAITS(OCCA_DEVICE_FINISH, occa_wrap_finish, "_ZN4occa6device6finishEv")
WAITS(OCCA_DEVICE_FINISH_ALL, occa_wrap_finish_all, "_ZN4occa6device9finishAllEv")
WAITS(OCCA_STREAM_FINISH, occa_wrap_stream_finish, "_ZN4occa6stream6finishEv")
WAITS(OCCA_WAIT_FOR, occa_wrap_wait_for, "_ZN4occa6device7waitForENS_9streamTagE")
WAITS(OCCA_TAG_WAIT, occa_wrap_tag_wait, "_ZNK4occa9streamTag4waitEv")

REC_EXPORT double occa_wrap_time_between(void *device, const void *from, const void *to)
	__asm__("_ZN4occa6device11timeBetweenERKNS_9streamTagES3_");
double occa_wrap_time_between(void *device, const void *from, const void *to)
{
	double (*between)(void *, const void *, const void *) =
		(double (*)(void *, const void *, const void *))occa_real(OCCA_TIME_BETWEEN, OCCA_CALLER);
	struct occa_op op OCCA_ENDS(occa_op_end) = {.call = {.slot = 0}};
	double seconds;

	occa_enter();
	occa_op_begin(&op, occa_label(OCCA_TIME_BETWEEN), SONDE_KIND_wait, OCCA_FRAME);
	seconds = between(device, from, to);
	op.returned = true;
	return seconds;
}

REC_EXPORT void occa_wrap_setup(void *device, const void *properties) __asm__("_ZN4occa6device5setupERKNS_4jsonE");
void occa_wrap_setup(void *device, const void *properties)
{
	void (*setup)(void *, const void *) =
		(void (*)(void *, const void *))occa_real(OCCA_DEVICE_SETUP, OCCA_CALLER);
	struct occa_op op OCCA_ENDS(occa_op_end) = {.call = {.slot = 0}};

	occa_enter();
	occa_op_begin(&op, occa_label(OCCA_DEVICE_SETUP), SONDE_KIND_setup, OCCA_FRAME);
	setup(device, properties);
	op.returned = true;
}

#if OCCA_OBJECTS
#define MAKES(id, function, mangled, kind) \
	REC_EXPORT void *function(void *result, void *device, const void *properties) __asm__(mangled); \
	void *function(void *result, void *device, const void *properties) \
	{ \
		void *(*make)(void *, void *, const void *) = \
			(void *(*)(void *, void *, const void *))occa_real(id, OCCA_CALLER); \
		struct occa_op op OCCA_ENDS(occa_op_end) = {.call = {.slot = 0}}; \
\
		occa_enter(); \
		occa_op_begin(&op, occa_label(id), kind, OCCA_FRAME); \
		make(result, device, properties); \
		op.returned = true; \
		return result; \
	}
MAKES(OCCA_TAG_STREAM, occa_wrap_tag_stream, "_ZN4occa6device9tagStreamEv", SONDE_KIND_other)
MAKES(OCCA_CREATE_STREAM, occa_wrap_create_stream, "_ZN4occa6device12createStreamERKNS_4jsonE", SONDE_KIND_setup)
#endif
