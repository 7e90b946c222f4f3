# Writes spec/cephes/sweep.lua by mpmath with 40 digits: `python3 spec/cephes/sweep.py >spec/cephes/sweep.lua`. Arguments are small and large,
# on both sides of the places where algorithms change, negative, and close to poles and branch points. Values below 1e-300 are left out.
import mpmath as m

m.mp.dps = 40
rows = []


def add(name, f, *cases):
    for case in cases:
        case = case if isinstance(case, tuple) else (case,)
        values = f(*[m.mpf(float(x)) for x in case])
        values = values if isinstance(values, tuple) else (values,)
        values = [float(m.re(v)) for v in values]
        if all(1e-300 < abs(v) < 1e300 or v == 0 for v in values):
            rows.append((name, case, values))


def product(*lists):
    cases = [()]
    for one in lists:
        cases = [c + (x,) for c in cases for x in one]
    return cases


def jacobi(u, k):
    sn, cn, dn = (m.re(m.ellipfun(name, u, m=k)) for name in ("sn", "cn", "dn"))
    turns = m.floor(u / (2 * m.ellipk(k)) + 0.5) if k < 1 else 0
    sign = (-1) ** int(turns)
    return sn, cn, dn, turns * m.pi + m.atan2(sign * sn, sign * cn)


def both(*xs):
    return [x for y in xs for x in (y, -y)]


x = [1e-20, 1e-3, 0.3, 0.9, 1, 1.5, 1.99, 2.01, 3, 6.6, 6.7, 10, 20.5, 36.9, 37.1, 39.9, 40.1, 100]
add("ellpk", lambda x: m.pi / 2 / m.agm(1, m.sqrt(x)), 1e-250, 1e-20, 1e-3, 0.3, 0.999999, 1.5, 1e5)
add("ellpe", lambda x: m.ellipe(1 - x), 1e-250, 1e-20, 1e-3, 0.0999, 0.1001, 0.5, 0.999999, 1, 1.5, 1e5)
phi = [1e-10, 0.7, 1.57, 1.5707963267948966, 1.6, 4.7, -0.3, -8, 1000.3]
m_ = [-40, -3, 0.05, 0.3, 0.8]
add("ellik", m.ellipf, (4.71238898038469, 1 - 1e-15), (7.853981633974483, 0.999999), (1e5, 0.9999))
add("ellik", m.ellipf, *product([0.4, 0.9, 1.3], m_))
add("ellie", m.ellipe, *product([0.4, 0.9, 1.3], m_))
add("ellik", m.ellipf, *product(phi, [-1e10, -1, 1e-10, 0.5, 0.99, 1 - 1e-15]))
add("ellie", m.ellipe, *product(phi, [-1e10, -1, 1e-10, 0.5, 0.99, 1 - 1e-15]), (0.7, 1))
add("ellpj", jacobi, *product([1e-10, 0.2, 1.8, 5, -3, 9.3], [0, 1e-12, 0.1, 0.5, 0.50001, 0.99, 1 - 1e-9, 1 - 1e-15, 1]))
add("expn", m.expint, *product([0, 1, 2, 7, 1000], x))
add("ei", lambda x: m.ei(x) if x > 0 else -m.e1(-x), *both(*x), 0.37, 0.375, 700, 714.5)
add("sici", lambda x: (m.si(x), m.ci(abs(x))), *both(*x), 0.61, 12345.6)
add("shichi", lambda x: (m.shi(x), m.chi(abs(x))), *both(*x), 0.52, 0.53, 714.5)
add("fresnl", lambda x: (m.fresnels(x), m.fresnelc(x)), *both(*x), 4.78, 4.8, 12345.678, 1.5e7)
add("dawsn", lambda x: m.exp(-x * x) * m.erfi(x) * m.sqrt(m.pi) / 2, *both(*x[:-4]))
add("spence", lambda x: m.polylog(2, 1 - x) if x <= 2 else -m.log(x) ** 2 / 2 - m.polylog(2, 1 - 1 / x), *x, 0.49, 1e10)
add("zetac", lambda x: m.zeta(x) - 1 if x < 3 else m.zeta(x, 2), -200.4, -100.5, -19.99, -7.3, -1e-4, -3, -1, -0.5, 0, 0.5, 0.999, 1.001, 2, 3, 20, 40, 900)
add("polylog", m.polylog, *product([2, 3, 6], [-1000.5, -2, -1.01, -1, -0.9, -0.6, -0.4, 0.3, 0.6, 0.99, 1]), *product([-20, -11, -4, -1, 0], [-1e5, -3, -0.99, 0.2, 0.7]),
    (1, 0.9), (149, 0.8))
z = [1e-10, 0.5, 1.9, 2, 3.7, 12.3, 19.9, 20.1, 50, 123, 500, 1000.5]
add("jv", m.besselj, *product([0, 1, 0.3, 7.7, 33.3, 250.5, 1000, -0.5, -2, -3.3], z))
add("yv", m.bessely, *product([0, 1, 0.3, 7.7, 33.3, 250.5, -0.5, -2, -3.3], z))
add("iv", m.besseli, *product([0, 0.3, 7.7, 250.5, -2, -3.3], z))
add("kn", m.besselk, *product([0, 1, -2, 5, 100], z))
add("jn", m.besselj, (3, -2.5), (2, 12345.6), (-3, 1.5), (10, 1e8))
add("yn", m.bessely, (3, 2.5), (2, 12345.6), (-3, 1.5))
add("iv", m.besseli, (3, -2.5), (2, -0.1), (1000, 900), (300, 900), (10, 690))
add("kn", m.besselk, (1000, 500), (1000, 900), (30, 29), (20, 45))
add("struve", m.struveh, *product([0, 2, 0.3, 10.4, 100, -0.5, -1, -2.2, -7.7], [1e-5, 1, 10, 20.1, 36, 60, 180, 500]), (2, -3), (1, -3))
add("airy", lambda x: tuple(f(x, derivative=d) for f in (m.airyai, m.airybi) for d in (0, 1)), *both(1e-10, 1, 5, 8.99, 9.01, 30, 80), 0, -1e5)
add("hyperg", m.hyp1f1, *product([0.5, 2.3, -0.5, -2, -10.2], [0.5, 2.5, 30, -4.5], [1e-10, 1, 39, 300, -1, -20, -45, -600, -1e4]), (-2, -3, 1.5), (0.5, 100, 690), (1, 100, 100), (200, 300, -60), (1.5, 250, 80), (170, 2.5, 60), (2.5, 170.5, -900), (2.5, -0.5, 120),
    (180, 175.5, 600), (3.5, 1.5, -700), (12, 0.5, 55))
add("hyp2f1", m.hyp2f1, *product([0.5, 2.3, -0.5, -3], [1, 3.2, -1.5], [0.5, 2, -2.3], [-1e8, -3, -0.6, -0.3, 0.3, 0.7, 0.99, 1 - 1e-12]))
add("hyp2f1", m.hyp2f1, (20, 30, 15.5, 0.8), (20, 30, 15.5, -5), (-20.5, 30, 5, 0.9), (1.5, 2.5, 5, -1e50), (200, 201, 3, 0.5), (-80, 3, 2.5, 0.6),
    (-10, 5, 3, 7), (1, 1.5, 3.5, 1), (-3, 1.5, -5, 0.4), (-2, 2, 2, 1 - 1e-9), (1, 2, 200.5, 1), (100.5, 20, 300, 1), (-100.5, 30, 250.3, 1), (1, 2000, 5000, 0.5), (-3.5, 0.5, -2.5, 1))
add("hyp2f0", m.hyp2f0, (0.5, 1, -1e-3), (0.5, 1, -0.5), (2.3, 3.3, -2), (7, -0.4, -30), (-3, 0.5, 2), (-1.2, 15, -0.1))
add("onef2", m.hyp1f2, *product([0.5, 2.3, -3, -1.2], [0.7], [1, 3.3, -0.4], [-300, -5, 0.1, 50, 1000]))
add("threef0", lambda a, b, c, x: m.hyper([a, b, c], [], x), (0.5, 1, 2, 1e-4), (-3, 1, 2, 5), (-1.5, 0.5, 2, -1e-4))
add("mvgam", lambda x, p: m.pi ** (p * (p - 1) / 4) * m.fprod(m.gamma(x - j / m.mpf(2)) for j in range(int(p))), (2.5, 3), (7, 1), (20.3, 10))
add("lmvgam", lambda x, p: p * (p - 1) / 4 * m.log(m.pi) + sum(m.loggamma(x - j / m.mpf(2)) for j in range(int(p))), (2.7, 3), (7.5, 1), (300.5, 10))
add("betagrad", lambda x, y: m.beta(x, y) * (m.psi(0, x) - m.psi(0, x + y)), (0.5, 2), (3.3, 0.1), (10, 20))
add("kolmogorov", lambda y: 2 * m.nsum(lambda k: (-1) ** (int(k) - 1) * m.exp(-2 * k * k * y * y), [1, 60]), 0.3, 0.7, 0.99, 1, 1.5, 5)
add("smirnov", lambda n, d: d * sum(m.binomial(n, j) * (d + j / n) ** (j - 1) * (1 - d - j / n) ** (n - j) for j in range(int(m.floor(n * (1 - d))) + 1)),
    (1, 0.3), (5, 0.2), (10, 0.95), (100, 1e-3), (100, 0.15), (1000, 0.05), (3, 1e-9))
add("expx2", lambda x, sign: m.exp(x * x if sign >= 0 else -x * x), (20.123, -1), (20.123, 1), (-3, 0), (1e-5, -1))
add("cosm1", lambda x: m.cos(x) - 1, 1e-9, 0.3, 5, -100)
add("sindg", lambda x: m.sin(m.radians(x)), 30, 45, 1e5 + 1, -200.5, -1e-3, 179.9999, -350)
add("cosdg", lambda x: m.cos(m.radians(x)), 60, 45, 1e5 + 1, -200.5, 1710.447919096175, 269.999, -1)
add("tandg", lambda x: m.tan(m.radians(x)), 45, 89.9, -200.5)
add("cotdg", lambda x: m.cot(m.radians(x)), 45, 89.9, -200.5)
add("radian", lambda d, mm, s: m.radians(d + mm / 60 + s / 3600), (10, 20, 30.5))

points = [(0.3, 0.7), (-1.2, 0.5), (3, -4), (1, 1e-5), (0.6, 0.8), (-0.1, -1e-8), (0.999, 1e-3), (20, 30), (-50, 1), (1e-9, 1e-9), (2, 0.1), (-2, -0.1)]


def complexes(f):
    def g(*parts):
        value = f(*[m.mpc(parts[i], parts[i + 1]) for i in range(0, len(parts), 2)])
        return m.re(value), m.im(value)
    return g


for name, f in [("csqrt", m.sqrt), ("cexp", m.exp), ("clog", m.log), ("csin", m.sin), ("ccos", m.cos), ("ctan", m.tan), ("ccot", m.cot),
                ("casin", m.asin), ("cacos", m.acos), ("catan", m.atan), ("csinh", m.sinh), ("ccosh", m.cosh), ("ctanh", m.tanh),
                ("casinh", m.asinh), ("cacosh", m.acosh), ("catanh", m.atanh)]:
    add(name, complexes(f), *points)
pairs = [p + q for p, q in zip(points, points[3:])]
add("cdiv", complexes(lambda a, b: b / a), *pairs)
add("cmul", complexes(lambda a, b: b * a), *pairs)
add("csub", complexes(lambda a, b: b - a), *pairs)
add("cadd", complexes(lambda a, b: b + a), *pairs)
add("cpow", complexes(lambda a, z: a ** z), *pairs)

print("-- Written by spec/cephes/sweep.py, with mpmath. A row is a function, its arguments and its values.")
print("return {")
for name, case, values in rows:
    print(f"  {{ '{name}', {{ {', '.join(map(repr, case))} }}, {{ {', '.join(map(repr, values))} }} }},")
print("}")
