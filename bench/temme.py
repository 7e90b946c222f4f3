"""Writes engine/ops/temme.h, the coefficients of Temme's expansion of the incomplete gamma functions for large a, by exact arithmetic.

python3 bench/temme.py >engine/ops/temme.h && clang-format -i engine/ops/temme.h

With x / a = 1 + mu and eta^2 / 2 = mu - log(1 + mu), R = exp(-a eta^2 / 2) / sqrt(2 pi a) * sum over k of c_k(eta) / a^k. DLMF 8.12.9-11:
c_0 = 1 / mu - 1 / eta, c_k = c_(k - 1)' / eta + (-1)^k g_k / mu, with the g_k of Stirling's series.
"""

from fractions import Fraction

ROWS, ETA, LEAST = 9, 0.34, 200  # |eta| and a for which the sum has more digits than float64
LENGTH = 60


def product(a, b):
    out = [Fraction(0)] * LENGTH
    for i, x in enumerate(a):
        if x:
            for j in range(LENGTH - i):
                out[i + j] += x * b[j]
    return out


# mu / eta as a power series m: mu mu' = eta (1 + mu).
m = [Fraction(1)]
for n in range(1, LENGTH):
    # The coefficient of eta^(n + 1) in mu mu' with the unknown m[n]: (n + 2) m[0] m[n] + known = m[n - 1].
    known = sum(m[i] * m[n - i] * (n - i + 1) for i in range(1, n))
    m.append((m[n - 1] - known) / (n + 2))
inverse = [Fraction(1)]
for n in range(1, LENGTH):
    inverse.append(-sum(m[i] * inverse[n - i] for i in range(1, n + 1)))

# The g_k: gamma(z) ~ exp(-z) z^z sqrt(2 pi / z) * sum of g_k / z^k; with eta^2 / 2 = mu - log(1 + mu), g_k = 1 * 3 * ... (2k + 1) m[2k].
g, odd = [], Fraction(1)
for k in range(ROWS):
    odd *= 2 * k + 1
    g.append(odd * m[2 * k])

rows = []
# 1 / mu = inverse / eta: the terms in 1 / eta cancel.
c = inverse[1:] + [Fraction(0)]
for k in range(ROWS):
    if k > 0:
        slope = [(n + 1) * c[n + 1] for n in range(LENGTH - 1)] + [Fraction(0)]
        total = [s + (-1) ** k * g[k] * i for s, i in zip(slope, inverse)]
        assert total[0] == 0
        c = total[1:] + [Fraction(0)]
    length = 1
    for n in range(LENGTH // 2):
        if abs(float(c[n])) * ETA**n / LEAST**k > 1e-19:
            length = n + 1
    rows.append([float(x) for x in c[:length]])

print("// Coefficients of Temme's expansion of the incomplete gamma functions; written by bench/temme.py.")
print("#pragma once\n\n#include \"engine/ops/polygamma.h\"\n\nnamespace mt {\n")
print(f"inline constexpr int temme_rows = {ROWS};\n")
print("// Row k is a polynomial in eta, the coefficient of a^-k; its numbers end before the entry k + 1 of the list.")
print("template <class Wide> MT_EVERYWHERE Wide temme_coefficient(int i) {\n  constexpr double numbers[] = {")
for row in rows:
    print("      " + ", ".join(repr(x) for x in row) + ",")
print("  };\n  return static_cast<Wide>(numbers[i]);\n}\n")
starts = [0]
for row in rows:
    starts.append(starts[-1] + len(row))
print("MT_EVERYWHERE inline int temme_start(int k) {")
print("  constexpr int starts[] = {" + ", ".join(map(str, starts)) + "};\n  return starts[k];\n}\n\n}  // namespace mt")
