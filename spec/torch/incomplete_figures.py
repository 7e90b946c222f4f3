# Writes spec/torch/incomplete_figures.lua: incomplete gamma and beta functions, their inverses and derivatives, of small and large arguments,
# by series in mpmath, and of arguments too large for a series by SciPy.
# `python3 spec/torch/incomplete_figures.py >spec/torch/incomplete_figures.lua`, with mpmath and scipy.
import math

import mpmath as m
from scipy import special


def gamma_lower(a, x):
    term = total = m.mpf(1)
    n, enough = 0, m.mpf(10) ** (-m.mp.dps - 5)
    while n < x - a or term > total * enough:
        n += 1
        term *= x / (a + n)
        total += term
    return m.exp(a * m.log(x) - x - m.loggamma(a + 1)) * total


def gamma_weight(a, x):
    return m.exp(a * m.log(x) - x - m.loggamma(a))


def beta_log_weight(a, b, x):
    return a * m.log(x) + b * m.log1p(-x) - m.loggamma(a) - m.loggamma(b) + m.loggamma(a + b)


def beta_lower(a, b, x):
    if x > 0.5 and x > a / (a + b):
        return 1 - beta_lower(b, a, 1 - x)  # loses the digits that its smallness takes
    term = total = m.mpf(1)
    n, enough = 0, m.mpf(10) ** (-m.mp.dps - 5)
    while term > total * enough:
        term *= (a + b + n) / (a + 1 + n) * x
        n += 1
        total += term
    return m.exp(beta_log_weight(a, b, x)) / a * total


def slope(f, a):  # the difference has 40 digits
    step = a * m.mpf(10) ** -20
    return (f(a + step) - f(a - step)) / (2 * step)


def show(op, *numbers):
    value = float(numbers[-1])
    if 1e-300 < abs(value) < 1e300:
        print(f"  {{ '{op}', " + ", ".join(repr(float(x)) for x in numbers) + " },")


# The number whose value of f is p, from a nearby number by Newton's method.
def root(f, weight, start, p):
    x = m.mpf(start)
    for _ in range(4):
        x -= (f(x) - p) * x / weight(x)
    return x


def gamma_cases(a, x):
    a, x = m.mpf(a), m.mpf(x)
    lower = gamma_lower(a, x)
    show("gammainc", a, x, lower)
    if lower < 1 - m.mpf(10) ** -40:
        show("gammaincc", a, x, 1 - lower)
    show("gammainc_density", a, x, gamma_weight(a, x) / x)
    log_x = m.mpf(float(m.log(x)))
    at = m.exp(log_x)
    if lower < 0.999999:
        show("gammainc_slope", a, log_x, -slope(lambda b: gamma_lower(b, at), a) / gamma_weight(a, at))


def beta_cases(a, b, x):
    a, b, x = m.mpf(a), m.mpf(b), m.mpf(x)
    show("betainc", a, b, x, beta_lower(a, b, x))
    weight = m.exp(beta_log_weight(a, b, x))
    show("betainc_density", a, b, x, weight / x / (1 - x))
    show("betainc_slope_a", a, b, x, slope(lambda c: beta_lower(c, b, x), a) / weight)
    show("betainc_slope_b", a, b, x, slope(lambda c: beta_lower(a, c, x), b) / weight)


m.mp.dps = 60
print("-- Written by spec/torch/incomplete_figures.py, with mpmath and SciPy. A row is an op, its arguments and the value.")
print("return { exact = {")
for a in (1e-10, 0.01, 0.7, 3.0, 9.9, 10.1, 40.0, 199.0, 201.0, 3000.0, 1e5):
    for ratio in (1e-8, 0.03, 0.5, 0.69, 0.71, 1, 1.05, 1.29, 1.31, 3):
        gamma_cases(a, max(a, 1) * ratio)
for a in (0.05, 0.7, 3.0, 60.0, 250.0):
    for p in (1e-250, 1e-9, 0.2, 0.8):
        for name in ("gammaincinv", "gammainccinv"):
            if p < 1e-60 and name == "gammainccinv":
                continue
            start = getattr(special, name)(a, p)
            wanted = m.mpf(p) if name == "gammaincinv" else 1 - m.mpf(p)
            if 1e-290 < start < 1e290:
                show(name, a, p, root(lambda x: gamma_lower(m.mpf(a), x), lambda x: gamma_weight(m.mpf(a), x), start, wanted))
for a, b in ((1e-5, 3), (0.01, 0.2), (0.6, 5), (2, 1), (4, 9), (9.5, 11), (30, 0.4), (12, 700), (102, 105), (150, 1300), (1100, 1200)):
    mean, deviation = a / (a + b), math.sqrt(a * b / (a + b + 1)) / (a + b)
    for x in (mean, mean + 0.2 * deviation, mean - deviation, mean - 6 * deviation, mean + 8 * deviation, 1e-6):
        if 0 < x < 1:
            beta_cases(a, b, x)
    show("betaln", a, b, m.log(m.beta(m.mpf(a), m.mpf(b))))
    for p in (1e-250, 1e-9, 0.2, 0.8):
        start = special.betaincinv(a, b, p)
        if 1e-290 < start < 0.999:
            show("betaincinv", a, b, p, root(lambda x: beta_lower(m.mpf(a), m.mpf(b), x),
                                             lambda x: m.exp(beta_log_weight(m.mpf(a), m.mpf(b), x)) / (1 - x), start, m.mpf(p)))
show("betaln", 1e-10, 2e9, m.log(m.beta(m.mpf(1e-10), m.mpf(2e9))))
show("betaln", 5.0, 2e9, m.log(m.beta(m.mpf(5), m.mpf(2e9))))
show("betaln", 3e8, 2e9, m.log(m.beta(m.mpf(3e8), m.mpf(2e9))))
print("}, scipy = {")
# SciPy's lower tails have no right digit there.
for a in (1e6, 1e9, 1e12):
    for z in (-1, 0, 2, 7):
        x = a + z * math.sqrt(a)
        show("gammainc", a, x, special.gammainc(a, x))
        show("gammaincc", a, x, special.gammaincc(a, x))
    for p in (0.3, 0.9):
        show("gammaincinv", a, p, special.gammaincinv(a, p))
for a, b in ((1e5, 2e5), (1e7, 50.0), (1e8, 1e8), (1e4, 1e9), (1e10, 0.5)):
    for z in (-5, -1, 0.1, 3):
        x = a / (a + b) + z * math.sqrt(a * b / (a + b + 1)) / (a + b)
        if 0 < x < 1:
            show("betainc", a, b, x, special.betainc(a, b, x))
    for p in (1e-9, 0.3, 0.9):
        show("betaincinv", a, b, p, special.betaincinv(a, b, p))
print("} }")
