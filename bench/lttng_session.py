# SPDX-License-Identifier: BSD-3-Clause
"""An LTTng session daemon of our own, set as iprof sets it: blocking channel, vpid and vtid contexts."""

import os
import shutil
import subprocess
import sys
import time


def lttng(environment, *arguments):
    subprocess.run(("lttng", "--quiet") + arguments, env=environment, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE)


class Session:
    def __init__(self, folder, daemon, environment):
        self.folder, self.daemon, self.environment = folder, daemon, environment

    def around(self, run):
        """Runs a function while a fresh session records, and returns what it returns."""
        trace = os.path.join(self.folder, "lttng-trace")
        lttng(self.environment, "create", "bench", "--output=" + trace)
        lttng(self.environment, "enable-channel", "--userspace", "--session=bench", "--blocking-timeout=inf", "channel")
        lttng(self.environment, "add-context", "--userspace", "--session=bench", "--channel=channel", "-t", "vpid",
              "-t", "vtid")
        lttng(self.environment, "enable-event", "--userspace", "--session=bench", "--channel=channel", "bench:*")
        lttng(self.environment, "start", "bench")
        result = run()
        lttng(self.environment, "destroy", "bench")
        recorded = sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(trace) for name in names)
        shutil.rmtree(trace)
        if recorded < 1000000:
            sys.exit("LTTng recorded %d bytes only" % recorded)
        return result

    def close(self):
        if self.daemon:
            self.daemon.terminate()
            self.daemon.wait()


def open_session(folder):
    """None where there is no daemon to run; a daemon that runs already is used and left running."""
    if not shutil.which("lttng") or not shutil.which("lttng-sessiond"):
        return None
    environment = dict(os.environ, LTTNG_HOME=folder)
    if not subprocess.run(["lttng", "list"], env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode:
        return Session(folder, None, environment)
    daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    for _ in range(100):
        if not subprocess.run(["lttng", "list"], env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode:
            return Session(folder, daemon, environment)
        time.sleep(0.1)
    daemon.terminate()
    daemon.wait()
    return None
