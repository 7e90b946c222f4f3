"""Numbers from a formula for parameters and inputs: spec/zoo/formula.lua makes the same ones from names and sizes."""
import math

import numpy
import torch

PRIME = 9973


def residues(name, count):
    """Quadratic residues, whole numbers from 0 to 9972, by the name's letters."""
    phase = sum(byte * (i + 1) for i, byte in enumerate(name.encode()))
    v = (numpy.arange(count, dtype=numpy.int64) * 7919 + phase) % PRIME
    return v * v % PRIME


def series(name, sizes):
    """Numbers from -1 to 1."""
    r = residues(name, math.prod(sizes)) / PRIME * 2 - 1
    return torch.from_numpy(r).reshape(sizes)


def positions(name, sizes, count):
    """Whole numbers from 0 to count - 1."""
    return torch.from_numpy(residues(name, math.prod(sizes)) % count).reshape(sizes)


def fill(state):
    """Fills a state_dict. Matrices keep the scale of what they multiply, scales are near 1, shifts near 0."""
    for name, x in state.items():
        if not x.is_floating_point():
            continue
        r = series(name, x.shape)
        if x.dim() > 1:
            r = r * math.sqrt(3 / (x.numel() // x.shape[0]))
        elif name.endswith("running_var"):
            r = 1 + r / 2
        elif name.endswith(("weight", "gamma")):
            r = 1 + 0.3 * r
        else:
            r = 0.2 * r
        x.copy_(r)


def fingerprint(state):
    """A number of the names and sizes: the sum of the letters' phases times dimensions."""
    total = 0
    for name, x in state.items():
        if not x.is_floating_point():
            continue
        phase = sum(byte * (i + 1) for i, byte in enumerate(name.encode()))
        total += phase * (1 + sum((d + 1) * n for d, n in enumerate(x.shape or (1,))))
    return total


def figures(x):
    """Sum, norm and five elements."""
    flat = x.detach().double().reshape(-1)
    places = [round(i * (flat.numel() - 1) // 4) for i in range(5)]
    return [flat.sum().item(), flat.norm().item()] + [flat[i].item() for i in places]
