#!/usr/bin/env python3
"""Writes h5py_types.h5 and pytables.h5, which types_spec.lua reads: python3 spec/hdf5/types_figures.py. Every type that h5py and PyTables
write besides those of figures.py. (h5py 3.16, PyTables 3.11, NumPy 2)"""
import os
import uuid

import h5py
import numpy as np
import tables

folder = os.path.dirname(os.path.abspath(__file__))
with h5py.File(os.path.join(folder, 'h5py_types.h5'), 'w', libver='earliest', track_order=False) as f:
    record = np.dtype([('id', '>i4'), ('weight', 'f8'), ('name', 'S4'), ('wild', '?'), ('place', 'f4', (2, 3)), ('point', [('x', 'u1'), ('y', 'i2')])])
    rows = np.zeros(3, dtype=record)
    for i in range(3):
        rows[i] = (i - 1, i / 4, b'ab%d' % i, i == 1, np.arange(6).reshape(2, 3) + i, (i, -i))
    f['compound'] = rows
    f['compound_one'] = rows[1]
    f['compound_grid'] = np.stack([rows['point'], rows['point'][::-1]])
    words = np.zeros(2, dtype=[('word', h5py.string_dtype()), ('n', 'i8')])
    words[0] = ('h\u00e4', 1)
    words[1] = ('', 2)
    f['compound_text'] = words
    f['enum'] = np.array([[0, 2], [1, 0]], dtype=h5py.enum_dtype({'RED': 0, 'GREEN': 1, 'BLUE': 2}, 'i2'))
    f['enum_big'] = np.array([300, -1], dtype=h5py.enum_dtype({'MANY': 300, 'NONE': -1}, '>i4'))
    ragged = f.create_dataset('ragged', (3,), h5py.vlen_dtype('f4'))
    ragged[0], ragged[2] = [1, 2.5], [7]
    grid = f.create_dataset('ragged_grid', (2, 2), h5py.vlen_dtype('i8'))
    grid[0, 1] = [5, 6]
    records = f.create_dataset('ragged_records', (1,), h5py.vlen_dtype(np.dtype([('a', 'i4'), ('b', 'f8')])))
    records[0] = np.array([(1, 0.5), (2, 1.5)], dtype=[('a', 'i4'), ('b', 'f8')])
    array = f.create_dataset('array', (2,), np.dtype('(2,2)i4'))
    array[...] = np.arange(8).reshape(2, 2, 2)
    text_array = f.create_dataset('array_text', (1,), np.dtype('(2,)S3'))
    text_array[...] = np.array([[b'one', b'a']])
    f['void'] = np.frombuffer(b'\x01\x00\x02ab\xff', dtype='V3')
    f['date'] = np.array(['2021-03-04'], dtype='M8[D]').astype(h5py.opaque_dtype(np.dtype('M8[D]')))
    f['long_double'] = np.array([0.1, 1e300], dtype=np.longdouble)
    f['complex64'] = np.array([[1 + 2j, 3 - 1j]], dtype='c8')
    f['complex256'] = np.array([1.5 - 2j], dtype=np.clongdouble)
    f['null'] = h5py.Empty('f4')
    f['null_text'] = h5py.Empty('S1')
    f['empty_text'] = np.zeros((0,), dtype='S3')
    f['empty_compound'] = np.zeros((0,), dtype=[('a', 'i4'), ('b', 'S2')])
    f['empty_grid'] = np.zeros((2, 0, 3), dtype='i4')
    bfloat16 = h5py.h5t.IEEE_F32LE.copy()
    bfloat16.set_fields(15, 7, 8, 0, 7)
    bfloat16.set_size(2)
    bfloat16.set_ebias(127)
    space = h5py.h5s.create_simple((2,))
    h5py.h5d.create(f.id, b'bfloat16', bfloat16, space).write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([1.5, 1e30], dtype='f4'))
    bits = h5py.h5t.STD_B16LE.copy()
    h5py.h5d.create(f.id, b'bits', bits, space).write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([3, 500], dtype='u2'), bits)
    three = h5py.h5t.STD_I32LE.copy()
    three.set_size(3)
    h5py.h5d.create(f.id, b'int24', three, space).write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([-5, 70000], dtype='i4'))
    f.create_group('here/there')
    f['references'] = np.array([f['here/there'].ref, f['array'].ref], dtype=h5py.ref_dtype)
    f['no_reference'] = np.array([h5py.Reference()], dtype=h5py.ref_dtype)
    region = f.create_dataset('region', (1,), h5py.regionref_dtype)
    region[0] = f['array'].regionref[0:1]
    f.create_dataset('packed_lzf', data=np.zeros(1000), compression='lzf')
    f.attrs['compound'] = rows[0:2]['point']
    f.attrs['ragged'] = ragged[0]
    f.attrs['null'] = h5py.Empty('S1')
    f.attrs['where'] = f['here'].ref
    f.attrs['three'] = np.array([[1, 2], [3, 4]], dtype='i2')


class Row(tables.IsDescription):
    name = tables.StringCol(5, pos=0)
    wild = tables.BoolCol(pos=1)
    seconds = tables.Time32Col(pos=2)
    time = tables.Time64Col(pos=3)
    wave = tables.ComplexCol(itemsize=8, pos=4)
    grid = tables.Float32Col(shape=(2, 3), pos=5)
    colour = tables.EnumCol(['red', 'green'], 'red', base='uint8', pos=6)
    half = tables.Float16Col(pos=7)
    count = tables.UInt64Col(pos=8)

    class inner(tables.IsDescription):
        _v_pos = 9
        x = tables.Int8Col()


with tables.open_file(os.path.join(folder, 'pytables.h5'), 'w') as f:
    table = f.create_table('/', 'table', Row, chunkshape=(4,))
    row = table.row
    for i in range(3):
        row['name'] = b'ab%d' % i
        row['wild'] = i % 2
        row['seconds'] = i + 10
        row['time'] = i + 0.5
        row['wave'] = 1 + 2j * i
        row['grid'] = np.full((2, 3), i)
        row['colour'] = 1 if i else 0
        row['half'] = i / 2
        row['count'] = i
        row['inner/x'] = -i
        row.append()
    table.flush()
    for kind in ('bool', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'f2', 'f4', 'f8', 'g', 'c8', 'c16', 'S3'):
        f.create_array('/', 'array_' + kind, np.array([[0, 1], [1, 1]]).astype(kind))
    f.create_array('/', 'one', 2.5)
    f.create_array('/', 'text', b'bytes')
    f.create_array('/', 'list', [1, 2, 3])
    f.create_carray('/', 'chunked', obj=np.arange(12).reshape(3, 4), chunkshape=(2, 2), filters=tables.Filters(5, 'zlib', fletcher32=True))
    f.create_carray('/', 'packed_blosc', obj=np.zeros(1000), filters=tables.Filters(5, 'blosc'))
    f.create_earray('/', 'times', tables.Time64Atom(), (0,), chunkshape=(4,)).append(np.array([1.25, 2.5]))
    f.create_earray('/', 'nothing', tables.Float64Atom(), (0, 3), chunkshape=(1, 3))
    colours = f.create_carray('/', 'colours', tables.EnumAtom(['red', 'green'], 'red', 'int16'), (2,), chunkshape=(2,))
    colours[:] = [1, 0]
    ragged = f.create_vlarray('/', 'ragged', tables.Int32Atom(), chunkshape=(4,))
    ragged.append([1, 2, 3])
    ragged.append([])
    ragged.append([4])
    pairs = f.create_vlarray('/', 'pairs', tables.Float32Atom(shape=(2,)), chunkshape=(4,))
    pairs.append([[1, 2], [3, 4]])
    strings = f.create_vlarray('/', 'strings', tables.StringAtom(2), chunkshape=(4,))
    strings.append([b'a', b'bc'])
    for name, atom, value in (('bytes', tables.VLStringAtom(), b'xy'), ('unicode', tables.VLUnicodeAtom(), 'h\u00e9'), ('object', tables.ObjectAtom(), 7)):
        f.create_vlarray('/', 'vl' + name, atom, chunkshape=(4,)).append(value)
