#!/usr/bin/env python3
"""Figures for the specs of torch.linalg, from SciPy: python3 spec/torch/linalg/figures.py >spec/torch/linalg/figures.lua"""
import warnings

import numpy as np
import scipy
import scipy.linalg as la

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

figures = {
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
