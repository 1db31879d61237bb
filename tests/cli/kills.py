#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""kills.py SONDE PROGRAM FOLDER COUNT [SEED]: kills COUNT recordings of PROGRAM at random moments, every second
one together with sonde, and holds what two readers find in each of them against each other.

babeltrace2 and `sonde print` must read every recording without a word, and find the same events.
"""
import collections
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

WITHIN = 0.1  # seconds behind the program's exec: start-up is the first part of them
KIND = re.compile(rb"(?:^|[\s)}])(\w+):(\w+): ")


def program_of(sonde):
    """The program that sonde has started, once it is more than a fork of sonde."""
    name = "/proc/%d/task/%d/children" % (sonde.pid, sonde.pid)
    own = os.readlink("/proc/%d/exe" % sonde.pid)
    while sonde.poll() is None:
        for child in open(name).read().split():
            try:
                if os.readlink("/proc/%s/exe" % child) != own:
                    return int(child)
            except OSError:
                pass
        time.sleep(0.001)
    sys.exit("sonde ended before its program began: %d" % sonde.returncode)


def kill_one(command, together, delay):
    with open("err", "wb") as err:
        sonde = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err,
                                 start_new_session=True)
    victim = program_of(sonde)
    time.sleep(delay)
    if together:
        os.killpg(sonde.pid, signal.SIGKILL)
    else:
        os.kill(victim, signal.SIGKILL)
    status = sonde.wait(timeout=60)
    # what was started by what was killed ends a moment later
    if together:
        deadline = time.time() + 10
        while subprocess.run(["pgrep", "-s", str(sonde.pid)], stdout=subprocess.DEVNULL).returncode == 0:
            if time.time() > deadline:
                return "the killed group lives"
            time.sleep(0.002)
    elif status != -signal.SIGKILL: # as the program ended
        return "sonde's status is %d" % status
    return ""


def read_babeltrace(folder):
    run = subprocess.run(["babeltrace2", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    counts = collections.Counter()
    for line in run.stdout.splitlines():
        api, name = (part.decode() for part in KIND.search(line).groups())
        if api == "sonde":
            counts[name] += name not in ("name", "left") # where sonde print has no line of its own
        elif name.endswith("_entry"):
            counts["entry " + name[:-6]] += 1
        else:
            counts["exit " + re.sub("_(exit|failed)$", "", name)] += 1
    return run.returncode, run.stderr, +counts


def read_sonde(sonde, folder):
    run = subprocess.run([sonde, "print", "--json", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         timeout=120)
    counts, last = collections.Counter(), None
    for line in run.stdout.splitlines():
        event = json.loads(line)
        if last is not None and event["time_ns"] < last:
            return -1, b"time runs backward", counts
        last = event["time_ns"]
        if event["type"] in ("entry", "exit"):
            if "ended" not in event: # others are no events, they tell where a call must be over
                counts["%s %s" % (event["type"], event["function"])] += 1
        else:
            counts[event["type"]] += 1
    return run.returncode, run.stderr, counts


def check(sonde, folder):
    """What is wrong, and the number of events."""
    theirs, ours = read_babeltrace(folder), read_sonde(sonde, folder)
    for reader, (status, err, _) in (("babeltrace2", theirs), ("sonde print", ours)):
        if status or err:
            return "%s: status %d, %s" % (reader, status, err.decode(errors="replace")[:500]), 0
    if theirs[2] != ours[2]:
        return "babeltrace2 has %s, sonde print %s" % (dict(theirs[2] - ours[2]), dict(ours[2] - theirs[2])), 0
    return "", sum(ours[2].values())


def main():
    sonde, program, folder, count = sys.argv[1:4] + [int(sys.argv[4])]
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else random.SystemRandom().randrange(1 << 32)
    generator = random.Random(seed)
    recording = os.path.join(folder, "rec")
    begun = events = 0
    for number in range(count):
        shutil.rmtree(recording, ignore_errors=True)
        together, delay = number % 2 == 1, generator.uniform(0, WITHIN)
        wrong = kill_one([sonde, "-q", "-l", "--max-size", "64M", "-o", recording, program, "20", "3"], together, delay)
        found = 0
        if not wrong and any(os.path.isdir(os.path.join(recording, name, "ctf"))
                             for name in (os.listdir(recording) if os.path.isdir(recording) else [])):
            wrong, found = check(sonde, recording)
            begun += 1
            events += found
        if wrong:
            sys.exit("seed %d, kill %d (%s, after %.6f s): %s"
                     % (seed, number, "with sonde" if together else "the program", delay, wrong))
    print("%d recordings of %d kills, %d events (seed %d)" % (begun, count, events, seed))
    if begun < count * 0.6 or events < begun * 100:
        sys.exit("seed %d: too few of them had begun" % seed)


if __name__ == "__main__":
    main()
