"""Fits the ratios of polynomials in rational-inl.h and tails-inl.h of engine/ops: through Chebyshev's points, at 60 digits. Prints error and coefficients."""

import mpmath as mp

mp.mp.dps = 60
ROOT = mp.findroot(mp.digamma, mp.mpf("1.4616321449683622"))
MIDDLE = mp.mpf(27) / 32


def near(h):
    """digamma(x) / (x - root) - 1 by x - 1."""
    from_root = h + 1 - ROOT
    return mp.psi(1, ROOT) - 1 if abs(from_root) < 1e-25 else mp.digamma(h + 1) / from_root - 1


def far(s):
    """(digamma(z + 1/2) - log(z)) z^2 by 1 / z^2."""
    z = 1 / mp.sqrt(s)
    return (mp.digamma(z + 0.5) - mp.log(z)) * z**2


def middle(v):
    """erfinv(x) / x - 1 by (27/32)^2 - x^2."""
    x = mp.sqrt(MIDDLE**2 - v)
    return mp.erfinv(x) / x - 1


def tail(s):
    """s - erfinv(1 - exp(-s^2))."""
    return s - mp.erfinv(1 - mp.exp(-(s**2)))


def tail_ratio(z):
    """exp(z^2 / 2) erfc(z / sqrt(2)) / 2."""
    return mp.erfc(z / mp.sqrt(2)) * mp.exp(z * z / 2) / 2


def far_tail_ratio(s):
    """The same times z by 1 / z^2."""
    z = 1 / mp.sqrt(s)
    return tail_ratio(z) * z


def fit(f, low, high, p, q):
    """The ratio of polynomials of degrees p and q that meets f in p + q + 1 points; the second starts with 1."""
    n, low, high = p + q + 1, mp.mpf(low), mp.mpf(high)
    points = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    rows = [[x**j for j in range(p + 1)] + [-f(x) * x**j for j in range(1, q + 1)] for x in points]
    solution = list(mp.lu_solve(mp.matrix(rows), mp.matrix([f(x) for x in points])))
    above, below = solution[: p + 1], [mp.mpf(1), *solution[p + 1 :]]
    steps = [low + (high - low) * mp.mpf(2 * k + 1) / 800 for k in range(400)]
    error = max(abs(mp.polyval(above[::-1], x) / mp.polyval(below[::-1], x) - f(x)) for x in steps)
    print(f.__doc__, mp.nstr(error, 3), [float(c) for c in above], [float(c) for c in below], sep="\n")


fit(near, 0, 2, 7, 6)
fit(far, 0, "0.1601", 5, 5)
fit(middle, 0, MIDDLE**2, 8, 8)
fit(tail, "1.36", 3, 7, 7)
fit(tail, "2.99", "6.08", 5, 6)
fit(tail_ratio, 0, 6, 9, 10)
fit(far_tail_ratio, mp.mpf(1) / 1700, mp.mpf(1) / 36, 5, 5)
