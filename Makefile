# SPDX-License-Identifier: BSD-3-Clause
#
# Thin front for CMake.
#   make                 build (needs gcc, cmake, python3)
#   make demo            build, run examples/heat with the classic mistake and with the cure
#   make check           build, run all tests; the last line counts them
#   make gpu-check       build, run the tests that want a GPU; figures for docs/TESTED.md
#   make bench           cost figures, beside those of peers where they are installed
#   make install PREFIX=/usr/local
# On Debian and Ubuntu `demo` and `check` install what they need when they may (root or sudo).
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE ?= cmake
MAKEFLAGS += --no-print-directory
# Ninja where there is one: it starts a fifth of the processes that CMake's Makefiles do. A tree keeps what it began with.
CONFIGURE = CMAKE_GENERATOR=$${CMAKE_GENERATOR-$$(command -v ninja >/dev/null && echo Ninja)} $(CMAKE) -S . -B $(BUILD)

APT_BUILD := gcc libc6-dev cmake make ninja-build python3
APT_DEMO := $(APT_BUILD) ocl-icd-opencl-dev opencl-headers pocl-opencl-icd mpich libmpich-dev
APT_CHECK := $(APT_DEMO) g++ gfortran clinfo openmpi-bin libopenmpi-dev libcmocka-dev bats babeltrace2 valgrind procps file \
	binutils musl-tools gcc-aarch64-linux-gnu libc6-dev-arm64-cross python3-mpi4py libtrilinos-kokkos-dev libtbb-dev \
	clang-19 clang-tools-19 lld-19 llvm-19 libomp-19-dev libdw1 libamdhip64-dev libhsa-runtime-dev \
	libze-dev

all: build

$(BUILD)/CMakeCache.txt:
	$(CONFIGURE)

build: $(BUILD)/CMakeCache.txt
	@echo "building into $(BUILD), $(JOBS) files at a time: about a minute of processor time"
	$(CMAKE) --build $(BUILD) -j $(JOBS)

demo:
	sh tools/need.sh $(APT_DEMO)
	$(CONFIGURE)
	$(CMAKE) --build $(BUILD) -j $(JOBS)
	sh examples/heat/demo.sh $(BUILD)

check:
	sh tools/need.sh $(APT_CHECK)
	$(CONFIGURE) -DBUILD_TESTING=ON
	$(CMAKE) --build $(BUILD) -j $(JOBS)
	python3 tests/run.py $(BUILD) $(JOBS)

gpu-check:
	sh tools/need.sh $(APT_BUILD)
	$(CONFIGURE) -DBUILD_TESTING=ON
	$(CMAKE) --build $(BUILD) -j $(JOBS)
	python3 tests/run.py $(BUILD) 1 -R gpu -V

bench: build
	$(CONFIGURE) -DSONDE_BENCH=ON
	$(CMAKE) --build $(BUILD) --target bench
	python3 -B bench/run.py $(BUILD)

install: $(BUILD)/CMakeCache.txt
	$(CMAKE) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(BUILD)
	$(CMAKE) --build $(BUILD) -j $(JOBS)
	$(CMAKE) --install $(BUILD) --prefix $(PREFIX)

clean:
	$(CMAKE) -E rm -rf $(BUILD)

.PHONY: all build demo check gpu-check bench install clean
