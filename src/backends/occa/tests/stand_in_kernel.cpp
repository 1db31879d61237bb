// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the stand-in: a compiler may put kernel::run() into its callers here, and the calls of other files remain.
#include "stand_in_device.hpp"

#include <atomic>
#include <stdexcept>

namespace occa {

int stand_in_throw;
static std::atomic<int> runs;

static void body()
{
	if (++runs == stand_in_throw)
		throw std::runtime_error("kernel");
	stand_in_rest(stand_in_sleep);
}

namespace serial {
kernel::~kernel() { delete part; }

void kernel::run() const
{
	if (part) { // as the launcher's code does
		occa::kernel object;

		object.modeKernel = part;
		object.run();
		object.run();
		object.modeKernel = nullptr;
	} else {
		body();
	}
}
}

void launchedModeKernel_t::run() const
{
	if (launcher)
		launcher->run();
	else
		deviceRun();
}

namespace opencl {
kernel::~kernel() { delete launcher; }

void kernel::deviceRun() const
{
#ifdef HAVE_OPENCL
	ocl_spin(&modeDevice->ocl, modeDevice->queue, modeDevice->buffer, 100000, nullptr);
#endif
	body();
}
}

kernel::~kernel() {}
const std::string &kernel::name() { return modeKernel->name; }
const std::string &kernel::mode() const { return modeKernel->modeDevice->mode; }
void kernel::run() const
{
	if (!modeKernel->isNoop())
		modeKernel->run();
}
void kernel::operator()() const { run(); }

}
