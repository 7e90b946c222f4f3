#!/usr/bin/env python3
"""Figures for quantile_spec.lua, from NumPy: python3 spec/torch/quantile_figures.py >spec/torch/quantile_figures.lua"""
import numpy as np

METHODS = """inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear median_unbiased
normal_unbiased lower higher midpoint nearest""".split()
DATA = [3, 1, 4, 1, 5, 9, 2, 6.5, -2, 8]
PARTS = [0, 0.05, 0.1, 0.25, 0.3, 0.45, 0.5, 0.625, 0.75, 0.9, 1]

print("-- Made by quantile_figures.py, of NumPy " + np.__version__)
print("return {")
for count in (10, 7, 1):
    for method in METHODS:
        values = np.quantile(np.array(DATA[:count], dtype=float), PARTS, method=method)
        print(f"  {{ {count}, '{method}',")
        print(f"    {{ {', '.join('%.15g' % v for v in values)} }} }},")
print("}")
