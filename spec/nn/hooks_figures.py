#!/usr/bin/env python3
"""Figures for hooks_spec.lua, from PyTorch: python3 spec/nn/hooks_figures.py >spec/nn/hooks_figures.lua

A net with hooks that replace inputs, outputs and gradients, in float64, with series as parameters and input: what the hooks see, the output,
and the gradients. The options say which hooks there are.
"""
import math

import torch
import torch.nn as nn

torch.set_default_dtype(torch.float64)


def series(sizes, rate):
    n = math.prod(sizes)
    return torch.sin(torch.arange(1, n + 1) * rate + 0.5).reshape(sizes)


def run(options, at):
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(series(p.shape, 0.7 + 0.1 * i))
    seen = {}

    def note(name, x):
        seen[name] = seen.get(name, 0) + (x * series(x.shape, 0.8)).sum().item()

    def pre(module, args):
        note("pre", args[0])
        if "pre" in options:
            return args[0] * args[0]

    def post(module, args, output):
        note("input", args[0])
        note("output", output)
        if "post" in options:
            return torch.exp(output)
        if "inplace" in options:
            output.mul_(5)

    def backward(module, grad_input, grad_output):
        if grad_input[0] is not None:
            note("gradInput", grad_input[0])
        note("gradOutput", grad_output[0])
        if "backward" in options:
            return (grad_input[0] * 3,)

    layer = net if at < 0 else net[at]
    layer.register_forward_pre_hook(pre)
    layer.register_forward_hook(post)
    if "silent" not in options:
        layer.register_full_backward_hook(backward)
    x = series((5, 3), 0.3).requires_grad_()
    y = net(x)
    (y * series(y.shape, 0.9)).sum().backward()
    return seen, y, [x.grad] + [p.grad for p in net.parameters()]


def listed(t):
    return "{ %s }" % ", ".join("%.17g" % v for v in t.flatten().tolist())


print("-- Written by spec/nn/hooks_figures.py.")
print("return {")
for options in ((), ("pre",), ("post",), ("backward",), ("pre", "post", "backward"), ("pre", "post", "silent"), ("inplace", "silent")):
    for at in (-1, 0, 2):
        seen, y, gradients = run(options, at)
        print("  {")
        print("    options = { %s }, at = %d," % (", ".join(f"{o} = true" for o in options), at + 1))
        print("    seen = { %s }," % ", ".join(f"{k} = {v:.17g}" for k, v in seen.items()))
        print(f"    output = {listed(y)},")
        print("    gradients = { %s }," % ", ".join(listed(g) for g in gradients))
        print("  },")
print("}")
