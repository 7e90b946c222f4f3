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


large, small = matrix(100000, 100000, 20), matrix(20000, 20000, 10)
x = {k: rng.normal(size=(100000, k) if k > 1 else 100000) for k in (1, 16, 128)}
work = {
    "vector": lambda: large @ x[1],
    "columns16": lambda: large @ x[16],
    "columns128": lambda: large @ x[128],
    "sparse": lambda: small @ small,
    "sorted": lambda: (small @ small).sort_indices(),
}
for line in sys.stdin:
    name, value = line.split()
    if name == "save":
        for key, m in {"large": large, "small": small}.items():
            np.savez(f"{value}/{key}.npz", rows=m.indptr.astype(np.int64) + 1, columns=m.indices.astype(np.int64) + 1, values=m.data)
        print("ok", flush=True)
        continue
    work[name]()
    start = time.perf_counter()
    for _ in range(int(value)):
        work[name]()
    print((time.perf_counter() - start) / int(value) * 1e3, flush=True)
