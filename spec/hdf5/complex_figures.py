#!/usr/bin/env python3
"""Writes complex.h5, which complex_spec.lua reads: python3 spec/hdf5/complex_figures.py. Complex numbers of h5py 3.16."""
import os

import h5py
import numpy as np

z = (np.arange(12.0) - 3 + 1j * (0.5 - np.arange(12.0) ** 2)).reshape(3, 4)
with h5py.File(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'complex.h5'), 'w', libver='earliest') as f:
    f.create_dataset('doubles', data=z)
    f.create_dataset('floats', data=z.astype('c8'), chunks=(2, 3), compression='gzip', maxshape=(None, 4))
    f.create_dataset('turned', data=z.astype('>c16'))
    f.create_dataset('one', data=np.complex64(2 - 3j))
    f.create_dataset('none', data=np.zeros((0, 2), dtype='c16'))
    matlab = np.zeros(3, dtype=[('real', 'f8'), ('imag', 'f8')])
    matlab['real'], matlab['imag'] = z[0, :3].real, z[0, :3].imag
    f.create_dataset('matlab', data=matlab, chunks=(2,), maxshape=(None,))
    records = np.zeros(2, dtype=[('n', 'i4'), ('wave', 'c8'), ('pair', 'c16', (2,))])
    records['n'], records['wave'], records['pair'] = [1, 2], z[1, :2], z[:2, 2:]
    f.create_dataset('records', data=records)
    f.create_dataset('integers', data=np.zeros(2, dtype=[('r', 'i4'), ('i', 'i4')]))
    f['doubles'].attrs['one'] = 1 - 2j
    f['doubles'].attrs['row'] = z[2].astype('c8')
