# Writes spec/distributions/figures.lua: log-probabilities, distribution functions, entropies, moments, gradients and divergences by PyTorch
# (float64) and SciPy. `python3 spec/distributions/figures.py >spec/distributions/figures.lua`, with torch and scipy.
import numpy as np
import torch
import torch.distributions as T
from scipy import stats
from torch.distributions.kl import _KL_REGISTRY

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


# Moments that don't exist: SciPy's are infinite.
def undefined(x):
    return bool(torch.isnan(x).any())


probabilities = [1e-6, 0.1, 0.5, 0.77, 0.999]


# `wrong` names what PyTorch returns another value for than the definition.
def case(name, args, values, frozen=None, wrong=(), **options):
    d, tensors, named = build(name, args, options)
    x = torch.tensor(values, requires_grad=name != "Categorical")
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
    if not d.support.is_discrete:
        (one["slope"],) = torch.autograd.grad(log_prob.sum(), x, allow_unused=True)
    one["cdf"] = attempt(lambda: d.cdf(x)) if frozen is None else None
    if frozen is not None:
        density = frozen.logpdf if hasattr(frozen.dist, "pdf") else frozen.logpmf
        one["scipy"] = {"logProb": density(np.array(values)), "cdf": frozen.cdf(np.array(values)), "mean": None if undefined(d.mean) else frozen.mean(),
                        "variance": None if name == "VonMises" or undefined(d.variance) else frozen.var(), "entropy": None if name in ("Poisson", "NegativeBinomial") else frozen.entropy(),
                        "icdf": None if name == "VonMises" else frozen.ppf(np.array(probabilities))}
    for what in wrong:
        one[what] = None
    if name == "Categorical":  # classes count from 1
        one["value"], one["mode"] = (x + 1).tolist(), one["mode"] + 1
    print("  " + lua(one) + ",")


shown = set()


def divergence(name, first, other, second):
    shown.add((name, other))
    p, tensors, named = build(name, first[0], first[1])
    q, more, others = build(other, second[0], second[1])
    kl = T.kl_divergence(p, q)
    all_named = {"p" + k: v for k, v in named.items()} | {"q" + k: v for k, v in others.items()}
    order = list(tensors) + list(named.values()) + list(more) + list(others.values())
    print("  " + lua({"p": name, "pArgs": first[0], "pOptions": first[1] or None, "q": other, "qArgs": second[0], "qOptions": second[1] or None,
                      "kl": kl, "gradients": gradients(kl, order, {})}) + ",")


def kl(name, first, second, other=None):
    divergence(name, (first, {}), other or name, (second, {}))


# Pairs of distributions in which p has values that q lacks.
def infinite(first, others):
    values = {"Beta": [1.5, 0.5], "ContinuousBernoulli": [0.3], "Exponential": [0.5], "Gamma": [1.5, 2.0], "Gumbel": [0.3, 1.5],
              "Laplace": [0.3, 1.5], "Normal": [0.3, 1.5], "Pareto": [1.5, 3.0], "Uniform": [0.5, 2.0], "Poisson": [2.0], "Bernoulli": [0.3],
              "Binomial": [7, 0.3]}
    for other in others.split():
        kl(first, values[first], values[other], other)


def kl_options(name, first, second, other=None):
    divergence(name, ([], first), other or name, ([], second))


print("-- Written by spec/distributions/figures.py, with PyTorch %s and SciPy." % torch.__version__.split("+")[0])
print("return { cases = {")
s = stats
# PyTorch's Bessel functions have 9 digits.
inexact = ["logProb", "slope", "gradients", "entropy", "entropyGradients", "variance"]
case("Normal", [0.5, 2.0], [-3.0, 0.5, 40.0], s.norm(0.5, 2.0))
case("Normal", [[0.0, 1.0], 1e-3], [0.001, 1.0])
case("Normal", [[[0.0], [1.0]], [1.0, 2.0, 3.0]], [0.3, -1.0, 8.0])
case("Uniform", [-1.0, 3.0], [-0.5, 0.0, 2.9], s.uniform(-1, 4))
case("Exponential", [0.5], [0.0, 0.1, 30.0], s.expon(scale=2))
case("Gamma", [0.01, 3.0], [1e-30, 0.2, 2.0], s.gamma(0.01, scale=1 / 3))
case("Gamma", [2.5, 0.5], [0.01, 3.0, 30.0], s.gamma(2.5, scale=2))
case("Gamma", [[1.0, 500.0], 1.0], [[0.5, 450.0], [3.0, 560.0]])
case("Gamma", [5000.0, 1.0], [4800.0, 5000.0, 5200.0], s.gamma(5000.0))
case("HalfNormal", [2.0], [0.0, 0.5, 7.0], s.halfnorm(scale=2))
case("LogNormal", [0.5, 0.8], [0.01, 1.0, 20.0], s.lognorm(0.8, scale=np.exp(0.5)))
case("Cauchy", [0.5, 2.0], [-30.0, 0.5, 2.0])
case("HalfCauchy", [2.0], [0.0, 0.5, 70.0])
case("Laplace", [0.5, 2.0], [-30.0, 0.7, 2.0], s.laplace(0.5, 2))
case("Gumbel", [0.5, 2.0], [-6.0, 0.5, 20.0], s.gumbel_r(0.5, 2))
case("Weibull", [2.0, 1.5], [0.01, 1.0, 9.0], s.weibull_min(1.5, scale=2))
case("Weibull", [1.0, [0.5, 3.0]], [0.01, 1.0], wrong=["mode"])
case("Pareto", [1.5, 3.0], [1.5, 2.0, 30.0], s.pareto(3, scale=1.5))
case("Pareto", [1.5, [0.5, 1.5]], [2.0, 30.0])
case("GeneralizedPareto", [0.5, 2.0, 0.25], [0.6, 2.0, 30.0], s.genpareto(0.25, 0.5, 2))
case("GeneralizedPareto", [0.5, 2.0, [-0.5, 0.75, 1.5]], [0.6, 2.0, 3.0], wrong=["mean", "variance"])
case("Kumaraswamy", [2.0, 3.0], [0.01, 0.5, 0.99], wrong=["mode"])
case("Kumaraswamy", [[0.5, 1.5], [0.7, 0.8]], [0.01, 0.99])
case("InverseGamma", [3.5, 2.0], [0.1, 0.7, 20.0], s.invgamma(3.5, scale=2))
case("InverseGamma", [[0.5, 1.5], 2.0], [0.1, 20.0])
case("Chi2", [3.0], [0.01, 3.0, 30.0], s.chi2(3))
case("Beta", [2.0, 3.5], [0.001, 0.3, 0.99], s.beta(2, 3.5))
case("Beta", [0.05, 0.3], [1e-20, 0.5, 1 - 1e-6], s.beta(0.05, 0.3), wrong=["mode"])
case("Beta", [300.0, 500.0], [0.3, 0.37, 0.4], s.beta(300, 500))
case("StudentT", [5.0, 0.5, 2.0], [-30.0, 0.7, 2.0], s.t(5, 0.5, 2))
case("StudentT", [[0.5, 1.5, 300.0], 0.0, 1.0], [-3.0, 1.0, 2.0])
case("FisherSnedecor", [3.0, 7.0], [0.01, 1.0, 20.0], s.f(3, 7))
case("FisherSnedecor", [0.3, 0.2], [1e-9, 0.5, 2e6], s.f(0.3, 0.2), wrong=["mode"])
case("StudentT", [0.7, 0.0, 1.0], [-3e4, 1e-9, 20.0], s.t(0.7))
case("StudentT", [1000.0, 0.0, 1.0], [-9.0, 0.0, 3.0], s.t(1000.0))
case("Poisson", [4000.0], [3700.0, 4000.0, 4100.0], s.poisson(4000))
case("Binomial", [100000, 0.02], [1800.0, 2000.0, 2300.0], s.binom(100000, 0.02), wrong=["logProb", "gradients", "entropy", "entropyGradients"])
case("NegativeBinomial", [0.7, 0.995], [0.0, 30.0, 1700.0], s.nbinom(0.7, 0.005))
case("Gamma", [1e-3, 1.0], [1e-200, 1e-9, 4.0], s.gamma(1e-3))
case("Beta", [0.01, 2.0], [1e-200, 1e-9, 0.9], s.beta(0.01, 2.0), wrong=["mode"])
case("FisherSnedecor", [1.5, [1.0, 3.0]], [1.0, 20.0])
case("Poisson", [3.5], [0.0, 3.0, 20.0], s.poisson(3.5))
case("Bernoulli", [[0.3, 0.9]], [[0.0, 1.0], [1.0, 0.0]])
case("Bernoulli", [], [0.0, 1.0], logits=[-3.0, 40.0])
case("Geometric", [0.3], [0.0, 3.0, 20.0], s.geom(0.3, loc=-1))
case("Geometric", [], [0.0, 3.0], logits=[-3.0, 0.5])
case("Binomial", [7, 0.3], [0.0, 3.0, 7.0], s.binom(7, 0.3))
case("Binomial", [7], [0.0, 3.0], logits=[-3.0, 0.5])
case("NegativeBinomial", [4, 0.3], [0.0, 3.0, 17.0], s.nbinom(4, 0.7))
case("NegativeBinomial", [2.5], [0.0, 3.0], logits=[-3.0, 0.5])
case("Categorical", [[0.1, 0.2, 0.7]], [0, 1, 2])
case("Categorical", [], [0, 2], logits=[[0.1, 0.2, 0.7], [3.0, -1.0, 0.5]])
case("Dirichlet", [[0.5, 2.0, 3.5]], [[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]], wrong=["mode"])
case("Dirichlet", [[[1.5, 2.0, 3.5], [100.0, 200.0, 1e-2]]], [0.1, 0.2, 0.7], wrong=["mode"])
cov = [[2.0, 0.5, 0.1], [0.5, 1.0, -0.2], [0.1, -0.2, 0.7]]
tril = [[2.0, 0.0], [0.5, 1.0]]
case("MultivariateNormal", [[0.5, 1.0, -1.0], cov], [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
case("MultivariateNormal", [[0.5, 1.0, -1.0]], [1.0, 2.0, 3.0], precisionMatrix=cov)
case("MultivariateNormal", [[[0.5, 1.0], [3.0, 4.0]]], [[1.0, 2.0], [0.0, 1.0]], scaleTril=tril)
case("LowRankMultivariateNormal", [[0.5, 1.0, -1.0], [[1.0, 0.2], [0.5, -1.0], [0.0, 2.0]], [0.5, 1.0, 2.0]], [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
case("Wishart", [5.5, cov], [[3.0, 0.5, 0.1], [0.5, 2.0, -0.2], [0.1, -0.2, 4.0]])
case("LKJCholesky", [2, 1.5], [[1.0, 0.0], [0.6, 0.8]])
case("LKJCholesky", [3, [0.5, 2.0]], [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.48, 0.64, 0.6]])
case("OneHotCategorical", [[0.1, 0.2, 0.7]], [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
case("OneHotCategoricalStraightThrough", [], [0.0, 1.0, 0.0], logits=[[0.1, 0.2, 0.7], [3.0, -1.0, 0.5]])
case("Multinomial", [5, [0.1, 0.2, 0.7]], [[1.0, 1.0, 3.0], [0.0, 0.0, 5.0]], wrong=["entropyGradients"])
case("RelaxedBernoulli", [0.7, [0.1, 0.6]], [0.2, 0.99])
case("RelaxedOneHotCategorical", [0.7, [0.1, 0.2, 0.7]], [[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
case("VonMises", [0.0, 2.0], [-3.0, 0.5, 3.0], s.vonmises(2), wrong=inexact)
case("VonMises", [0.0, 0.01], [-3.0, 0.5, 3.0], s.vonmises(0.01), wrong=inexact)
case("VonMises", [0.0, 40.0], [-0.3, 0.5, 0.6], s.vonmises(40), wrong=inexact)
case("ContinuousBernoulli", [[0.1, 0.4995, 0.9]], [0.2, 0.5, 0.99], wrong=["cdf"])
# more cases
print("}, divergences = {")
kl("Normal", [0.5, 2.0], [[0.0, 3.0], 1.5])
kl("Uniform", [0.0, 1.0], [-1.0, 2.0])
kl("Uniform", [0.0, 2.0], [-1.0, 1.5])
kl("Exponential", [0.5], [[0.1, 3.0]])
kl("Gamma", [2.0, 3.0], [0.5, 1.5])
kl("HalfNormal", [2.0], [[0.5, 3.0]])
kl("LogNormal", [0.5, 2.0], [0.0, 1.5])
kl("Cauchy", [0.5, 2.0], [[0.0, 3.0], 1.5])
kl("Laplace", [0.5, 2.0], [[0.0, 3.0], 1.5])
kl("Gumbel", [0.5, 2.0], [[0.0, 3.0], 1.5])
kl("Pareto", [1.5, 3.0], [[1.0, 2.0], 2.0])
kl("Beta", [2.0, 3.0], [0.5, 1.5])
kl("Poisson", [2.0], [[0.5, 3.0]])
kl("Bernoulli", [0.3], [[0.5, 0.9]])
kl("Geometric", [0.3], [[0.5, 0.9]])
kl("Categorical", [[0.3, 0.7]], [[0.5, 0.5]])
kl("Categorical", [[0.3, 0.7, 0.0]], [[0.2, 0.5, 0.3]])
kl("Chi2", [3.0], [5.0])
kl("Normal", [0.5, 2.0], [0.3, 1.5], "Laplace")
kl("Normal", [0.5, 2.0], [0.3, 1.5], "Gumbel")
kl("Laplace", [0.5, 2.0], [0.3, 1.5], "Normal")
kl("Gumbel", [0.5, 2.0], [0.3, 1.5], "Normal")
kl("Uniform", [0.5, 2.0], [0.3, 1.5], "Normal")
kl("Uniform", [0.5, 2.0], [0.3, 1.5], "Gumbel")
kl("Uniform", [0.5, 2.0], [1.5], "Exponential")
kl("Uniform", [0.5, 2.0], [1.5, 2.0], "Gamma")
kl("Uniform", [0.1, 0.9], [1.5, 2.0], "Beta")
kl("Exponential", [0.5], [1.5, 2.0], "Gamma")
kl("Exponential", [0.5], [1.5, 2.0], "Normal")
kl("Exponential", [0.5], [1.5, 2.0], "Gumbel")
kl("Gamma", [1.5, 0.5], [2.0], "Exponential")
kl("Gamma", [1.5, 0.5], [1.5, 2.0], "Normal")
kl("Gamma", [1.5, 0.5], [1.5, 2.0], "Gumbel")
kl("Beta", [1.5, 0.5], [2.0], "Exponential")
kl("Beta", [1.5, 0.5], [1.5, 2.0], "Gamma")
kl("Beta", [1.5, 0.5], [1.5, 2.0], "Normal")
kl("Beta", [1.5, 0.5], [-0.5, 2.0], "Uniform")
kl("Pareto", [1.5, 3.0], [2.0], "Exponential")
kl("Pareto", [1.5, 3.0], [1.5, 2.0], "Gamma")
kl("Pareto", [1.5, 3.0], [1.5, 2.0], "Normal")
kl("Dirichlet", [[2.0, 3.0, 0.5]], [[0.5, 1.5, 1.0]])
kl("MultivariateNormal", [[0.5, 1.0, -1.0], cov], [[0.0, 0.0, 0.0], [[1.0, 0.2, 0.0], [0.2, 2.0, 0.0], [0.0, 0.0, 3.0]]])
kl("OneHotCategorical", [[0.3, 0.7]], [[0.5, 0.5]])
kl("ContinuousBernoulli", [[0.3, 0.7]], [[0.6, 0.5]])
kl("Bernoulli", [0.3], [[0.5, 0.9]], "Poisson")
kl("Beta", [1.5, 0.5], [[0.3, 0.8]], "ContinuousBernoulli")
kl("ContinuousBernoulli", [[0.3, 0.8]], [1.5], "Exponential")
kl("ContinuousBernoulli", [[0.3, 0.8]], [0.3, 1.5], "Normal")
kl("ContinuousBernoulli", [[0.3, 0.8]], [-0.5, 2.0], "Uniform")
kl("Uniform", [0.1, 0.9], [[0.3, 0.8]], "ContinuousBernoulli")
kl("Uniform", [2.0, 3.0], [1.5, [2.0, 3.0]], "Pareto")
kl("Uniform", [0.5, 3.0], [1.5, 2.0], "Pareto")
kl("Binomial", [7.0, 0.3], [7.0, 0.6])
infinite("Beta", "Pareto")
infinite("ContinuousBernoulli", "Pareto")
infinite("Exponential", "Beta ContinuousBernoulli Pareto Uniform")
infinite("Gamma", "Beta ContinuousBernoulli Pareto Uniform")
for name in ("Gumbel", "Laplace", "Normal"):
    infinite(name, "Beta ContinuousBernoulli Exponential Gamma Pareto Uniform")
infinite("Pareto", "Beta ContinuousBernoulli Uniform")
infinite("Poisson", "Bernoulli Binomial")
low_rank = [[0.5, 1.0, -1.0], [[1.0, 0.2], [0.5, -1.0], [0.0, 2.0]], [0.5, 1.0, 2.0]]
kl("LowRankMultivariateNormal", low_rank, [[0.0, 0.5, 0.0], [[0.1, 0.0], [0.5, 2.0], [0.3, 2.0]], [2.0, 1.0, 0.5]])
kl("LowRankMultivariateNormal", low_rank, [[0.0, 0.0, 0.0], cov], "MultivariateNormal")
kl("MultivariateNormal", [[0.0, 0.0, 0.0], cov], low_rank, "LowRankMultivariateNormal")
# more divergences; those of general classes are in figures_spec.lua
general = {"ExponentialFamily", "Independent", "TransformedDistribution"}
missing = {(p.__name__, q.__name__) for p, q in _KL_REGISTRY if p.__name__ not in general} - shown
assert not missing, missing
print("}, hypergeometric = {")
for population, marked, draws, values in ((20, 7, 12, [0.0, 3.0, 7.0]), (50, 40, 30, [20.0, 24.0, 29.0]), (10**5, 2000, 3000, [20.0, 60.0, 110.0]),
                                          (5, 0, 3, [0.0]), (2, 1, 1, [1.0]), (10**7, 10**6, 200, [2.0, 20.0, 60.0])):
    f, x = s.hypergeom(population, marked, draws), np.array(values)
    print("  " + lua({"args": [population, marked, draws], "value": x, "logProb": f.logpmf(x), "cdf": f.cdf(x), "mean": float(f.mean()),
                      "variance": float(f.var()), "entropy": float(f.entropy()), "icdf": f.ppf(np.array(probabilities))}) + ",")
print("} }")
