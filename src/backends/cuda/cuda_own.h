/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations of our own for tools/api_extract.py (see cuda.sources); nothing else includes this. */
#ifndef CUDA_OWN_H
#define CUDA_OWN_H

/* What a compiler puts before main(), and into a library's constructor: registering code for the device. */
void **__cudaRegisterFatBinary(void *fatCubin);

#endif
