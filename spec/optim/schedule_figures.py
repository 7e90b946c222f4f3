# Writes schedule_figures.lua: the rates (and momenta) of PyTorch's schedulers before each of 40 steps, of two groups with the rates 0.1 and
# 0.03, in float64. python3 spec/optim/schedule_figures.py >spec/optim/schedule_figures.lua (made with PyTorch 2.15)
import math
import warnings

import torch
import torch.optim.lr_scheduler as s

warnings.filterwarnings("ignore")
count = 40
metrics = [1 / (1 + 0.2 * t) if t < 12 else 0.3 + 0.01 * math.sin(t) for t in range(count)]

cases = [
    ("step", "stepSize = 7", dict(), lambda o: s.StepLR(o, 7)), ("step", "stepSize = 3, gamma = 0.8", dict(), lambda o: s.StepLR(o, 3, 0.8)),
    ("multistep", "milestones = { 4, 9, 9, 30 }", dict(), lambda o: s.MultiStepLR(o, [4, 9, 9, 30])),
    ("multistep", "milestones = { 1, 20 }, gamma = 0.5", dict(), lambda o: s.MultiStepLR(o, [1, 20], 0.5)),
    ("constant", "", dict(), s.ConstantLR), ("constant", "factor = 0.25, totalSteps = 11", dict(), lambda o: s.ConstantLR(o, 0.25, 11)),
    ("linear", "", dict(), s.LinearLR), ("linear", "startFactor = 0.9, endFactor = 0.1, totalSteps = 17", dict(), lambda o: s.LinearLR(o, 0.9, 0.1, 17)),
    ("exponential", "gamma = 0.9", dict(), lambda o: s.ExponentialLR(o, 0.9)),
    ("polynomial", "", dict(), s.PolynomialLR), ("polynomial", "totalSteps = 25, power = 2.5", dict(), lambda o: s.PolynomialLR(o, 25, 2.5)),
    ("cosine", "period = 13", dict(), lambda o: s.CosineAnnealingLR(o, 13)),
    ("cosine", "period = 40, minimum = 0.01", dict(), lambda o: s.CosineAnnealingLR(o, 40, 0.01)),
    ("cosine", "period = 6, restarts = true", dict(), lambda o: s.CosineAnnealingWarmRestarts(o, 6)),
    ("cosine", "period = 5, restarts = true, growth = 2, minimum = 0.001", dict(), lambda o: s.CosineAnnealingWarmRestarts(o, 5, 2, 0.001)),
    ("cosine", "period = 30, warmup = 6, warmupFactor = 0.2", dict(),
     lambda o: s.SequentialLR(o, [s.LinearLR(o, 0.2, 1, 6), s.CosineAnnealingLR(o, 30)], [6])),
    ("oneCycle", "maximum = 0.5, totalSteps = 40", dict(momentum=0.9), lambda o: s.OneCycleLR(o, 0.5, 40)),
    ("oneCycle", "maximum = { 0.5, 0.2 }, totalSteps = 45, warmFraction = 0.4, anneal = 'linear', threePhase = true, divFactor = 10", dict(momentum=0.9),
     lambda o: s.OneCycleLR(o, [0.5, 0.2], 45, pct_start=0.4, anneal_strategy="linear", three_phase=True, div_factor=10)),
    ("oneCycle", "maximum = 1, totalSteps = 50, cycleMomentum = false, finalDivFactor = 10", dict(),
     lambda o: s.OneCycleLR(o, 1, 50, cycle_momentum=False, final_div_factor=10)),
    ("oneCycle", "maximum = 0.5, totalSteps = 60, minMomentum = 0.5, maxMomentum = 0.8", dict(beta1=0.9),
     lambda o: s.OneCycleLR(o, 0.5, 60, base_momentum=0.5, max_momentum=0.8)),
    ("cyclic", "minimum = 0.01, maximum = 0.4, stepsUp = 6", dict(momentum=0.9), lambda o: s.CyclicLR(o, 0.01, 0.4, 6)),
    ("cyclic", "minimum = { 0.01, 0.02 }, maximum = { 0.4, 0.3 }, stepsUp = 5, stepsDown = 7, mode = 'triangular2'", dict(momentum=0.9),
     lambda o: s.CyclicLR(o, [0.01, 0.02], [0.4, 0.3], 5, 7, mode="triangular2")),
    ("cyclic", "minimum = 0.1, maximum = 0.4, stepsUp = 3, mode = 'exponential', gamma = 0.9, cycleMomentum = false", dict(),
     lambda o: s.CyclicLR(o, 0.1, 0.4, 3, mode="exp_range", gamma=0.9, cycle_momentum=False)),
    ("cyclic", "minimum = 0.1, maximum = 0.4, stepsUp = 4, minMomentum = 0.6, maxMomentum = 0.7", dict(beta1=0.9),
     lambda o: s.CyclicLR(o, 0.1, 0.4, 4, base_momentum=0.6, max_momentum=0.7)),
    ("plateau", "", dict(), s.ReduceLROnPlateau), ("plateau", "patience = 2, factor = 0.5, cooldown = 3", dict(),
     lambda o: s.ReduceLROnPlateau(o, patience=2, factor=0.5, cooldown=3)),
    ("plateau", "patience = 1, threshold = 0.05, thresholdMode = 'absolute', minimum = 0.02", dict(),
     lambda o: s.ReduceLROnPlateau(o, patience=1, threshold=0.05, threshold_mode="abs", min_lr=0.02)),
    ("plateau", "mode = 'max', patience = 3, factor = 0.7", dict(), lambda o: s.ReduceLROnPlateau(o, mode="max", patience=3, factor=0.7)),
    ("lambda", "f = function(t) return 1 / (1 + t) end", dict(), lambda o: s.LambdaLR(o, lambda t: 1 / (1 + t))),
    ("lambda", "f = { function(t) return 0.9 ^ t end, function(t) return math.sqrt(t) end }", dict(),
     lambda o: s.LambdaLR(o, [lambda t: 0.9**t, lambda t: math.sqrt(t)])),
    ("chained", "{ 'linear', { totalSteps = 8 } }, { 'exponential', { gamma = 0.9 } }", dict(),
     lambda o: s.ChainedScheduler([s.LinearLR(o, total_iters=8), s.ExponentialLR(o, 0.9)])),
    ("chained", "{ 'constant', { factor = 0.1 } }, { 'step', { stepSize = 9 } }, { 'cosine', { period = 41 } }", dict(),
     lambda o: s.ChainedScheduler([s.ConstantLR(o, 0.1), s.StepLR(o, 9), s.CosineAnnealingLR(o, 41)])),
    ("sequential", "milestones = { 5, 20 }, { 'linear', { startFactor = 0.1 } }, { 'exponential', { gamma = 0.9 } }, { 'step', { stepSize = 6 } }", dict(),
     lambda o: s.SequentialLR(o, [s.LinearLR(o, 0.1), s.ExponentialLR(o, 0.9), s.StepLR(o, 6)], [5, 20])),
]


def lines(values):
    texts = ["%.17g" % v for v in values]
    return ",\n    ".join(", ".join(texts[i : i + 5]) for i in range(0, len(texts), 5))


print("-- Made by schedule_figures.py with PyTorch %s: kind, options, the optimiser's, rates of both groups by step, momenta." % torch.__version__.split("+")[0])
print("return {")
for kind, options, own, make in cases:
    groups = [dict(params=[torch.zeros(1, requires_grad=True)], lr=lr) for lr in (0.1, 0.03)]
    optimiser = torch.optim.Adam(groups, betas=(own["beta1"], 0.999)) if "beta1" in own else torch.optim.SGD(groups, **own)
    schedule = make(optimiser)
    rates, momenta = [], []
    for t in range(count):
        rates += [group["lr"] for group in optimiser.param_groups]
        group = optimiser.param_groups[0]
        momenta.append(group["betas"][0] if "beta1" in own else group.get("momentum", 0))
        optimiser.step()
        if t < count - 1:
            schedule.step(metrics[t]) if kind == "plateau" else schedule.step()
    print('  { "%s",\n    "%s",\n    { %s }, {' % (kind, options, ", ".join("%s = %s" % item for item in own.items())))
    print("    %s }, {" % lines(rates))
    print("    %s } }," % lines(momenta if own else []))
print("}")
