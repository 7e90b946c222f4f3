#!/usr/bin/env python3
"""Writes the files of spec/image/stacks, which stacks_spec.lua reads: python3 spec/image/stacks_figures.py. (tifffile 2026.3.3, imagecodecs)"""
import os

import imagecodecs
import numpy as np
import tifffile

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'stacks')
numbers = np.arange(24).reshape(2, 3, 4)
stacks = {'uint8': numbers.astype('u1'), 'uint16': (numbers * 2731).astype('u2'), 'int32': (numbers * -100000).astype('i4'),
          'float32': (numbers / -7).astype('f4'), 'float64': numbers / -7}
for kind, stack in stacks.items():
    for name, compression in (('none', None), ('lzw', 'lzw'), ('deflate', 'zlib')):
        tifffile.imwrite(os.path.join(folder, '%s_%s.tif' % (kind, name)), stack, compression=compression, photometric='minisblack')
tifffile.imwrite(os.path.join(folder, 'big.tif'), stacks['uint16'], bigtiff=True, photometric='minisblack', byteorder='>')
with open(os.path.join(folder, 'uint16.png'), 'wb') as f:
    f.write(imagecodecs.png_encode(stacks['uint16'][0]))
