#!/usr/bin/env python3
"""Writes the files of spec/fits/data, which fits_spec.lua reads: python3 spec/fits/figures.py. (Astropy 7, NumPy 2.4)"""
import os

import numpy as np
from astropy.io import fits

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data')
grid = np.arange(6).reshape(2, 3)
primary = fits.PrimaryHDU(grid.astype('f4') / 2)
h = primary.header
h['OBJECT'], h['EXPTIME'], h['FLAG'], h['COUNT'] = ("M31's", 'name'), (30.5, 'seconds'), True, -7
h['LONG'] = 'abcdefghij' * 12
h['HIERARCH ESO DET GAIN'] = 1.5
h['SMALL'] = 1.25e-30
h['UNDEF'] = None
h['COMPLEX'] = 1 + 2j
h['COMMENT'] = 'first light'
h['HISTORY'] = 'one'
h['HISTORY'] = 'two'
parts = [primary]
for name, kind in (('U8', 'u1'), ('I16', 'i2'), ('I32', 'i4'), ('I64', 'i8'), ('F64', 'f8'), ('I8', 'i1'), ('U16', 'u2'), ('U32', 'u4'),
                   ('U64', 'u8')):
    x = np.array([[1, 2, 3], [4, 5, np.iinfo(kind).max if kind[0] != 'f' else 6]], kind)
    parts.append(fits.ImageHDU(x, name=name))
cube = fits.ImageHDU(np.arange(24, dtype='i2').reshape(2, 3, 4), name='CUBE')
parts.append(cube)
scaled = fits.ImageHDU(np.array([1, 2, -99], 'i2'), name='SCALED')
scaled.header['BSCALE'], scaled.header['BZERO'], scaled.header['BLANK'] = 0.5, 100., -99
parts.append(scaled)
fits.HDUList(parts).writeto(os.path.join(folder, 'images.fits'), overwrite=True, output_verify='silentfix')
# Astropy applies BSCALE when it writes: the stored numbers are put back.
with fits.open(os.path.join(folder, 'images.fits'), do_not_scale_image_data=True) as f:
    assert f['SCALED'].data.tolist() == [1, 2, -99], f['SCALED'].data

ragged = np.empty(3, dtype=object)
ragged[0], ragged[1], ragged[2] = np.array([1, 2], 'i4'), np.array([], 'i4'), np.array([3], 'i4')
C = fits.Column
table = fits.BinTableHDU.from_columns([
    C('flag', 'L', array=[True, False, True]), C('bits', '10X', array=np.eye(3, 10, dtype=bool)), C('b', 'B', array=[1, 2, 255]),
    C('i', 'I', array=[1, -2, 3]), C('j', 'J', array=[1, -2, 3]), C('k', 'K', array=[1, -2, 2**40]), C('word', '5A', array=['one', 'three', '']),
    C('e', 'E', array=[0.5, 1, 1.5]), C('d', '2D', array=[[1, 2], [3, 4], [5, 6]]), C('c', 'C', array=[1 + 2j, 0, -1j]),
    C('m', 'M', array=[1 + 2j, 0, -1j]), C('u', 'J', bzero=2**31, array=np.array([0, 1, 2**32 - 1], 'u4')),
    C('s', 'E', bscale=0.5, bzero=10, array=np.array([10.5, 11, 12])), C('ragged', 'PJ()', array=ragged)], name='TABLE')
text = fits.TableHDU.from_columns([C('word', 'A5', array=['one', 'three', '']), C('n', 'I4', array=[1, -2, 3]),
                                   C('x', 'E12.4', array=[0.5, 1e-10, -3])], name='TEXT')
fits.HDUList([fits.PrimaryHDU(), table, text]).writeto(os.path.join(folder, 'tables.fits'), overwrite=True)
