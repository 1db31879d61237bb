# SPDX-License-Identifier: BSD-3-Clause
"""CPU time that the interface for portability layers adds to an operation (BEGIN and END), net of the bare one."""

from collections import OrderedDict

from figures import below
from programs import interleave


def net(output):
    bare, layered = map(float, output.split())
    return layered - bare


def variants(bench, calls):
    def plain(what):
        return lambda: net(bench.run([bench.program("layer"), what, calls]))

    def traced(*options):
        output = bench.run([bench.sonde, "-q", "--json", bench.summary] + list(options) +
                           [bench.program("layer"), "tools", calls])
        bench.expect_calls(calls // 500 * 500)
        return net(output)

    return OrderedDict([("none", plain("tools")), ("null", plain("null")), ("sonde", traced)])


def report_layer(report, bench, rounds, calls):
    report.section("CPU time per operation of a portability layer; %d rounds of %d" % (rounds, calls))
    samples = interleave(rounds, variants(bench, calls))
    report.figure("layer_none_ns", "no tool: the check", samples["none"], "ns", below(1))
    report.figure("layer_null_ns", "a tool that does nothing", samples["null"], "ns", below(25))
    report.figure("layer_sonde_ns", "sonde", samples["sonde"], "ns", below(100))
