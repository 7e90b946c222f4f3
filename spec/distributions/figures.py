# Writes spec/distributions/figures.lua: log-probabilities, distribution functions, entropies, moments, gradients and divergences by PyTorch
# (float64) and SciPy. `python3 spec/distributions/figures.py >spec/distributions/figures.lua`, with torch and scipy.
import numpy as np
import torch
import torch.distributions as T
from scipy import stats

torch.set_default_dtype(torch.float64)


def lua(x):
    if x is None:
        return "nil"
    if isinstance(x, dict):
        return "{ " + ", ".join(f"{k} = {lua(v)}" for k, v in x.items() if v is not None) + " }"
    if isinstance(x, torch.Tensor):
        return lua(x.detach().double().tolist())
    if isinstance(x, np.ndarray):
        return lua(x.tolist())
    if isinstance(x, (list, tuple)):
        return "{ " + ", ".join(lua(v) for v in x) + " }" if x else "{}"
    if isinstance(x, str):
        return "'" + x + "'"
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, int):
        return str(x)
    if x != x:
        return "0 / 0"
    if abs(x) == float("inf"):
        return "math.huge" if x > 0 else "-math.huge"
    return repr(float(x))


def leaves(args, options):
    tensors = [torch.tensor(a, requires_grad=True) if isinstance(a, (float, list)) else a for a in args]
    named = {k: torch.tensor(v, requires_grad=True) if isinstance(v, (float, list)) else v for k, v in options.items()}
    return tensors, named


snake = {"covarianceMatrix": "covariance_matrix", "precisionMatrix": "precision_matrix", "scaleTril": "scale_tril"}


def build(name, args, options):
    tensors, named = leaves(args, options)
    return getattr(T, name)(*tensors, **{snake.get(k, k): v for k, v in named.items()}), tensors, named


def attempt(f):
    try:
        return f()
    except (NotImplementedError, AttributeError, RuntimeError):
        return None


def gradients(y, tensors, named):
    if y is None or not y.requires_grad:
        return None
    wanted = [t for t in list(tensors) + list(named.values()) if isinstance(t, torch.Tensor) and t.requires_grad]
    found = torch.autograd.grad(y.sum(), wanted, retain_graph=True, allow_unused=True)
    return [torch.zeros_like(t) if g is None else g for g, t in zip(found, wanted)]


def case(name, args, values, frozen=None, **options):
    d, tensors, named = build(name, args, options)
    x = torch.tensor(values, requires_grad=True)
    log_prob = d.log_prob(x)
    entropy = attempt(d.entropy)
    one = {
        "name": name, "args": args, "options": options or None, "value": values, "logProb": log_prob,
        "gradients": gradients(log_prob, tensors, named),
        "entropy": entropy, "entropyGradients": gradients(entropy, tensors, named),
        "mean": attempt(lambda: d.mean), "variance": attempt(lambda: d.variance), "mode": attempt(lambda: d.mode),
        "integers": [i + 1 for i, a in enumerate(args) if isinstance(a, int)] or None,
        "batch": list(d.batch_shape), "event": list(d.event_shape),
    }
    (slope,) = torch.autograd.grad(log_prob.sum(), x, allow_unused=True) if log_prob.requires_grad else (None,)
    one["slope"] = slope if not d.support.is_discrete else None
    one["cdf"] = attempt(lambda: d.cdf(x)) if frozen is None else None
    if frozen is not None:
        density = frozen.logpdf if hasattr(frozen.dist, "pdf") else frozen.logpmf
        one["scipy"] = {"logProb": density(np.array(values)), "cdf": frozen.cdf(np.array(values)), "mean": frozen.mean(),
                        "variance": frozen.var(), "entropy": frozen.entropy()}
    print("  " + lua(one) + ",")


def divergence(name, first, other, second):
    p, tensors, named = build(name, first[0], first[1])
    q, more, others = build(other, second[0], second[1])
    kl = T.kl_divergence(p, q)
    all_named = {"p" + k: v for k, v in named.items()} | {"q" + k: v for k, v in others.items()}
    order = list(tensors) + list(named.values()) + list(more) + list(others.values())
    print("  " + lua({"p": name, "pArgs": first[0], "pOptions": first[1] or None, "q": other, "qArgs": second[0], "qOptions": second[1] or None,
                      "kl": kl, "gradients": gradients(kl, order, {})}) + ",")


def kl(name, first, second, other=None):
    divergence(name, (first, {}), other or name, (second, {}))


def kl_options(name, first, second, other=None):
    divergence(name, ([], first), other or name, ([], second))


print("-- Written by spec/distributions/figures.py, with PyTorch %s and SciPy." % torch.__version__.split("+")[0])
print("return { cases = {")
s = stats
case("Normal", [0.5, 2.0], [-3.0, 0.5, 40.0], s.norm(0.5, 2.0))
case("Normal", [[0.0, 1.0], 1e-3], [0.001, 1.0])
case("Normal", [[[0.0], [1.0]], [1.0, 2.0, 3.0]], [0.3, -1.0, 8.0])
case("Uniform", [-1.0, 3.0], [-0.5, 0.0, 2.9], s.uniform(-1, 4))
case("Exponential", [0.5], [0.0, 0.1, 30.0], s.expon(scale=2))
case("Gamma", [0.01, 3.0], [1e-30, 0.2, 2.0], s.gamma(0.01, scale=1 / 3))
case("Gamma", [2.5, 0.5], [0.01, 3.0, 30.0], s.gamma(2.5, scale=2))
case("Gamma", [[1.0, 500.0], 1.0], [[0.5, 450.0], [3.0, 560.0]])
case("Gamma", [5000.0, 1.0], [4800.0, 5000.0, 5200.0], s.gamma(5000.0))
# more cases
print("}, divergences = {")
kl("Normal", [0.5, 2.0], [[0.0, 3.0], 1.5])
kl("Uniform", [0.0, 1.0], [-1.0, 2.0])
kl("Uniform", [0.0, 2.0], [-1.0, 1.5])
kl("Exponential", [0.5], [[0.1, 3.0]])
kl("Gamma", [2.0, 3.0], [0.5, 1.5])
# more divergences
print("} }")
