// SPDX-License-Identifier: BSD-3-Clause
// Links a library of OCCA's name.
extern "C" int occa_other(void);
int main() { return occa_other(); }
