#!/usr/bin/env python3
"""Files and matrices of SciPy for sparse_files_spec.lua: python3 spec/torch/sparse_files.py >spec/torch/sparse_files.lua"""
import io
import textwrap

import numpy as np
import scipy
import scipy.io
import scipy.sparse as sp

a = sp.csr_array(np.array([[0, 1.5, 0, 0], [-2, 0, 0, 1e-300], [0, 0, 0, 0]]))
b = sp.csr_array(np.array([[2, 0], [0.1, -3]]))
symmetric = np.array([[1, 2, 0], [2, 0, -0.25], [0, -0.25, 4]])
skew = np.array([[0, -3, 0], [3, 0, 7], [0, -7, 0]])
z = np.array([[0, 1.5 - 2j, 0], [-2j, 0, 0.1 + 1e-300j]])
hermitian = np.array([[1, 2 + 1j, 0], [2 - 1j, 0, -0.25j], [0, 0.25j, 4]])
blocks = np.zeros((4, 6))
blocks[:2, 3:] = [[1, 2, 3], [4, 0, 6]]
blocks[2:, :3] = [[0, 0, 7], [8, 9, 0]]


def text(name, value):
    print(f"  {name} = [==[\n{value}]==],")


def market(name, x, **options):
    out = io.BytesIO()
    scipy.io.mmwrite(out, x, **options)
    text(name, out.getvalue().decode())


def archive(name, x, compressed):
    out = io.BytesIO()
    sp.save_npz(out, x, compressed=compressed)
    text(name, "\n".join(textwrap.wrap(out.getvalue().hex(), 120)) + "\n")


def dense(name, x):
    rows = ", ".join("{ " + ", ".join("%.17g" % v for v in row) + " }" for row in x.toarray())
    print("\n".join(textwrap.wrap(f"{name} = {{ {rows} }},", 130, initial_indent="  ", subsequent_indent="    ")))


print("-- Made by sparse_files.py, of SciPy " + scipy.__version__)
print("return {")
market("general", a)
market("symmetric", sp.coo_array(symmetric), symmetry="symmetric")
market("skew", sp.coo_array(skew.astype(np.int64)), symmetry="skew-symmetric")
market("pattern", sp.coo_array(symmetric), field="pattern", symmetry="symmetric")
market("array", a.toarray())
market("symmetricArray", symmetric, symmetry="symmetric")
market("complex", sp.coo_array(z))
market("complexArray", z)
market("hermitian", sp.coo_array(hermitian), symmetry="hermitian")
market("hermitianArray", hermitian, symmetry="hermitian")
market("integers", np.array([[1, 2], [-3, 4]]))
archive("csr", a, True)
archive("bsr", sp.bsr_array(blocks, blocksize=(2, 3)), True)
archive("dia", sp.dia_array((np.array([[1.0, 2, 3, 4], [5, 6, 7, 8]]), np.array([1, -2])), shape=(5, 4)), False)
archive("complexCsc", sp.csc_array(z), True)
archive("csc", a.tocsc(), False)
archive("coo", a.tocoo(), True)
dense("a", a)
dense("blocks", sp.coo_array(blocks))
dense("re", sp.coo_array(z.real))
dense("im", sp.coo_array(z.imag))
dense("hermitianRe", sp.coo_array(hermitian.real))
dense("hermitianIm", sp.coo_array(hermitian.imag))
dense("diaDense", sp.dia_array((np.array([[1.0, 2, 3, 4], [5, 6, 7, 8]]), np.array([1, -2])), shape=(5, 4)))
dense("b", b)
dense("kron", sp.kron(b, a))
dense("hstack", sp.hstack([a, a[:, :2]]))
dense("vstack", sp.vstack([a, 2 * a]))
dense("blockDiag", sp.block_diag([a, b]))
dense("tril", sp.tril(a, -1))
dense("triu", sp.triu(a, 1))
dense("eye", sp.eye_array(3, 5, k=-1))
dense("diags", sp.diags_array([[1, 2, 3], [4, 5]], offsets=[-1, 1], shape=(4, 3), dtype=float))
print("}")
