# SPDX-License-Identifier: BSD-3-Clause
"""stack.py SUMMARY EVENTS CHROME: holds three views of stack.c's layers against each other."""
import json
import sys

LAYERS = ["phase", "step", "parallel launch stack.c:16", "clFinish"]  # outermost first


def of_print(lines):
    """[(function, begin_ns, end_ns, depth, tid)] of what has ended."""
    events, begun = [], {}
    for line in lines:
        event = json.loads(line)
        if event["type"] == "entry":
            begun.setdefault(event["tid"], []).append(event)
        elif event["type"] == "exit":
            entry = begun[event["tid"]].pop()
            assert entry["function"] == event["function"] and entry["depth"] == event["depth"], (entry, event)
            events.append((event["function"], entry["time_ns"], event["time_ns"], event["depth"], event["tid"]))
    return events


def nest(slices, what):
    """Each slice of a layer lies in one of the layer above; what was before all ranges is left out."""
    start = min(one[1] for one in slices if one[0] == LAYERS[0])
    of_layer = [[one for one in slices if one[0] == name and one[1] >= start] for name in LAYERS]
    assert [len(some) for some in of_layer] == [3] * len(LAYERS), (what, of_layer)
    for around, inside in zip(of_layer, of_layer[1:]):
        for one in inside:
            assert any(a[1] <= one[1] and one[2] <= a[2] for a in around), (what, one)


summary = json.load(open(sys.argv[1]))
printed = of_print(open(sys.argv[2]))
nest(printed, "print")
main = printed[0][4]
for depth, name in enumerate(LAYERS):
    assert max(one[3] for one in printed if one[0] == name) == depth, (depth, name)

trace = json.load(open(sys.argv[3]))
trace = trace["traceEvents"] if isinstance(trace, dict) else trace
nest([(one["name"], round(1e3 * one["ts"]), round(1e3 * one["ts"]) + round(1e3 * one["dur"])) for one in trace
      if one["ph"] == "X" and one["tid"] == main], "chrome")

# what is between the begin and the end of the layer's operation is somebody's own time, once
calls = {(call["backend"], call["name"]): call for call in summary["calls"]}
inside = sum(end - begin for name, begin, end, depth, tid in printed
             if tid == main and depth == LAYERS.index("step") + 1 and name == LAYERS[2])
step = calls["demo", "step"]
assert abs(step["total_ns"] - step["self_ns"] - inside) < 1e5, (step, inside)
region = calls["gomp", LAYERS[2]]
regions = [one for one in printed if one[0] == LAYERS[2] and one[4] == main]
below = sum(end - begin for name, begin, end, depth, tid in printed if tid == main and
            any(b <= begin and end <= e and d == depth - 1 for n, b, e, d, t in regions))
assert abs(region["total_ns"] - region["self_ns"] - below) < 1e5, (region, below)
