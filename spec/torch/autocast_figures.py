# Makes autocast_figures.lua: values and gradients of small networks under torch.autocast('cpu', dtype=torch.bfloat16).
# python3 spec/torch/autocast_figures.py >spec/torch/autocast_figures.lua     (made with PyTorch 1.13)
# Loss functions get float32 here, as the CPU's lists of PyTorch leave out what its lists for CUDA say of them.
import textwrap

import torch
from torch.nn import functional as F


def series(rate, *sizes):
    n = 1
    for size in sizes:
        n *= size
    i = torch.arange(1, n + 1, dtype=torch.float64)
    return torch.sin(i * rate + 0.5).float().view(*sizes)


def leaf(rate, *sizes):
    return series(rate, *sizes).requires_grad_()


def dense():
    x, target = leaf(0.7, 5, 4), torch.tensor([0, 2, 1, 1, 0])
    w1, b1, w2, b2 = leaf(1.1, 6, 4), leaf(1.3, 6), leaf(1.7, 3, 6), leaf(1.9, 3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        h = F.linear(x, w1, b1)
        y = F.linear(torch.tanh(h), w2, b2)
        loss = F.nll_loss(F.log_softmax(y.float(), 1), target)
    return [x, w1, b1, w2, b2], [h, y], loss


def image():
    x, target = leaf(0.3, 2, 3, 6, 6), series(0.9, 2, 4)
    k, kb, w = leaf(0.8, 4, 3, 3, 3), leaf(1.2, 4), leaf(0.45, 4, 64)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        h = F.conv2d(x, k, kb)
        y = torch.mm(torch.relu(h).reshape(2, 64), w.t())
        loss = F.mse_loss(y.float(), target)
    return [x, k, kb, w], [h, y], loss


def shared():
    x, w = leaf(0.6, 4, 4), leaf(0.9, 4, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        h = torch.mm(x, w)
        y = torch.addmm(x, h + x, w)
        loss = y.float().pow(2).sum()
    return [x, w], [h, y], loss


def listed(tensor):
    text = ", ".join("%.9g" % v for v in tensor.detach().float().reshape(-1).tolist())
    return "{\n%s\n      }" % textwrap.fill(text, 136, initial_indent="        ", subsequent_indent="        ")


print("-- Made by autocast_figures.py with PyTorch %s." % torch.__version__.split("a")[0])
print("return {")
for network in (dense, image, shared):
    leaves, results, loss = network()
    loss.backward()
    print("  %s = {" % network.__name__)
    print("    types = { %s }," % ", ".join("'%s'" % str(r.dtype).split(".")[1] for r in results))
    print("    loss = %.9g," % loss.item())
    for name, tensors in ("results", results), ("gradients", [x.grad for x in leaves]):
        print("    %s = {" % name)
        for tensor in tensors:
            print("      %s," % listed(tensor))
        print("    },")
    print("  },")
print("}")
