# SPDX-License-Identifier: BSD-3-Clause
"""Launches of an empty OpenCL kernel, with and without sonde."""

from collections import OrderedDict

from figures import differences
from programs import interleave

NONE = "no OpenCL (ocl-icd-opencl-dev, opencl-headers, pocl-opencl-icd)"


def launch(bench, prefix, kernels):
    """us per kernel: CPU time of the launching thread, wall time until it has run."""
    return [float(word) / 1e3 for word in bench.run(list(prefix) + [bench.program("enqueue"), kernels]).split()]


def report_device(report, bench, rounds, kernels):
    report.section("Launch of an empty OpenCL kernel; %d rounds of %d" % (rounds, kernels))
    if not bench.has("enqueue"):
        report.skip("OpenCL", NONE)
        return
    try:
        launch(bench, [], 100)
    except SystemExit as error:
        report.skip("OpenCL", str(error))
        return
    traced = [bench.sonde, "-q", "--json", bench.summary]
    samples = interleave(rounds, OrderedDict([
        ("bare", lambda: launch(bench, [], kernels)),
        ("sonde", lambda: launch(bench, traced, kernels)),
    ]))
    bench.expect_calls(kernels)
    spans = sum(row["calls"] for row in bench.read_summary()["kernels"])
    for part, what in ((0, "CPU time of the launching thread"), (1, "wall time until it has run")):
        bare, own = ([sample[part] for sample in samples[name]] for name in ("bare", "sonde"))
        report.figure("launch_bare_%d_us" % part, what + ", bare", bare, "us")
        report.figure("launch_%d_us" % part, "  added by sonde", differences(own, bare), "us",
                      note="" if part else "%d kernels timed on the device" % spans)
