"""Pooling: see figures.py."""
from figures import case, module

SIZES = {1: (7,), 2: (6, 7), 3: (4, 5, 6)}
BINS = {1: ("{ 3 }", "(3,)"), 2: ("{ 4, 3 }", "(4, 3)"), 3: ("{ 2, 4, 5 }", "(2, 4, 5)")}

CASES = []
for d in (1, 2, 3):
    x = (2, 3) + SIZES[d]
    for ours, theirs in (
        ("MaxPool%dd(2)", "MaxPool%dd(2)"),
        ("MaxPool%dd(3, 2, 1)", "MaxPool%dd(3, 2, 1)"),
        ("MaxPool%dd(2, 3, { ceilMode = true, dilation = 2 })", "MaxPool%dd(2, 3, ceil_mode=True, dilation=2)"),
        ("AvgPool%dd(2)", "AvgPool%dd(2)"),
        ("AvgPool%dd(3, 2, 1, true)", "AvgPool%dd(3, 2, 1, True)"),
        ("AvgPool%dd(3, 2, 1, { ceilMode = true, countIncludePad = false })", "AvgPool%dd(3, 2, 1, ceil_mode=True, count_include_pad=False)"),
        ("AdaptiveAvgPool%dd(3)", "AdaptiveAvgPool%dd(3)"),
        ("AdaptiveMaxPool%dd(1)", "AdaptiveMaxPool%dd(1)"),
    ):
        CASES.append(module("nn." + ours % d, "nn." + theirs % d, x))
        CASES.append(module("nn." + ours % d, "nn." + theirs % d, x[1:]))
    if d > 1:
        for more in ("", ", ceil_mode=True"):
            ours = "nn.AvgPool%dd(3, 2, 1, { divisorOverride = 5%s })" % (d, more and ", ceilMode = true")
            CASES.append(module(ours, "nn.AvgPool%dd(3, 2, 1, divisor_override=5%s)" % (d, more), x))
        CASES.append(module("nn.LPPool%dd(3, 2)" % d, "nn.LPPool%dd(3, 2)" % d, ("positive",) + x))
    CASES.append(module("nn.LPPool%dd(2, 3, 2, true)" % d, "nn.LPPool%dd(2, 3, 2, True)" % d, ("positive",) + x[1:]))
    CASES.append(module("nn.LPPool%dd(1.5, 2)" % d, "nn.LPPool%dd(1.5, 2)" % d, ("positive",) + x))
    CASES.append(module("nn.LPPool%dd(2, 2)" % d, "nn.LPPool%dd(2, 2)" % d, x))
    for kind in ("Avg", "Max"):
        CASES.append(module("nn.Adaptive%sPool%dd(%s)" % (kind, d, BINS[d][0]), "nn.Adaptive%sPool%dd(%s)" % (kind, d, BINS[d][1]), x))
    CASES += [
        module("nn.MaxPool%dd(3, 2, { returnIndices = true })" % d, "nn.MaxPool%dd(3, 2, return_indices=True)" % d, x, indices=(2,)),
        module("nn.AdaptiveMaxPool%dd(%s, true)" % (d, BINS[d][0]), "nn.AdaptiveMaxPool%dd(%s, True)" % (d, BINS[d][1]), x, indices=(2,)),
        module("nn.AdaptiveMaxPool%dd(%s, true)" % (d, BINS[d][0]), "nn.AdaptiveMaxPool%dd(%s, True)" % (d, BINS[d][1]), x[1:], indices=(2,)),
        case("{ F.maxPool%dd(x1, 2, 1, 1, { returnIndices = true }) }" % d, "F.max_pool%dd(x1, 2, 1, 1, return_indices=True)" % d, x[1:],
             indices=(2,)),
        case("F.maxPool%dd(x1, 2, { ceil_mode = true, stride = 3 })" % d, "F.max_pool%dd(x1, 2, 3, ceil_mode=True)" % d, x),
        case("F.avgPool%dd(x1, 3, 1, 1, false, false)" % d, "F.avg_pool%dd(x1, 3, 1, 1, False, False)" % d, x),
        case("F.lpPool%dd(x1, 2, 3, 1)" % d, "F.lp_pool%dd(x1, 2, 3, 1)" % d, ("positive",) + x),
        case("F.adaptiveAvgPool%dd(x1, 2)" % d, "F.adaptive_avg_pool%dd(x1, 2)" % d, x[1:]),
        case("{ F.adaptiveMaxPool%dd(x1, 2, true) }" % d, "F.adaptive_max_pool%dd(x1, 2, True)" % d, x[1:], indices=(2,)),
        case("m { F.maxPool%dd(x1, 2, { returnIndices = true }) }" % d, "m(*F.max_pool%dd(x1, 2, return_indices=True))" % d, (2, 3, 4, 6, 4)[:d + 2],
             module=("nn.MaxUnpool%dd(2)" % d, "nn.MaxUnpool%dd(2)" % d)),
        case("m({ F.maxPool%dd(x1, 2, { returnIndices = true }) }, x1:size():totable())" % d,
             "m(*F.max_pool%dd(x1, 2, return_indices=True), output_size=x1.size())" % d, x,
             module=("nn.MaxUnpool%dd(2)" % d, "nn.MaxUnpool%dd(2)" % d)),
        case("m { F.maxPool%dd(x1, 3, 2, 1, { returnIndices = true }) }" % d, "m(*F.max_pool%dd(x1, 3, 2, 1, return_indices=True))" % d,
             (3, 5, 5, 5)[:d + 1], module=("nn.MaxUnpool%dd(3, 2, 1)" % d, "nn.MaxUnpool%dd(3, 2, 1)" % d)),
        case("(function(y, i) return F.maxUnpool%dd(y, i, 2, { outputSize = { %s } }) end)(F.maxPool%dd(x1, 2, { returnIndices = true }))"
             % (d, ", ".join(map(str, SIZES[d])), d),
             "F.max_unpool%dd(*F.max_pool%dd(x1, 2, return_indices=True), 2, output_size=%r)" % (d, d, SIZES[d]), x),
        case("F.maxUnpool%dd(x1, x2, 2, 2)" % d, "F.max_unpool%dd(x1, x2, 2, 2)" % d, (2, 3) + (2,) * d, ("labels", 4 ** d, 2, 3) + (2,) * d),
    ]
CASES += [
    module("nn.AdaptiveAvgPool2d({ false, 4 })", "nn.AdaptiveAvgPool2d((None, 4))", (2, 3, 6, 7)),
    module("nn.AdaptiveMaxPool3d({ 2, false, 8 })", "nn.AdaptiveMaxPool3d((2, None, 8))", (3, 4, 5, 6)),
    module("nn.MaxPool2d({ 3, 2 }, { 2, 1 }, { 1, 0 })", "nn.MaxPool2d((3, 2), (2, 1), (1, 0))", (3, 6, 7)),
    module("nn.AvgPool2d({ 3, 2 }, { stride = { 2, 1 }, padding = { 1, 0 } })", "nn.AvgPool2d((3, 2), stride=(2, 1), padding=(1, 0))", (3, 6, 7)),
    module("nn.AvgPool2d(2, 3, 1, { ceilMode = true, divisorOverride = 3 })", "nn.AvgPool2d(2, 3, 1, ceil_mode=True, divisor_override=3)", (2, 5, 8)),
    module("nn.AvgPool1d(2)", "nn.AvgPool1d(2)", (0, 3, 7)),
    module("nn.MaxPool2d(2)", "nn.MaxPool2d(2)", (0, 3, 4, 4)),
    module("nn.AdaptiveAvgPool2d(3)", "nn.AdaptiveAvgPool2d(3)", (0, 3, 4, 5)),
    module("nn.AdaptiveMaxPool2d(3)", "nn.AdaptiveMaxPool2d(3)", (0, 3, 4, 5)),
    module("nn.LPPool2d(2, 2)", "nn.LPPool2d(2, 2)", (0, 3, 4, 5)),
]
for d, x in ((2, (2, 3, 7, 8)), (3, (2, 3, 5, 6, 7))):
    u = ("unit", 2, 3, d)
    one = ("unit", 1, 3, d)
    for arguments, keywords in (("3, { outputSize = 2, ", "3, output_size=2, "), ("2, { outputRatio = 0.7, ", "2, output_ratio=(0.7,) * %d, " % d)):
        CASES.append(case("nn.FractionalMaxPool%dd(%srandomSamples = x2 })(x1)" % (d, arguments),
                          "nn.FractionalMaxPool%dd(%s_random_samples=x2.detach())(x1)" % (d, keywords), x, u))
        CASES.append(case("{ F.fractionalMaxPool%dd(x1, %srandomSamples = x2, returnIndices = true }) }" % (d, arguments),
                          "F.fractional_max_pool%dd(x1, %s_random_samples=x2.detach(), return_indices=True)" % (d, keywords), x, u, indices=(2,)))
    CASES.append(case("F.fractionalMaxPool%dd(x1, 2, { outputSize = 3, randomSamples = x2 })" % d,
                      "F.fractional_max_pool%dd(x1, 2, output_size=3, _random_samples=x2.detach())" % d, x[1:], one))
