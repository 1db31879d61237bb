/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * extension: functions that the program asks for by name. A command buffer of two kernels, put on a queue 5 times;
 * `buffers` is 0 where the platform has no command buffers.
 */
#define CL_ENABLE_BETA_EXTENSIONS
#include "ocl.h"

#define FUNCTIONS(X)                                                                                        \
	X(clCreateCommandBufferKHR) X(clCommandNDRangeKernelKHR) X(clFinalizeCommandBufferKHR)              \
	X(clEnqueueCommandBufferKHR) X(clReleaseCommandBufferKHR)

int main(void)
{
	static struct ocl ocl;
	cl_command_buffer_khr commands;
	cl_command_queue queue;
	cl_mem buffer;
	cl_event event;
	cl_ulong start;
	size_t items = 16;
	int host[16] = {0};
	cl_int code;

#define DECLARE(name) name##_fn p_##name;
	FUNCTIONS(DECLARE)
	ocl_open(&ocl);
	EXPECT(clGetExtensionFunctionAddressForPlatform(ocl.platform, "clNoSuchFunctionKHR") == NULL);
#define FIND(name) p_##name = (name##_fn)clGetExtensionFunctionAddressForPlatform(ocl.platform, #name);
	FUNCTIONS(FIND)
	if (!p_clCreateCommandBufferKHR || !p_clEnqueueCommandBufferKHR) {
		SAY("buffers", 0);
		return 0;
	}
	queue = ocl_queue(&ocl, 0);
	buffer = ocl_buffer(&ocl, CL_MEM_COPY_HOST_PTR, sizeof(host), host);
	commands = p_clCreateCommandBufferKHR(1, &queue, NULL, &code);
	OK(code);
	OK(clSetKernelArg(ocl.add_one, 0, sizeof(buffer), &buffer));
	for (int i = 0; i < 2; i++)
		OK(p_clCommandNDRangeKernelKHR(commands, NULL, NULL, ocl.add_one, 1, NULL, &items, NULL, 0, NULL, NULL,
					       NULL));
	OK(p_clFinalizeCommandBufferKHR(commands));
	for (int i = 0; i < 4; i++) { /* one at a time, as the extension wants it */
		OK(p_clEnqueueCommandBufferKHR(0, NULL, commands, 0, NULL, NULL));
		OK(clFinish(queue));
	}
	OK(p_clEnqueueCommandBufferKHR(0, NULL, commands, 0, NULL, &event));
	OK(clFinish(queue));
	code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL);
	SAY("times", code);
	OK(clReleaseEvent(event));
	OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(host), host, 0, NULL, NULL));
	EXPECT(host[15] == 10);
	OK(p_clReleaseCommandBufferKHR(commands));
	SAY("buffers", 5);
	return 0;
}
