#!/usr/bin/env python3
"""Figures for kinds_spec.lua, of NumPy, SciPy and matplotlib: python3 spec/plot/figures.py >spec/plot/figures.lua

Signals are formulas, which kinds_spec.lua has, too.
"""
import matplotlib
import matplotlib.cbook
import numpy as np
import scipy.stats


def spread(n, k):
    i = np.arange(1, n + 1, dtype=np.float64)
    return np.sin(i * i * k) * np.exp(np.cos(i * 1.3) * 1.2)


def box(values, whis):
    s = matplotlib.cbook.boxplot_stats(values, whis=whis)[0]
    return [s['q1'], s['med'], s['q3'], s['mean'], s['whislo'], s['whishi'], *np.sort(s['fliers'])]


def violin(values):
    points = np.linspace(values.min(), values.max(), 20)
    density = scipy.stats.gaussian_kde(values, bw_method='scott')(points)
    return density / density.max()


def counts(x, y, **options):
    table, xedges, yedges = np.histogram2d(x, y, **options)
    return [*table.reshape(-1), *xedges, *yedges]


a, b = spread(40, 0.7), spread(11, 2.1)
x, y = spread(200, 0.31), spread(200, 0.77)
figures = {
    'box': box(a, 1.5),
    'box odd': box(b, 1.5),
    'box near': box(a, 0.3),
    'box percent': box(a, (5, 90)),
    'violin': violin(a),
    'hist2d': counts(x, y, bins=4),
    'hist2d bins': counts(x, y, bins=(3, 5), range=[[-1, 1], [-2, 2]]),
    'hist2d density': counts(x, y, bins=[np.array([-2.0, 0, 1, 4]), 2], density=True),
}

print(f'-- Made by figures.py, of NumPy {np.__version__}, SciPy {scipy.__version__}, matplotlib {matplotlib.__version__}\nreturn {{')
for name, numbers in figures.items():
    line = f"  ['{name}'] = {{ {', '.join(f'{value:.12g}' for value in numbers)} }},"
    while len(line) > 138:
        cut = line.rfind(' ', 0, 138)
        print(line[:cut])
        line = '   ' + line[cut:]
    print(line)
print('}')
