#!/usr/bin/env python3
"""Figures for several_dims_spec.lua, from NumPy: python3 spec/signal/several_dims_figures.py >spec/signal/several_dims_figures.lua"""
import numpy as np


def figure(value):
    value = np.asarray(value)
    if np.iscomplexobj(value):
        value = np.stack([value.real, value.imag], -1)
    sizes = ", ".join(map(str, value.shape))
    return "{ { %s }, { %s } }" % (sizes, ", ".join("%.17g" % v for v in value.ravel()))


x = ((np.arange(24) * 7 % 19 - 9) * 0.375).reshape(2, 3, 4)
z = x[..., 0::2] + 1j * x[..., 1::2]
r = np.fft.rfftn(x)
f = np.fft
figures = {
    "fftn": [f.fftn(z), f.fftn(z, axes=[1]), f.fftn(z, axes=[2, 0])], "ifftn": [f.ifftn(z), f.ifftn(z, axes=[0, 1])],
    "rfftn": [r, f.rfftn(x, axes=[2, 0]), f.rfftn(x[0, 0])], "irfftn": [f.irfftn(r), f.irfftn(r, (2, 3, 3), (0, 1, 2)), f.irfftn(r, (2, 3, 4), axes=[0, 1, 2])],
    "hfft": [f.hfft(z[0, :, 0]), f.hfft(z[0, :, 0], 5), f.hfft(z[0, :, 0], 9)], "ihfft": [f.ihfft(x[0, 0]), f.ihfft(x[0, :, 0])],
}
print("-- Made by several_dims_figures.py, of NumPy", np.__version__)
print("return {")
for name, list_ in figures.items():
    print("  %s = {\n%s  }," % (name, "".join("    %s,\n" % figure(v) for v in list_)))
print("}")
