// SPDX-License-Identifier: BSD-3-Clause
// What both parts of the stand-in know of a device.
#ifndef STAND_IN_DEVICE_HPP
#define STAND_IN_DEVICE_HPP

#include "stand_in.hpp"

#ifdef HAVE_OPENCL
extern "C" {
#include "ocl.h"
}
#endif

namespace occa {

class modeDevice_t {
public:
	std::string mode;
#ifdef HAVE_OPENCL
	struct ocl ocl;
	cl_command_queue queue = nullptr;
	cl_mem buffer;
#endif
	explicit modeDevice_t(const std::string &mode_) : mode(mode_)
	{
#ifdef HAVE_OPENCL
		if (mode == "OpenCL") {
			ocl_open(&ocl);
			queue = ocl_queue(&ocl, 0);
			buffer = ocl_buffer(&ocl, CL_MEM_READ_WRITE, 4096, nullptr);
		}
#endif
	}
	void finish()
	{
#ifdef HAVE_OPENCL
		if (queue)
			clFinish(queue);
#endif
	}
};

}

#endif
