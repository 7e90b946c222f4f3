#!/usr/bin/env python3
"""Figures for parametrize_spec.lua, from PyTorch: python3 spec/nn/parametrize_figures.py >spec/nn/parametrize_figures.lua

Modules with parametrizations, older weight norms and pruned weights, in float64, with series as parameters and input: names of the
state_dict, the weight, the output, and the gradients of the parameters in the order of the state_dict. In the norms, u and v are series
before one forward in training mode.
"""
import math

import torch
import torch.nn as nn
import torch.nn.utils as utils
from torch.nn.utils import parametrizations, prune

torch.set_default_dtype(torch.float64)


def series(sizes, rate):
    n = math.prod(sizes)
    return torch.sin(torch.arange(1, n + 1) * rate + 0.5).reshape(sizes)


def listed(t):
    return "{ %s }" % ", ".join("%.17g" % v for v in t.detach().flatten().tolist())


def settle(net):
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(series(p.shape, 0.7 + 0.1 * i))


def linear(inputs=3, outputs=4):
    net = nn.Linear(inputs, outputs)
    settle(net)
    return net, (5, inputs)


def conv():
    net = nn.Conv2d(2, 4, (3, 2))
    settle(net)
    return net, (2, 2, 5, 4)


def up():
    net = nn.ConvTranspose2d(2, 3, (3, 2))
    settle(net)
    return net, (2, 2, 4, 3)


def spectral(make, old=False, **options):
    net, sizes = make()
    (utils.spectral_norm if old else parametrizations.spectral_norm)(net, **options)
    holder = net if old else net.parametrizations.weight[0]
    for name, rate in (("u", 1.3), ("v", 1.7)):
        field = ("weight_" if old else "_") + name
        x = getattr(holder, field)
        x.copy_(series(x.shape, rate))
        x.div_(x.norm())
    return net, sizes


def orthogonal(inputs, outputs, name, trivialization):
    net, sizes = linear(inputs, outputs)
    with torch.no_grad():
        net.weight.add_(2 * torch.eye(outputs, inputs))  # series have rank 2
    parametrizations.orthogonal(net, "weight", name, use_trivialization=trivialization)
    if trivialization:
        with torch.no_grad():
            x = net.parametrizations.weight.original
            x.copy_(series(x.shape, 0.4) * 0.3)
            if name == "householder":
                x.diagonal().fill_(-1)
    return net, sizes


def twice(make, f, g):
    net, sizes = make()
    f(net)
    g(net)
    return net, sizes


def done(make, f):
    net, sizes = make()
    f(net)
    return net, sizes


CASES = {
    "weightNorm": lambda: done(linear, lambda m: parametrizations.weight_norm(m)),
    "weightNorm2": lambda: done(conv, lambda m: parametrizations.weight_norm(m, dim=1)),
    "weightNormWhole": lambda: done(linear, lambda m: parametrizations.weight_norm(m, dim=None)),
    "oldWeightNorm": lambda: done(conv, lambda m: utils.weight_norm(m)),
    "oldWeightNormWhole": lambda: done(linear, lambda m: utils.weight_norm(m, dim=None)),
    "spectralNorm": lambda: spectral(linear, n_power_iterations=2),
    "spectralNormUp": lambda: spectral(up),
    "oldSpectralNorm": lambda: spectral(conv, old=True),
    "oldSpectralNormUp": lambda: spectral(up, old=True, n_power_iterations=3),
    "l1": lambda: done(conv, lambda m: prune.l1_unstructured(m, "weight", 0.3)),
    "l1Half": lambda: done(lambda: linear(3, 5), lambda m: prune.l1_unstructured(m, "weight", 0.5)),
    "l1Twice": lambda: twice(conv, lambda m: prune.l1_unstructured(m, "weight", 5), lambda m: prune.l1_unstructured(m, "weight", 0.25)),
    "l1Scores": lambda: done(linear, lambda m: prune.l1_unstructured(m, "weight", 4, series((4, 3), 2.1))),
    "bias": lambda: done(linear, lambda m: prune.l1_unstructured(m, "bias", 2)),
    "ln": lambda: done(conv, lambda m: prune.ln_structured(m, "weight", 0.5, 2, 0)),
    "lnLast": lambda: done(conv, lambda m: prune.ln_structured(m, "weight", 1, float("inf"), -1)),
    "lnMixed": lambda: twice(conv, lambda m: prune.ln_structured(m, "weight", 2, 1, 0), lambda m: prune.l1_unstructured(m, "weight", 0.4)),
    "lnTwice": lambda: twice(conv, lambda m: prune.l1_unstructured(m, "weight", 9), lambda m: prune.ln_structured(m, "weight", 1, 2, 0)),
    "custom": lambda: done(linear, lambda m: prune.custom_from_mask(m, "weight", (series((4, 3), 1) > 0).to(torch.float64))),
    "removed": lambda: twice(linear, lambda m: prune.l1_unstructured(m, "weight", 5), lambda m: prune.remove(m, "weight")),
    "identity": lambda: done(linear, lambda m: prune.identity(m, "weight")),
}
for map_ in ("matrix_exp", "cayley", "householder"):
    CASES[f"orthogonal_{map_}"] = lambda map_=map_: orthogonal(4, 4, map_, True)
    CASES[f"plain_{map_}_square"] = lambda map_=map_: orthogonal(4, 4, map_, False)
    CASES[f"plain_{map_}_tall"] = lambda map_=map_: orthogonal(3, 5, map_, False)
    CASES[f"plain_{map_}_wide"] = lambda map_=map_: orthogonal(5, 3, map_, False)

print("-- Written by spec/nn/parametrize_figures.py.")
print("return {")
for name, make in CASES.items():
    net, sizes = make()
    x = series(sizes, 0.3)
    y = net(x)
    (y * series(y.shape, 0.9)).sum().backward()
    state = ", ".join(f'"{k}"' for k in net.state_dict())
    net.eval()
    weight = net.bias if name == "bias" else net.weight
    print(f"  {name} = {{")
    print(f"    input = {{ {', '.join(map(str, sizes))} }}, state = {{ {state} }},")
    print(f"    weight = {listed(weight)},")
    print(f"    output = {listed(y)},")
    gradients = {n: p.grad for n, p in net.named_parameters()}
    print("    gradients = { %s }," % ", ".join(f'["{n}"] = {listed(g)}' for n, g in gradients.items()))
    print("  },")
first, second = nn.Linear(3, 4), nn.Linear(4, 2)
net = nn.Sequential(first, second)
settle(net)
prune.l1_unstructured(first, "weight", 2)
prune.global_unstructured([(first, "weight"), (second, "weight"), (second, "bias")], prune.L1Unstructured, amount=0.4)
print("  global = { masks = { %s } }," % ", ".join(listed(m) for m in (first.weight_mask, second.weight_mask, second.bias_mask)))
print("}")
