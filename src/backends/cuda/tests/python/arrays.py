# SPDX-License-Identifier: BSD-3-Clause
"""arrays.py cupy|jax|spawn|fork: array libraries, and work in children; prints what it did as key=value lines."""
import multiprocessing
import sys


def in_cupy(kernels):
    import cupy

    array = cupy.zeros(1000, dtype=cupy.float32)
    for _ in range(kernels):
        array += 1
    result = float(array.sum())
    assert result == 1000 * kernels, result
    return kernels


def in_jax():
    import jax
    import jax.numpy as numpy

    step = jax.jit(lambda x: numpy.tanh(x @ x) + 1)
    x = numpy.ones((64, 64))
    for _ in range(50):
        x = step(x)
    print("result=%.6f" % float(x.sum()))


def main():
    mode = sys.argv[1]
    if mode == "cupy":
        print("adds=%d" % in_cupy(200))
    elif mode == "jax":
        in_jax()
    else:
        context = multiprocessing.get_context(mode)
        with context.Pool(2) as pool:
            print("adds=%d" % sum(pool.map(in_cupy, [100, 100, 100, 100])))
            pool.close()
            pool.join()


if __name__ == "__main__":
    main()
