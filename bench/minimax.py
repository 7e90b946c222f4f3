"""Fits the polynomials in float_formulas-inl.h and tails-inl.h of engine/ops: minimax, by Lawson's reweighted least squares. Prints error and coefficients."""

import mpmath as mp
import numpy as np

mp.mp.dps = 40
HALF_LOG2 = float(mp.log(2) / 2) * 1.0005
HALF_PI = float(mp.pi / 2) * 1.0005
FROM_TANH, FROM_ERF, TO_ERF = 0.625, 0.927734375, 4.0
TAIL = mp.mpf("0.35")


def exp_rest(r):
    """(exp(r) - 1 - r) / r^2"""
    return (mp.exp(r) - 1 - r) / r**2


def tanh_rest(u):
    """(tanh(a) / a - 1) / a^2 by a^2"""
    a = mp.sqrt(u)
    return (mp.tanh(a) / a - 1) / u


def sin_rest(u):
    """(sin(a) / a - 1) / a^2 by a^2"""
    a = mp.sqrt(u)
    return (mp.sin(a) / a - 1) / u


def erf_rest(u):
    """erf(a) / a - 1 by a^2"""
    a = mp.sqrt(u)
    return mp.erf(a) / a - 1


def log_erfc(a):
    """log(erfc(a))"""
    return mp.log(mp.erfc(a))


def exp_of_half(r):
    """(exp(-r / 2) - 1) / r"""
    return (mp.exp(-r / 2) - 1) / r


def tail_ratio(t):
    """exp(z^2 / 2) erfc(z / sqrt(2)) / 2 / t by t = 1 / (1 + 0.35 z)"""
    z = (1 / t - 1) / TAIL
    return mp.erfc(z / mp.sqrt(2)) * mp.exp(z * z / 2) / 2 / t


def fit(f, weight, low, high, count):
    """`count` coefficients that minimise the largest weight(x) |polynomial(x) - f(x)|; weights turn it into a relative error."""
    points = (low + high) / 2 + (high - low) / 2 * np.cos(np.pi * (np.arange(4000) + 0.5) / 4000)
    values = np.array([float(f(mp.mpf(x))) for x in points])
    scale = np.array([float(weight(mp.mpf(x))) for x in points])
    powers, emphasis = np.vander(points, count, increasing=True), np.ones(len(points))
    for _ in range(200):
        rows = scale * np.sqrt(emphasis)
        coefficients = np.linalg.lstsq(powers * rows[:, None], values * rows, rcond=None)[0]
        error = np.abs(powers @ coefficients - values) * scale
        emphasis *= error / error.max()
        emphasis /= emphasis.max()
    print(f.__doc__, f"{error.max():.2g}", [float(np.float32(c)) for c in coefficients], sep="\n")


fit(exp_rest, lambda r: r**2 / mp.exp(r), -HALF_LOG2, HALF_LOG2, 5)
fit(tanh_rest, lambda u: u * mp.sqrt(u) / mp.tanh(mp.sqrt(u)), 0, FROM_TANH**2, 5)
fit(sin_rest, lambda u: u * mp.sqrt(u) / mp.sin(mp.sqrt(u)), 0, HALF_PI**2, 4)
fit(erf_rest, lambda u: mp.sqrt(u) / mp.erf(mp.sqrt(u)), 0, FROM_ERF**2, 7)
fit(log_erfc, lambda a: mp.erfc(a) / mp.erf(a), FROM_ERF, TO_ERF, 7)
fit(exp_of_half, lambda r: abs(r) / mp.exp(-r / 2), -2 * HALF_LOG2, 2 * HALF_LOG2, 5)
fit(tail_ratio, lambda t: 1 / tail_ratio(t), float(1 / (1 + 15 * TAIL)), 1, 9)
