#!/usr/bin/env python3
"""Writes frame_figures.lua: what pandas computes of a table: python3 spec/data/frame/frame_figures.py. (pandas 3)"""
import io
import os

import pandas as pd

text = '''species,length,width,count,site
iris,5.1,3.5,7,north
poppy,4.0,,2,south
iris,4.9,3.0,,north
rose,6.25,2.5,4,
poppy,4.5,1.5,9,north
iris,5.1,3.25,1,south
rose,,2.75,4,south
'''
frame = pd.read_csv(io.StringIO(text))


def shown(value):
    if isinstance(value, str):
        return '%r' % value
    return '0/0' if value != value else repr(float(value))


def listed(values):
    return '{ ' + ', '.join(shown(v) for v in values) + ' }'


numeric = ['length', 'width', 'count']
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'frame_figures.lua'), 'w') as out:
    out.write('-- Written by frame_figures.py: what pandas computes of a table.\nreturn {\n  text = [[\n%s]],\n  describe = {\n' % text)
    described = frame.describe()
    for name in numeric:
        out.write('    %s = %s,\n' % (name, listed(described[name])))
    out.write('  },\n  complete = %s,\n' % listed(i + 1 for i in frame.dropna().index))
    out.write('  measured = %s,\n' % listed(i + 1 for i in frame.dropna(subset=['length', 'count']).index))
    out.write('  sorted = %s,\n' % listed(i + 1 for i in frame.sort_values(['species', 'count'], kind='stable').index))
    out.write('  descending = %s,\n' % listed(i + 1 for i in frame.sort_values('length', ascending=False, kind='stable').index))
    counts = frame['species'].value_counts()
    out.write('  counts = { %s, %s },\n' % (listed(counts.index), listed(counts)))
    out.write('  groups = {\n')
    grouped = frame.groupby('species')[numeric]
    for function in ('mean', 'sum', 'min', 'max', 'std', 'median', 'count'):
        result = getattr(grouped, function)()
        out.write('    %s = {\n      species = %s,\n' % (function, listed(result.index)))
        for n in numeric:
            out.write('      %s = %s,\n' % (n, listed(result[n])))
        out.write('    },\n')
    out.write('  },\n')
    both = frame.groupby(['site', 'species'])['length'].count().reset_index()
    out.write('  both = { %s, %s, %s },\n}\n' % tuple(listed(both[c]) for c in ('site', 'species', 'length')))
