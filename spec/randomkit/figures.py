# Writes spec/randomkit/figures.lua: the first numbers of NumPy's samplers after a seed.
# `python3 spec/randomkit/figures.py >spec/randomkit/figures.lua`, with numpy.
import numpy as np

cases = {
    "double": [()], "gauss": [()], "standard_exponential": [()], "standard_cauchy": [()], "exponential": [(2.5,)],
    "standard_gamma": [(0.3,), (1.0,), (4.5,)], "chisquare": [(3.0,)], "standard_t": [(4.0,)], "poisson": [(0.5,), (7.0,), (30.0,), (5000.0,)],
    "pareto": [(2.0,)], "weibull": [(1.5,)], "power": [(3.0,)], "rayleigh": [(2.0,)], "zipf": [(1.5,), (3.0,)], "geometric": [(0.1,), (0.7,)],
    "logseries": [(0.3,), (0.95,)], "normal": [(1.0, 2.0)], "laplace": [(1.0, 2.0)], "gumbel": [(1.0, 2.0)], "logistic": [(1.0, 2.0)],
    "lognormal": [(0.5, 0.3)], "gamma": [(2.5, 2.0)], "beta": [(0.3, 0.8), (2.0, 3.0)], "uniform": [(-1.0, 3.0)],
    "binomial": [(10, 0.3), (200, 0.4), (5000, 0.8), (40, 0.9)], "negative_binomial": [(3.5, 0.4)], "f": [(3.0, 5.0)],
    "noncentral_chisquare": [(3.0, 2.0), (0.5, 2.0)], "vonmises": [(0.5, 4.0), (3.0, 1e-6), (0.0, 1e-9)], "wald": [(2.0, 3.0)],
    "triangular": [(-1.0, 0.5, 4.0)], "noncentral_f": [(3.0, 5.0, 2.0)],
    "hypergeometric": [(20, 30, 7), (200, 300, 70), (300, 200, 450), (15, 10, 8)],
}
names = {"double": "random_sample", "gauss": "standard_normal"}
print(f"-- Written by spec/randomkit/figures.py, with NumPy {np.__version__}. A row is a sampler, its parameters, and the first values after seed 123.")
print("return {")
for name, list_ in cases.items():
    for parameters in list_:
        values = getattr(np.random.RandomState(123), names.get(name, name))(*parameters, size=30)
        print(f"  {{ '{name}', {{ {', '.join(map(repr, parameters))} }}, {{ {', '.join(repr(v.item()) for v in values)} }} }},")
print(f"  {{ 'random', {{}}, {{ {', '.join(map(str, np.frombuffer(np.random.RandomState(123).bytes(40), dtype='<u4')))} }} }},")
r = np.random.RandomState(123)
print(f"  {{ 'randint', {{ -5, 20 }}, {{ {', '.join(str(r.randint(-5, 21)) for _ in range(30))} }} }},")
r = np.random.RandomState(123)
print(f"  {{ 'interval', {{ 1000 }}, {{ {', '.join(str(r.randint(0, 1001)) for _ in range(30))} }} }},")
print("}")
