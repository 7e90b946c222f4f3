#!/usr/bin/env python3
"""SciPy's times of solutions of sparse systems, for bench/sparse_solve.lua, which starts it: reads a name a line and prints the seconds of
one solution. `save FOLDER` writes the matrices."""
import sys
import time

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

rng = np.random.default_rng(3)
line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(300, 300))
n = 10000
places = np.repeat(np.arange(n), 2), rng.integers(0, n, 2 * n)
matrices = {
    "laplacian": sp.csr_array(sp.kronsum(line, line)),
    "random": sp.csr_array(sp.coo_array((rng.normal(size=2 * n), places), shape=(n, n)) + 2 * sp.eye_array(n)),
}
for m in matrices.values():
    m.sum_duplicates()
columns = {name: sp.csc_array(m) for name, m in matrices.items()}
triangle = sp.csr_array(sp.tril(matrices["laplacian"]))
sides = {name: np.cos(np.arange(m.shape[0])) for name, m in matrices.items()}
work = {
    "laplacian": lambda: sla.spsolve(columns["laplacian"], sides["laplacian"], use_umfpack=False),
    "laplacianMmd": lambda: sla.spsolve(columns["laplacian"], sides["laplacian"], permc_spec="MMD_AT_PLUS_A", use_umfpack=False),
    "random": lambda: sla.spsolve(columns["random"], sides["random"], use_umfpack=False),
    "triangle": lambda: sla.spsolve_triangular(triangle, sides["laplacian"]),
}
for request in sys.stdin:
    name = request.split()
    if name[0] == "save":
        for key, m in matrices.items():
            np.savez(f"{name[1]}/{key}.npz", rows=m.indptr.astype(np.int64) + 1, columns=m.indices.astype(np.int64) + 1, values=m.data)
        print("ok", flush=True)
        continue
    start = time.process_time()
    work[name[0]]()
    print(time.process_time() - start, flush=True)
