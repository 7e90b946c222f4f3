#!/usr/bin/env python3
"""Figures for sweep_spec.lua, from PyTorch in float64: python3 spec/nn/figures.py >spec/nn/figures.lua

For each module of declared.lua: the sizes of its outputs, and projections of outputs, gradients by inputs and gradients by parameters on fixed
numbers. Inputs, parameters and gradients by outputs are fixed numbers, too; sweep_spec.lua makes the same ones.
"""
import math
import re

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)


def given(sizes, salt):
    n = math.prod(sizes)
    values = torch.tensor([((i * 7919) % n - n / 2 + 0.3) * 3 / n for i in range(n)])
    return (values * (1 + 0.13 * salt) + 0.07 * salt).reshape(sizes)


def series(sizes, rate):
    n = math.prod(sizes)
    return torch.sin(torch.arange(1, n + 1) * rate + 0.5).reshape(sizes)


def flat(x):
    return [x] if torch.is_tensor(x) else [t for part in x for t in flat(part)]


def table(sizes, tensors):
    """Tensors, as they come, in the structure of sizes."""
    if isinstance(sizes[0], int):
        return next(tensors)
    return [table(s, tensors) for s in sizes]


def leaves(sizes):
    return [sizes] if isinstance(sizes[0], int) else [t for s in sizes for t in leaves(s)]


def parameters(*sizes):
    return [series(s, 1.7 + 0.3 * (k + 1)).requires_grad_() for k, s in enumerate(sizes)]


def project(tensors):
    return sum(float((t.detach() * series(t.shape, 1.3)).sum()) for t in tensors)


def entry(name, figures):
    line = "  ['%s'] = { %s }," % (name, figures)
    return line if len(line) <= 140 else "  ['%s'] =\n    { %s }," % (name, figures)


def distance(x, w):
    return (x[:, :, None] - w[None]).pow(2).sum(1).sqrt()


def normalize(x, p, eps=1e-10):
    if p == math.inf:
        return x / (x.abs().max(1, keepdim=True)[0] + eps)
    return x / (x.abs().pow(p).sum(1, keepdim=True) + eps).pow(1 / p)


def norm_rows(v):
    return (v.pow(2).sum(1, keepdim=True)).sqrt()


def layer_norm(x, w, b):
    off = x - x.mean(1, keepdim=True)
    return normalize(off, 2) * math.sqrt(x.size(1)) * w + b


def cosine(a, b, dim):
    return (a * b).sum(dim) / ((a.pow(2).sum(dim) + 1e-12) * (b.pow(2).sum(dim) + 1e-12)).sqrt()


def one(x):
    return x.reshape(1) if x.dim() == 0 else x


def padded(x, dim, before, after, value):
    def slices(count):
        size = list(x.shape)
        size[dim] = count
        return torch.full(size, value)
    return torch.cat([slices(before), x, slices(after)], dim)


def middle(rows, whole):
    first = (whole - rows.size(1)) // 2
    return F.pad(rows, (first, whole - rows.size(1) - first))


# name: (sizes of the input, sizes of the parameters, function)
L = [[2, 3], [2]]
modules = {
    'Exp()': ([4, 3], [], torch.exp), 'Log()': ([4, 3], [], torch.log), 'Square()': ([2, 3, 2], [], torch.square),
    'Sqrt()': ([4, 3], [], torch.sqrt), 'Power(3)': ([4, 3], [], lambda x: x ** 3), 'Power(0.5)': ([4, 3], [], lambda x: x ** 0.5),
    'Abs()': ([4, 3], [], torch.abs), 'Sigmoid()': ([4, 3], [], torch.sigmoid), 'Tanh()': ([4, 3], [], torch.tanh),
    'ReLU()': ([4, 3], [], F.relu), 'ReLU6()': ([4, 3], [], F.relu6), 'Threshold(0.3, -2)': ([4, 3], [], lambda x: F.threshold(x, 0.3, -2)),
    'LeakyReLU()': ([4, 3], [], F.leaky_relu), 'LeakyReLU(0.3)': ([4, 3], [], lambda x: F.leaky_relu(x, 0.3)), 'ELU()': ([4, 3], [], F.elu),
    'ELU(0.7)': ([4, 3], [], lambda x: F.elu(x, 0.7)), 'SoftPlus()': ([4, 3], [], F.softplus),
    'SoftPlus(2.5)': ([4, 3], [], lambda x: F.softplus(x, 2.5)), 'SoftSign()': ([4, 3], [], F.softsign), 'LogSigmoid()': ([4, 3], [], F.logsigmoid),
    'HardTanh()': ([4, 3], [], F.hardtanh), 'HardTanh(-0.4, 0.9)': ([4, 3], [], lambda x: F.hardtanh(x, -0.4, 0.9)),
    'Clamp(-0.4, 0.9)': ([4, 3], [], lambda x: x.clamp(-0.4, 0.9)), 'HardShrink()': ([4, 3], [], F.hardshrink),
    'HardShrink(0.2)': ([4, 3], [], lambda x: F.hardshrink(x, 0.2)), 'SoftShrink()': ([4, 3], [], F.softshrink),
    'SoftShrink(0.2)': ([4, 3], [], lambda x: F.softshrink(x, 0.2)), 'TanhShrink()': ([4, 3], [], F.tanhshrink),
    'PReLU()': ([4, 3], [[1]], F.prelu), 'PReLU(3)': ([4, 3], [[3]], F.prelu), 'PReLU(3) of planes': ([2, 3, 2, 2], [[3]], F.prelu),
    'GatedLinearUnit()': ([3, 4], [], lambda x: F.glu(x, 1)), 'GatedLinearUnit(1)': ([4, 3], [], lambda x: F.glu(x, 0)),
    'CReLU(1)': ([4, 3], [], lambda x: F.relu(torch.cat([x, -x], 1))), 'AddConstant(3)': ([4, 3], [], lambda x: x + 3),
    'MulConstant(-2)': ([4, 3], [], lambda x: x * -2), 'Identity()': ([4, 3], [], lambda x: x * 1),
    'SoftMax()': ([4, 3], [], lambda x: F.softmax(x, 1)), 'LogSoftMax()': ([4, 3], [], lambda x: F.log_softmax(x, 1)),
    'SoftMin()': ([4, 3], [], lambda x: F.softmin(x, 1)), 'SoftMax() of planes': ([2, 3, 2, 2], [], lambda x: F.softmax(x, 1)),
    'SpatialSoftMax()': ([2, 3, 2, 2], [], lambda x: F.softmax(x, 1)), 'SpatialLogSoftMax()': ([2, 3, 2, 2], [], lambda x: F.log_softmax(x, 1)),
    'Linear(3, 2)': ([4, 3], L, F.linear), 'Linear(3, 2, false)': ([4, 3], [[2, 3]], F.linear), 'Add(3)': ([4, 3], [[3]], torch.add),
    'Add(3, true)': ([4, 3], [[1]], torch.add), 'CAdd(3)': ([4, 3], [[3]], torch.add), 'CAdd(1, 3, 1)': ([2, 3, 2], [[1, 3, 1]], torch.add),
    'Mul()': ([4, 3], [[1]], torch.mul), 'CMul(3)': ([4, 3], [[3]], torch.mul), 'CMul(1, 3, 1)': ([2, 3, 2], [[1, 3, 1]], torch.mul),
    'Bilinear(3, 2, 4)': ([[5, 3], [5, 2]], [[4, 3, 2], [4]], lambda x, w, b: F.bilinear(*x, w, b)),
    'Bilinear(3, 2, 4, false)': ([[5, 3], [5, 2]], [[4, 3, 2]], lambda x, w: F.bilinear(*x, w)),
    'Cosine(3, 2)': ([4, 3], [[2, 3]], lambda x, w: F.cosine_similarity(x[:, None], w[None], 2)),
    'Euclidean(3, 2)': ([4, 3], [[3, 2]], distance), 'Euclidean(3, 2) of two rows': ([2, 3], [[3, 2]], distance),
    'WeightedEuclidean(3, 2)': ([4, 3], [[3, 2], [3, 2]],
                                lambda x, w, d: (d[None] * (x[:, :, None] - w[None])).pow(2).sum(1).sqrt()),
    'LinearWeightNorm(3, 2)': ([4, 3], [[2, 3], [2, 1], [2]], lambda x, v, g, b: F.linear(x, g * v / norm_rows(v), b)),
    'WeightNorm(nn.Linear(3, 2))': ([4, 3], [[2, 3], [2, 1], [2]],
                                    lambda x, v, g, b: F.linear(x, g * v / (v.pow(2).sum(1, keepdim=True) + 1e-4).sqrt(), b)),
    'Maxout(3, 2, 4)': ([5, 3], [[8, 3], [8]], lambda x, w, b: F.linear(x, w, b).reshape(-1, 4, 2).max(1)[0]),
    'LayerNormalization(4)': ([3, 4], [[4], [4]], layer_norm), 'PartialLinear(3, 5)': ([4, 3], [[5, 3], [1, 5]], lambda x, w, b: x @ w.t() + b),
    'PartialLinear(3, 5):setPartition(torch.LongTensor { 4, 2 })': ([4, 3], [[5, 3], [1, 5]], lambda x, w, b: (x @ w.t() + b)[:, [3, 1]]),
    'Max(2)': ([4, 3], [], lambda x: x.max(1)[0]), 'Max(1, 1)': ([4, 3], [], lambda x: x.max(1)[0]), 'Max(-1)': ([2, 3, 4], [], lambda x: x.max(2)[0]),
    'Min(2)': ([4, 3], [], lambda x: x.min(1)[0]), 'Min(1, 1)': ([4, 3], [], lambda x: x.min(1)[0]), 'Sum(1)': ([4, 3], [], lambda x: x.sum(0)),
    'Sum(1, 1)': ([4, 3], [], lambda x: x.sum(1)), 'Sum(2, nil, true, false)': ([4, 3], [], lambda x: x.mean(1, keepdim=True)),
    'Mean(2)': ([4, 3], [], lambda x: x.mean(1)), 'Normalize(2)': ([4, 3], [], lambda x: normalize(x, 2)),
    'Normalize(1)': ([4, 3], [], lambda x: normalize(x, 1)), 'Normalize(3)': ([4, 3], [], lambda x: normalize(x, 3)),
    'Normalize(math.huge)': ([4, 3], [], lambda x: normalize(x, math.inf)),
    'Narrow(2, 2, 2)': ([3, 4], [], lambda x: x[:, 1:3]), 'Narrow(-1, 2, -2)': ([3, 4], [], lambda x: x[:, 1:3]),
    'Select(1, -2)': ([3, 4], [], lambda x: x[1]), 'Contiguous()': ([3, 4], [], lambda x: x * 1),
    'Collapse(2)': ([2, 3, 2], [], lambda x: x.reshape(2, 6)), 'View(6)': ([2, 3, 2], [], lambda x: x.reshape(2, 6)),
    'Reshape(3, 2)': ([4, 6], [], lambda x: x.reshape(4, 3, 2)), 'Squeeze()': ([2, 1, 3], [], lambda x: x[:, 0]),
    'Squeeze(1, 2)': ([2, 1, 3], [], lambda x: x[:, 0]), 'Unsqueeze(2)': ([3, 2], [], lambda x: x[:, None]),
    'Transpose({ 1, 2 }, { 2, 3 })': ([2, 3, 4], [], lambda x: x.transpose(0, 1).transpose(1, 2)),
    'Transpose({ 1, 2 }):setNumInputDims(2)': ([2, 3, 4], [], lambda x: x.transpose(1, 2)),
    'Replicate(3, 2)': ([2, 4], [], lambda x: x[:, None].expand(2, 3, 4)), 'Padding(1, 2)': ([3, 2], [], lambda x: padded(x, 0, 0, 2, 0.)),
    'Padding(1, -2, 1, 0.5)': ([3, 2], [], lambda x: padded(x, 1, 2, 0, 0.5)),
    'Padding(2, 1, nil, 0.5, 2)': ([3, 4], [], lambda x: torch.cat([x[:, :3], torch.full((3, 1), 0.5), x[:, 3:]], 1)),
    'JoinTable(2)': ([[3, 2], [3, 4]], [], lambda x: torch.cat(x, 1)), 'JoinTable(1, 1)': ([[3, 2], [3, 4]], [], lambda x: torch.cat(x, 1)),
    'SplitTable(2)': ([3, 2, 2], [], lambda x: list(x.unbind(1))), 'SplitTable(1, 1)': ([3, 2], [], lambda x: list(x.unbind(1))),
    'SelectTable(-1)': ([[3], [2, 2]], [], lambda x: x[1] * 1), 'NarrowTable(2, 2)': ([[3], [2], [4]], [], lambda x: [x[1] * 1, x[2] * 1]),
    'FlattenTable()': ([[3], [[2], [[4]]]], [], lambda x: [t * 1 for t in flat(x)]),
    'ZipTable()': ([[[3], [2]], [[4], [5]]], [], lambda x: [[x[0][0] * 1, x[1][0] * 1], [x[0][1] * 1, x[1][1] * 1]]),
    'ZipTableOneToMany()': ([[3], [[2], [4]]], [], lambda x: [[x[0] * 1, x[1][0] * 1], [x[0] * 1, x[1][1] * 1]]),
    'CAddTable()': ([[3, 2]] * 3, [], sum), 'CSubTable()': ([[3, 2]] * 2, [], lambda x: x[0] - x[1]),
    'CMulTable()': ([[3, 2]] * 3, [], lambda x: x[0] * x[1] * x[2]), 'CDivTable()': ([[3, 2]] * 2, [], lambda x: x[0] / x[1]),
    'CMaxTable()': ([[3, 2]] * 3, [], lambda x: torch.stack(x).max(0)[0]), 'CMinTable()': ([[3, 2]] * 3, [], lambda x: torch.stack(x).min(0)[0]),
    'CAddTensorTable()': ([[3], [[3], [3]]], [], lambda x: [x[1][0] + x[0], x[1][1] + x[0]]),
    'MM()': ([[3, 2], [2, 4]], [], lambda x: x[0] @ x[1]),
    'MM(true, true)': ([[2, 3, 2], [2, 4, 3]], [], lambda x: x[0].transpose(1, 2) @ x[1].transpose(1, 2)),
    'MV()': ([[3, 2], [2]], [], lambda x: x[0] @ x[1]),
    'MV(true)': ([[2, 3, 2], [2, 3]], [], lambda x: (x[0].transpose(1, 2) @ x[1][:, :, None])[:, :, 0]),
    'DotProduct()': ([[3, 2]] * 2, [], lambda x: (x[0] * x[1]).sum(1)), 'CosineDistance()': ([[3, 2]] * 2, [], lambda x: cosine(*x, 1)),
    'CosineDistance() of vectors': ([[5]] * 2, [], lambda x: one(cosine(*x, 0))),
    'PairwiseDistance(1)': ([[3, 4]] * 2, [], lambda x: (x[0] - x[1]).abs().sum(1)),
    'PairwiseDistance()': ([[3, 4]] * 2, [], lambda x: (x[0] - x[1]).pow(2).sum(1).sqrt()),
    'PairwiseDistance(3)': ([[4]] * 2, [], lambda x: one((x[0] - x[1]).abs().pow(3).sum(0) ** (1 / 3))),
    'MixtureTable()': ([[3, 2], [[3, 4], [3, 4]]], [], lambda x: x[0][:, :1] * x[1][0] + x[0][:, 1:] * x[1][1]),
    'MixtureTable() of vectors': ([[2], [[4], [4]]], [], lambda x: x[0][0] * x[1][0] + x[0][1] * x[1][1]),
    'MixtureTable(3)': ([[3, 2], [3, 4, 2]], [], lambda x: (x[0][:, None] * x[1]).sum(2)),
    'Sequential():add(nn.Linear(3, 4)):add(nn.ReLU(true)):add(nn.Linear(4, 2))':
        ([4, 3], [[4, 3], [4], [2, 4], [2]], lambda x, a, b, c, d: F.linear(F.relu(F.linear(x, a, b)), c, d)),
    'Concat(2):add(nn.Linear(3, 2)):add(nn.Sequential():add(nn.Linear(3, 4)):add(nn.ReLU(true)))':
        ([4, 3], [[2, 3], [2], [4, 3], [4]], lambda x, a, b, c, d: torch.cat([F.linear(x, a, b), F.relu(F.linear(x, c, d))], 1)),
    'DepthConcat(1):add(nn.Linear(5, 2)):add(nn.Linear(5, 5))':
        ([3, 5], [[2, 5], [2], [5, 5], [5]], lambda x, a, b, c, d: torch.cat([middle(F.linear(x, a, b), 5), F.linear(x, c, d)], 0)),
    'ConcatTable():add(nn.Linear(3, 2)):add(nn.Identity())': ([4, 3], L, lambda x, a, b: [F.linear(x, a, b), x * 1]),
    'ParallelTable():add(nn.Linear(3, 2)):add(nn.Tanh())': ([[4, 3], [2]], L, lambda x, a, b: [F.linear(x[0], a, b), torch.tanh(x[1])]),
    'Parallel(2, 1):add(nn.Linear(3, 2)):add(nn.Linear(3, 4))':
        ([3, 2], [[2, 3], [2], [4, 3], [4]], lambda x, a, b, c, d: torch.cat([F.linear(x[:, 0], a, b), F.linear(x[:, 1], c, d)])),
    'MapTable(nn.Linear(3, 2))': ([[4, 3], [2, 3]], L, lambda x, a, b: [F.linear(t, a, b) for t in x]),
    'Bottle(nn.Linear(3, 2))': ([2, 4, 3], L, F.linear), 'Decorator(nn.Linear(3, 2))': ([4, 3], L, F.linear),
}
positive = {'Log()', 'Sqrt()', 'Power(0.5)'}


def module_figures(name, sizes, parameter_sizes, f):
    inputs = [given(s, k) for k, s in enumerate(leaves(sizes))]
    if name in positive:
        inputs = [x.abs() + 0.1 for x in inputs]
    inputs = [x.requires_grad_() for x in inputs]
    weights = parameters(*parameter_sizes)
    outputs = flat(f(table(sizes, iter(inputs)), *weights))
    gradients = torch.autograd.grad(sum((y * series(y.shape, 0.7)).sum() for y in outputs), inputs + weights, allow_unused=True)
    gradients = [torch.zeros_like(x) if g is None else g for g, x in zip(gradients, inputs + weights)]
    shapes = ' '.join('x'.join(map(str, y.shape)) for y in outputs)
    figures = [project(outputs), project(gradients[:len(inputs)])] + [project([g]) for g in gradients[len(inputs):]]
    return entry(name, "'%s', %s" % (shapes, ', '.join('%.13g' % v for v in figures)))


signs = torch.tensor([1., -1, -1, 1])
labels = torch.tensor([[1., 0, 1], [0, 0, 1]])
shares = torch.tensor([[1., 0, 1], [0, 0.5, 1]])
classes = torch.tensor([3, 1, 2, 3]) - 1
weights = torch.tensor([1., 2, 3])
simplex = torch.tensor([[1, 0, 0], [-.5, math.sqrt(.75), 0], [-.5, -math.sqrt(.75), 0]])


def hinge(x, y, margin):
    return torch.where(y == 1, x, F.relu(margin - x)).mean()


def entropy(x, t, w):
    return -w * (t * torch.log(x + 1e-12) + (1 - t) * torch.log(1 - x + 1e-12))


def l1_hinge(x, y, margin):
    d = (x[0] - x[1]).abs().sum()
    return d if y == 1 else F.relu(margin - d)


def cosine_embedding(x, y, margin):
    c = cosine(*x, x[0].dim() - 1)
    return torch.where(y == 1, 1 - c, F.relu(c - margin)).mean()


def two(x, t):
    return F.mse_loss(x[0], t[0]) + 0.5 * (x[1] - t[1]).abs().mean()


criteria = {
    'MSECriterion()': ([4, 3], [4, 3], F.mse_loss), 'MSECriterion(false)': ([4, 3], [4, 3], lambda x, t: (x - t).pow(2).sum()),
    'AbsCriterion()': ([4, 3], [4, 3], F.l1_loss), 'SmoothL1Criterion()': ([4, 3], [4, 3], F.smooth_l1_loss),
    'SmoothL1Criterion(false)': ([4, 3], [4, 3], lambda x, t: F.smooth_l1_loss(x, t, reduction='sum')),
    'SoftMarginCriterion()': ([4], None, lambda x, t: F.soft_margin_loss(x, signs)),
    'MarginCriterion(0.4)': ([4], None, lambda x, t: F.relu(0.4 - x * signs).mean()),
    'DistKLDivCriterion()': ([4], None, lambda x, t: F.kl_div(x, torch.tensor([.3, 0, .5, .2]), reduction='sum') / 4),
    'MultiLabelSoftMarginCriterion()': ([2, 3], None, lambda x, t: F.multilabel_soft_margin_loss(x, labels)),
    'MultiLabelSoftMarginCriterion(torch.DoubleTensor { 1, 2, 3 })':
        ([2, 3], None, lambda x, t: F.multilabel_soft_margin_loss(x, labels, weights)),
    'BCECriterion()': ([2, 3], None, lambda x, t: entropy(x, shares, 1).mean()),
    'BCECriterion(torch.DoubleTensor { 1, 2, 3 }, false)': ([2, 3], None, lambda x, t: entropy(x, shares, weights).sum()),
    'HingeEmbeddingCriterion(0.7)': ([4], None, lambda x, t: hinge(x, signs, 0.7)),
    'HingeEmbeddingCriterion()': ([4], None, lambda x, t: hinge(x, torch.tensor(-1), 1)),
    'L1HingeEmbeddingCriterion()': ([[4], [4]], None, lambda x, t: l1_hinge(x, 1, 1)),
    'L1HingeEmbeddingCriterion(3)': ([[4], [4]], None, lambda x, t: l1_hinge(x, -1, 3)),
    'CosineEmbeddingCriterion(0.1)': ([[4, 3], [4, 3]], None, lambda x, t: cosine_embedding(x, signs, 0.1)),
    'CosineEmbeddingCriterion()': ([[3], [3]], None, lambda x, t: cosine_embedding(x, torch.tensor(1), 0)),
    'MarginRankingCriterion(0.1)': ([[4], [4]], None, lambda x, t: F.margin_ranking_loss(*x, signs, 0.1)),
    'MarginRankingCriterion()': ([[1], [1]], None, lambda x, t: F.relu(x[0] - x[1] + 1).sum()),
    'DistanceRatioCriterion()': ([[4], [4]], [4], lambda x, t: (x[0] + torch.log(torch.exp(-x[0]) + torch.exp(-x[1]))).mean()),
    'L1Cost()': ([4, 3], [1], lambda x, t: x.abs().sum()),
    'WeightedMSECriterion(torch.DoubleTensor { 1, 2, 3 })': ([4, 3], [4, 3], lambda x, t: F.mse_loss(x, t * weights)),
    'SpatialAutoCropMSECriterion()': ([2, 2, 3], [2, 4, 4], lambda x, t: F.mse_loss(x, t[:, 1:3, 0:3])),
    'ClassNLLCriterion()': ([4, 3], None, lambda x, t: F.nll_loss(x, classes)),
    'ClassNLLCriterion(torch.DoubleTensor { 1, 2, 3 })': ([4, 3], None, lambda x, t: F.nll_loss(x, classes, weights)),
    'CrossEntropyCriterion()': ([4, 3], None, lambda x, t: F.cross_entropy(x, classes)),
    'CrossEntropyCriterion(torch.DoubleTensor { 1, 2, 3 })': ([4, 3], None, lambda x, t: F.cross_entropy(x, classes, weights)),
    'SpatialClassNLLCriterion()': ([2, 3, 2, 1], None, lambda x, t: F.nll_loss(x, torch.tensor([[[0], [2]], [[1], [0]]]))),
    'MultiMarginCriterion()': ([4, 3], None, lambda x, t: F.multi_margin_loss(x, classes)),
    'MultiMarginCriterion() of a vector': ([3], None, lambda x, t: F.multi_margin_loss(x, torch.tensor(1))),
    'MultiMarginCriterion(2, torch.DoubleTensor { 1, 2, 3 }, 0.7)': ([4, 3], None, lambda x, t: F.multi_margin_loss(x, classes, 2, 0.7, weights)),
    'MultiLabelMarginCriterion()':
        ([3, 4], None, lambda x, t: F.multilabel_margin_loss(x, torch.tensor([[2, 0, -1, 1], [3, -1, -1, -1], [0, 1, 2, -1]]))),
    'ClassSimplexCriterion(3)': ([4, 3], None, lambda x, t: F.mse_loss(x, simplex[classes])),
    'MultiCriterion():add(nn.MSECriterion()):add(nn.AbsCriterion(), 0.5)':
        ([4, 3], [4, 3], lambda x, t: F.mse_loss(x, t) + 0.5 * F.l1_loss(x, t)),
    'ParallelCriterion():add(nn.MSECriterion()):add(nn.AbsCriterion(), 0.5)': ([[4, 3], [2]], [[4, 3], [2]], two),
    'ParallelCriterion(true):add(nn.MSECriterion()):add(nn.AbsCriterion(), 0.5)': ([[4], [4]], [4], lambda x, t: two(x, [t, t])),
    'ModuleCriterion(nn.MSECriterion(), nn.Tanh(), nn.Square())': ([4, 3], [4, 3], lambda x, t: F.mse_loss(x.tanh(), t ** 2)),
}


def criterion_figures(name, sizes, target_sizes, f):
    inputs = [given(s, k) for k, s in enumerate(leaves(sizes))]
    if name.startswith('BCE'):
        inputs = [torch.sigmoid(x) for x in inputs]
    inputs = [x.requires_grad_() for x in inputs]
    targets = target_sizes and table(target_sizes, (given(s, k + 5) for k, s in enumerate(leaves(target_sizes))))
    loss = f(table(sizes, iter(inputs)), targets)
    gradients = torch.autograd.grad(loss, inputs)
    return entry(name, '%.13g, %.13g' % (float(loss), project(gradients)))


def print_table(made_by, entries):
    print('-- Made by %s, of PyTorch %s' % (made_by, re.match(r'[\d.]+', torch.__version__).group(0)))
    print('return {')
    for line in entries:
        print(line)
    print('}')


if __name__ == '__main__':
    print_table('figures.py', [module_figures(key, *case) for key, case in modules.items()]
                + [criterion_figures(key, *case) for key, case in criteria.items()])
