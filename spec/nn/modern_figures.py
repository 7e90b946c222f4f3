#!/usr/bin/env python3
"""Figures for modern_spec.lua, from PyTorch in float64: python3 spec/nn/modern_figures.py >spec/nn/modern_figures.lua

For each module the projections of its output, of the gradient by its input and by each parameter on fixed numbers; modern_spec.lua makes the
same inputs and parameters.
"""
import math
import re

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)


def series(sizes, rate):
    n = math.prod(sizes)
    return torch.sin(torch.arange(1, n + 1) * rate + 0.5).reshape(sizes)


class Function(nn.Module):
    def __init__(self, f, *sizes):
        super().__init__()
        self.f = f
        self.p = nn.ParameterList([nn.Parameter(torch.zeros(s)) for s in sizes])

    def forward(self, x):
        return self.f(x, *self.p)


class Attention(nn.Module):
    def __init__(self, causal):
        super().__init__()
        self.inner, self.causal = nn.MultiheadAttention(6, 2, batch_first=True), causal

    def forward(self, x):
        mask = torch.triu(torch.ones(x.size(1), x.size(1)), 1).bool() if self.causal else None
        return self.inner(x, x, x, attn_mask=mask, need_weights=False)[0]

    def parameters(self):
        m = self.inner
        return iter([m.in_proj_weight, m.in_proj_bias, m.out_proj.weight, m.out_proj.bias])


class First(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        y = self.inner(x)
        return y[0] if isinstance(y, tuple) else y


def rms(x, w):
    return x / (x.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * w


cases = [
    ('GELU()', [4, 3], Function(F.gelu)), ('GELU(true)', [4, 3], Function(lambda x: F.gelu(x, approximate='tanh'))),
    ('SiLU()', [2, 3, 2], Function(F.silu)), ('LayerNorm(4)', [3, 4], nn.LayerNorm(4)), ('LayerNorm(4, 0.1, false)', [2, 3, 4], nn.LayerNorm(4, 0.1, False)),
    ('LayerNorm({ 3, 4 })', [2, 3, 4], nn.LayerNorm([3, 4])), ('RMSNorm(4)', [2, 3, 4], Function(rms, [4])),
    ('GroupNorm(2, 4)', [3, 4, 2, 2], nn.GroupNorm(2, 4)), ('GroupNorm(4, 4, 0.1, false)', [3, 4, 5], nn.GroupNorm(4, 4, 0.1, False)),
    ('MultiheadAttention(6, 2)', [2, 3, 6], Attention(False)), ('MultiheadAttention(6, 2, { causal = true })', [2, 4, 6], Attention(True)),
    ('LSTM(3, 2)', [4, 2, 3], First(nn.LSTM(3, 2))), ('GRU(3, 2)', [4, 2, 3], First(nn.GRU(3, 2))), ('RNN(3, 2)', [4, 2, 3], First(nn.RNN(3, 2))),
    ('RNN(3, 2, { nonlinearity = "relu", bias = false })', [4, 2, 3], First(nn.RNN(3, 2, nonlinearity='relu', bias=False))),
    ('LSTM(3, 2, { layers = 2, bidirectional = true })', [4, 2, 3], First(nn.LSTM(3, 2, 2, bidirectional=True))),
    ('GRU(3, 2, { layers = 2, bidirectional = true, batchFirst = true })', [4, 2, 3], First(nn.GRU(3, 2, 2, bidirectional=True, batch_first=True))),
    ('LSTMCell(3, 2)', [4, 3], First(nn.LSTMCell(3, 2))), ('GRUCell(3, 2)', [4, 3], First(nn.GRUCell(3, 2))), ('RNNCell(3, 2)', [4, 3], First(nn.RNNCell(3, 2))),
]

print('-- Made by modern_figures.py, of PyTorch', re.match(r'[\d.]+', torch.__version__).group(0))
print('return {')
for name, sizes, module in cases:
    parameters = list(module.parameters())
    for i, p in enumerate(parameters):
        p.data.copy_(series(p.shape, 1.7 + 0.3 * (i + 1)))
    x = (series(sizes, 2.3) * 1.5).requires_grad_()
    y = module(x)
    gradients = torch.autograd.grad((y * series(y.shape, 0.7)).sum(), [x] + parameters)
    figures = [(y * series(y.shape, 1.3)).sum()] + [(g * series(g.shape, 1.3)).sum() for g in gradients]
    shape = ', '.join(map(str, sizes))
    print("  { '%s', { %s }, '%s', {" % (name, shape, 'x'.join(map(str, y.shape))))
    for k in range(0, len(figures), 6):
        print('    %s,' % ', '.join('%.13g' % float(v) for v in figures[k:k + 6]))
    print('  } },')
print('}')
