# Writes spec/distributions/torch7_figures.lua by SciPy: `python3 spec/distributions/torch7_figures.py >spec/distributions/torch7_figures.lua`.
from scipy import stats as s

frozen = {"norm": lambda a, b: s.norm(a, b), "cauchy": lambda a, b: s.cauchy(a, b), "laplace": lambda a, b: s.laplace(a, b),
          "chi2": lambda a: s.chi2(a), "poisson": lambda a: s.poisson(a)}
cases = [("norm", (-1.5, 0.5, 2.0)), ("norm", (30.0, 0.0, 1.0)), ("cauchy", (3.0, 0.5, 2.0)), ("laplace", (-2.0, 0.5, 2.0)),
         ("chi2", (3.5, 3.0)), ("chi2", (0.1, 7.5)), ("poisson", (4.0, 2.5)), ("poisson", (0.0, 0.3))]
print("-- Written by spec/distributions/torch7_figures.py, with SciPy. A row is a family, the arguments, pdf, logpdf and cdf.")
print("return {")
for name, (x, *parameters) in cases:
    d = frozen[name](*parameters)
    pdf, logpdf = (d.pmf, d.logpmf) if name == "poisson" else (d.pdf, d.logpdf)
    arguments = ", ".join(map(repr, (x, *parameters)))
    print(f"  {{ '{name}', {{ {arguments} }}, {float(pdf(x))!r}, {float(logpdf(x))!r}, {float(d.cdf(x))!r} }},")
print("}")
