"""Writes complex_figures.lua: linear algebra of complex matrices by NumPy and SciPy. Needs both. Run in this folder."""
import numpy as np
import scipy
from scipy import linalg

rng = np.random.default_rng(7)
noise = lambda *sizes: rng.standard_normal(sizes) + 1j * rng.standard_normal(sizes)
a, tall, b, v = noise(4, 4), noise(5, 3), noise(4, 2), noise(4)
c, d = noise(4, 4), noise(4, 4)
h = a @ a.conj().T + np.eye(4)
real = rng.standard_normal((4, 4))
_, logabs = np.linalg.slogdet(a)
sign, _ = np.linalg.slogdet(a)
alpha, beta = 2 - 1j, 0.5 + 3j
w, bands, definite_bands = noise(4), noise(4, 4) + [[0], [4], [0], [0]], noise(2, 4)
definite_bands[1] = 5 + rng.random(4)
definite_bands[0, 0] = 0
column = v + [4, 0, 0, 0]
row = np.concatenate([column[:1], w[1:]])
unbalanced = a * np.outer([1, 1e-3, 40, 1e5], [1, 1e3, 0.02, 1e-5])
effort = b.conj().T @ b + np.eye(2)


def ordered(values):
    return np.array(sorted(values, key=lambda z: (round(z.real, 9), z.imag)))


def moments(x):
    return [np.var(x, ddof=1), np.std(x, ddof=1), np.var(x), np.std(x)]


results = dict(
    a=a, tall=tall, b=b, v=v, c=c, d=d, real=real,
    norms=[np.linalg.norm(tall.ravel(), p) for p in (2, 1, 3, 0.5, -1, np.inf, -np.inf, 0)],
    rowNorms=np.linalg.norm(tall, axis=1), moments=moments(tall), columnVar=np.var(tall, axis=0, ddof=1), rowStd=np.std(tall, axis=1),
    dist=[np.linalg.norm(c - d)], mean=[tall.mean()], prod=[tall.prod()], cumsum=np.cumsum(tall, axis=0), cumprod=np.cumprod(tall, axis=1),
    addmm=beta * c + alpha * (a @ d), addmv=beta * v + alpha * (a @ v), baddbmm=beta * c + alpha * (d @ a),
    solve=np.linalg.solve(a, b), inverse=np.linalg.inv(a), det=[np.linalg.det(a)], sign=[sign], logabs=[logabs], logdet=[np.log(sign) + logabs],
    lu=linalg.lu_factor(a)[0], cholesky=np.linalg.cholesky(h), upper=linalg.cholesky(h), potri=np.linalg.inv(h),
    eigh=np.linalg.eigvalsh(h), eig=ordered(np.linalg.eigvals(a)), eigReal=ordered(np.linalg.eigvals(real).astype(complex)),
    svd=np.linalg.svd(tall, compute_uv=False), projection=tall @ np.linalg.pinv(tall), pinv=np.linalg.pinv(tall),
    lstsq=np.linalg.lstsq(tall, np.concatenate([b, v[None, :2]]), rcond=None)[0], r=np.abs(np.linalg.qr(tall)[1]),
    power=np.linalg.matrix_power(a, 3), inversePower=np.linalg.matrix_power(a, -2), expm=linalg.expm(a),
    matrixNorms=[np.linalg.norm(a, p) for p in ("fro", "nuc", 2, -2, 1, -1, np.inf, -np.inf)], cond=[np.linalg.cond(a), np.linalg.cond(a, 1)],
    vdot=[np.vdot(v, b[:, 0])], vecdot=np.linalg.vecdot(c, d), kron=np.kron(b, b[:2]), outer=np.outer(v, v), trace=[np.trace(a)],
    upperSolve=linalg.solve_triangular(a, b, trans=2), lowerSolve=linalg.solve_triangular(a, b, lower=True),
    cov=np.cov(c), polar=linalg.polar(a)[1],
    sqrtm=linalg.sqrtm(a), logm=linalg.logm(a), fractional=linalg.fractional_matrix_power(a, 0.3), sinm=linalg.sinm(a), signm=linalg.signm(a),
    column=column, row=row, bands=bands, definiteBands=definite_bands, unbalanced=unbalanced,
    sylvester=linalg.solve_sylvester(a, c, d), lyapunov=linalg.solve_continuous_lyapunov(a, c),
    discreteLyapunov=linalg.solve_discrete_lyapunov(a, c), continuousAre=linalg.solve_continuous_are(a, b, h, effort),
    discreteAre=linalg.solve_discrete_are(a, b, h, effort), hessenberg=np.stack(linalg.hessenberg(a, calc_q=True)),
    toeplitz=linalg.solve_toeplitz((column, row), b), hermitianToeplitz=linalg.solve_toeplitz(column + 0, v),
    circulant=linalg.solve_circulant(column, b), matmulToeplitz=linalg.matmul_toeplitz((column[:3], row), b),
    banded=linalg.solve_banded((2, 1), bands, b), definiteBanded=linalg.solveh_banded(definite_bands, b),
    ldl=np.stack(linalg.ldl(c + c.conj().T)[:2]), ldlSymmetric=np.stack(linalg.ldl(c + c.T, hermitian=False)[:2]),
    ldlOrder=linalg.ldl(c + c.conj().T)[2] + 1,
    choleskyBanded=linalg.cholesky_banded(definite_bands), balanced=linalg.matrix_balance(unbalanced, permute=False)[0],
)


def number(x):
    if np.isinf(x):
        return "math.huge"
    return "-0" if x == 0 and np.signbit(x) else repr(float(x))


with open("complex_figures.lua", "w") as out:
    out.write("-- Linear algebra of complex matrices by NumPy %s and SciPy %s: sizes, and elements, of complex ones pairs of parts.\n"
              "-- complex_figures.py writes this file.\nreturn {\n" % (np.__version__, scipy.__version__))
    for name, values in results.items():
        values = np.asarray(values)
        is_complex = np.iscomplexobj(values)
        parts = np.stack([values.real, values.imag], -1).ravel() if is_complex else values.ravel()
        line = "  %s = { size = { %s }, complex = %s," % (name, ", ".join(map(str, values.shape)), "true" if is_complex else "false")
        for x in parts:
            item = " " + number(x) + ","
            if len(line) + len(item) > 138:
                out.write(line + "\n")
                line = "   "
            line += item
        out.write(line.rstrip(",") + " },\n")
    out.write("}\n")
