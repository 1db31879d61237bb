// SPDX-License-Identifier: BSD-3-Clause
// The header in C++: a range that an exception leaves.
#include <sonde/sonde.h>

#include <stdexcept>

static void fails()
{
	sonde::range range("left by an exception");

	throw std::runtime_error("on purpose");
}

int main()
{
	sonde::range range("main");

	try {
		fails();
	} catch (const std::exception &) {
		sonde_mark("caught");
	}
	return 0;
}
