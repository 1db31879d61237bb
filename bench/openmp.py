# SPDX-License-Identifier: BSD-3-Clause
"""Wall time of an empty parallel region, with and without sonde, by GCC's runtime and by LLVM's."""

from collections import OrderedDict

from figures import differences
from programs import interleave

# program -> backend
RUNTIMES = OrderedDict([("openmp-gcc", "gomp"), ("openmp-llvm", "ompt")])


def variants(bench, program, backend, threads, regions):
    command = [bench.program(program), threads, regions]

    def bare():
        return float(bench.run(command))

    def traced():
        output = bench.run([bench.sonde, "-q", "-b", backend, "--json", bench.summary] + command)
        bench.expect_calls(regions)
        return float(output)

    return OrderedDict([("bare", bare), ("sonde", traced)])


def report_openmp(report, bench, rounds, calls):
    # where there are fewer CPUs than threads, these wait for one, and a region takes a thousand times more
    for threads, regions in ((1, calls), (8, max(calls // 500, 20))):
        report.section("Wall time of an empty parallel region, threads: %d; %d rounds of %d" %
                       (threads, rounds, regions))
        for program, backend in RUNTIMES.items():
            if not bench.has(program):
                report.skip(backend, "no compiler with OpenMP for it")
                continue
            samples = interleave(rounds, variants(bench, program, backend, threads, regions))
            key = "%s_%d" % (backend, threads)
            report.figure(key + "_bare_ns", "%s: without sonde" % backend, samples["bare"], "ns")
            report.figure(key + "_sonde_ns", "%s: with sonde" % backend, samples["sonde"], "ns")
            report.figure(key + "_added_ns", "%s: what sonde adds" % backend,
                          differences(samples["sonde"], samples["bare"]), "ns")
