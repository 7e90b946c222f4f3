"""Writes complex_figures.lua: functions of complex numbers by NumPy, at points in all quadrants, near |z| = 1, and on both sides of branch
cuts (signed zeros). Needs NumPy. Run in this folder."""
import numpy as np

rng = np.random.default_rng(11)
points = list((rng.standard_normal(10) + 1j * rng.standard_normal(10)) * np.array([1, 1, 1, 1, 0.1, 0.1, 10, 10, 1e-4, 3]))
points += [complex(0.6, 0.8), complex(-0.8, 0.6000001), complex(1, 1e-9), complex(0.3, -0.95)]
points += [complex(-2, 0.0), complex(-2, -0.0), complex(2, 0.0), complex(2, -0.0), complex(0.0, 2), complex(-0.0, 2), complex(0.0, -2)]
z = np.array(points)
w = np.roll(z, 3)

unary = dict(exp=np.exp, log=np.log, sqrt=np.sqrt, sin=np.sin, cos=np.cos, tan=np.tan, asin=np.arcsin, acos=np.arccos, atan=np.arctan,
             sinh=np.sinh, cosh=np.cosh, tanh=np.tanh, asinh=np.arcsinh, acosh=np.arccosh, atanh=np.arctanh, square=np.square,
             neg=np.negative, cinv=np.reciprocal, expm1=np.expm1, log2=np.log2, log10=np.log10, exp2=np.exp2, sgn=np.sign,
             conj=np.conj, abs=np.abs, angle=np.angle)
binary = dict(add=np.add, csub=np.subtract, cmul=np.multiply, cdiv=np.divide, pow=np.power)


def number(x):
    return "-0" if x == 0 and np.signbit(x) else repr(float(x))


def row(name, values):
    flat = np.column_stack([values.real, values.imag]).ravel() if np.iscomplexobj(values) else values
    text, line, lines = "", "  %s = {" % name, []
    for x in flat:
        item = number(x) + ", "
        if len(line) + len(item) > 138:
            lines.append(line.rstrip())
            line = "    "
        line += item
    lines.append(line.rstrip(", ") + " },")
    return "\n".join(lines).replace("{ ", "{", 1).replace("= {", "= { ", 1) + "\n"


with open("complex_figures.lua", "w") as out, np.errstate(all="ignore"):
    out.write("-- Functions of complex numbers by NumPy %s: pairs of parts. complex_figures.py writes this file.\nreturn {\n" % np.__version__)
    out.write(row("z", z) + row("w", w))
    for name, f in unary.items():
        out.write(row(name, f(z)))
    for name, f in binary.items():
        out.write(row(name, f(z, w)))
    a, b = z[:12].reshape(3, 4), w[:12].reshape(4, 3)
    out.write(row("mm", (a @ b).ravel()) + row("cumsum", np.cumsum(z)) + row("cumprod", np.cumprod(z[:6])))
    out.write(row("sum", np.array([z.sum(), z.mean(), np.prod(z[:6])])))
    out.write("}\n")
