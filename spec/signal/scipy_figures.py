#!/usr/bin/env python3
"""Figures for scipy_spec.lua, from SciPy in float64: python3 spec/signal/scipy_figures.py >spec/signal/scipy_figures.lua

For each call of scipy_spec.lua: all numbers of its result, positions counted from 1. Signals are formulas, which scipy_spec.lua has, too.
"""
import numpy as np
import scipy
import scipy.signal as sg


def signal(n):
    i = np.arange(1, n + 1, dtype=np.float64)
    return np.sin(0.1 * i) + 0.5 * np.cos(0.73 * i + 1) + 0.1 * np.sin(i * i % 7)


x = signal(60)
short = signal(7)
# Plateaus of whole numbers.
steps = np.floor(3 * signal(60))
t = np.linspace(-9, 9, 37)


def peaks(x, **options):
    found, properties = sg.find_peaks(x, **options)
    columns = [found + 1]
    for name in ('peak_heights', 'left_thresholds', 'right_thresholds', 'prominences', 'left_bases', 'right_bases', 'widths', 'width_heights',
                 'left_ips', 'right_ips', 'plateau_sizes', 'left_edges', 'right_edges'):
        if name in properties:
            isPosition = name in ('left_bases', 'right_bases', 'left_ips', 'right_ips', 'left_edges', 'right_edges')
            columns.append(properties[name] + isPosition)
    return np.concatenate(columns)


def prominences(wlen):
    found = sg.find_peaks(x)[0]
    values, left, right = sg.peak_prominences(x, found, wlen)
    return np.concatenate([values, left + 1, right + 1])


def widths(share, wlen):
    found = sg.find_peaks(x)[0]
    values, heights, left, right = sg.peak_widths(x, found, share, wlen=wlen)
    return np.concatenate([values, heights, left + 1, right + 1])


def fitted(x, window, order):
    """Savitzky and Golay's filter by Legendre polynomials: SciPy's powers of positions lose digits (4e-6) in long windows."""
    from numpy.polynomial import legendre
    at, half, y = np.linspace(-1, 1, window), window // 2, np.empty_like(x)
    for i in range(len(x)):
        first = min(max(i - half, 0), len(x) - window)
        coefficients = legendre.legfit(at, x[first:first + window], order)
        y[i] = legendre.legval(at, coefficients)[i - first]
    return y


every = (None, None)
figures = {
    'findPeaks': peaks(x, height=every),
    'findPeaks all': peaks(x, height=every, threshold=every, prominence=every, width=every, plateau_size=every),
    'findPeaks plateaus': peaks(steps, height=every, threshold=every, prominence=every, width=every, plateau_size=every),
    'findPeaks height': peaks(x, height=(0, 1)),
    'findPeaks threshold': peaks(x, height=every, threshold=(0.02, 0.3)),
    'findPeaks distance': peaks(x, height=every, distance=10.5),
    'findPeaks distance plateaus': peaks(steps, height=every, distance=7),
    'findPeaks prominence': peaks(x, height=every, prominence=0.3),
    'findPeaks width': peaks(x, height=every, width=2.5, rel_height=0.7),
    'findPeaks wlen': peaks(x, height=every, prominence=0.2, width=every, wlen=8),
    'findPeaks plateauSize': peaks(steps, height=every, plateau_size=(2, 4)),
    'peakProminences': prominences(None),
    'peakProminences wlen': prominences(11),
    'peakWidths': widths(0.5, None),
    'peakWidths wlen': widths(0.9, 15),
    'savgol': sg.savgol_filter(x, 7, 3),
    'savgol first': sg.savgol_filter(x, 9, 4, deriv=1, delta=0.25),
    'savgol second mirror': sg.savgol_filter(x, 5, 2, deriv=2, mode='mirror'),
    'savgol nearest': sg.savgol_filter(x, 11, 2, mode='nearest'),
    'savgol wrap': sg.savgol_filter(x, 11, 5, mode='wrap'),
    'savgol constant': sg.savgol_filter(x, 11, 1, mode='constant', cval=0.5),
    'savgol beyond': sg.savgol_filter(x, 5, 1, deriv=2),
    'savgol rows': sg.savgol_filter(x.reshape(3, 20), 7, 2),
    'savgol whole': sg.savgol_filter(short, 7, 6),
    'savgol long': fitted(x, 51, 8),
    'savgolWeights': sg.savgol_coeffs(9, 3, use='dot'),
    'savgolWeights third': sg.savgol_coeffs(9, 4, deriv=3, delta=0.5, use='dot'),
    'medfilt': sg.medfilt(x),
    'medfilt 7': sg.medfilt(x, 7),
    'medfilt long': sg.medfilt(short, 9),
    'medfilt picture': sg.medfilt(x.reshape(6, 10), [3, 5]),
    'detrend': sg.detrend(x),
    'detrend constant': sg.detrend(x, type='constant'),
    'detrend breaks': sg.detrend(x, bp=[10, 31]),
    'detrend rows': sg.detrend(x.reshape(3, 20)),
    'convolve': np.convolve(x, short),
    'convolve same': sg.convolve(x, short, 'same'),
    'convolve same swapped': sg.convolve(short, x, 'same'),
    'convolve valid': sg.convolve(short, x, 'valid'),
    'convolve fft': sg.convolve(x, x),
    'correlate': sg.correlate(x, short),
    'correlate same': sg.correlate(x, signal(6), 'same'),
    'correlate swapped': sg.correlate(short, x),
    'correlate valid': sg.correlate(x, short, 'valid'),
    'correlationLags': sg.correlation_lags(5, 8),
    'correlationLags same': sg.correlation_lags(9, 5, 'same'),
    'correlationLags valid': sg.correlation_lags(9, 4, 'valid'),
    'sosfiltfilt': sg.sosfiltfilt(sg.butter(5, 0.2, output='sos'), x),
    'sosfiltfilt high': sg.sosfiltfilt(sg.cheby1(4, 1, 0.3, 'high', output='sos'), x),
    'decimate': sg.decimate(x, 4),
    'decimate order': sg.decimate(x, 3, n=4),
    'decimate delayed': sg.decimate(x, 3, zero_phase=False),
    'decimate fir': sg.decimate(x, 4, ftype='fir'),
    'decimate fir order': sg.decimate(x, 5, n=30, ftype='fir'),
    'decimate fir delayed': sg.decimate(x, 5, n=15, ftype='fir', zero_phase=False),
    'square': sg.square(t),
    'square duty': sg.square(t, 0.3),
    'square duties': sg.square(t, np.linspace(0, 1, 37)),
    'sawtooth': sg.sawtooth(t),
    'sawtooth triangle': sg.sawtooth(t, 0.5),
    'sawtooth falling': sg.sawtooth(t, 0),
    'sawtooth widths': sg.sawtooth(t, np.linspace(0, 1, 37)),
}

print(f'-- Made by scipy_figures.py, of SciPy {scipy.__version__}\nreturn {{')
for name, y in figures.items():
    numbers = ', '.join(f'{value:.12g}' for value in np.asarray(y, dtype=np.float64).reshape(-1))
    line = f"  ['{name}'] = {{ {numbers} }},"
    while len(line) > 138:
        cut = line.rfind(' ', 0, 138)
        print(line[:cut])
        line = '   ' + line[cut:]
    print(line)
print('}')
