#!/usr/bin/env python3
"""Writes the files of spec/netcdf/data, which netcdf_spec.lua reads: python3 spec/netcdf/figures.py. (SciPy 1.17, netCDF4 1.7, NumPy 2.4)"""
import os

import netCDF4
import numpy as np
import scipy.io

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data')


def fill(f):
    """The same content in each kind of file."""
    f.createDimension('time', None)
    f.createDimension('x', 3)
    f.createDimension('letters', 5)
    f.title = 'figures'
    t = f.createVariable('t', 'i2', ('time', 'x'))
    t.units, t.scale_factor, t.add_offset = 'K', 0.5, 100.
    t[0:2] = np.array([[1, 2, 3], [-4, 5, 6]], 'i2')
    b = f.createVariable('b', 'i1', ('time', ))
    b[0:2] = np.array([-1, 2], 'i1')
    x = f.createVariable('x', 'f8', ('x', ))
    x[:] = np.array([0.5, 1, 1.5])
    name = f.createVariable('name', 'S1', ('x', 'letters'))
    name[:] = np.array([list('one\0\0'), list('three'), list('\0\0\0\0\0')], 'S1')
    f.createVariable('f', 'f4', ('time', 'x', 'letters'))[0:2] = np.arange(30, dtype='f4').reshape(2, 3, 5)


for version in (1, 2):
    with scipy.io.netcdf_file(os.path.join(folder, 'version%d.nc' % version), 'w', version=version) as f:
        fill(f)
with netCDF4.Dataset(os.path.join(folder, 'version5.nc'), 'w', format='NETCDF3_64BIT_DATA') as f:
    f.set_auto_mask(False)
    fill_ = {'u1': [1, 255], 'u2': [1, 65535], 'u4': [1, 2**32 - 1], 'i8': [-1, 2**62], 'u8': [1, 2**64 - 1]}
    f.createDimension('pair', 2)
    for kind, values in fill_.items():
        f.createVariable(kind, kind, ('pair', ))[:] = np.array(values, kind)
with netCDF4.Dataset(os.path.join(folder, 'version4.nc'), 'w', format='NETCDF4') as f:
    f.set_auto_maskandscale(False)
    f.createDimension('time', None)
    f.createDimension('x', 3)
    f.title = 'figures'
    t = f.createVariable('t', 'i2', ('time', 'x'), zlib=True)
    t.set_auto_maskandscale(False)
    t.units, t.scale_factor, t.add_offset = 'K', 0.5, 100.
    t[0:2] = np.array([[1, 2, 3], [-4, 5, 6]], 'i2')
    f.createVariable('x', 'f8', ('x', ))[:] = np.array([0.5, 1, 1.5])
    f.createVariable('scalar', 'u2', ())[...] = 65535
    words = f.createVariable('words', str, ('x', ))
    for i, word in enumerate(('one', 'gr\u00fcn', '')):
        words[i] = word
    f.createDimension('letters', 5)
    name = f.createVariable('name', 'S1', ('x', 'letters'))
    name[:] = np.array([list('one\0\0'), list('three'), list('\0\0\0\0\0')], 'S1')
    inner = f.createGroup('inner')
    inner.createVariable('y', 'i4', ('x', ))[:] = np.array([7, 8, 9], 'i4')
