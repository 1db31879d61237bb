# SPDX-License-Identifier: BSD-3-Clause
"""CPU time per traced call, beside the bare call, two clock reads and LTTng-UST."""

from collections import OrderedDict

from figures import at_least, at_most, differences, ratios
from programs import interleave

# how a call is recorded depends on what its function means (.roles)
KINDS = OrderedDict([
    ("fence", "general path (MPI_Win_fence)"),
    ("send", "inline path, bytes counted (MPI_Send)"),
    ("recv", "general path, bytes from status (MPI_Recv)"),
    ("rank", "query, counted only (MPI_Comm_rank)"),
])


def variants_of_test(bench, calls, lttng):
    variants = OrderedDict([
        ("bare", lambda: bench.cpu_per_call("test", calls)),
        ("null", lambda: bench.cpu_per_call("test", calls,
                                            environment=bench.with_preload(bench.program("libnull.so")))),
        ("clock", lambda: bench.cpu_per_call("clock", calls)),
        ("sonde", lambda: bench.traced_cpu_per_call("test", calls)),
        ("streams", lambda: bench.streamed_cpu_per_call("test", calls)),
        ("bare 2", lambda: bench.cpu_per_call("test", calls, 2)),
        ("sonde 2", lambda: bench.traced_cpu_per_call("test", calls, 2)),
    ])
    if lttng:
        for name, iprof in (("lttng", False), ("iprof", True)):
            variants[name] = lambda iprof=iprof: lttng.cpu_per_call(bench, calls, iprof)
    return variants


def variants_of_kinds(bench, calls):
    variants = OrderedDict()
    for kind in KINDS:
        variants["bare " + kind] = lambda kind=kind: bench.cpu_per_call(kind, calls)
        variants["sonde " + kind] = lambda kind=kind: bench.traced_cpu_per_call(kind, calls)
    return variants


def report_peers(report, samples, net, lttng):
    streams = differences(samples["streams"], samples["bare"])
    for name, key, what in (("lttng", "lttng", "LTTng-UST, default channel"),
                            ("iprof", "lttng_iprof", "LTTng-UST as iprof sets it")):
        peer = differences(samples[name], samples["bare"])
        note = "%.0f bytes written per call" % lttng.bytes_per_call(name == "iprof")
        if lttng.discarded(name == "iprof"):
            note += ", %d events DISCARDED" % lttng.discarded(name == "iprof")
        report.figure(key + "_ns", what, peer, "ns", note=note)
        report.figure(key + "_ratio", "  over sonde", ratios(peer, net), "x",
                      at_least(5.5) if name == "iprof" else None)
        report.figure(key + "_streams_ratio", "  over sonde with streams", ratios(peer, streams), "x",
                      at_least(4) if name == "iprof" else None)


def report_cost(report, bench, rounds, calls, lttng):
    report.section("CPU time per call of MPI_Test, net of the bare call; %d rounds of %d calls" % (rounds, calls))
    samples = interleave(rounds, variants_of_test(bench, calls, lttng))
    net = differences(samples["sonde"], samples["bare"])
    clock = differences(samples["clock"], samples["bare"])
    report.figure("bare_ns", "bare call (not net)", samples["bare"], "ns")
    report.figure("null_ns", "wrapper that only calls through", differences(samples["null"], samples["bare"]), "ns")
    report.figure("clock_ns", "two clock reads, nothing else", clock, "ns")
    report.figure("sonde_ns", "sonde", net, "ns")
    report.figure("clock_ratio", "  over two clock reads", ratios(net, clock), "x", at_most(1.35))
    report.figure("streams_ns", "sonde with streams (-l)", differences(samples["streams"], samples["bare"]), "ns",
                  note="%.1f bytes written per call" % bench.stream_bytes)
    report.figure("sonde_threads_ns", "sonde, two threads at once", differences(samples["sonde 2"], samples["bare 2"]),
                  "ns")
    if lttng:
        report_peers(report, samples, net, lttng)
    else:
        report.skip("LTTng-UST", "not wanted, or lttng-tools or liblttng-ust-dev is not installed")
    estimate = bench.read_summary()["overhead"]["per_call_ns"]
    report.figure("estimate_ns", "what sonde itself says a call costs", [estimate], "ns")


def report_kinds(report, bench, rounds, calls):
    report.section("CPU time that sonde adds to other kinds of call; %d rounds of %d calls" % (rounds, calls))
    samples = interleave(rounds, variants_of_kinds(bench, calls))
    for kind, what in KINDS.items():
        report.figure(kind + "_ns", what, differences(samples["sonde " + kind], samples["bare " + kind]), "ns")
