#!/usr/bin/env python3
"""Figures for state_spec.lua, from PyTorch: python3 spec/nn/state_figures.py >spec/nn/state_figures.lua

For each network the names and sizes of its state_dict, in order, and the projections of its output on fixed numbers, in float64. Parameters
are fixed series, too; state_spec.lua makes the same ones from names and sizes. The counters of batches are left out.
"""
import math

import torch
import torch.nn as nn

torch.set_default_dtype(torch.float64)


def series(sizes, rate):
    n = math.prod(sizes)
    return torch.sin(torch.arange(1, n + 1) * rate + 0.5).reshape(sizes)


NETS = [
    ("mlp", nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)), (5, 3)),
    ("nested", nn.Sequential(nn.Sequential(nn.Linear(3, 4, bias=False), nn.ReLU()), nn.Linear(4, 2)), (5, 3)),
    ("norm", nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.BatchNorm1d(4, affine=False)), (5, 3)),
    ("pictures", nn.Sequential(nn.Conv2d(2, 3, (2, 3)), nn.BatchNorm2d(3), nn.PReLU(3)), (2, 2, 5, 6)),
    ("matrix", nn.Sequential(nn.Conv2d(2, 3, (2, 3))), (2, 2, 5, 6)),
    ("up", nn.Sequential(nn.ConvTranspose2d(2, 3, (2, 3))), (2, 2, 4, 5)),
    ("volumes", nn.Sequential(nn.Conv3d(2, 3, (2, 3, 1)), nn.BatchNorm3d(3)), (2, 2, 3, 4, 5)),
    ("frames", nn.Conv1d(2, 3, 4), (2, 2, 7)),
    ("lstm", nn.LSTM(3, 4, 2, bidirectional=True), (5, 2, 3)),
    ("gru", nn.GRU(3, 4), (5, 2, 3)),
    ("rnn", nn.RNN(3, 4, bias=False), (5, 2, 3)),
    ("cell", nn.GRUCell(3, 4), (5, 3)),
    ("attention", nn.MultiheadAttention(4, 2, batch_first=True), (2, 3, 4)),
    ("layerNorm", nn.Sequential(nn.LayerNorm(3), nn.Linear(3, 2)), (5, 3)),
]

print("-- Written by spec/nn/state_figures.py.")
print("return {")
for name, net, sizes in NETS:
    net.eval()
    state = [(key, value) for key, value in net.state_dict().items() if not key.endswith("num_batches_tracked")]
    for i, (key, value) in enumerate(state):
        value.copy_(series(value.shape, 0.7 + 0.1 * i))
        if key.endswith("running_var"):
            value.abs_()
    x = series(sizes, 0.3)
    with torch.no_grad():
        y = net(x, x, x) if name == "attention" else net(x)
    y = y[0] if isinstance(y, tuple) else y
    figure = (y * series(y.shape, 0.9)).sum().item()
    print(f"  {{\n    name = '{name}', input = {{ {', '.join(map(str, sizes))} }}, projection = {figure!r},")
    print("    state = {")
    for key, value in state:
        print(f"      {{ '{key}', {', '.join(map(str, value.shape))} }},")
    print("    },\n  },")
print("}")
