"""Writes complex_iterative_figures.lua: some eigenvalues and singular values by ARPACK, and solutions, of complex sparse matrices. Needs SciPy.

Run in this folder. The matrices are those of complex_iterative_spec.lua.
"""
import numpy as np
import scipy
from scipy.sparse import diags
from scipy.sparse.linalg import eigs, eigsh, svds

n = 50
i = np.arange(1.0, n + 1)
general = diags([i * np.exp(1j * i), (1 + 0.5j) * np.ones(n - 1), -0.3j * i[:-2]], [0, 1, -2]).tocsc()
beside = 0.5 * i[:-1] * np.exp(0.1j * i[:-1])
hermitian = diags([i, beside, beside.conj()], [0, 1, -1]).tocsc()
real = diags([np.cos(i) * i, i[:-1], -i[:-1]], [0, 1, -1]).tocsc()
start = np.ones(n)
options = dict(tol=1e-13, return_eigenvectors=False, v0=start, ncv=40)


def ordered(values):
    return np.array(sorted(values, key=lambda z: (-round(abs(z), 9), -z.imag)))


results = dict(
    LM=ordered(eigs(general, 4, which="LM", **options)), LR=ordered(eigs(general, 3, which="LR", **options)),
    SI=ordered(eigs(general, 3, which="SI", **options)), sigma=ordered(eigs(general, 3, sigma=3 + 2j, **options)),
    realLM=ordered(eigs(real, 4, which="LM", **options)), realLI=ordered(eigs(real, 4, which="LI", **options)),
    hermitianLA=np.sort(eigsh(hermitian, 4, which="LA", **options)), hermitianSA=np.sort(eigsh(hermitian, 3, which="SA", **options)),
    hermitianSigma=np.sort(eigsh(hermitian, 3, sigma=20, **options)),
    svds=np.sort(svds(general[:, :30], 4, return_singular_vectors=False, tol=1e-13))[::-1],
)
with open("complex_iterative_figures.lua", "w") as out:
    out.write("-- Eigenvalues and singular values by SciPy %s; pairs of parts are complex. complex_iterative_figures.py writes this file.\n"
              "return {\n" % scipy.__version__)
    for name, values in results.items():
        if np.iscomplexobj(values):
            items = ["{ %r, %r }" % (float(z.real), float(z.imag)) for z in values]
        else:
            items = ["%r" % float(x) for x in values]
        line = "  %s = {" % name
        for k, item in enumerate(items):
            item = " " + item + ("," if k + 1 < len(items) else " },")
            if len(line) + len(item) > 138:
                out.write(line + "\n")
                line = "   "
            line += item
        out.write(line + "\n")
    out.write("}\n")
