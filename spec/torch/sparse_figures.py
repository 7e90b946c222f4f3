#!/usr/bin/env python3
"""Figures for sparse_spec.lua, from SciPy: python3 spec/torch/sparse_figures.py >spec/torch/sparse_figures.lua"""
import textwrap

import numpy as np
import scipy
import scipy.sparse as sp

rng = np.random.default_rng(5)


def matrix(rows, columns, count):
    places = rng.choice(rows * columns, count, replace=False)
    values = np.round(rng.normal(size=count), 3)
    return sp.csr_array((values, (places // columns, places % columns)), shape=(rows, columns))


def table(indent, name, values):
    text = f"{name} = {{ {', '.join('%.15g' % v for v in values)} }},"
    print("\n".join(textwrap.wrap(text, 136, initial_indent=indent, subsequent_indent=indent + "  ")))


def line(name, x):
    table("  ", name, np.asarray(x).ravel())


def entries(name, s):
    s = sp.csr_array(s)
    s.sum_duplicates()
    print(f"  {name} = {{")
    print(f"    sizes = {{ {s.shape[0]}, {s.shape[1]} }},")
    table("    ", "rows", s.indptr + 1)
    table("    ", "columns", s.indices + 1)
    table("    ", "values", s.data)
    print("  },")


a, b, c = matrix(5, 7, 13), matrix(5, 7, 11), matrix(7, 4, 9)
x = np.round(rng.normal(size=(7, 3)), 3)
print("-- Made by sparse_figures.py, of SciPy " + scipy.__version__)
print("return {")
entries("a", a)
entries("b", b)
entries("c", c)
line("x", x)
line("mv", a @ x[:, 0])
line("mm", a @ x)
line("left", x.T @ c)
entries("product", a @ c)
entries("gram", a @ a.T)
entries("sum", a + 2 * b)
entries("difference", a - b)
entries("elementwise", a.multiply(b))
entries("transposed", a.T)
entries("rows", a[[4, 0, 4]])
entries("part", a[1:4])
entries("columns", a[:, 2:6])
line("sums1", a.sum(axis=0))
line("sums2", a.sum(axis=1))
line("means2", a.mean(axis=1))
line("norm", scipy.sparse.linalg.norm(a))
line("diagonal", a.diagonal())
line("largest", a.max())
line("least", a.min())
entries("tanh", np.tanh(a))
print("}")
