# Writes figures.lua: the positions of PyTorch's optimisers after 10 steps on f(x) = sum of i x_i^2 / 2, in float64. python3
# spec/optim/figures.py >spec/optim/figures.lua (made with PyTorch 1.13)
import torch

# AdamW adds epsilon after the correction of the mean square where Torch7's Adam does so before: compared without it. ASGD keeps its rates
# in float32.
start = [1, -2, 0.5, 3, -1, 2, 0.25]
o = torch.optim
cases = [
    ("adamax", dict(learningRate=0.05, beta1=0.8, beta2=0.9), lambda p: o.Adamax(p, lr=0.05, betas=(0.8, 0.9), eps=1e-38)),
    ("adamax", dict(weightDecay=0.1), lambda p: o.Adamax(p, lr=0.002, eps=1e-38, weight_decay=0.1)),
    ("adagrad", dict(learningRate=0.3, learningRateDecay=0.2, weightDecay=0.1), lambda p: o.Adagrad(p, lr=0.3, lr_decay=0.2, weight_decay=0.1)),
    ("adadelta", dict(), lambda p: o.Adadelta(p, lr=1, rho=0.9, eps=1e-6)),
    ("adadelta", dict(rho=0.7, eps=1e-3, weightDecay=0.1), lambda p: o.Adadelta(p, lr=1, rho=0.7, eps=1e-3, weight_decay=0.1)),
    ("rmsprop", dict(), lambda p: o.RMSprop(p, lr=0.01, alpha=0.99, eps=1e-8)),
    ("rmsprop", dict(learningRate=0.05, alpha=0.8, epsilon=1e-3, weightDecay=0.1), lambda p: o.RMSprop(p, lr=0.05, alpha=0.8, eps=1e-3, weight_decay=0.1)),
    ("rprop", dict(stepsize=0.3), lambda p: o.Rprop(p, lr=0.3)),
    ("asgd", dict(eta0=0.1, alpha=0.5, t0=4, **{"lambda": 0.01}), lambda p: o.ASGD(p, lr=0.1, lambd=0.01, alpha=0.5, t0=4)),
    ("adamw", dict(epsilon=1e-30), lambda p: o.AdamW(p, lr=0.001, eps=1e-30)),
    ("adamw", dict(learningRate=0.05, beta1=0.8, beta2=0.9, weightDecay=0.3, epsilon=1e-30), lambda p: o.AdamW(p, lr=0.05, eps=1e-30, betas=(0.8, 0.9), weight_decay=0.3)),
]

print("-- Made by figures.py with PyTorch %s: x after 10 steps." % torch.__version__.split("+")[0])
print("return {")
for name, config, make in cases:
    x = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    scale = torch.arange(1, 8, dtype=torch.float64)
    optimiser = make([x])
    for _ in range(10):
        optimiser.zero_grad()
        (scale * x * x / 2).sum().backward()
        optimiser.step()
    options = ", ".join("['%s'] = %r" % item if item[0] == "lambda" else "%s = %r" % item for item in config.items())
    print("  { '%s', { %s }, {" % (name, options))
    print("    %s," % ", ".join("%.17g" % v for v in x.tolist()[:4]))
    print("    %s } }," % ", ".join("%.17g" % v for v in x.tolist()[4:]))
print("}")
