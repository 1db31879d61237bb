/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cl_args: calls with arguments of every sort, and says the handles that it got. Some calls fail.
 */
#include "cl_app.h"

static char long_name[4097];

static void say(const char *name, const void *handle)
{
	printf("%s=0x%llx\n", name, (unsigned long long)(uintptr_t)handle);
}

static void name_badly(void)
{
	static const char bad[] = {'"', '\n', '\xff', 'x'};

	for (size_t i = 0; i + 1 < sizeof(long_name); i++)
		long_name[i] = bad[i % sizeof(bad)];
}

static void run(struct cl_app *app)
{
	size_t global[] = {4, 3}, local[] = {2, 1}, bytes = 0;
	cl_event event[2];

	CL_OK(clEnqueueTask(app->queue, app->add_one, 0, NULL, &event[0]));
	CL_OK(clEnqueueNDRangeKernel(app->queue, app->add_one, 2, NULL, global, local, 0, NULL, &event[1]));
	CL_OK(clEnqueueMarkerWithWaitList(app->queue, 2, event, NULL));
	CL_OK(clFinish(app->queue));
	CL_OK(clGetDeviceInfo(app->device, CL_DEVICE_NAME, 0, NULL, &bytes));
	say("first", event[0]);
	say("second", event[1]);
	CL_OK(clReleaseEvent(event[0]));
	CL_OK(clReleaseEvent(event[1]));
}

int main(void)
{
	static cl_int data[CL_APP_ITEMS];
	const char *source = cl_app_source;
	struct cl_app app;
	cl_program program;
	cl_kernel kernel;
	cl_mem buffer;
	cl_int code;

	cl_app_open(&app, 0);
	program = clCreateProgramWithSource(app.context, 1, &source, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(program, 1, &app.device, "-DA=1", NULL, NULL));
	name_badly();
	kernel = clCreateKernel(program, "add_one", &code);
	CL_OK(code);
	buffer = clCreateBuffer(app.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(data), data, &code);
	CL_OK(code);
	say("program", program);
	say("device", app.device);
	say("context", app.context);
	say("kernel", kernel);
	run(&app);
	if (clCreateKernel(program, long_name, &code) || code != CL_INVALID_KERNEL_NAME)
		app_die("a kernel of no such name", code);
	if (clFinish(NULL) == CL_SUCCESS || clWaitForEvents(0, (cl_event *)8) == CL_SUCCESS)
		app_die("calls that fail", 0);
	/* refused before anything is read: nobody may follow these */
	if (clCreateKernel(NULL, (const char *)0x7000dead0000, &code) ||
	    clEnqueueNDRangeKernel(NULL, kernel, 3, (size_t *)0x7000dead0000, (size_t *)0x7000dead0000,
				   (size_t *)0x7000dead0000, 2, (cl_event *)0x7000dead0000, NULL) == CL_SUCCESS)
		app_die("calls of nothing", 0);
	clReleaseKernel(kernel);
	clReleaseMemObject(buffer);
	clReleaseProgram(program);
	cl_app_close(&app);
	return 0;
}
