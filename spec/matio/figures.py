#!/usr/bin/env python3
"""Writes the files of spec/matio/data, which matio_spec.lua reads: python3 spec/matio/figures.py. (SciPy 1.17, h5py 3.16, NumPy 2.4)
The file of version 7.3 has the layout of those that MATLAB writes: classes as attributes, dimensions in the other order, references."""
import os

import h5py
import numpy as np
import scipy.io
import scipy.sparse

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data')


def path(name):
    return os.path.join(folder, name)


numbers = {'double': np.array([[1.5, -2, 3], [4, 5, np.inf]]), 'single': np.array([[0.5], [1e30]], 'f4'), 'cube': np.arange(24.).reshape(2, 3, 4),
           'complex': np.array([[1 + 2j, -3j]]), 'complexSingle': np.array([[1 + 2j, -3j]], 'c8'), 'logical': np.array([[True, False, True]]),
           'empty': np.zeros((0, 3)), 'scalar': np.array([[7.]])}
for bits in (8, 16, 32, 64):
    numbers['int%d' % bits] = np.array([[-2**(bits - 1), 2**(bits - 1) - 1]], 'i%d' % (bits // 8))
    numbers['uint%d' % bits] = np.array([[0, 2**bits - 1]], 'u%d' % (bits // 8))
scipy.io.savemat(path('numbers.mat'), numbers)
scipy.io.savemat(path('compressed.mat'), numbers, do_compression=True)

cell = np.empty((1, 3), dtype=object)
cell[0] = [np.array([[1., 2.]]), 'two', np.array([[3]], 'i2')]
grid = np.empty((2, 2), dtype=object)
grid[0, 0], grid[0, 1], grid[1, 0], grid[1, 1] = 'a', 'b', 'c', 'd'
people = np.zeros((1, 2), dtype=[('name', object), ('age', object)])
people[0, 0], people[0, 1] = ('Ada', 36.), ('Emmy', 53.)
scipy.io.savemat(path('tables.mat'), {
    'cell': cell, 'grid': grid, 'struct': {'x': 1.5, 'deep': {'y': 'z'}}, 'people': people, 'text': 'gr\u00fc\u00dfe \u3059',
    'rows': np.array(['one', 'three']), 'none': np.empty((0, 0), dtype=object),
    'sparse': scipy.sparse.csc_matrix(np.array([[0, 0, 5.], [6, 7, 0]])),
    'sparseComplex': scipy.sparse.csc_matrix(np.array([[0, 1 + 2j]])),
    'sparseNothing': scipy.sparse.csc_matrix((2, 3))})
scipy.io.savemat(path('version4.mat'), {'x': numbers['double'], 'z': numbers['complex'], 'text': 'hello', 'i': np.array([[1, -2]], 'i2'),
                                        'sparse': scipy.sparse.coo_matrix(np.array([[0, 0, 5.], [6, 7, 0]]))}, format='4')

with h5py.File(path('version73.mat'), 'w', userblock_size=512, libver='earliest') as f:
    refs = f.create_group('#refs#')

    def put(where, name, x, kind, **attributes):
        x = np.asarray(x)
        set = where.create_dataset(name, data=np.array(x.shape, 'u8') if x.size == 0 else np.ascontiguousarray(x.T))
        set.attrs['MATLAB_class'] = np.bytes_(kind)
        if x.size == 0:
            set.attrs['MATLAB_empty'] = np.uint8(1)
        for key, value in attributes.items():
            set.attrs[key] = value
        return set

    def text(where, name, value):
        units = np.frombuffer(value.encode('utf-16-le'), 'u2').reshape(1, -1)
        return put(where, name, units, 'char', MATLAB_int_decode=np.int32(2))

    classes = {'double': 'double', 'single': 'single', 'cube': 'double', 'logical': 'logical', 'empty': 'double', 'scalar': 'double',
               'complex': 'double', 'complexSingle': 'single'}
    for name, x in numbers.items():
        if x.dtype.kind == 'c':
            part = 'f4' if x.dtype == 'c8' else 'f8'
            pairs = np.zeros(x.shape, dtype=[('real', part), ('imag', part)])
            pairs['real'], pairs['imag'] = x.real, x.imag
            x = pairs
        put(f, name, x.astype('u1') if x.dtype == bool else x, classes.get(name, name))
    text(f, 'text', 'gr\u00fc\u00dfe \U0001f600')

    def references(where, name, objects):
        set = where.create_dataset(name, np.shape(objects)[::-1], dtype=h5py.ref_dtype)
        for place in np.ndindex(*np.shape(objects)):
            set[place[::-1]] = objects[place].ref
        return set

    objects = np.empty((1, 2), dtype=object)
    objects[0, 0], objects[0, 1] = put(refs, 'a', [[1., 2.]], 'double'), text(refs, 'b', 'two')
    references(f, 'cell', objects).attrs['MATLAB_class'] = np.bytes_('cell')
    struct = f.create_group('struct')
    struct.attrs['MATLAB_class'] = np.bytes_('struct')
    put(struct, 'x', [[1.5]], 'double')
    people = f.create_group('people')
    people.attrs['MATLAB_class'] = np.bytes_('struct')
    names, ages = np.empty((1, 2), dtype=object), np.empty((1, 2), dtype=object)
    names[0, 0], names[0, 1] = text(refs, 'c', 'Ada'), text(refs, 'd', 'Emmy')
    ages[0, 0], ages[0, 1] = put(refs, 'e', [[36.]], 'double'), put(refs, 'f', [[53.]], 'double')
    references(people, 'name', names)
    references(people, 'age', ages)
    sparse = f.create_group('sparse')
    sparse.attrs['MATLAB_class'], sparse.attrs['MATLAB_sparse'] = np.bytes_('double'), np.uint64(2)
    sparse['data'], sparse['ir'], sparse['jc'] = [6., 7., 5.], np.array([1, 1, 0], 'u8'), np.array([0, 1, 2, 3], 'u8')
    handle = f.create_group('handle')
    handle.attrs['MATLAB_class'] = np.bytes_('function_handle')
with open(path('version73.mat'), 'r+b') as f:
    f.write(b'MATLAB 7.3 MAT-file, Platform: GLNXA64'.ljust(116) + bytes(8) + b'\0\2IM')

# Cells and structs of two and three dimensions.
with h5py.File(path('nested73.mat'), 'w', libver='earliest') as f:
    refs = f.create_group('#refs#')
    letters = np.empty((2, 3), dtype=object)
    for i, place in enumerate(np.ndindex(2, 3)):
        letters[place] = text(refs, 'abcdef'[i], 'abcdef'[i])
    references(f, 'grid', letters).attrs['MATLAB_class'] = np.bytes_('cell')
    references(f, 'cube', np.stack([letters, letters[::-1]], axis=-1)).attrs['MATLAB_class'] = np.bytes_('cell')
    structs = f.create_group('structs')
    structs.attrs['MATLAB_class'] = np.bytes_('struct')
    references(structs, 'field', letters)
    references(structs, 'other', letters[:, ::-1])
