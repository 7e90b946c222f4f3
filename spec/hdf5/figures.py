#!/usr/bin/env python3
"""Writes h5py.h5, which hdf5_spec.lua reads: python3 spec/hdf5/figures.py. Every kind of value that h5py makes of Python's and NumPy's."""
import os

import h5py
import numpy as np

name = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'h5py.h5')
with h5py.File(name, 'w', libver='earliest') as f:
    numbers = f.create_group('numbers')
    for kind in ('u1', 'i1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8', 'f2', 'f4', 'f8', '>i4', '>f8'):
        values = np.array([[1, 2, 3], [4, 5, 100]]).astype(kind)
        if kind[0] != 'u':
            values[0, 0] = -1
        elif kind != 'u1':
            values[0, 0] = np.iinfo(kind).max
        numbers[kind.replace('>', 'big_')] = values
    numbers['bool'] = np.array([[True, False], [False, True]])
    numbers['complex'] = np.array([1 + 2j, 3 - 4j])
    numbers['empty'] = np.zeros((0, 3))
    single = f.create_group('single')
    single['int'] = 42
    single['float'] = np.float32(1.5)
    single['bool'] = True
    single['text'] = 'h\u00e4llo'
    single['bytes'] = np.bytes_('fixed')
    single['complex'] = 1 - 1j
    text = f.create_group('text')
    text['variable'] = ['one', '', 'thr\u00e9e']
    text['fixed'] = np.array([[b'a', b'bc'], [b'', b'def']])
    packed = f.create_dataset('packed', data=np.arange(200.).reshape(20, 10), chunks=(7, 4), compression='gzip', shuffle=True, maxshape=(None, 10))
    packed.attrs['unit'] = 'm'
    packed.attrs['scale'] = np.array([0.5, 2.0])
    packed.attrs['count'] = np.int64(7)
    f.attrs['title'] = 'of h5py'
    odd = f.create_group('odd')
    odd['compound'] = np.zeros(2, dtype=[('a', 'i4'), ('b', 'f8')])
    odd['type'] = np.dtype('i4')
    f['loop/back'] = f['/']
