# SPDX-License-Identifier: BSD-3-Clause
"""LTTng-UST with a session daemon of our own: the default channel, or as iprof sets it (blocking channel,
vpid and vtid contexts). A daemon that runs already is used and left alone."""

import glob
import os
import re
import shutil
import subprocess
import time

SESSION = "sonde-bench-%d" % os.getpid()
LEFT_BEHIND = ("/dev/shm/lttng-ust-wait*", "/run/lttng")


def leftovers():
    return {path for pattern in LEFT_BEHIND for path in glob.glob(pattern)}


class Lttng:
    def __init__(self, folder):
        self.environment = dict(os.environ, LTTNG_HOME=os.path.join(folder, "lttng"))
        os.mkdir(self.environment["LTTNG_HOME"])
        self.trace = os.path.join(folder, "lttng-trace")
        self.before = leftovers()
        self.daemon = None
        self.counts = {True: [0, 0, 0], False: [0, 0, 0]} # by iprof: calls, bytes, discarded events

    def command(self, *words):
        done = subprocess.run(("lttng", "--no-sessiond") + words, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, universal_newlines=True)
        if done.returncode:
            raise SystemExit("lttng %s: %s" % (" ".join(words), done.stdout))
        return done.stdout

    def answers(self):
        return not subprocess.run(["lttng", "--no-sessiond", "list"], env=self.environment, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode

    def start(self):
        """False: no daemon can be had."""
        if self.answers():
            return True
        self.daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], env=self.environment,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            if self.answers():
                return True
            time.sleep(0.1)
        self.close()
        return False

    def around(self, iprof, run):
        """What `run` returns, run while a fresh session records; its discarded events; bytes written."""
        self.command("create", SESSION, "--output=" + self.trace)
        try:
            self.command("enable-channel", "--userspace", "--session=" + SESSION,
                         *(["--blocking-timeout=inf"] if iprof else []), "channel")
            if iprof:
                self.command("add-context", "--userspace", "--session=" + SESSION, "--channel=channel", "-t", "vpid",
                             "-t", "vtid")
            self.command("enable-event", "--userspace", "--session=" + SESSION, "--channel=channel", "bench:*")
            self.command("start", SESSION)
            result = run()
            self.command("stop", SESSION)
            discarded = int(re.search(r"Discarded events: (\d+)", self.command("list", SESSION)).group(1))
        finally:
            self.command("destroy", SESSION)
        written = sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(self.trace)
                      for name in names)
        shutil.rmtree(self.trace)
        return result, discarded, written

    def preload(self, bench, iprof):
        environment = bench.with_preload(bench.program("liblttng.so"), LTTNG_HOME=self.environment["LTTNG_HOME"])
        if iprof:
            environment["LTTNG_UST_ALLOW_BLOCKING"] = "1"
        return environment

    def cpu_per_call(self, bench, calls, iprof):
        environment = self.preload(bench, iprof)
        result, discarded, written = self.around(iprof, lambda: bench.cpu_per_call("test", calls, 1, environment))
        made = calls + bench.WARM_UP
        if not discarded and written < 16 * made:
            raise SystemExit("LTTng wrote %d bytes for %d calls: it did not trace" % (written, made))
        self.counts[iprof] = [sum(pair) for pair in zip(self.counts[iprof], (made, written, discarded))]
        return result

    def instructions(self, bench, iprof, per_call):
        environment = self.preload(bench, iprof)
        return self.around(iprof, lambda: per_call(bench, [], "test", environment))[0]

    def bytes_per_call(self, iprof):
        calls, written, _ = self.counts[iprof]
        return written / calls

    def discarded(self, iprof):
        return self.counts[iprof][2]

    def close(self):
        """Ends the daemon if it is ours, and removes what it leaves."""
        if not self.daemon:
            return
        self.daemon.terminate()
        try:
            self.daemon.wait(20)
        except subprocess.TimeoutExpired:
            self.daemon.kill()
            self.daemon.wait()
        self.daemon = None
        for path in leftovers() - self.before:
            if os.path.isdir(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)


def open_lttng(bench):
    """None where LTTng is not installed or does not start."""
    if not bench.has("liblttng.so") or not shutil.which("lttng") or not shutil.which("lttng-sessiond"):
        return None
    lttng = Lttng(bench.folder)
    return lttng if lttng.start() else None
