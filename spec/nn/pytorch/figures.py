#!/usr/bin/env python3
"""Figures from PyTorch for figures_spec.lua: python3 spec/nn/pytorch/figures.py THEME >spec/nn/pytorch/THEME_figures.lua

The cases are in THEME_cases.py, a list CASES of `case(...)`. Both sides compute inputs, parameters and the weights of the loss by the same
formulas, in float64. For each result: its sizes, its projection on fixed numbers and some elements; for each input and parameter with a
gradient likewise the gradient of the sum of the results' projections.
"""
import importlib
import math
import os
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
torch.set_default_dtype(torch.float64)


def case(ours, theirs, *inputs, module=None, **options):
    """ours, theirs: expressions of x1, x2, ... (and of m, if `module` is given as a pair of expressions), in Lua and in Python.

    An input is sizes, for floats from about -1.5 to 1.5, or (kind, sizes...): see `given`. Options: evaluate=True (evaluation mode);
    gradient=False (none is computed); within=number (the tolerance, where PyTorch's own accuracy is lower); constants=(k, ...) (inputs, from 1, without a gradient); indices=(k, ...) (results, from 1, that are positions, which count from 1 in Lua); protocol=False (the
    module isn't run by Torch7's forward and backward); fill=False (parameters keep their first values).
    """
    return dict(ours=ours, theirs=theirs, inputs=inputs, module=module, **options)


def module(ours, theirs, *inputs, **options):
    """A module that is called with all inputs: a table of them in Lua, if there are several."""
    names = ["x%d" % (i + 1) for i in range(len(inputs))]
    call = "m(%s)" if len(names) == 1 else "m { %s }"
    return case(call % ", ".join(names), "m(%s)" % ", ".join(names), *inputs, module=(ours, theirs), **options)


def series(sizes, rate):
    n = math.prod(sizes)
    return torch.sin(torch.arange(1, n + 1) * rate + 0.5).reshape(sizes)


def given(k, spec):
    """The k-th input (from 0)."""
    kind = "floats" if not spec or isinstance(spec[0], int) else spec[0]
    sizes = spec if kind == "floats" else spec[1:]
    if kind in ("labels", "lengths"):                    # integers 1 .. n, without 0-based shift for lengths: ("labels", n, sizes...)
        n, sizes = sizes[0], sizes[1:]
        values = (torch.arange(math.prod(sizes)) * 7 + 3 * k + 2) % n
        return (values if kind == "labels" else values + 1).reshape(sizes)
    x = series(sizes, 1.3 + 0.21 * k) * 1.5
    if kind == "positive":                               # from 0.1 to 3.1
        return x + 1.6
    if kind == "unit":                                   # from 0.02 to 0.98
        return x * 0.32 + 0.5
    if kind == "signs":                                  # -1 or 1
        return torch.where(x < 0, -1.0, 1.0)
    if kind == "mask":                                   # true or false
        return x > 0
    assert kind == "floats", kind
    return x


def results(value):
    if torch.is_tensor(value):
        return [value]
    if isinstance(value, (int, float, bool)):
        return [torch.tensor(float(value))]
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]
    return [t for part in value if part is not None for t in results(part)]


def number(x):
    x = float(x)
    if math.isnan(x):
        return "0/0"
    if math.isinf(x):
        return "math.huge" if x > 0 else "-math.huge"
    return "%.12g" % x


def figure(t):
    """Sizes, projection on fixed numbers, and elements at even distances."""
    flat = t.detach().to(torch.float64).reshape(-1)
    n = flat.numel()
    step = max(1, n // 5)
    elements = [number(v) for v in flat[::step][:5]]
    projection = number((flat * series((n,), 0.9)).sum()) if n else "0"
    return "{ { %s }, %s, %s }" % (", ".join(map(str, t.shape)), projection, ", ".join(elements) or "nil")


def lua_input(spec):
    return "{ %s }" % ", ".join("'%s'" % s if isinstance(s, str) else str(s) for s in spec)


def text(s):
    return "[=[%s]=]" % s


def run(c):
    inputs = [given(k, spec) for k, spec in enumerate(c["inputs"])]
    names = {"x%d" % (k + 1): x for k, x in enumerate(inputs)}
    scope = dict(torch=torch, nn=nn, F=F, math=math, series=series, **c.get("scope", {}))
    lines = ["    call = %s," % text(c["ours"])]
    parameters = []
    differentiable = c.get("gradient", True)
    if c["module"]:
        m = eval(c["module"][1], scope)
        m.train(not c.get("evaluate", False))
        parameters = list(m.named_parameters())
        if c.get("fill", True):
            with torch.no_grad():
                for i, (_, p) in enumerate(parameters):
                    p.copy_(series(p.shape, 0.7 + 0.1 * i) * 0.5)
        names["m"] = m
        lines.append("    module = %s," % text(c["module"][0]))
        if parameters:
            lines.append("    parameters = { %s }," % ", ".join("{ '%s', %s }" % (key, ", ".join(map(str, p.shape))) for key, p in parameters))
    if c["inputs"]:
        lines.append("    inputs = { %s }," % ", ".join(map(lua_input, c["inputs"])))
    for option in ("evaluate", "gradient", "within", "constants", "indices", "protocol", "fill"):
        if option in c:
            value = c[option]
            lines.append("    %s = %s," % (option, str(value).lower() if isinstance(value, (bool, float)) else "{ %s }" % ", ".join(map(str, value))))
    leaves = [x for k, x in enumerate(inputs) if x.is_floating_point() and k + 1 not in c.get("constants", ())]
    if differentiable:
        for x in leaves:
            x.requires_grad_()
    out = results(eval(c["theirs"], scope, names))
    lines.append("    results = {")
    for i, t in enumerate(out):
        lines.append("      %s," % figure(t + 1 if i + 1 in c.get("indices", ()) else t))
    lines.append("    },")
    if differentiable:
        loss = sum((t * series(t.shape, 1.1 + 0.1 * i)).sum() for i, t in enumerate(out) if t.is_floating_point() and t.requires_grad)
        wanted = leaves + [p for _, p in parameters if p.requires_grad]
        gradients = torch.autograd.grad(loss, wanted, allow_unused=True)
        lines.append("    gradients = {")
        for x, g in zip(wanted, gradients):
            lines.append("      %s," % figure(torch.zeros_like(x) if g is None else g))
        lines.append("    },")
    return lines


def main(theme):
    sys.modules["figures"] = sys.modules["__main__"]
    print("-- Written by spec/nn/pytorch/figures.py from %s_cases.py.\nreturn {" % theme)
    for c in importlib.import_module(theme + "_cases").CASES:
        print("  {\n%s\n  }," % "\n".join(run(c)))
    print("}")


if __name__ == "__main__":
    main(sys.argv[1])
