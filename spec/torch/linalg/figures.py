#!/usr/bin/env python3
"""Figures for the specs of torch.linalg, from SciPy: python3 spec/torch/linalg/figures.py >spec/torch/linalg/figures.lua"""
import warnings

import numpy as np
import scipy
import scipy.linalg as la
import scipy.sparse.linalg as sla

warnings.filterwarnings("ignore")
rng = np.random.default_rng(0)


def lua(value):
    if isinstance(value, (list, tuple, np.ndarray)):
        return "{ " + ", ".join(lua(v) for v in value) + " }"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return repr(float(value))


def draw(*sizes):
    return np.round(rng.standard_normal(sizes), 3)


inputs = {}
inputs["a"] = a = draw(5, 5)
inputs["rooted"] = rooted = np.round(la.expm(draw(5, 5) / 2), 3)          # without negative eigenvalues
inputs["near"] = near = np.round(np.eye(4) + draw(4, 4) / 50, 4)
inputs["large"] = large = np.round(30 * draw(4, 4), 2)
inputs["tiny"] = tiny = draw(3, 3) * 1e-9
inputs["triangular"] = triangular = np.triu(draw(4, 4)) + 3 * np.eye(4)
inputs["symmetric"] = symmetric = a + a.T
inputs["jordan"] = jordan = np.array([[2.0, 1, 0], [0, 2, 1], [0, 0, 2]])
inputs["nonnormal"] = nonnormal = np.array([[1.0, 1e4, 1], [0, 1.5, 1e3], [0, 0, 2]])

inputs["c"] = c = draw(6) + np.array([5, 0, 0, 0, 0, 0])
inputs["r"] = r = draw(6)
inputs["sides"] = sides = draw(6, 2)
inputs["bands"] = bands = draw(4, 6) + np.array([[0], [5], [0], [0]])
inputs["definiteBands"] = definite_bands = draw(3, 6) + np.array([[0], [0], [7]])
inputs["square"] = square = draw(4, 4)
inputs["other"] = other = draw(3, 3)
inputs["sum"] = total = draw(4, 3)
inputs["control"] = control = draw(4, 2)
inputs["cost"] = cost = np.round(near @ near.T, 6)
inputs["effort"] = effort = np.array([[2.0, 0.5], [0.5, 1]])

inputs["tall"] = tall = draw(5, 3)
inputs["wide"] = wide = draw(3, 5)
inputs["bandsSymmetric"] = bands_symmetric = draw(3, 5)
inputs["unbalanced"] = unbalanced = np.array([[1.0, 1e3, 2e5], [1e-3, 2, 70], [3e-5, 1e-2, 3]])
inputs["shears"] = shears = draw(2, 3, 6).reshape(6, 6)
inputs["observed"] = observed = draw(5, 2)
lower = la.cholesky(cost, lower=True)




def poisson(m):
    line = 2 * np.eye(m) - np.eye(m, k=1) - np.eye(m, k=-1)
    return np.kron(line, np.eye(m)) + np.kron(np.eye(m), line)


grid = poisson(9)
load = np.cos(np.arange(81.0))
uneven = grid + np.diag(np.arange(81.0) / 100)            # no multiple eigenvalues


def iterations(method, **options):
    counted = []
    x, _ = method(grid, load, rtol=1e-8, callback=lambda _: counted.append(1), **options)
    return len(counted)


figures = {
    "iterative": {
        "solution": np.linalg.solve(grid, load),
        "cg": iterations(sla.cg),
        "cgs": iterations(sla.cgs),
        "bicg": iterations(sla.bicg),
        "bicgstab": iterations(sla.bicgstab),
        "minres": iterations(sla.minres),
        "lsqr": sla.lsqr(grid, load, damp=0.5, atol=1e-12, btol=1e-12)[0],
        "lsmr": sla.lsmr(grid, load, damp=0.5, atol=1e-12, btol=1e-12)[0],
        "eigsh LM": np.sort(sla.eigsh(uneven, 3, which="LM")[0]),
        "eigsh SA": np.sort(sla.eigsh(uneven, 3, which="SA")[0]),
        "eigsh sigma": np.sort(sla.eigsh(uneven, 3, sigma=3.3)[0]),
        "svds": np.sort(sla.svds(tall @ wide[:, :4], 2)[1])[::-1],
    },
    "factors": {
        "luFactor": la.lu_factor(square)[0],
        "luFactor pivots": la.lu_factor(square)[1] + 1,
        "choFactor": np.tril(la.cho_factor(cost, lower=True)[0]),
        "choSolve": la.cho_solve((lower, True), control),
        "polar right": np.vstack(la.polar(tall)),
        "polar left": la.polar(wide, side="left")[1],
        "matrixBalance": la.matrix_balance(unbalanced, permute=False)[0],
        "eigvalshTridiagonal": la.eigvalsh_tridiagonal(c, r[:5]),
        "eigvalsBanded": la.eigvals_banded(bands_symmetric),
        "svdvals": la.svdvals(tall),
        "pinvh": la.pinvh(np.outer(c, c)),
        "subspaceAngles": la.subspace_angles(tall, observed),
        "orthogonalProcrustes": la.orthogonal_procrustes(tall, np.roll(tall, 1, 0))[0],
        "orthogonalProcrustes scale": la.orthogonal_procrustes(tall, np.roll(tall, 1, 0))[1],
        "lstsq": la.lstsq(tall, observed)[0],
        "lstsq residuals": la.lstsq(tall, observed)[1],
        "lstsq singular values": la.lstsq(tall, observed)[3],
        "vectorNorm": [np.linalg.vector_norm(tall, ord=p) for p in (2, 1, 3.5, 0, np.inf, -np.inf, -1)],
        "norm": [np.linalg.norm(tall), np.linalg.norm(tall, 1), np.linalg.norm(tall, 2), np.linalg.norm(c, 3)],
        "multiDot": np.linalg.multi_dot([observed.T, tall, wide]),
        "tensorsolve": np.linalg.tensorsolve(shears.reshape(2, 3, 6), sides[:, 0].reshape(2, 3)),
        "tensorinv": np.linalg.tensorinv(shears.reshape(2, 3, 6), 2).reshape(6, 6),
        "choleskyUpdate": la.cholesky(cost + np.outer(control[:, 0], control[:, 0]), lower=True),
        "qr complete": np.abs(la.qr(tall)[1]),
    },
    "matrices": {
        "toeplitz": [la.toeplitz(c[:3]), la.toeplitz(c[:3], r[:3])],
        "toeplitz wide": la.toeplitz(c[:2], r[:4]),
        "circulant": la.circulant(c),
        "hankel": [la.hankel(c[:3]), la.hankel(c[:3], r[:3])],
        "hankel wide": la.hankel(c[:2], r[:4]),
        "convolutionMatrix full": la.convolution_matrix(c[:3], 4, "full"),
        "convolutionMatrix same": la.convolution_matrix(c[:3], 4, "same"),
        "convolutionMatrix valid": la.convolution_matrix(c[:3], 4, "valid"),
        "convolutionMatrix long": la.convolution_matrix(c[:5], 2, "same"),
        "companion": la.companion(c),
        "fiedlerCompanion": [la.fiedler_companion(c)],
        "fiedlerCompanion even": la.fiedler_companion(c[:5]),
        "leslie": la.leslie(c, r[:5]),
        "fiedler": la.fiedler(c),
        "khatriRao": la.khatri_rao(sides, control),
        "diagsvd": la.diagsvd(c[:2], 2, 3),
        "vander": np.vander(c, 4, increasing=True),
        "hilbert": la.hilbert(5),
        "invhilbert": la.invhilbert(9, exact=True),
        "pascal": [la.pascal(5, kind) for kind in ("symmetric", "lower", "upper")],
        "invpascal": [la.invpascal(5, kind) for kind in ("symmetric", "lower", "upper")],
        "hadamard": la.hadamard(8),
        "helmert": la.helmert(5),
        "helmert full": la.helmert(5, full=True),
    },
    "solutions": {
        "solveTriangular upper": la.solve_triangular(triangular, control),
        "solveTriangular lower": la.solve_triangular(square, control, lower=True, trans=1, unit_diagonal=True),
        "solveToeplitz": la.solve_toeplitz((c, r), sides),
        "solveToeplitz symmetric": la.solve_toeplitz(c, sides[:, 0]),
        "solveCirculant": la.solve_circulant(c, sides),
        "matmulToeplitz": la.matmul_toeplitz((c[:4], r), sides),
        "solveBanded": la.solve_banded((2, 1), bands, sides),
        "solvehBanded": la.solveh_banded(definite_bands, sides),
        "choleskyBanded": np.where(np.add.outer(np.arange(3), np.arange(6)) < 2, 0, la.cholesky_banded(definite_bands)),
        "solveSylvester": la.solve_sylvester(square, other, total),
        "solveContinuousLyapunov": la.solve_continuous_lyapunov(square, cost),
        "solveDiscreteLyapunov": la.solve_discrete_lyapunov(square, cost),
        "solveContinuousAre": la.solve_continuous_are(square, control, cost, effort),
        "solveDiscreteAre": la.solve_discrete_are(square, control, cost, effort),
    },
    "functions": {
        "expm a": la.expm(a),
        "expm large": la.expm(large / 30),
        "expm tiny": la.expm(tiny) - np.eye(3),
        "expm nonnormal": la.expm(nonnormal),
        "sqrtm rooted": la.sqrtm(rooted).real,
        "sqrtm triangular": la.sqrtm(triangular).real,
        "sqrtm jordan": la.sqrtm(jordan).real,
        "logm rooted": la.logm(rooted).real,
        "logm near": la.logm(near).real,
        "logm triangular": la.logm(triangular).real,
        "logm jordan": la.logm(jordan).real,
        "signm a": la.signm(a),
        "cosm a": la.cosm(a),
        "sinm a": la.sinm(a),
        "tanm near": la.tanm(near),
        "coshm a": la.coshm(a),
        "sinhm a": la.sinhm(a),
        "tanhm a": la.tanhm(a),
        "fractionalMatrixPower rooted": [la.fractional_matrix_power(rooted, p).real for p in (0.3, -1.7, 0.5, 2)],
        "expmFrechet a": la.expm_frechet(a, large[:1, :1] * np.ones((5, 5)))[1],
        "expmCond a": la.expm_cond(a),
        "funm symmetric": la.funm(symmetric, np.sin).real,
        "funm nonsymmetric": la.funm(triangular, np.sqrt).real,
    },
}


def table(values, indent):
    lines = []
    for key, value in values.items():
        text = table(value, indent + "  ") if isinstance(value, dict) else lua(value)
        lines.append(f"{indent}  ['{key}'] = {text},\n")
    return "{\n" + "".join(lines) + indent + "}"


print(f"-- Written by spec/torch/linalg/figures.py, from NumPy {np.__version__} and SciPy {scipy.__version__}.")
print("return " + table({"inputs": inputs, **figures}, ""))
