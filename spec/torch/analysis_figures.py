#!/usr/bin/env python3
"""Figures for analysis_spec.lua, from NumPy and SciPy: python3 spec/torch/analysis_figures.py >spec/torch/analysis_figures.lua"""
import warnings

import numpy as np
import scipy
import scipy.linalg
from scipy.interpolate import CubicSpline, interp1d

warnings.filterwarnings("ignore")


def lua(value):
    if isinstance(value, (list, tuple, np.ndarray)):
        return "{ " + ", ".join(lua(v) for v in value) + " }"
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    value = float(value)
    if value != value:
        return "0 / 0"
    return "%.16g" % value


x = np.array([1, 1.5, 3, 4.25, 6])
y = np.array([[2, -1, 0.5, 3, 1], [0, 4, 2, -2, 7.5]])
a = np.array([[1, 2, 0], [-1, 0.5, 3], [2, 1, -4]])
gaps = np.array([[1, np.nan, 4, 2], [np.nan, np.nan, 3, np.nan], [5, 5, 5, 5]])
flat = np.array([3, 1, 4, 1, 5, 9, 2, 6.5, -2, 8])
counts, edges = np.histogram(flat, 4)
own, _ = np.histogram(flat, [-2, 1, 3, 9])
density, _ = np.histogram(flat, 3, (0, 6), density=True)
tall = np.array([[1.0, 2, 3], [2, 4, 6], [1, 1, 1]])
space = scipy.linalg.null_space(tall)
small = np.arange(1, 7).reshape(2, 3)
roots = [np.array(sorted((r.real, r.imag) for r in np.roots(p))) for p in ([2, -3, 0, 1, 5], [1, 0, 4], [0, 1, -3, 2, 0])]
pads = [np.pad(small, ((1, 2), (2, 3)), mode=m) for m in ("constant", "edge", "reflect", "symmetric", "wrap")]

within = [1, 1.2, 1.25, 2.25, 3, 3.5, 5.9, 6]

figures = {
    "trapz": [np.trapezoid(y[0]), np.trapezoid(y[0], x), *np.trapezoid(y, dx=0.5), *np.trapezoid(y, x), *np.trapezoid(y, axis=0)],
    "gradient": [np.gradient(y[0]), np.gradient(y[0], 0.5), np.gradient(y[1], x), np.gradient(y, 2, axis=0)[0]],
    "interp": np.interp([0, 1, 1.2, 3.5, 6, 9], x, y[1]),
    "interpBy": [interp1d(x, y[1], kind=kind)(within) for kind in ("cubic", "nearest", "previous", "next")],
    "spline": [CubicSpline(x[:n], y[1][:n])([1, 1.2, x[n - 1] - 0.2, x[n - 1]]) for n in (2, 3, 4)],
    "interpOut": np.interp([0, 1, 1.2, 3.5, 6, 9], x, y[1], -1, -2),
    "polyfit": [np.polyfit(x, y[0], 2), np.polyfit(x, y[1], 4), np.polyfit(x, y[0], 0)],
    "polyval": np.polyval([2, -1, 0.5], x),
    "roots": roots,
    "expm": [scipy.linalg.expm(a), scipy.linalg.expm(8 * a), scipy.linalg.expm(a / 1024)],
    "cond": [np.linalg.cond(a, p) for p in (None, 1, np.inf, "fro", -2)],
    "projector": space @ space.T,
    "nanstd": [np.nanstd(gaps, ddof=1), np.nanstd(gaps)],
    "nanstdRows": [np.nanstd(gaps, axis=1, ddof=1), np.nanstd(gaps, axis=1)],
    "nanvarColumns": np.nanvar(gaps, axis=0),
    "percentile": [np.percentile(flat, q) for q in (0, 12.5, 50, 99)],
    "histogram": [counts, edges, own, density],
    "isin": np.isin(flat, [1, 2, 7]),
    "setdiff": np.setdiff1d(flat, [1, 2, 7]),
    "intersect": np.intersect1d(flat, [1, 2, 7]),
    "union": np.union1d(flat, [1, 2, 7]),
    "pad": pads,
}
print(f"-- Made by analysis_figures.py, of NumPy {np.__version__} and SciPy {scipy.__version__}")
print("return {")
for name, value in figures.items():
    if isinstance(value, (list, np.ndarray)) and isinstance(value[0], (list, np.ndarray)):
        print(f"  {name} = {{")
        for part in value:
            if isinstance(part, np.ndarray) and part.ndim == 2:
                print("    {")
                for row in part:
                    print(f"      {lua(row)},")
                print("    },")
            else:
                print(f"    {lua(part)},")
        print("  },")
    else:
        print(f"  {name} = {lua(value)},")
print("}")
