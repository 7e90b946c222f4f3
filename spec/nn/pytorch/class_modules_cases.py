"""Losses with parameters: see figures.py."""
from figures import case

CASES = []


def loss(ours, theirs, *inputs, call=("m(x1, x2)", "m(x1, x2)")):
    CASES.append(case(call[0], call[1], *inputs, module=("nn." + ours, "nn." + theirs), protocol=False))


loss("LinearCrossEntropyLoss(5, 3)", "LinearCrossEntropyLoss(5, 3)", (4, 5), ("labels", 3, 4))
loss("LinearCrossEntropyLoss(5, 3, { bias = true, reduction = 'sum', labelSmoothing = 0.1, ignoreIndex = 2 })",
     "LinearCrossEntropyLoss(5, 3, bias=True, reduction='sum', label_smoothing=0.1, ignore_index=1)", (4, 5), ("labels", 3, 4))
loss("LinearCrossEntropyLoss(5, 3, { 2 }, { reduction = 'none' })", "LinearCrossEntropyLoss(5, 3, out_features=(2,), reduction='none')",
     (4, 5), ("labels", 3, 4, 2))
A = ("{ m(x1, x2) }", "list(m(x1, x2))")
loss("AdaptiveLogSoftmaxWithLoss(8, 10, { 3, 6 }, 2)", "AdaptiveLogSoftmaxWithLoss(8, 10, [3, 6], 2.)", (7, 8), ("labels", 10, 7), call=A)
loss("AdaptiveLogSoftmaxWithLoss(8, 10, { 4 }, 2, true)", "AdaptiveLogSoftmaxWithLoss(8, 10, [4], 2., True)", (5, 8), ("labels", 10, 5), call=A)
loss("AdaptiveLogSoftmaxWithLoss(8, 10, { 9 }, { headBias = true })", "AdaptiveLogSoftmaxWithLoss(8, 10, [9], head_bias=True)", (3, 8),
     ("labels", 9, 3), call=A)
loss("AdaptiveLogSoftmaxWithLoss(8, 10, { 3, 6 }, 2)", "AdaptiveLogSoftmaxWithLoss(8, 10, [3, 6], 2.)", (4, 8),
     call=("{ m:logProb(x1), m:predict(x1):double() - 1 }", "[m.log_prob(x1), m.predict(x1).double()]"))
