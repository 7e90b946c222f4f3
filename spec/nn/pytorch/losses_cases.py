"""Losses: see figures.py."""
from figures import case

CASES = []


def loss(ours, theirs, *inputs, call=None, **options):
    """A criterion, called with (x1, x2) unless `call` is given, in Lua and in Python."""
    lua, python = call or ("m(x1, x2)", "m(x1, x2)")
    CASES.append(case(lua, python, *inputs, module=("nn." + ours, "nn." + theirs), **options))


def function(ours, theirs, *inputs, **options):
    CASES.append(case("F." + ours, "F." + theirs, *inputs, **options))


S = (3, 4)
SIGNS = ("signs", 3, 4)
UNIT = ("unit", 3, 4)
POSITIVE = ("positive", 3, 4)
for name in ("L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss"):
    loss(name + "()", name + "()", S, S)
    loss(name + "('sum')", name + "(reduction='sum')", (5,), (5,))
    loss(name + "{ reduction = 'none' }", name + "(reduction='none')", (2, 1, 3), (2, 1, 3))
loss("SmoothL1Loss('mean', 0.4)", "SmoothL1Loss(beta=0.4)", S, S)
loss("SmoothL1Loss({ beta = 0 })", "SmoothL1Loss(beta=0)", S, S)
loss("HuberLoss('sum', 0.4)", "HuberLoss('sum', 0.4)", S, S)
function("mseLoss(x1, x2, 'mean', x3)", "mse_loss(x1, x2, reduction='mean', weight=x3)", S, S, POSITIVE)
function("mseLoss(x1, x2, { weight = x3, reduction = 'sum' })", "mse_loss(x1, x2, reduction='sum', weight=x3)", S, S, POSITIVE)
function("l1Loss(x1, x2, { weight = x3, reduction = 'none' })", "l1_loss(x1, x2, reduction='none', weight=x3)", S, S, POSITIVE)
function("huberLoss(x1, x2, 'mean', 0.6, x3)", "huber_loss(x1, x2, 'mean', 0.6, x3)", S, S, POSITIVE)

ENTROPY = [((4, 3), ("labels", 3, 4)), ((3,), ("labels", 3)), ((2, 3, 4), ("labels", 3, 2, 4)), ((2, 3, 2, 2), ("labels", 3, 2, 2, 2))]
for scores, target in ENTROPY:
    for reduction in ("mean", "sum", "none"):
        loss("CrossEntropyLoss{ reduction = '%s' }" % reduction, "CrossEntropyLoss(reduction='%s')" % reduction, scores, target)
        loss("CrossEntropyLoss{ reduction = '%s', labelSmoothing = 0.2, ignoreIndex = 2 }" % reduction,
             "CrossEntropyLoss(reduction='%s', label_smoothing=0.2, ignore_index=1)" % reduction, scores, target)
        loss("CrossEntropyLoss(torch.DoubleTensor { 1, 0.5, 2 }, 3, '%s', 0.1)" % reduction,
             "CrossEntropyLoss(torch.tensor([1, 0.5, 2]), ignore_index=2, reduction='%s', label_smoothing=0.1)" % reduction,
             scores, target) if not (len(scores) == 1 and reduction == "mean") else None
        loss("NLLLoss{ reduction = '%s' }" % reduction, "NLLLoss(reduction='%s')" % reduction, scores, target)
        loss("NLLLoss(torch.DoubleTensor { 1, 0.5, 2 }, 2, '%s')" % reduction,
             "NLLLoss(torch.tensor([1, 0.5, 2]), ignore_index=1, reduction='%s')" % reduction, scores, target)
for sizes in ((4, 3), (3,), (2, 3, 4)):
    for reduction in ("mean", "sum", "none"):
        loss("CrossEntropyLoss{ reduction = '%s' }" % reduction, "CrossEntropyLoss(reduction='%s')" % reduction,
             sizes, ("unit",) + sizes)
        loss("CrossEntropyLoss{ weight = torch.DoubleTensor { 1, 0.5, 2 }, reduction = '%s', labelSmoothing = 0.3 }" % reduction,
             "CrossEntropyLoss(torch.tensor([1, 0.5, 2]), reduction='%s', label_smoothing=0.3)" % reduction, sizes, ("unit",) + sizes)
loss("NLLLoss2d()", "NLLLoss2d()", (2, 3, 2, 2), ("labels", 3, 2, 2, 2))
loss("NLLLoss2d { ignoreIndex = 1, reduction = 'none' }", "NLLLoss2d(ignore_index=0, reduction='none')", (2, 3, 2, 2), ("labels", 3, 2, 2, 2))
loss("NLLLoss2d(torch.DoubleTensor { 1, 0.5, 2 })", "NLLLoss2d(torch.tensor([1, 0.5, 2]))", (1, 3, 3, 2), ("labels", 3, 1, 3, 2))
function("nllLoss(x1, x2, x3, 2)", "nll_loss(x1, x2, x3.detach(), ignore_index=1)", (4, 3), ("labels", 3, 4), ("positive", 3), gradient=False)
function("crossEntropy(x1, x2, { labelSmoothing = 0.2 })", "cross_entropy(x1, x2, label_smoothing=0.2)", (4, 3), ("labels", 3, 4))
function("linearCrossEntropy(x1, x2, x3)", "linear_cross_entropy(x1, x2, x3)", (4, 5), (3, 5), ("labels", 3, 4))
function("linearCrossEntropy(x1, x2, x3, x4, { reduction = 'sum', labelSmoothing = 0.1, ignoreIndex = 1 })",
         "linear_cross_entropy(x1, x2, x3, linear_bias=x4, reduction='sum', label_smoothing=0.1, ignore_index=0)",
         (4, 5), (3, 5), ("labels", 3, 4), (3,))
function("linearCrossEntropy(x1, x2, x3, { reduction = 'none' })", "linear_cross_entropy(x1, x2, x3, reduction='none')",
         (2, 5), (3, 4, 5), ("labels", 3, 2, 4))

for sizes in (S, (6,), (2, 1, 3)):
    loss("PoissonNLLLoss()", "PoissonNLLLoss()", sizes, ("positive",) + sizes)
    loss("PoissonNLLLoss(false, true)", "PoissonNLLLoss(False, True)", ("positive",) + sizes, ("positive",) + sizes)
    loss("PoissonNLLLoss { full = true, eps = 1e-3, reduction = 'none' }", "PoissonNLLLoss(full=True, eps=1e-3, reduction='none')",
         sizes, ("positive",) + sizes)
GAUSS = ("m({ x1, x3 }, x2)", "m(x1, x2, x3)")
loss("GaussianNLLLoss()", "GaussianNLLLoss()", S, S, POSITIVE, call=GAUSS)
loss("GaussianNLLLoss(true, 0.5, 'sum')", "GaussianNLLLoss(full=True, eps=0.5, reduction='sum')", S, S, POSITIVE, call=GAUSS)
loss("GaussianNLLLoss { reduction = 'none' }", "GaussianNLLLoss(reduction='none')", S, S, ("positive", 3, 1), call=GAUSS)
loss("GaussianNLLLoss()", "GaussianNLLLoss()", S, S, ("positive", 3), call=GAUSS)
function("gaussianNllLoss(x1, x2, 0.7)", "gaussian_nll_loss(x1, x2, 0.7)", S, S)

for options, theirs in (("()", "()"), ("('batchmean')", "(reduction='batchmean')"), ("('sum', true)", "(reduction='sum', log_target=True)"),
                        (" { reduction = 'none', logTarget = true }", "(reduction='none', log_target=True)")):
    loss("KLDivLoss" + options, "KLDivLoss" + theirs, S, S if "true" in options else UNIT)
W = "torch.DoubleTensor { 1, 2, 0.5, 0 }"
PW = "torch.tensor([1, 2, 0.5, 0])"
for name, x in (("BCELoss", UNIT), ("BCEWithLogitsLoss", S)):
    loss(name + "()", name + "()", x, UNIT)
    loss(name + "(%s)" % W, name + "(%s)" % PW, x, UNIT)
    loss(name + "(%s, 'none')" % W, name + "(%s, reduction='none')" % PW, x, UNIT)
    loss(name + " { reduction = 'sum' }", name + "(reduction='sum')", x, UNIT)
loss("BCEWithLogitsLoss { posWeight = %s }" % W, "BCEWithLogitsLoss(pos_weight=%s)" % PW, S, UNIT)
loss("BCEWithLogitsLoss(%s, 'none', %s)" % (W, W), "BCEWithLogitsLoss(%s, reduction='none', pos_weight=%s)" % (PW, PW), S, UNIT)
function("binaryCrossEntropy(x1, x2)", "binary_cross_entropy(x1, x2)", ("unit", 5), ("unit", 5))
function("binaryCrossEntropyWithLogits(x1, x2, { reduction = 'sum' })", "binary_cross_entropy_with_logits(x1, x2, reduction='sum')", S, UNIT)

TWO = ("m({ x1, x2 }, x3)", "m(x1, x2, x3)")
for options, theirs in (("()", "()"), ("(0.5, 'sum')", "(0.5, reduction='sum')"), (" { margin = 0.3, reduction = 'none' }", "(0.3, reduction='none')")):
    loss("MarginRankingLoss" + options, "MarginRankingLoss" + theirs, S, S, SIGNS, call=TWO)
    loss("HingeEmbeddingLoss" + options, "HingeEmbeddingLoss" + theirs, S, ("signs", 3, 4), constants=(2,))
    loss("CosineEmbeddingLoss" + options, "CosineEmbeddingLoss" + theirs, S, S, ("signs", 3), call=TWO)
loss("CosineEmbeddingLoss()", "CosineEmbeddingLoss()", (5,), (5,), call=("m({ x1, x2 }, 1)", "m(x1, x2, torch.tensor(1))"))
for options, theirs in (("()", "()"), ("('sum')", "(reduction='sum')"), (" { reduction = 'none' }", "(reduction='none')")):
    loss("SoftMarginLoss" + options, "SoftMarginLoss" + theirs, S, SIGNS, constants=(2,))
    loss("MultiLabelMarginLoss" + options, "MultiLabelMarginLoss" + theirs, S,
         call=("m(x1, torch.LongTensor { { 3, 1, 0, 2 }, { 4, 0, 0, 0 }, { 1, 2, 3, 4 } })",
               "m(x1, torch.tensor([[2, 0, -1, 1], [3, -1, -1, -1], [0, 1, 2, 3]]))"))
    loss("MultiLabelMarginLoss" + options, "MultiLabelMarginLoss" + theirs, (4,),
         call=("m(x1, torch.LongTensor { 3, 1, 0, 2 })", "m(x1, torch.tensor([2, 0, -1, 1]))"))
    options = options.replace("('sum')", " { reduction = 'sum' }")
    loss("MultiLabelSoftMarginLoss" + options, "MultiLabelSoftMarginLoss" + theirs, S, UNIT)
    loss("MultiMarginLoss" + options, "MultiMarginLoss" + theirs, (4, 3), ("labels", 3, 4))
loss("MultiLabelSoftMarginLoss(%s)" % W, "MultiLabelSoftMarginLoss(%s)" % PW, S, UNIT)
loss("MultiMarginLoss(2, 0.5, torch.DoubleTensor { 1, 2, 0.5 })", "MultiMarginLoss(2, 0.5, torch.tensor([1, 2, 0.5]))", (4, 3), ("labels", 3, 4))
loss("MultiMarginLoss()", "MultiMarginLoss()", (3,), ("labels", 3))
THREE = ("m { x1, x2, x3 }", "m(x1, x2, x3)")
for options, theirs in (("()", "()"), ("(0.5, 1, 1e-3, true)", "(0.5, 1, 1e-3, True)"), (" { p = 3, reduction = 'sum' }", "(p=3, reduction='sum')"),
                        (" { swap = true, reduction = 'none' }", "(swap=True, reduction='none')")):
    loss("TripletMarginLoss" + options, "TripletMarginLoss" + theirs, S, S, S, call=THREE)
loss("TripletMarginLoss()", "TripletMarginLoss()", (4,), (4,), (4,), call=THREE)
loss("TripletMarginWithDistanceLoss()", "TripletMarginWithDistanceLoss()", S, S, S, call=THREE)
loss("TripletMarginWithDistanceLoss(function(a, b) return torch.sum(torch.abs(a - b), 2):view(-1) end, 2, true, 'none')",
     "TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(1), margin=2, swap=True, reduction='none')",
     S, S, S, call=THREE)
function("tripletMarginWithDistanceLoss(x1, x2, x3, { margin = 0.4 })", "triplet_margin_with_distance_loss(x1, x2, x3, margin=0.4)", S, S, S)
