# SPDX-License-Identifier: BSD-3-Clause
"""Reading a recording with streams, beside babeltrace2 on the same one: several threads call hundreds of functions."""

import glob
import os
import shutil
from collections import OrderedDict

from figures import at_least, at_most, ratios
from programs import interleave, wall_and_cpu

THREADS = 4


class Recording:
    """Of `loop spread`, made once; removed by close()."""

    def __init__(self, bench, calls):
        self.bench, self.path = bench, os.path.join(bench.folder, "recording")
        made = THREADS * (calls + min(calls, bench.WARM_UP)) + 2 # MPI_Init, MPI_Finalize
        bench.run([bench.sonde, "-q", "--queries", "-l", "-o", self.path, bench.loop, "spread", calls, THREADS])
        self.streams = sum(os.path.getsize(path) for path in glob.glob(os.path.join(self.path, "*", "ctf", "thread.*")))
        self.calls, self.functions, _ = map(int, bench.run([bench.program("tally"), self.path]).split())
        if self.calls != made:
            raise SystemExit("%d of %d calls are in the streams: no figure is worth anything" % (self.calls, made))

    def events_per_second(self, command):
        """Millions, of CPU time: an entry and an exit per call."""
        return 2e-6 * self.calls / wall_and_cpu(command, self.bench.environment)[1]

    def close(self):
        shutil.rmtree(self.path)


def variants(recording, babeltrace):
    bench, path = recording.bench, recording.path
    commands = [("tally", [bench.program("tally"), path]), ("print", [bench.sonde, "print", path])]
    if babeltrace:
        commands += [("dummy", ["babeltrace2", path, "-o", "dummy"]), ("text", ["babeltrace2", path])]
    return OrderedDict((name, lambda command=command: recording.events_per_second(command))
                       for name, command in commands)


def report_against(report, samples, own, what, peer, peer_what):
    report.figure("read_" + own, what, samples[own], "M/s")
    if peer not in samples:
        report.skip(peer_what, "babeltrace2 is not installed")
        return
    report.figure("read_" + peer, peer_what, samples[peer], "M/s")
    report.figure("read_%s_ratio" % own, "  ratio", ratios(samples[own], samples[peer]), "x", at_least(10))


def report_timeline(report, recording, rounds):
    """Slices per second of CPU time, and the size of what is written."""
    bench, out = recording.bench, os.path.join(recording.bench.folder, "timeline.pftrace")
    command = [bench.sonde, "timeline", recording.path, "-o"]
    samples = interleave(rounds, OrderedDict([
        ("file", lambda: recording.events_per_second(command + [out]) / 2),
        ("null", lambda: recording.events_per_second(command + ["/dev/null"]) / 2),
    ]))
    report.figure("timeline_null", "timeline for Perfetto, to /dev/null", samples["null"], "M/s", note="slices")
    report.figure("timeline_file", "timeline for Perfetto, to a file", samples["file"], "M/s", at_least(5), "slices")
    report.figure("timeline_bytes", "  bytes per call in it", [os.path.getsize(out) / recording.calls], "", at_most(40))
    os.unlink(out)


def report_reading(report, bench, rounds, calls):
    """calls: of each thread."""
    recording = Recording(bench, calls)
    report.section("Reading %d events of %d functions in %d threads, per second of CPU time; %d rounds" % (
        2 * recording.calls, recording.functions, THREADS, rounds))
    samples = interleave(rounds, variants(recording, shutil.which("babeltrace2")))
    report_against(report, samples, "tally", "tally of all functions from the streams", "dummy",
                   "babeltrace2 without output")
    report_against(report, samples, "print", "sonde print", "text", "babeltrace2, text")
    report_timeline(report, recording, rounds)
    report.figure("stream_bytes", "bytes of streams per call", [recording.streams / recording.calls], "")
    recording.close()
