// SPDX-License-Identifier: BSD-3-Clause
// A library of OCCA's name without its functions.
extern "C" int occa_other(void);
int occa_other(void) { return 0; }
