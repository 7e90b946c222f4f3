"""Compares the lines of bench/accuracy.lua with mpmath at 40 digits, and writes docs/accuracy.md."""

import collections
import math
import sys

import mpmath as mp

mp.mp.dps = 40

TRUTH = {
    "exp": mp.exp, "expm1": mp.expm1, "exp2": lambda x: mp.mpf(2) ** x, "log": mp.log, "log1p": mp.log1p,
    "log2": lambda x: mp.log(x, 2), "log10": mp.log10, "sqrt": mp.sqrt, "rsqrt": lambda x: 1 / mp.sqrt(x), "cinv": lambda x: 1 / x,
    "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "asin": mp.asin, "acos": mp.acos, "atan": mp.atan, "sinh": mp.sinh, "cosh": mp.cosh,
    "tanh": mp.tanh, "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh, "sigmoid": lambda x: 1 / (1 + mp.exp(-x)), "softplus": lambda x: mp.log1p(mp.exp(x)), "erf": mp.erf,
    "gelu": lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2, "silu": lambda x: x / (1 + mp.exp(-x)), "erfc": mp.erfc, "erfinv": mp.erfinv, "lgamma": lambda x: mp.re(mp.loggamma(x)), "digamma": mp.digamma, "trigamma": lambda x: mp.psi(1, x),
    "pow": lambda x, y: x**y, "atan2": mp.atan2, "hypot": mp.hypot, "logaddexp": lambda x, y: mp.log(mp.exp(x) + mp.exp(y)),
}  # fmt: skip
BITS = {"float": 24, "double": 53}
PAIRS = {"pow", "atan2", "hypot", "logaddexp"}

HEAD = """# Accuracy

Errors of the elementwise functions of floats, in units of the last place of the true result (ulp; correctly rounded is 0.5), against mpmath
at 40 digits. The arguments are drawn from ranges that `bench/accuracy.lua` names, and as random bits, of any sign and exponent: {count}
for `exp` and each type. Made by

    build/release/bin/th bench/accuracy.lua | python3 bench/accuracy.py > docs/accuracy.md

on {machine}. Results below the smallest normal number are left out: vector code may give 0 for them. The error of `logaddexp` is in units
of the last place of its larger argument, since its result may be close to 0 where its arguments are not.

| function | float32: largest error | mean | float64: largest error | mean |
|---|---|---|---|---|"""


def ulp(value, bits):
    """The spacing of numbers with this many bits around a value."""
    return mp.mpf(2) ** (math.frexp(float(abs(value)))[1] - bits)


def truth(name, x, y):
    """The true result with 40 digits; None if there is none, or if mpmath would need too many digits for it."""
    top, low = max(abs(x), abs(y)), min(v for v in (abs(x), abs(y) or mp.inf))
    if not mp.isfinite(x) or not mp.isfinite(y) or name in {"digamma", "trigamma", "lgamma"} and x < -1e6:
        return None
    if name in {"exp", "expm1", "exp2", "sinh", "cosh"} and top > 1e4 or name in {"gelu", "silu", "softplus", "sigmoid"} and x < -1e4:
        return None
    if name == "pow" and (x < 0 or y * abs(mp.log(x or 1)) > 1e4) or name == "logaddexp" and top > 1e4:
        return None
    needed = abs(mp.log10(top)) if top and name in {"sin", "cos", "tan", "digamma"} else 0
    if low and name in {"log1p", "expm1", "softplus", "acosh", "tan", "gelu"}:
        needed = max(needed, abs(mp.log10(low)))
    with mp.workdps(40 + int(needed)):
        try:
            want = TRUTH[name](x, y) if name in PAIRS else TRUTH[name](x)
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
        return None if isinstance(want, mp.mpc) else +want


def main():
    """Reads lines from the standard input."""
    errors = collections.defaultdict(list)
    for line in sys.stdin:
        name, dtype, *numbers = line.split()
        x, y, got = (mp.mpf(float(number)) for number in numbers)
        want = truth(name, x, y)
        if want is None:
            continue
        limit = mp.mpf(2) ** (126 if dtype == "float" else 1022)
        if not 1 / limit < abs(want) < limit:
            continue
        size = max(abs(x), abs(y), abs(want)) if name == "logaddexp" else want
        errors[name, dtype].append(float(abs(got - want) / ulp(size, BITS[dtype])))
    with open("/proc/cpuinfo", encoding="ascii") as cpus:
        machine = next(line.split(":")[1].strip() for line in cpus if line.startswith("model name"))
    print(HEAD.format(count=len(errors["exp", "float"]), machine=machine))
    for name in TRUTH:
        columns = [f"{max(e):.2f} | {sum(e) / len(e):.2f}" for e in (errors[name, "float"], errors[name, "double"])]
        print(f"| `{name}` | {' | '.join(columns)} |")


main()
