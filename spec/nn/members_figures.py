#!/usr/bin/env python3
"""Figures for members_spec.lua, from PyTorch: python3 spec/nn/members_figures.py >spec/nn/members_figures.lua

For each module the names and sizes of its state_dict and the names of named_parameters and named_modules, in order, after assignments,
deletions and changes of lists and dictionaries; for one of them the gradients of a loss, in float64, with series as parameters.
"""
import math

import torch
import torch.nn as nn

torch.set_default_dtype(torch.float64)


def series(sizes, rate):
    n = math.prod(sizes)
    return torch.sin(torch.arange(1, n + 1) * rate + 0.5).reshape(sizes)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.second = nn.Linear(3, 4)
        self.scale = nn.Parameter(torch.ones(4))
        self.first = nn.Linear(4, 2)
        self.shift = nn.Parameter(torch.ones(2))
        self.register_buffer("mean", torch.zeros(2))
        self.register_buffer("hidden", torch.zeros(5), persistent=False)

    def forward(self, x, y):
        h = torch.tanh(self.second(x)) * self.scale
        return self.first(h) + self.shift * y - self.mean, h


def changed():
    net = Net()
    net.second = nn.Linear(3, 5)  # keeps its place
    net.scale = nn.Parameter(torch.ones(6))
    del net.first
    net.last = nn.Linear(1, 1)
    net.first = nn.Linear(4, 3)  # goes to the end
    del net.shift
    net.more = nn.Parameter(torch.ones(1, 2))
    net.shift = nn.Parameter(torch.ones(3))
    return net


def shared():
    net = nn.Module()
    layer = nn.Linear(2, 2)
    net.a, net.b = layer, layer
    net.w = nn.Parameter(torch.ones(3))
    net.v = net.w
    return net


def lists():
    net = nn.Module()
    net.layers = nn.ModuleList([nn.Linear(1, 2), nn.Linear(2, 3)])
    net.layers.append(nn.Linear(3, 4))
    net.layers.insert(1, nn.Linear(7, 8))
    net.layers.extend([nn.Linear(4, 5), nn.Linear(5, 6)])
    net.layers.pop(0)
    net.layers[1] = nn.Linear(9, 9)
    net.heads = nn.ModuleDict([["z", nn.Linear(1, 1)], ["a", nn.Linear(2, 2)]])
    net.heads.update([["m", nn.Linear(3, 3)], ["z", nn.Linear(4, 4)]])
    net.heads.pop("a")
    net.heads["a"] = nn.Linear(5, 5)
    net.factors = nn.ParameterList([torch.ones(1), torch.ones(2)])
    net.factors.append(torch.ones(3)).extend([torch.ones(4)])
    net.named = nn.ParameterDict([["z", torch.ones(1)], ["b", torch.ones(2)]])
    net.named.update([["c", torch.ones(3)]])
    net.named.pop("z")
    return net


print("-- Written by spec/nn/members_figures.py.")
print("return {")
for name, net in (("net", Net()), ("changed", changed()), ("shared", shared()), ("lists", lists())):
    print(f"  {name} = {{")
    state = ", ".join('{ "%s", %s }' % (k, ", ".join(map(str, v.shape))) for k, v in net.state_dict().items())
    print(f"    state = {{ {state} }},")
    print("    parameters = { %s }," % ", ".join(f'"{k}"' for k, _ in net.named_parameters()))
    print("    modules = { %s }," % ", ".join(f'"{k}"' for k, _ in net.named_modules()))
    print("  },")
net = Net()
with torch.no_grad():
    for i, p in enumerate(net.parameters()):
        p.copy_(series(p.shape, 0.7 + 0.1 * i))
x, y = series((5, 3), 0.3).requires_grad_(), series((5, 2), 0.4).requires_grad_()
a, h = net(x, y)
loss = (a * series(a.shape, 0.9)).sum() + (h * series(h.shape, 1.1)).sum()
loss.backward()
print("  loss = %.17g," % loss.item())
print("  gradients = {")
for g in [x.grad, y.grad] + [p.grad for p in net.parameters()]:
    print("    { %s }," % ", ".join("%.17g" % v for v in g.flatten().tolist()))
print("  },")
print("}")
