#!/usr/bin/env python3
"""Figures for numpy_spec.lua, from NumPy: python3 spec/torch/numpy_figures.py >spec/torch/numpy_figures.lua

Each case is an expression here and the one in Lua; positions count from 1 there, so P adds 1."""
import io
import warnings

import numpy as np

warnings.filterwarnings("ignore")
nan = np.nan
x = np.array([1, 1.5, 3, 4.25, 6])
y = np.array([[2, -1, 0.5, 3, 1], [0, 4, 2, -2, 7.5]])
c = (np.arange(24) * 7 % 19 - 9).reshape(2, 3, 4) * 0.375
g = np.array([[1, nan, 4, 2], [nan, -3, 3, nan], [5, 5, -5, 5]])
i = np.array([3, 1, 4, 1, 5, 9, 2, 6, 1, 3])
b = np.array([[3, 0, 255], [17, 128, 64]], dtype=np.uint8)
p, q = np.array([1.0, -2, 3, 5]), np.array([2.0, 1])
angles = np.array([0, 1, 3, -3, -1, 2.9, -2.9, 6.5, 13])


def P(v):
    return tuple(P(e) for e in v) if isinstance(v, (tuple, list)) else np.asarray(v) + 1


def place(a, f):
    a = a.copy()
    f(a)
    return a


ORDERED = [
    ("np.tri(3, 4, 1)", "torch.tri(3, 4, 1)"), ("np.tri(3)", "torch.tri(3)"), ("np.tri(3, 2, -1)", "torch.tri(3, 2, -1)"),
    ("np.identity(3)", "torch.identity(3)"), ("P(np.indices((2, 3)))", "torch.indices { 2, 3 }"),
    ("P(np.ix_([2, 0], [1, 3, 2]))", "torch.ix_({ 3, 1 }, torch.LongTensor { 2, 4, 3 })"),
    ("np.fromfunction(lambda i, j: (i + 1) * 10 + j + 1, (2, 3))", "torch.fromfunction(function(i, j) return i * 10 + j end, { 2, 3 })"),
    ("np.geomspace(1, 1000, 4)", "torch.geomspace(1, 1000, 4)"), ("np.geomspace(-3, -7, 5)", "torch.geomspace(-3, -7, 5)"),
    ("P(np.diag_indices(3))", "torch.diagIndices(3)"), ("P(np.diag_indices(2, 3))", "torch.diagIndices(2, 3)"),
    ("P(np.tril_indices_from(y, 1))", "torch.trilIndicesFrom(y, 1)"), ("P(np.triu_indices_from(y))", "torch.triuIndicesFrom(y)"),
    ("P(np.mask_indices(3, np.triu, 1))", "torch.maskIndices(3, torch.triu, 1)"),
    ("np.block([[y, np.zeros((2, 1))], [np.ones((1, 4)), np.full((1, 2), 7)]])",
     "torch.block { { y, torch.zeros(2, 1) }, { torch.ones(1, 4), torch.full({ 1, 2 }, 7) } }"),
    ("np.block([x, 8, x])", "torch.block { x, 8, x }"),
    ("np.hanning(7)", "torch.hanning(7)"), ("np.hamming(6)", "torch.hamming(6)"), ("np.bartlett(5)", "torch.bartlett(5)"),
    ("np.blackman(6)", "torch.blackman(6)"), ("np.kaiser(6, 8.6)", "torch.kaiser(6, 8.6)"), ("np.kaiser(5, 0)", "torch.kaiser(5, 0)"),
    ("P(np.ravel_multi_index(([0, 1, 1], [2, 0, 3]), (2, 4)))",
     "torch.ravelMultiIndex({ torch.LongTensor { 1, 2, 2 }, torch.LongTensor { 3, 1, 4 } }, { 2, 4 })"),
    ("P(np.ravel_multi_index(([5, -1], [2, 9]), (2, 4), mode='wrap'))",
     "torch.ravelMultiIndex({ torch.LongTensor { 6, 0 }, torch.LongTensor { 3, 10 } }, { 2, 4 }, 'wrap')"),
    ("P(np.ravel_multi_index(([5, -1], [2, 9]), (2, 4), mode='clip'))",
     "torch.ravelMultiIndex({ torch.LongTensor { 6, 0 }, torch.LongTensor { 3, 10 } }, { 2, 4 }, 'clip')"),
    ("P(np.ravel_multi_index((1, 2), (2, 4)))", "torch.ravelMultiIndex({ 2, 3 }, { 2, 4 })"),
    ("np.append(y, 5)", "torch.append(y, 5)"), ("np.append(y, y, 1)", "torch.append(y, y, 2)"),
    ("np.insert(x, 2, 7)", "torch.insert(x, 3, 7)"),
    ("np.insert(y, [1, 3], [[8], [9]], 1)", "torch.insert(y, { 2, 4 }, T { { 8 }, { 9 } }, 2)"),
    ("np.insert(y, 1, [[8, 9, 7, 6, 5], [4, 3, 2, 1, 0]], 0)", "torch.insert(y, 2, T { { 8, 9, 7, 6, 5 }, { 4, 3, 2, 1, 0 } }, 1)"),
    ("np.insert(x, [1, 1, 4], [8, 9, 7])", "torch.insert(x, { 2, 2, 5 }, T { 8, 9, 7 })"),
    ("np.insert(y, 5, 1, axis=1)", "torch.insert(y, 6, 1, 2)"),
    ("np.insert(y, 1, [8, 9], axis=1)", "torch.insert(y, 2, T { 8, 9 }, 2)"),
    ("np.delete(y, [0, 3], 1)", "torch.delete(y, { 1, 4 }, 2)"), ("np.delete(y, -1)", "torch.delete(y, -1)"),
    ("np.delete(x, [True, False, True, False, False])", "torch.delete(x, torch.ByteTensor { 1, 0, 1, 0, 0 })"),
    ("np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]))", "torch.trimZeros(T { 0, 0, 1, 0, 2, 0 })"),
    ("np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]), 'f')", "torch.trimZeros(T { 0, 0, 1, 0, 2, 0 }, 'f')"),
    ("np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]), 'b')", "torch.trimZeros(T { 0, 0, 1, 0, 2, 0 }, 'b')"),
    ("np.rollaxis(c, 2)", "torch.rollaxis(c, 3)"), ("np.rollaxis(c, 0, 2)", "torch.rollaxis(c, 1, 3)"),
    ("np.rollaxis(c, 0, 3)", "torch.rollaxis(c, 1, 4)"), ("np.rollaxis(c, 2, 1)", "torch.rollaxis(c, 3, 2)"),
    ("np.broadcast_shapes((3, 1), (1, 4), (2, 1, 1))",
     "torch.LongTensor(torch.broadcastShapes({ 3, 1 }, { 1, 4 }, { 2, 1, 1 }):totable())"),
    ("np.lib.stride_tricks.sliding_window_view(c, (2, 2), (1, 2))", "torch.slidingWindowView(c, { 2, 2 }, { 2, 3 })"),
    ("np.lib.stride_tricks.sliding_window_view(x, 3)", "torch.slidingWindowView(x, 3)"),
    ("np.expand_dims(y, (0, 3))", "torch.expandDims(y, { 1, 4 })"),
    ("np.choose([[0, 2, 1, 0, 1], [1, 1, 0, 2, 2]], [y, -y, 100])",
     "torch.choose(torch.LongTensor { { 1, 3, 2, 1, 2 }, { 2, 2, 1, 3, 3 } }, { y, -y, 100 })"),
    ("np.choose([0, 4, -1], [1, 2, 3], mode='wrap')", "torch.choose(torch.LongTensor { 1, 5, 0 }, { 1, 2, 3 }, 'wrap')"),
    ("np.choose([0, 4, -1], [1, 2, 3], mode='clip')", "torch.choose(torch.LongTensor { 1, 5, 0 }, { 1, 2, 3 }, 'clip')"),
    ("np.select([y > 3, y > 1], [y * 10, 5], -1)", "torch.selectByMask({ y:gt(3), y:gt(1) }, { y * 10, 5 }, -1)"),
    ("np.piecewise(y, [y < 0, y > 2], [lambda v: -v, 7, lambda v: v * v])",
     "torch.piecewise(y, { y:lt(0), y:gt(2) }, { function(v) return -v end, 7, function(v) return torch.cmul(v, v) end })"),
    ("np.piecewise(y, [y < 1, y < 0], [1, 2])", "torch.piecewise(y, { y:lt(1), y:lt(0) }, { 1, 2 })"),
    ("np.extract(y > 1, y)", "torch.extract(y:gt(1), y)"),
    ("np.compress([0, 1, 1], c, 1)", "torch.compress(torch.ByteTensor { 0, 1, 1 }, c, 2)"),
    ("np.compress([0, 1, 1], y)", "torch.compress(torch.ByteTensor { 0, 1, 1 }, y)"),
    ("place(y, lambda a: np.place(a, a > 1, [10, 20]))", "torch.place(y:clone(), y:gt(1), T { 10, 20 })"),
    ("place(y, lambda a: np.putmask(a, a > 1, [10, 20, 30]))", "torch.putmask(y:clone(), y:gt(1), T { 10, 20, 30 })"),
    ("place(y, lambda a: np.copyto(a, x, where=a > 1))", "torch.copyto(y:clone(), x, y:gt(1))"),
    ("place(y, lambda a: np.copyto(a, x))", "torch.copyto(y:clone(), x)"),
    ("place(y, lambda a: np.put_along_axis(a, np.array([[1], [4]]), 99, 1))",
     "torch.putAlongAxis(y:clone(), torch.LongTensor { { 2 }, { 5 } }, 99, 2)"),
    ("np.take_along_axis(y, np.argsort(y, 1), 1)", "torch.takeAlongAxis(y, torch.argsort(y, 2), 2)"),
    ("P(np.flatnonzero(y > 1))", "torch.flatnonzero(y:gt(1))"), ("P(np.lexsort((x[[4, 1, 0, 2, 3]], [1, 0, 1, 0, 1])))",
     "torch.lexsort { T { 6, 1.5, 1, 3, 4.25 }, T { 1, 0, 1, 0, 1 } }"),
    ("np.digitize(y, [0, 1, 3])", "torch.digitize(y, T { 0, 1, 3 })"),
    ("np.digitize(y, [0, 1, 3], right=True)", "torch.digitize(y, T { 0, 1, 3 }, true)"),
    ("np.digitize(y, [3, 1, 0])", "torch.digitize(y, T { 3, 1, 0 })"),
    ("np.digitize(y, [3, 1, 0], right=True)", "torch.digitize(y, T { 3, 1, 0 }, true)"),
    ("np.partition(i, 3)[3]", "torch.partition(i, 4)[4]"), ("i[np.argpartition(i, 3)[3]]", "i[torch.argpartition(i, 4)[4]]"),
    ("np.cbrt(y)", "torch.cbrt(y)"), ("np.cbrt([1e300, 1e-300, 0.0, 27, -8e-12])", "torch.cbrt(T { 1e300, 1e-300, 0, 27, -8e-12 })"),
    ("np.divmod(y, 1.5)", "torch.divmod(y, 1.5)"), ("np.divmod(i, -4)", "torch.divmod(i, -4)"), ("np.divmod(7, x)", "torch.divmod(7, x)"),
    ("np.modf(y)", "torch.modf(y)"), ("np.modf([-2.5, np.inf])", "torch.modf(T { -2.5, math.huge })"),
    ("np.rint([0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 3.7])", "torch.rint(T { 0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 3.7 })"),
    ("np.around([1.25, 1.35, -2.675, 123.5], 1)", "torch.around(T { 1.25, 1.35, -2.675, 123.5 }, 1)"),
    ("np.around([125.0, 135, 1234], -1)", "torch.around(T { 125, 135, 1234 }, -1)"),
    ("np.around([125, 135, 1234], -2)", "torch.around(torch.LongTensor { 125, 135, 1234 }, -2)"),
    ("np.nextafter([1, 0, -1, 0, 2, nan, 1e300], [2, -1, 0, 1, 2, 1, np.inf]) * 2.0 ** 52",
     "torch.nextafter(T { 1, 0, -1, 0, 2, nan, 1e300 }, T { 2, -1, 0, 1, 2, 1, math.huge }) * 2 ^ 52"),
    ("np.nextafter(np.float32([1, 0, -1, 0]), np.float32([2, -1, -2, 1])) * np.float32(2.0 ** 52)",
     "torch.nextafter(T { 1, 0, -1, 0 }:float(), T { 2, -1, -2, 1 }:float()) * 2 ^ 52"),
    ("np.spacing([1, -1, 1e10, 0, np.inf]) * 2.0 ** 52", "torch.spacing(T { 1, -1, 1e10, 0, math.huge }) * 2 ^ 52"),
    ("np.bitwise_count(i)", "torch.bitwiseCount(i)"),
    ("np.bitwise_count(np.int8([-7, 127, 0, -128]))", "torch.bitwiseCount(torch.CharTensor { -7, 127, 0, -128 })"),
    ("np.unwrap(angles)", "torch.unwrap(angles)"), ("np.unwrap(c * 3, axis=1, period=4)", "torch.unwrap(c * 3, 2, 4)"),
    ("np.unwrap(angles, discont=4)", "torch.unwrap(angles, 1, nil, 4)"),
    ("np.nanprod(g, 0)", "torch.nanprod(g, 1)"), ("np.nanprod(g)", "torch.nanprod(g)"), ("np.nancumsum(g)", "torch.nancumsum(g)"),
    ("np.nancumsum(g, 1)", "torch.nancumsum(g, 2)"), ("np.nancumprod(g, 0)", "torch.nancumprod(g, 1)"),
    ("P(np.nanargmax(g, 1))", "torch.nanargmax(g, 2)"), ("P(np.nanargmin(g))", "torch.nanargmin(g)"),
    ("P(np.nanargmin(g, 0))", "torch.nanargmin(g, 1)"),
    ("np.nanpercentile(g, 30, 1)", "torch.nanpercentile(g, 30, 2)"),
    ("np.nanpercentile(g, [20, 90])", "torch.nanpercentile(g, T { 20, 90 })"),
    ("np.ptp(y, 1)", "torch.ptp(y, 2)"), ("np.ptp(y)", "torch.ptp(y)"),
    ("np.average(y, 1, [1, 2, 3, 4, 5])", "torch.average(y, T { 1, 2, 3, 4, 5 }, 2)"),
    ("np.average(y, weights=y * y)", "torch.average(y, torch.cmul(y, y))"), ("np.average(i)", "torch.average(i)"),
    ("np.ediff1d(y, -99, [88, 77])", "torch.ediff1d(y, -99, T { 88, 77 })"), ("np.ediff1d(i)", "torch.ediff1d(i)"),
    ("np.polyadd(p, q)", "torch.polyadd(p, q)"), ("np.polysub(q, p)", "torch.polysub(q, p)"), ("np.polymul(p, q)", "torch.polymul(p, q)"),
    ("np.polydiv(p, q)", "torch.polydiv(p, q)"), ("np.polydiv(q, p)", "torch.polydiv(q, p)"),
    ("np.polydiv(p, [4.0])", "torch.polydiv(p, T { 4 })"),
    ("np.polyder(p)", "torch.polyder(p)"), ("np.polyder(p, 2)", "torch.polyder(p, 2)"), ("np.polyint(p)", "torch.polyint(p)"),
    ("np.polyint(p, 2, [3, 4])", "torch.polyint(p, 2, { 3, 4 })"), ("np.poly([1, -2, 0.5])", "torch.poly(T { 1, -2, 0.5 })"),
] + [
    (f"np.{f}({a}, {b_}, '{m}')", f"torch.{f}({a}, {b_}, '{m}')") for f in ("convolve", "correlate") for a, b_ in (("x", "q"),
    ("q", "x"), ("p", "x"), ("x", "p"), ("x", "x"))
    for m in ("full", "same", "valid")
] + [
    ("np.apply_along_axis(lambda v: v.max() - v[0], 1, c)", "torch.applyAlongAxis(function(v) return v:max() - v[1] end, 2, c)"),
    ("np.apply_along_axis(np.sort, 0, c)", "torch.applyAlongAxis(function(v) return (torch.sort(v)) end, 1, c)"),
    ("np.apply_along_axis(lambda v: np.outer(v, v)[:2], 2, c)",
     "torch.applyAlongAxis(function(v) return torch.ger(v, v):narrow(1, 1, 2) end, 3, c)"),
    ("np.apply_along_axis(np.diff, 1, c)", "torch.applyAlongAxis(torch.diff, 2, c)"),
    ("np.apply_over_axes(np.sum, c, [0, 2])", "torch.applyOverAxes(torch.sum, c, { 1, 3 })"),
    ("np.vectorize(lambda a, b: a if a > b else b * 2)(y, x)", "torch.vectorize(function(u, v) return u > v and u or v * 2 end)(y, x)"),
    ("np.packbits(b > 20)", "torch.packbits(b:gt(20))"),
    ("np.packbits(i > 2, bitorder='little')", "torch.packbits(i:gt(2), nil, 'little')"),
    ("np.packbits(np.tile(i > 2, (2, 1)), 1)", "torch.packbits(torch.repeatTensor(i:gt(2), 2, 1), 2)"),
    ("np.packbits(b > 20, 0)", "torch.packbits(b:gt(20), 1)"), ("np.unpackbits(b)", "torch.unpackbits(b)"),
    ("np.unpackbits(b, 1, 11)", "torch.unpackbits(b, 2, 11)"),
    ("np.unpackbits(b, 0, bitorder='little')", "torch.unpackbits(b, 1, nil, 'little')"),
    ("np.setxor1d(i, [1, 2, 10, 10])", "torch.setxor1d(i, torch.LongTensor { 1, 2, 10, 10 })"),
    ("np.sort(np.unique_values(i))", "torch.uniqueValues(i)"),
    ("tuple(np.unique_counts(i))", "torch.uniqueCounts(i)"),
    ("(np.unique_inverse(i)[0], P(np.unique_inverse(i)[1]))", "torch.uniqueInverse(i)"),
    ("(lambda u: (u[0], P(u[1]), P(u[2]), u[3]))(np.unique_all(i))", "torch.uniqueAll(i)"),
    ("(lambda u: (u[0], P(u[1]), P(u[2]), u[3]))(np.unique([[2, 1], [1, 5], [2, 1], [1, 3], [2, 1]], True, True, True, 0))",
     "torch.uniqueSlices(torch.LongTensor { { 2, 1 }, { 1, 5 }, { 2, 1 }, { 1, 3 }, { 2, 1 } })"),
    ("(lambda u: (u[0], P(u[1]), P(u[2]), u[3]))(np.unique([[2, 1, 2], [0, 5, 0]], True, True, True, 1))",
     "torch.uniqueSlices(torch.LongTensor { { 2, 1, 2 }, { 0, 5, 0 } }, 2)"),
    ("(lambda h: (h[0], *h[1]))(np.histogramdd(y.T, (2, 3)))", "dd(torch.histogramdd(y:t(), { 2, 3 }))"),
    ("(lambda h: (h[0], *h[1]))(np.histogramdd(y.T, (2, [-2, 1, 8]), [(0, 2), None], True, x))",
     "dd(torch.histogramdd(y:t(), { 2, T { -2, 1, 8 } }, { range = { { 0, 2 }, { 0, 1 } }, density = true, weights = x }))"),
    ("np.histogram2d(y[0], y[1], 2)", "torch.histogram2d(y[1], y[2], 2)"),
] + [
    (f"np.histogram_bin_edges(c, '{r}')", f"torch.histogramBinEdges(c, '{r}')") for r in ("auto",
     "fd", "scott", "doane", "rice", "sturges", "sqrt")
] + [
    (f"np.pad(c, ((1, 2), (0, 3), (2, 0)), '{m}')", f"torch.pad(c, {{ {{ 1, 2 }}, {{ 0, 3 }}, {{ 2, 0 }} }}, '{m}')")
    for m in ("maximum", "minimum", "mean", "median", "linear_ramp")
] + [
    (f"np.pad(i, (2, 3), '{m}', stat_length=3)", f"torch.pad(i, {{ 2, 3 }}, '{m}', 0, 3)") for m in ("maximum", "minimum", "mean", "median")
] + [
    ("np.pad(i, (2, 3), 'linear_ramp', end_values=-4)", "torch.pad(i, { 2, 3 }, 'linear_ramp', -4)"),
    ("np.pad(x, (4, 0), 'linear_ramp', end_values=9)", "torch.pad(x, { 4, 0 }, 'linear_ramp', 9)"),
    ("tuple(np.meshgrid(x, p))", "torch.meshgrid(x, p, { indexing = 'xy' })"), ("tuple(np.meshgrid(x, p, q))", "torch.meshgrid({ x, p, q }, { indexing = 'xy' })"),
    ("tuple(np.meshgrid(x, p, indexing='ij'))", "torch.meshgrid(x, p)"), ("tuple(np.meshgrid(x, indexing='xy'))", "torch.meshgrid(x, { indexing = 'xy' })"),
    ("tuple(np.meshgrid(x, p, sparse=True))", "torch.meshgrid(x, p, { indexing = 'xy', sparse = true })"),
    ("np.cov(y, fweights=[1, 2, 0, 3, 1])", "torch.weightedCov(y, torch.LongTensor { 1, 2, 0, 3, 1 })"),
    ("np.cov(y, aweights=x)", "torch.weightedCov(y, nil, x)"), ("np.cov(y, bias=True, fweights=[1, 2, 0, 3, 1], aweights=x)",
     "torch.weightedCov(y, T { 1, 2, 0, 3, 1 }, x, true)"),
    ("np.cov(y[1], aweights=x)", "torch.weightedCov(y[2], nil, x)"),
    ("np.cov(y, aweights=x)[0, 1] / np.sqrt(np.cov(y, aweights=x)[0, 0] * np.cov(y, aweights=x)[1, 1])", "torch.weightedCorrcoef(y, nil, x)[1][2]"),
    ("np.histogram_bin_edges(i, 3, (0, 10))", "torch.histogramBinEdges(i, 3, 0, 10)"),
    ("np.matvec(c, p)", "torch.matvec(c, p)"), ("np.vecmat(x[:3], c)", "torch.vecmat(x:narrow(1, 1, 3), c)"),
    ("np.matvec(c, np.stack([p, -p])[:, None, :])", "torch.matvec(c, torch.stack { p, -p }:view(2, 1, 4))"),
    ("np.loadtxt(io.StringIO('1 2 3 # a\\n\\n4 5 6'))", "loaded('1 2 3 # a\\n\\n4 5 6')"),
    ("np.loadtxt(io.StringIO('a\\n1;2\\n4;5'), delimiter=';', skiprows=1, usecols=[1])",
     "loaded('a\\n1;2\\n4;5', { delimiter = ';', skiprows = 1, usecols = { 2 } })"),
    ("np.genfromtxt(io.StringIO('1,,3\\n4,x,6'), delimiter=',')", "loaded('1,,3\\n4,x,6', { delimiter = ',' }, 'genfromtxt')"),
    ("np.fromstring('1, 2.5,3', sep=',')", "torch.fromstring('1, 2.5,3', ',')"),
    ("np.fromstring('1 2.5  -3e2', sep=' ')", "torch.fromstring('1 2.5  -3e2')"),
]

TEXTS = [
    ("np.binary_repr(10)", "torch.binaryRepr(10)"), ("np.binary_repr(-10, 6)", "torch.binaryRepr(-10, 6)"),
    ("np.binary_repr(-8, 4)", "torch.binaryRepr(-8, 4)"),
    ("np.binary_repr(-3)", "torch.binaryRepr(-3)"), ("np.binary_repr(0, 3)", "torch.binaryRepr(0, 3)"),
    ("np.base_repr(255, 16)", "torch.baseRepr(255, 16)"),
    ("np.base_repr(-5, 3, 2)", "torch.baseRepr(-5, 3, 2)"), ("np.base_repr(0, 2, 3)", "torch.baseRepr(0, 2, 3)"),
    ("np.array2string(x)", "torch.array2string(x)"),
    ("np.array2string(y, precision=2, separator=', ')", "torch.array2string(y, { precision = 2, separator = ', ' })"),
    ("np.array2string(c)", "torch.array2string(c)"), ("np.array2string(i)", "torch.array2string(i)"),
    ("np.array2string(g)", "torch.array2string(g)"),
    ("np.array2string(np.arange(100), max_line_width=40)", "torch.array2string(torch.arange(100):long(), { linewidth = 40 })"),
    ("np.array2string(np.arange(2000.0).reshape(50, 40))", "torch.array2string(torch.arange(2000):double():view(50, 40))"),
    ("np.array2string(np.arange(2000.0))", "torch.array2string(torch.arange(2000):double())"),
    ("np.array2string(np.array([1e-10, 2.5, 3e10]), precision=3)", "torch.array2string(T { 1e-10, 2.5, 3e10 }, { precision = 3 })"),
    ("np.array2string(x, formatter={'float': lambda v: '<%.2f>' % v})",
     "torch.array2string(x, { formatter = function(v) return ('<%.2f>'):format(v) end })"),
    ("np.array2string(np.array([1 / 3, -20 / 3, np.inf]))", "torch.array2string(T { 1 / 3, -20 / 3, math.huge })"),
    ("np.array2string(np.array([1e-10, 3e10, -2e3]))", "torch.array2string(T { 1e-10, 3e10, -2e3 })"),
    ("np.array_str(y)", "torch.arrayStr(y)"), ("'torch.Double' + 'Tensor' + np.array_repr(x)[5:]", "torch.arrayRepr(x)"),
    ("np.format_float_positional(3.25)", "torch.formatFloatPositional(3.25)"),
    ("np.format_float_positional(1e-7)", "torch.formatFloatPositional(1e-7)"),
    ("np.format_float_positional(1e20)", "torch.formatFloatPositional(1e20)"),
    ("np.format_float_positional(np.pi, 3)", "torch.formatFloatPositional(math.pi, 3)"),
    ("np.format_float_scientific(12345.5)", "torch.formatFloatScientific(12345.5)"),
    ("np.format_float_scientific(1e-7)", "torch.formatFloatScientific(1e-7)"),
    ("np.format_float_scientific(np.pi, 3)", "torch.formatFloatScientific(math.pi, 3)"),
    ("np.format_float_scientific(0.1)", "torch.formatFloatScientific(0.1)"),
    ("(lambda f: (np.savetxt(f, y, '%.2f', ',', header='a\\nb'), f.getvalue())[1])(io.StringIO())",
     "saved(y, { fmt = '%.2f', delimiter = ',', header = 'a\\nb' })"),
    ("(lambda f: (np.savetxt(f, x), f.getvalue())[1])(io.StringIO())", "saved(x)"),
]


def number(v):
    return "0 / 0" if v != v else "%s1 / 0" % ("-" if v < 0 else "") if np.isinf(v) else "%.17g" % v


def figure(value):
    value = np.asarray(value)
    numbers = ", ".join(number(v) for v in value.astype(float).ravel())
    sizes = ", ".join(str(n) for n in value.shape if n != 1)
    return "{ { %s }, { %s } }" % (sizes, numbers)


print("-- Made by numpy_figures.py, of NumPy", np.__version__)
print("return {\n  numbers = {")
for ours, lua in ORDERED:
    value = eval(ours)
    values = value if isinstance(value, tuple) and not isinstance(value, np.ndarray) and "broadcast_shapes" not in ours else (value,)
    if "indices" in lua.lower() and ("tril" in lua or "triu" in lua or "mask" in lua):
        values = (np.stack(value),)
    print('    { [==[%s]==], %s },' % (lua, ", ".join(figure(v) for v in values)))
print("  },\n  texts = {")
for ours, lua in TEXTS:
    print('    { [==[%s]==], %s },' % (lua, '"' + eval(ours).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'))
print("  },\n}")
