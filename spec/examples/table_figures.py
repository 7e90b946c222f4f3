#!/usr/bin/env python3
"""Writes table_figures.lua, what pandas 3 and NumPy compute of examples/data/penguins.csv: python3 spec/examples/table_figures.py"""
import os

import numpy as np
import pandas as pd

here = os.path.dirname(os.path.abspath(__file__))
penguins = pd.read_csv(os.path.join(here, '../../examples/data/penguins.csv')).dropna(subset=['sex', 'body_mass_g'])
mass = penguins.groupby('species')['body_mass_g']
lines = ['-- Written by table_figures.py: what pandas and NumPy compute of the penguins.', 'return {', '  count = %d,' % len(penguins)]
for name in sorted(penguins['species'].unique()):
    rows = penguins[penguins['species'] == name]
    slope, intercept = np.polyfit(rows['flipper_length_mm'], rows['body_mass_g'], 1)
    sexes = rows.groupby('sex')['body_mass_g'].mean()
    lines.append('  %s = { mean = %.6g, std = %.6g, q = %.6g, slope = %.6g, intercept = %.6g, female = %.6g, male = %.6g },' % (
        name, mass.mean()[name], mass.std()[name], mass.quantile(0.9)[name], slope, intercept, sexes['female'], sexes['male']))
lines.append('}')
with open(os.path.join(here, 'table_figures.lua'), 'w') as out:
    out.write('\n'.join(lines) + '\n')
