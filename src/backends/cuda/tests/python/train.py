# SPDX-License-Identifier: BSD-3-Clause
"""train.py STEPS [profile|first|cost|large] [wait]: a small transformer, bound by launches; prints key=value lines.

profile: PyTorch's own profiler is started and stopped three times, STEPS steps each. first: it is started before the
program touches the device. cost: the time of a step while it is on. large: products of large matrices instead.
wait: once it has trained a little it says "ready", and gives the time of STEPS steps for each line that it is given.
"""
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile

waits = sys.argv[-1] == "wait"
if waits:
    sys.argv.pop()
torch.manual_seed(0)
torch.backends.cudnn.benchmark = False
steps, mode = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""


def is_kernel(event):
    return event.device_type == torch.autograd.DeviceType.CUDA and not event.name.startswith(("Memcpy", "Memset"))


if mode == "first":
    with profile(activities=[ProfilerActivity.CUDA]):
        pass
device = torch.device("cuda")
layer = torch.nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True, dropout=0.0)
model = torch.nn.TransformerEncoder(layer, 4).to(device)
optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
data = torch.randn(8, 64, 256, device=device)


def train(count):
    start = time.perf_counter()
    for _ in range(count):
        optimizer.zero_grad()
        loss = model(data).square().mean()
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / count, loss.item()


def multiply(count):
    start = time.perf_counter()
    for _ in range(count):
        left @ left
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / count, left[0, 0].item()


def take(work):
    """The time of STEPS steps, once, or for each line that comes."""
    if waits:
        print("ready", flush=True)
    for _ in sys.stdin if waits else [""]:
        seconds, value = work(steps)
        print("step_ns=%d\nvalue=%.9f" % (seconds * 1e9, value), flush=True)


if mode == "large":
    left = torch.randn(8192, 8192, device=device)
    multiply(3)
    take(multiply)
    sys.exit()
train(10)
if mode == "cost":
    with profile(activities=[ProfilerActivity.CUDA]):
        take(train)
elif mode:
    for round_ in range(3):
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            train(steps)
        kernels = [event for event in profiler.events() if is_kernel(event)]
        print("profiled_%d=%d" % (round_, len(kernels)))
        print("profiled_ns_%d=%d" % (round_, sum(event.device_time_total for event in kernels) * 1000))
else:
    take(train)
