# Writes sparse_figures.lua: the weight of an embedding after 50 steps of PyTorch's optimisers with its sparse gradients, in float64.
# python3 spec/optim/sparse_figures.py >spec/optim/sparse_figures.lua (made with PyTorch 2.15)
import math

import torch

torch.set_default_dtype(torch.float64)
steps, count, size = 50, 7, 3

cases = [
    ("SparseAdam", {}, {}, 1), ("SparseAdam", dict(lr=0.05, betas=(0.8, 0.9), eps=1e-3), {}, 1), ("SparseAdam", dict(lr=0.02, maximize=True), {}, 2),
    ("SparseAdam", dict(lr=0.05), dict(padding_idx=2), 1), ("SGD", dict(lr=0.03), {}, 1), ("SGD", dict(lr=0.03), dict(padding_idx=2), 2),
    ("SGD", dict(lr=0.01, momentum=0.9, dampening=0.3), {}, 1), ("SGD", dict(lr=0.01, momentum=0.7, nesterov=True), {}, 1),
    ("SGD", dict(lr=0.001, maximize=True), {}, 1), ("Adagrad", {}, {}, 1),
    ("Adagrad", dict(lr=0.3, lr_decay=0.1, initial_accumulator_value=0.5, eps=1e-3), {}, 2),
]
names = dict(lr="learningRate", eps="epsilon", lr_decay="learningRateDecay", initial_accumulator_value="initialAccumulator", padding_idx="padding")


# Of step t and pass k: positions, two of which are equal.
def positions(t, k):
    return [(3 * t + k) % count, (t * t) % count, (3 * t + k) % count, (5 * k + t // 2) % count]


def run(name, options, table, passes):
    net = torch.nn.Embedding(count, size, sparse=True, **table)
    with torch.no_grad():
        net.weight.copy_(torch.tensor([[math.sin(7 * i + 3 * j + 1) for j in range(size)] for i in range(count)]))
    optimiser = getattr(torch.optim, name)(net.parameters(), **options)
    for t in range(1, steps + 1):
        optimiser.zero_grad()
        for k in range(passes):
            rows = net(torch.tensor(positions(t, k)))
            slope = torch.tensor([[math.cos(t * (4 * p + j + 1) + k) for j in range(size)] for p in range(4)])
            (rows * rows / 2 + 0.5 * rows * slope).sum().backward()
        optimiser.step()
    return net.weight.detach().flatten().tolist()


def listed(options):
    all = {}
    for name, v in options.items():
        if name == "betas":
            all.update(beta1=v[0], beta2=v[1])
        else:
            all[names.get(name, name)] = v + 1 if name == "padding_idx" else str(v).lower() if isinstance(v, bool) else v
    return "{%s}" % "".join(" %s = %s," % each for each in all.items()).rstrip(",").join(["", " "] if all else ["", ""])


print("-- Made by sparse_figures.py with PyTorch %s: class, options, those of the embedding, passes a step, the weight." % torch.__version__.split("+")[0])
print("return {")
for name, options, table, passes in cases:
    print("  { '%s', %s, %s, %d, {" % (name, listed(options), listed(table), passes))
    figures = run(name, options, table, passes)
    for i in range(0, len(figures), 5):
        print("    %s%s" % (", ".join("%.17g" % v for v in figures[i : i + 5]), "," if i + 5 < len(figures) else " } },"))
print("}")
