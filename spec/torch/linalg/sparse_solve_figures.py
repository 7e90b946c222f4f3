#!/usr/bin/env python3
"""Figures for sparse_solve_spec.lua: python3 spec/torch/linalg/sparse_solve_figures.py >spec/torch/linalg/sparse_solve_figures.lua"""
import textwrap

import numpy as np
import scipy
import scipy.sparse as sp
import scipy.sparse.linalg as sla

rng = np.random.default_rng(11)
n = 9


def line(name, x):
    text = f"{name} = {{ {', '.join('%.17g' % v for v in np.asarray(x, dtype=float).ravel())} }},"
    print("\n".join(textwrap.wrap(text, 136, initial_indent="  ", subsequent_indent="    ")))


def draw(*sizes):
    return np.round(rng.standard_normal(sizes), 3)


def keep(x, share):
    return np.where(rng.random(x.shape) < share, x, 0)


# Without most of the diagonal: pivots lie elsewhere.
a = keep(draw(n, n), 0.25)[:, rng.permutation(n)] + 2 * np.eye(n)[:, rng.permutation(n)]
im = np.where(a != 0, draw(n, n), 0)
z = a + 1j * im
b, c = draw(n, 2), draw(n, 2)
lower = np.tril(keep(draw(n, n), 0.4), -1) + np.diag(draw(n) + 3)
upper = np.triu(keep(draw(n, n), 0.4), 1) + np.diag(draw(n) + 3)
csc = sp.csc_array(a)

print("-- Made by sparse_solve_figures.py, of SciPy " + scipy.__version__)
print("return {")
print(f"  n = {n},")
for name, x in (("a", a), ("im", im), ("b", b), ("c", c), ("lower", lower), ("upper", upper)):
    line(name, x)
line("solution", sla.spsolve(csc, b))
line("transposed", sla.splu(csc).solve(b, "T"))
solution = sla.spsolve(sp.csc_array(z), b + 1j * c)
line("solutionRe", solution.real)
line("solutionIm", solution.imag)
conjugate = sla.splu(sp.csc_array(z)).solve(b + 1j * c, "H")
line("conjugateRe", conjugate.real)
line("conjugateIm", conjugate.imag)
sign, size = np.linalg.slogdet(a)
line("slogdet", [sign, size])
sign, size = np.linalg.slogdet(z)
line("slogdetComplex", [sign.real, sign.imag, size])
line("byLower", sla.spsolve_triangular(sp.csr_array(lower), b))
line("byUpper", sla.spsolve_triangular(sp.csr_array(upper), b, lower=False))
unit = np.tril(lower, -1) + np.eye(n)
line("byUnit", sla.spsolve_triangular(sp.csr_array(unit), b, unit_diagonal=True))
line("byTransposedLower", sla.spsolve_triangular(sp.csr_array(lower.T), b, lower=False))
for boundary in ("neumann", "dirichlet", "periodic"):
    line(boundary, sla.LaplacianNd((3, 4, 2), boundary_conditions=boundary).toarray())
print("}")
