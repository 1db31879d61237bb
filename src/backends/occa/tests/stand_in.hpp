// SPDX-License-Identifier: BSD-3-Clause
//
// A library with the functions of OCCA that the backend knows, and no more: classes of the same names with members of
// the same signatures, so that the compiler gives them the same symbols, which call each other as OCCA's do. Kernels
// sleep. Mode "OpenCL" runs a launcher that runs the kernel's parts, each of them a kernel of OpenCL where there is one.
#ifndef STAND_IN_HPP
#define STAND_IN_HPP

#include <string>

namespace occa {

typedef long dim_t;
typedef unsigned long udim_t;

class json {};
class hash_t {};
class dtype_t {
public:
	int size;
	explicit dtype_t(int bytes_) : size(bytes_) {}
	int bytes() const;
};
class modeDevice_t;
class modeMemory_t;
class modeMemoryPool_t;

struct ring {
	ring *left = nullptr, *right = nullptr;
};

// ---- what stands behind the objects that users hold

class modeKernel_t {
public:
	modeDevice_t *modeDevice;
	std::string name;
	modeKernel_t(modeDevice_t *device, const std::string &name_) : modeDevice(device), name(name_) {}
	virtual ~modeKernel_t() {}
	virtual bool isNoop() const { return false; }
	virtual void run() const = 0;
};

namespace serial {
class kernel : public modeKernel_t {
public:
	modeKernel_t *part; // it is the launcher of this
	kernel(modeDevice_t *device, const std::string &name_, modeKernel_t *part_ = nullptr)
		: modeKernel_t(device, name_), part(part_) {}
	~kernel() override;
	void run() const override;
};
}

class launchedModeKernel_t : public modeKernel_t {
public:
	modeKernel_t *launcher;
	launchedModeKernel_t(modeDevice_t *device, const std::string &name_, modeKernel_t *launcher_)
		: modeKernel_t(device, name_), launcher(launcher_) {}
	void run() const override;
	virtual void deviceRun() const = 0;
};

namespace opencl {
class kernel : public launchedModeKernel_t {
public:
	kernel(modeDevice_t *device, const std::string &name_, modeKernel_t *launcher_)
		: launchedModeKernel_t(device, name_, launcher_) {}
	~kernel() override;
	void deviceRun() const override;
};
}

class modeBuffer_t {
public:
	modeDevice_t *device;
	udim_t size;
	modeBuffer_t(modeDevice_t *device, udim_t bytes, const json &properties);
	virtual ~modeBuffer_t();
	virtual void malloc(udim_t bytes) { size = bytes; }
};

// ---- what users hold

class memory : public ring {
public:
	modeBuffer_t *buffer = nullptr;
	int type = 1;
	memory() {}
	memory(const memory &other) : ring(), buffer(other.buffer), type(other.type) {}
	~memory();
	void free();
	void copyFrom(const void *from, const dim_t count, const dim_t offset, const json &properties);
	void copyFrom(const memory from, const dim_t count, const dim_t to, const dim_t at, const json &properties);
	void copyTo(void *to, const dim_t count, const dim_t offset, const json &properties) const;
	void copyTo(memory to, const dim_t count, const dim_t at, const dim_t from, const json &properties) const;
	udim_t byte_size() const;
	const dtype_t &dtype() const;
};

class memoryPool : public ring {
public:
	modeMemoryPool_t *pool = nullptr;
	~memoryPool();
	memory reserve(const dim_t count, const dtype_t &type);
	void resize(const udim_t bytes);
	void setAlignment(const udim_t bytes);
	udim_t size() const;
	const std::string &mode() const;
	modeMemoryPool_t *getModeMemoryPool() const;
};

class kernel : public ring {
public:
	modeKernel_t *modeKernel = nullptr;
	~kernel();
	const std::string &name();
	const std::string &mode() const;
	void run() const;
	void operator()() const;
};

class stream : public ring {
public:
	~stream();
	void finish();
};

class streamTag : public ring {
public:
	double time = 0;
	~streamTag();
	void wait() const;
};

class device : public ring {
public:
	modeDevice_t *modeDevice = nullptr;
	void setup(const json &properties);
	const std::string &mode() const;
	memory malloc(const dim_t count, const dtype_t &type, const void *from, const json &properties);
	memory wrapMemory(const void *at, const dim_t count, const dtype_t &type, const json &properties);
	memoryPool createMemoryPool(const json &properties);
	kernel buildKernel(const std::string &file, const std::string &name, const json &properties) const;
	kernel buildKernelFromString(const std::string &text, const std::string &name, const json &properties) const;
	kernel buildKernelFromBinary(const std::string &file, const std::string &name, const json &properties) const;
	stream createStream(const json &properties);
	streamTag tagStream();
	void waitFor(streamTag tag);
#ifdef LACKS // an OCCA in which a function has another signature
	double timeBetween(const streamTag &from, const streamTag &to, int unit = 0);
#else
	double timeBetween(const streamTag &from, const streamTag &to);
#endif
	void finish();
	void finishAll();
};

namespace io {
std::string cacheFile(const std::string &file, const std::string &name, const hash_t &hash, const std::string &header);
}
namespace sys {
int call(const std::string &command, std::string &output);
int compilerVendor(const std::string &compiler);
}

// ---- what the tests set

extern std::string stand_in_mode;
extern bool stand_in_cached;   // builds find their result
extern double stand_in_sleep;  // seconds that a kernel takes
extern int stand_in_throw;     // the kernel's run with this number throws
double stand_in_now();
void stand_in_rest(double seconds);

}

#endif
