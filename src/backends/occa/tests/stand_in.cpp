// SPDX-License-Identifier: BSD-3-Clause
// See stand_in.hpp.
#include "stand_in_device.hpp"

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <time.h>

namespace occa {

std::string stand_in_mode = "Serial";
bool stand_in_cached;
double stand_in_sleep;

double stand_in_now()
{
	timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

void stand_in_rest(double seconds)
{
	timespec time = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};

	if (seconds > 0)
		nanosleep(&time, nullptr);
}

// ---- memory

int dtype_t::bytes() const { return size; }

modeBuffer_t::modeBuffer_t(modeDevice_t *device_, udim_t bytes, const json &) : device(device_), size(bytes) {}
modeBuffer_t::~modeBuffer_t() { size = 0; }

namespace serial {
class buffer : public modeBuffer_t { // each mode has one
public:
	buffer(modeDevice_t *device, udim_t bytes, const json &properties) : modeBuffer_t(device, bytes, properties) {}
	~buffer() override {}
};
}

class modeMemoryPool_t : public modeBuffer_t {
public:
	modeBuffer_t *inner = nullptr;
	explicit modeMemoryPool_t(modeDevice_t *device) : modeBuffer_t(device, 0, json()) {}
	~modeMemoryPool_t() override { delete inner; }
	void resize(udim_t bytes)
	{
		delete inner;
		inner = new serial::buffer(device, 0, json());
		inner->malloc(bytes);
		size = bytes;
	}
};

memory::~memory() {}
void memory::free()
{
	delete buffer;
	buffer = nullptr;
}
udim_t memory::byte_size() const { return buffer ? buffer->size : 0; }
const dtype_t &memory::dtype() const
{
	static const dtype_t one(1), four(4), eight(8);

	return type == 8 ? eight : type == 4 ? four : one;
}
void memory::copyFrom(const void *, const dim_t, const dim_t, const json &) {}
void memory::copyFrom(const memory, const dim_t, const dim_t, const dim_t, const json &) {}
void memory::copyTo(void *, const dim_t, const dim_t, const json &) const {}
void memory::copyTo(memory, const dim_t, const dim_t, const dim_t, const json &) const {}

memoryPool::~memoryPool() {}
udim_t memoryPool::size() const { return pool->size; }
const std::string &memoryPool::mode() const { return pool->device->mode; }
modeMemoryPool_t *memoryPool::getModeMemoryPool() const { return pool; }
void memoryPool::resize(const udim_t bytes) { pool->resize(bytes); }
void memoryPool::setAlignment(const udim_t) {}
memory memoryPool::reserve(const dim_t count, const dtype_t &type)
{
	udim_t bytes = count * type.bytes();

	if (pool->size < bytes)
		pool->resize(bytes);
	return memory();
}

// ---- streams and devices

stream::~stream() {}
void stream::finish() {}
streamTag::~streamTag() {}
void streamTag::wait() const {}

void device::setup(const json &) { modeDevice = new modeDevice_t(stand_in_mode); }
const std::string &device::mode() const { return modeDevice->mode; }
stream device::createStream(const json &) { return stream(); }
streamTag device::tagStream()
{
	streamTag tag;

	tag.time = stand_in_now();
	return tag;
}
void device::waitFor(streamTag) { modeDevice->finish(); }
#ifdef LACKS
double device::timeBetween(const streamTag &from, const streamTag &to, int)
#else
double device::timeBetween(const streamTag &from, const streamTag &to)
#endif
{
	modeDevice->finish();
	stand_in_rest(stand_in_sleep);
	return to.time - from.time;
}
void device::finish() { modeDevice->finish(); }
void device::finishAll() { modeDevice->finish(); }

memory device::malloc(const dim_t count, const dtype_t &type, const void *, const json &properties)
{
	memory result;

	result.buffer = new serial::buffer(modeDevice, count * type.bytes(), properties);
	result.type = type.bytes();
	return result;
}

memory device::wrapMemory(const void *, const dim_t count, const dtype_t &type, const json &properties)
{
	memory result;

	result.buffer = new serial::buffer(modeDevice, count * type.bytes(), properties);
	return result;
}

memoryPool device::createMemoryPool(const json &)
{
	memoryPool result;

	result.pool = new modeMemoryPool_t(modeDevice);
	return result;
}

// ---- builds

std::string io::cacheFile(const std::string &file, const std::string &, const hash_t &, const std::string &)
{
	return file;
}

int sys::call(const std::string &command, std::string &output)
{
	FILE *pipe = popen(command.c_str(), "r");
	char text[256];

	while (pipe && fgets(text, sizeof(text), pipe))
		output += text;
	return pipe ? pclose(pipe) : -1;
}

int sys::compilerVendor(const std::string &) { return 1; }

kernel device::buildKernel(const std::string &file, const std::string &name, const json &) const
{
	kernel result;
	std::string output;

	if (!stand_in_cached) {
		io::cacheFile(file, name, hash_t(), "");
		sys::compilerVendor("g++");
		if (sys::call("sleep 0.05", output) != 0 || sys::call("/bin/echo " + name, output) != 0)
			throw std::runtime_error("compiler");
	}
	if (file == "wrong.okl")
		throw std::runtime_error("build");
	if (modeDevice->mode == "OpenCL")
		result.modeKernel = new opencl::kernel(
			modeDevice, name, new serial::kernel(
				modeDevice, name, new opencl::kernel(modeDevice, "_occa_" + name + "_0", nullptr)));
	else
		result.modeKernel = new serial::kernel(modeDevice, name);
	return result;
}

kernel device::buildKernelFromString(const std::string &, const std::string &name, const json &properties) const
{
	return buildKernel("/cache/0123/string_source.cpp", name, properties);
}

kernel device::buildKernelFromBinary(const std::string &, const std::string &name, const json &) const
{
	kernel result;

	result.modeKernel = new serial::kernel(modeDevice, name);
	return result;
}

}

#ifdef SPEAKS // the layer interface, of which this name is what tells
extern "C" int occa_add_tool(const void *) { return 0; }
#endif
