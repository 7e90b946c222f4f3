#!/usr/bin/env python3
"""Figures for summary_spec.lua, from PyTorch: python3 spec/nn/summary_figures.py >spec/nn/summary_figures.lua

Parameters of nets and of their layers, and half the floating-point operations that torch.utils.flop_counter counts: multiply-adds of
products, convolutions and attention. PyTorch doesn't count those inside LSTM and GRU; the cells are loops of linear maps here.
"""
import torch
import torch.nn as nn
from torch.utils.flop_counter import FlopCounterMode


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.train()

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


class Cell(nn.Module):
    """A cell of nn.LSTM or nn.GRU, run over 5 steps."""

    def __init__(self, gates):
        super().__init__()
        self.input, self.hidden, self.gates = nn.Linear(3, gates * 4), nn.Linear(4, gates * 4), gates

    def forward(self, x):
        h = torch.zeros(x.shape[1], 4)
        for step in x:
            h = torch.tanh((self.input(step) + self.hidden(h))[:, :4])
        return h


NETS = [
    ("mlp", nn.Sequential(nn.Linear(3, 40), nn.Tanh(), nn.Linear(40, 2, bias=False)), (5, 3)),
    ("pictures", nn.Sequential(nn.Conv2d(4, 6, (3, 2), stride=2, padding=1, groups=2), nn.BatchNorm2d(6), nn.ReLU(),
                               nn.MaxPool2d(2), nn.Conv2d(6, 3, 1)), (2, 4, 9, 11)),
    ("up", nn.Sequential(nn.ConvTranspose2d(2, 3, 3, stride=2), nn.Sigmoid()), (2, 2, 4, 5)),
    ("volumes", nn.Sequential(nn.Conv3d(2, 3, (2, 3, 1))), (2, 2, 3, 4, 5)),
    ("attention", Attention(), (2, 7, 8)),
    ("lstm", Cell(4), (5, 2, 3)),
    ("gru", Cell(3), (5, 2, 3)),
]

print("-- Written by spec/nn/summary_figures.py.")
print("return {")
for name, net, sizes in NETS:
    counter = FlopCounterMode(display=False)
    with counter, torch.enable_grad():
        net(torch.ones(sizes))
    parameters = sum(p.numel() for p in net.parameters())
    layers = ", ".join(str(sum(p.numel() for p in layer.parameters())) for layer in net.children()) if name not in ("lstm", "gru") else ""
    size = ", ".join(map(str, sizes))
    print(f'  {{ name = "{name}", input = {{ {size} }}, parameters = {parameters}, multiplyAdds = {counter.get_total_flops() // 2}, '
          f"layers = {{ {layers} }} }},")
print("}")
