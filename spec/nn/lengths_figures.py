#!/usr/bin/env python3
"""Figures for lengths_spec.lua, from PyTorch's packed sequences in float64: python3 spec/nn/lengths_figures.py >spec/nn/lengths_figures.lua

For each module the projections of its output and last states, and of the gradients by its input, its first states and its parameters;
lengths_spec.lua makes the same inputs and parameters.
"""
import math

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

torch.set_default_dtype(torch.float64)
LENGTHS = [2, 5, 1, 4]


def series(sizes, rate):
    n = math.prod(sizes)
    return torch.sin(torch.arange(1, n + 1) * rate + 0.5).reshape(tuple(sizes))


def dot(x):
    return (x * series(x.shape, 1.3)).sum()


cases = [
    ("LSTM(3, 2)", lambda: nn.LSTM(3, 2), 2),
    ("LSTM(3, 2, { layers = 2, bidirectional = true })", lambda: nn.LSTM(3, 2, 2, bidirectional=True), 2),
    ("GRU(3, 2, { bidirectional = true })", lambda: nn.GRU(3, 2, bidirectional=True), 1),
    ("GRU(3, 2, { layers = 2, bias = false })", lambda: nn.GRU(3, 2, 2, bias=False), 1),
    ("RNN(3, 2, { layers = 2, bidirectional = true })", lambda: nn.RNN(3, 2, 2, bidirectional=True), 1),
    ("RNN(3, 2, { nonlinearity = 'relu' })", lambda: nn.RNN(3, 2, nonlinearity="relu"), 1),
]

print("-- Made by lengths_figures.py, of PyTorch " + torch.__version__.split("+")[0])
print("return {")
for name, make, states in cases:
    module = make()
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(series(p.shape, 1.7 + 0.3 * (i + 1)))
    x = series((6, 4, 3), 2.3).requires_grad_()
    rows = module.num_layers * (2 if module.bidirectional else 1)
    start = [series((rows, 4, 2), 0.9 + k).requires_grad_() for k in range(states)]
    packed = pack_padded_sequence(x, LENGTHS, enforce_sorted=False)
    y, last = module(packed, tuple(start) if states == 2 else start[0])
    y, _ = pad_packed_sequence(y, total_length=6)
    last = list(last) if states == 2 else [last]
    loss = dot(y) + sum(dot(s) * (k + 2) for k, s in enumerate(last))
    loss.backward()
    found = [y, *last, x.grad, *(s.grad for s in start), *(p.grad for p in module.parameters())]
    print(f'  {{ "{name}", {{')
    figures = ["%.13g" % dot(t).item() for t in found]
    for i in range(0, len(figures), 6):
        print("    " + ", ".join(figures[i:i + 6]) + ",")
    print("  } },")
print("}")
