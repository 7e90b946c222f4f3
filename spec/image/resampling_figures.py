#!/usr/bin/env python3
"""Figures for resampling_spec.lua, from Pillow and PyTorch: python3 spec/image/resampling_figures.py >spec/image/resampling_figures.lua

For each filter and size: the bytes, and the floats of the same picture divided by 255, row after row.
"""
import textwrap

import numpy as np
import PIL
import torch
from PIL import Image

SIZES = [(9, 7, 4, 5), (5, 12, 11, 5), (8, 6, 3, 13), (3, 40, 3, 9), (70, 3, 12, 4)]


def picture(height, width):
    i, j = np.mgrid[:height, :width]
    return ((31 * i * i + 17 * j * j + 7 * i * j + 13 * i + 29 * j) % 256).astype(np.uint8)


def show(name, sizes, values, form):
    elements = textwrap.fill(", ".join(form % v for v in np.asarray(values).flatten()), 130, initial_indent="    ", subsequent_indent="    ")
    print("  { '%s', { %d, %d, %d, %d }, {\n%s } }," % (name, *sizes, elements))


print("-- Made by resampling_figures.py, of Pillow %s and PyTorch %s\nlocal figures = {}\n" % (PIL.__version__, torch.__version__.split("+")[0]))
for kind, form in (("bytes", "%d"), ("floats", "%.8g")):
    print("figures.%s = {      -- antialiased: filter; height, width, those of the result; elements" % kind)
    for sizes in SIZES:
        for name in ("box", "bilinear", "hamming", "bicubic", "lanczos"):
            x = picture(*sizes[:2])
            if kind == "floats":
                x = x.astype(np.float32) / 255
            show(name, sizes, Image.fromarray(x).resize((sizes[3], sizes[2]), Image.Resampling[name.upper()]), form)
    print("}\n")
print("figures.plain = {")
for sizes in SIZES:
    for name in ("nearest", "bilinear", "bicubic"):
        x = torch.from_numpy(picture(*sizes[:2]).astype(np.float64) / 255)[None, None]
        options = {} if name == "nearest" else {"align_corners": False}
        show(name, sizes, torch.nn.functional.interpolate(x, sizes[2:], mode=name, **options), "%.8g")
print("}\n\nreturn figures")
