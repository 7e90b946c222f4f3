#!/usr/bin/env python3
"""SciPy's times of products of sparse matrices, for bench/sparse.lua, which starts it: reads a line for each measurement, NAME COUNT, and
prints the milliseconds of one product, the mean of COUNT. `save FOLDER` writes the matrices."""
import sys
import time

import numpy as np
import scipy.sparse as sp

rng = np.random.default_rng(3)


def matrix(rows, columns, per_row):
    count = rows * per_row
    places = np.repeat(np.arange(rows), per_row), rng.integers(0, columns, count)
    m = sp.csr_array((rng.normal(size=count), places), shape=(rows, columns))
    m.sum_duplicates()
    return m


def blocks(rows, per_row):
    count = rows * per_row
    places = np.repeat(np.arange(rows), per_row), rng.integers(0, rows, count)
    m = sp.coo_array((np.ones(count), places), shape=(rows, rows)).tocsr()
    m.sum_duplicates()
    data = rng.normal(size=(m.nnz, 4, 4))
    return sp.bsr_array((data, m.indices, m.indptr), shape=(4 * rows, 4 * rows))


def diagonals(rows):
    offsets = [0]
    for distance in (1, 2, 3, 10, 20, 50, 100, 500, 1000):
        offsets += [-distance, distance]
    return sp.dia_array((rng.normal(size=(len(offsets), rows)), sorted(offsets)), shape=(rows, rows))


large, small = matrix(100000, 100000, 20), matrix(20000, 20000, 10)
in_columns, in_blocks, on_diagonals, turned = large.tocsc(), blocks(25000, 5), diagonals(100000), large.T
x = {k: rng.normal(size=(100000, k) if k > 1 else 100000) for k in (1, 16, 128)}
work = {
    "sparse": lambda: small @ small,
    "sorted": lambda: (small @ small).sort_indices(),
}
for name, m in {"csr": large, "csc": in_columns, "bsr": in_blocks, "dia": on_diagonals, "transposed": turned}.items():
    for k in x:
        work[f"{name}{k}"] = lambda m=m, k=k: m @ x[k]
for line in sys.stdin:
    name, value = line.split()
    if name == "save":
        for key, m in {"large": large, "small": small, "blocks": in_blocks.tocsr(), "diagonals": on_diagonals.tocsr()}.items():
            np.savez(f"{value}/{key}.npz", rows=m.indptr.astype(np.int64) + 1, columns=m.indices.astype(np.int64) + 1, values=m.data)
        print("ok", flush=True)
        continue
    work[name]()
    start = time.perf_counter()
    for _ in range(int(value)):
        work[name]()
    print((time.perf_counter() - start) / int(value) * 1e3, flush=True)
