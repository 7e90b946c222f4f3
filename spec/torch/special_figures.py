# Writes spec/torch/special_figures.lua: Bessel functions, functions of the normal distribution and the zeta function of small and large
# arguments. `python3 spec/torch/special_figures.py >spec/torch/special_figures.lua`, with mpmath.
import mpmath as m

m.mp.dps = 40


def ndtri(p):
    start = -m.sqrt(-2 * m.log(min(p, 1 - p)))
    x = m.findroot(lambda z: m.log(m.erfc(-z / m.sqrt(2)) / 2) - m.log(min(p, 1 - p)), start)
    return x if p < 0.5 else -x


def zeta(s, q):  # many terms, and Euler & Maclaurin's formula for the others; mpmath's loses digits for large q
    n = max(3000, 30 * int(s))
    far = q + n
    rest = far ** (1 - s) / (s - 1) + far**-s / 2 + s * far ** (-s - 1) / 12 - s * (s + 1) * (s + 2) * far ** (-s - 3) / 720
    return m.fsum((q + k) ** -s for k in range(n)) + rest


far = [1e-200, 1e-8, 0.1, 0.99, 1.01, 1.9, 2.1, 3.3, 7.0, 12.0, 20.0, 24.9, 25.1, 29.0, 31.0, 100.0, 700.0, 1e5]
functions = {
    "besselJ0": (lambda x: m.besselj(0, x), far), "besselJ1": (lambda x: m.besselj(1, x), far + [-3.3, -30.0]),
    "besselY0": (lambda x: m.bessely(0, x), far), "besselY1": (lambda x: m.bessely(1, x), far),
    "i0": (lambda x: m.besseli(0, x), far + [-3.3]), "i1": (lambda x: m.besseli(1, x), far + [-3.3]),
    "i0e": (lambda x: m.besseli(0, x) * m.exp(-abs(x)), far + [-40.0]), "i1e": (lambda x: m.besseli(1, x) * m.exp(-abs(x)), far + [-40.0]),
    "modifiedBesselK0": (lambda x: m.besselk(0, x), far), "modifiedBesselK1": (lambda x: m.besselk(1, x), far),
    "scaledModifiedBesselK0": (lambda x: m.besselk(0, x) * m.exp(x), far), "scaledModifiedBesselK1": (lambda x: m.besselk(1, x) * m.exp(x), far),
    "sphericalBesselJ0": (lambda x: m.sin(x) / x, far),
    "erfcx": (lambda x: m.exp(x * x) * m.erfc(x), [-5.0, -1.0, 0.3, 1.99, 2.0, 5.0, 30.0, 1e8]),
    "logNdtr": (lambda x: m.log(m.erfc(-x / m.sqrt(2)) / 2), [-1e5, -40.0, -5.0, -1.0, -0.5, 0.1, 1.0, 5.0, 9.0, 30.0]),
    "ndtri": (ndtri, [1e-300, 1e-20, 1e-3, 0.1, 0.3, 0.499, 0.6, 0.9, 1 - 1e-10]),
}
print("-- Written by spec/torch/special_figures.py, with mpmath. A row is an op, its arguments and the value.")
print("return {")
for name, (f, arguments) in functions.items():
    for x in arguments:
        value = f(m.mpf(x))
        if 1e-300 < abs(value) < 1e300:
            print(f"  {{ '{name}', {x!r}, {float(value)!r} }},")
for s in (1.001, 1.5, 2.0, 3.7, 20.0, 150.5, 1000.0):
    for q in (1e-3, 0.5, 1.0, 9.0, 100.0, 1e6):
        value = zeta(m.mpf(s), m.mpf(q))
        if 1e-300 < abs(value) < 1e300:
            print(f"  {{ 'zeta', {s!r}, {q!r}, {float(value)!r} }},")
print("}")
