# Writes class_figures.lua: the parameters after 50 steps of PyTorch's optimisers, in float64. Lion, LAMB and LARS, which PyTorch lacks, are
# the rules of their papers in plain numbers, Shampoo's in NumPy; Muon's products, which PyTorch rounds to bfloat16, are in float64.
# python3 spec/optim/class_figures.py >spec/optim/class_figures.lua (made with PyTorch 2.15)
import math

import numpy as np
import torch

torch.set_default_dtype(torch.float64)
torch.bfloat16 = torch.float64  # what Muon converts to
o = torch.optim
steps = 50


def start():
    matrix = [[math.sin(7 * i + 3 * j + 1) for j in range(4)] for i in range(3)]
    return [matrix, [math.cos(5 * i + 1) for i in range(5)]]


# The gradient of sum_i i (p_i^2 / 2 + 0.1 cos 3 p_i) + (sum p)^2 / 100 + cos(t i) p_i / 2, where i counts the elements of both parameters
# from 1, and t the steps from 1.
def gradients(flat, t, noise):
    total = sum(flat)
    return [i * (p - 0.3 * math.sin(3 * p)) + 0.02 * total + noise * 0.5 * math.cos(t * i) for i, p in enumerate(flat, 1)]


def value(flat):
    return sum(i * (p * p / 2 + 0.1 * math.cos(3 * p)) for i, p in enumerate(flat, 1)) + sum(flat) ** 2 / 100


def flattened(parameters):
    return [v for p in parameters for v in p.detach().flatten().tolist()]


def run(make, noise, shapes, options, steps):
    parameters = [torch.tensor(p, requires_grad=True) for p in start()[:shapes]]
    optimiser = make(parameters, **options)
    for t in range(1, steps + 1):

        def closure():
            flat = flattened(parameters)
            g, at = gradients(flat, t, noise), 0
            for p in parameters:
                p.grad = torch.tensor(g[at : at + p.numel()]).view_as(p)
                at += p.numel()
            return torch.tensor(value(flat))

        optimiser.step(closure)
    return flattened(parameters)


# The papers' rules on lists of numbers, one list a parameter.
def plain(rule):
    def result(options):
        lists = [[v for row in start()[0] for v in row], list(start()[1])]
        states = [{}, {}]
        for t in range(1, steps + 1):
            g, at = gradients(lists[0] + lists[1], t, 1), 0
            for k, x in enumerate(lists):
                lists[k] = rule(x, g[at : at + len(x)], states[k], t, **options)
                at += len(x)
        return lists[0] + lists[1]

    return result


def norm(x):
    return math.sqrt(math.fsum(v * v for v in x))


# Chen et al. (2023), algorithm 2.
def lion(x, g, s, t, learningRate=1e-4, beta1=0.9, beta2=0.99, weightDecay=0.0):
    m = s.get("m", [0.0] * len(x))
    c = [beta1 * a + (1 - beta1) * b for a, b in zip(m, g)]
    s["m"] = [beta2 * a + (1 - beta2) * b for a, b in zip(m, g)]
    return [p - learningRate * ((v > 0) - (v < 0) + weightDecay * p) for p, v in zip(x, c)]


# You et al. (2020), algorithm 2, with phi(z) = z.
def lamb(x, g, s, t, learningRate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-6, weightDecay=0.0):
    s["m"] = [beta1 * a + (1 - beta1) * b for a, b in zip(s.get("m", [0.0] * len(x)), g)]
    s["v"] = [beta2 * a + (1 - beta2) * b * b for a, b in zip(s.get("v", [0.0] * len(x)), g)]
    r = [a / (1 - beta1**t) / (math.sqrt(b / (1 - beta2**t)) + epsilon) for a, b in zip(s["m"], s["v"])]
    u = [a + weightDecay * p for a, p in zip(r, x)]
    trust = norm(x) / norm(u) if norm(x) > 0 and norm(u) > 0 else 1
    return [p - learningRate * trust * v for p, v in zip(x, u)]


# You, Gitman & Ginsburg (2017), algorithm 1.
def lars(x, g, s, t, learningRate=0.1, momentum=0.9, weightDecay=0.0, trustCoefficient=1e-3):
    local = trustCoefficient * norm(x) / (norm(g) + weightDecay * norm(x))
    v = [momentum * a + learningRate * local * (b + weightDecay * p) for a, b, p in zip(s.get("v", [0.0] * len(x)), g, x)]
    s["v"] = v
    return [p - a for p, a in zip(x, v)]


# The inverse p-th root of a matrix by the coupled Newton iteration (Guo & Higham 2006, "A Schur-Newton method for the matrix pth root and
# its inverse"), not from eigenvalues; in 80-bit numbers. It converges quadratically: after an error of 1e-10 a single step remains.
def inverse_root(a, p):
    a, identity = a.astype(np.longdouble), np.eye(len(a), dtype=np.longdouble)
    scale = (1 + p) / (2 * np.trace(a))
    m, x, error = a * scale, identity * scale ** (np.longdouble(1) / p), 1
    while error > 1e-10:
        error = abs(m - identity).max()
        factor = ((p + 1) * identity - m) / p
        x = x @ factor
        for _ in range(p):
            m = factor @ m
    return x.astype(float)


# Gupta, Koren & Singer (2018), algorithm 1, on matrices of NumPy: a vector is a matrix of one column.
def shampoo(options):
    settings = dict(learningRate=0.1, momentum=0.0, weightDecay=0.0, epsilon=1e-4, interval=1, maxSize=1024)
    settings.update(options)
    xs = [np.array(start()[0]), np.array([start()[1]]).T]
    states = [{}, {}]
    for t in range(1, steps + 1):
        g, at = gradients([v for x in xs for v in x.flatten()], t, 1), 0
        for k, x in enumerate(xs):
            G = np.array(g[at : at + x.size]).reshape(x.shape) + settings["weightDecay"] * x
            at += x.size
            sides = [side for side in (0, 1) if x.shape[side] > 1]
            D = G
            for side in sides:
                s = states[k].setdefault(side, dict(sum=settings["epsilon"] * np.eye(x.shape[side])))
                s["sum"] = s["sum"] + (G @ G.T if side == 0 else G.T @ G)
                if t <= settings["interval"] or (t - 1) % settings["interval"] == 0:
                    kept = s["sum"] if x.shape[side] <= settings["maxSize"] else np.diag(np.diag(s["sum"]))
                    s["root"] = inverse_root(kept, 2 * len(sides))
                D = s["root"] @ D if side == 0 else D @ s["root"]
            states[k]["v"] = D = settings["momentum"] * states[k].get("v", 0) + D
            xs[k] = x - settings["learningRate"] * D
    return [v for x in xs for v in x.flatten().tolist()]


names = dict(
    lr="learningRate", weight_decay="weightDecay", eps="epsilon", lr_decay="learningRateDecay", lambd="lambda", momentum_decay="momentumDecay",
    decoupled_weight_decay="decoupledWeightDecay", initial_accumulator_value="initialAccumulator", beta2_decay="beta2Decay", d="clipThreshold",
    ns_steps="iterations", adjust_lr_fn="adjust", max_iter="maxIter", max_eval="maxEval", history_size="nCorrection",
    tolerance_grad="tolFun", tolerance_change="tolX", line_search_fn="lineSearch",
)
pairs = dict(betas=("beta1", "beta2"), etas=("etaminus", "etaplus"), step_sizes=("stepsizemin", "stepsizemax"))
values = dict(match_rms_adamw="rmsOfAdamW", spectral_unclamped="spectral", strong_wolfe="strongWolfe")


# PyTorch's options under Moontorch's names.
def translated(kind, options):
    result = {}
    for name, v in options.items():
        if name in pairs:
            result.update(zip(pairs[name], v))
        elif kind == "Adafactor" and name == "eps":
            result.update({k: e for k, e in zip(("epsilon1", "epsilon2"), v) if e is not None})
        elif kind == "Adadelta" and name == "eps":
            result["eps"] = v
        elif name == "ns_coefficients":
            result["coefficients"] = v
        else:
            result[names.get(name, name)] = values.get(v, v) if isinstance(v, str) else v
    return result


cases = [
    ("SGD", {}), ("SGD", dict(lr=0.02, momentum=0.9)), ("SGD", dict(lr=0.02, momentum=0.9, nesterov=True, weight_decay=0.1)),
    ("SGD", dict(lr=0.02, momentum=0.8, dampening=0.3)), ("SGD", dict(lr=1e-4, momentum=0.5, weight_decay=0.1, maximize=True)),
    ("Adam", {}), ("Adam", dict(lr=0.03, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1)), ("Adam", dict(lr=0.03, betas=(0.8, 0.9), amsgrad=True)),
    ("Adam", dict(lr=0.01, amsgrad=True, weight_decay=0.1, maximize=True)),
    ("AdamW", {}), ("AdamW", dict(lr=0.03, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.3)), ("AdamW", dict(lr=0.03, amsgrad=True)),
    ("Adamax", {}), ("Adamax", dict(lr=0.05, betas=(0.8, 0.9), eps=1e-2, weight_decay=0.1)),
    ("Adagrad", {}), ("Adagrad", dict(lr=0.3, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.5, eps=1e-3)),
    ("Adadelta", {}), ("Adadelta", dict(lr=0.5, rho=0.7, eps=1e-3, weight_decay=0.1)),
    ("RMSprop", {}), ("RMSprop", dict(lr=0.02, alpha=0.8, eps=1e-3, weight_decay=0.1, momentum=0.5)),
    ("RMSprop", dict(lr=0.02, alpha=0.9, centered=True)), ("RMSprop", dict(lr=0.02, centered=True, momentum=0.8, maximize=True)),
    ("Rprop", {}), ("Rprop", dict(lr=0.1, etas=(0.4, 1.3), step_sizes=(1e-3, 0.2))),
    ("ASGD", {}), ("ASGD", dict(lr=0.05, lambd=0.01, alpha=0.5, t0=10, weight_decay=0.1)),
    ("NAdam", {}), ("NAdam", dict(lr=0.03, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1, momentum_decay=0.1)),
    ("NAdam", dict(lr=0.03, weight_decay=0.3, decoupled_weight_decay=True)),
    ("RAdam", {}), ("RAdam", dict(lr=0.03, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1)),
    ("RAdam", dict(lr=0.03, weight_decay=0.3, decoupled_weight_decay=True)),
    ("Adafactor", {}), ("Adafactor", dict(lr=0.1, beta2_decay=-0.5, eps=(1e-4, 1e-2), d=1.5, weight_decay=0.1)),
    ("Muon", {}), ("Muon", dict(lr=0.02, weight_decay=0.3, momentum=0.8, nesterov=False, ns_steps=3)),
    ("Muon", dict(lr=0.02, adjust_lr_fn="match_rms_adamw", ns_coefficients=(2.0, -1.5, 0.5), eps=1e-4)),
    ("Muon", dict(lr=0.02, adjust_lr_fn="spectral_unclamped")),
    ("LBFGS", {}), ("LBFGS", dict(lr=0.1, max_iter=3, history_size=4)), ("LBFGS", dict(line_search_fn="strong_wolfe")),
]
# L-BFGS converges early: its first steps show its path.
first = [
    (1, dict(max_iter=4)), (2, dict(max_iter=3, history_size=2, lr=0.5)), (1, dict(max_iter=2, line_search_fn="strong_wolfe")),
    (1, dict(max_iter=5, line_search_fn="strong_wolfe")), (3, dict(max_iter=2, lr=3, line_search_fn="strong_wolfe")),
    (1, dict(max_iter=20, max_eval=5, line_search_fn="strong_wolfe")), (2, dict(max_iter=4, lr=40, line_search_fn="strong_wolfe")),
    (2, dict(max_iter=3, lr=0.001, line_search_fn="strong_wolfe")),
]
papers = [
    ("Lion", lion, {}), ("Lion", lion, dict(learningRate=0.01, beta1=0.8, beta2=0.9, weightDecay=0.5)),
    ("LAMB", lamb, {}), ("LAMB", lamb, dict(learningRate=0.03, beta1=0.8, beta2=0.9, epsilon=1e-3, weightDecay=0.2)),
    ("LARS", lars, {}), ("LARS", lars, dict(learningRate=0.5, momentum=0.5, weightDecay=0.2, trustCoefficient=0.02)),
]


shampoos = [
    {}, dict(learningRate=0.3, momentum=0.5, weightDecay=0.2, epsilon=0.01), dict(interval=7), dict(learningRate=0.2, maxSize=3),
    dict(learningRate=0.2, maxSize=4, interval=3),
]


def text(v):
    if isinstance(v, tuple):
        return "{ %s }" % ", ".join(text(each) for each in v)
    return str(v).lower() if isinstance(v, bool) else repr(v)


def write(kind, options, figures, steps=steps):
    listed = ", ".join(("['%s'] = %s" if name == "lambda" else "%s = %s") % (name, text(v)) for name, v in options.items())
    print("  { '%s', {%s}, {" % (kind, " %s " % listed if listed else ""))
    for i in range(0, len(figures), 5):
        end = "," if i + 5 < len(figures) else " }, %d }," % steps
        print("    %s%s" % (", ".join("%.17g" % v for v in figures[i : i + 5]), end))


print("-- Made by class_figures.py with PyTorch %s: classes, options, the parameters after steps, their number." % torch.__version__.split("+")[0])
print("return {")
for kind, options in cases:
    noise = 0 if kind == "LBFGS" else 1
    write(kind, translated(kind, options), run(getattr(o, kind), noise, 1 if kind == "Muon" else 2, options, steps))
for count, options in first:
    write("LBFGS", translated("LBFGS", options), run(o.LBFGS, 0, 2, options, count), count)
for kind, rule, options in papers:
    write(kind, options, plain(rule)(options))
for options in shampoos:
    write("Shampoo", options, shampoo(options))
print("}")
