"""Borders: see figures.py."""
from figures import case, module

SIZES = {1: (5,), 2: (4, 5), 3: (3, 4, 5)}
LISTS = {1: "2, 1", 2: "2, 0, 1, 3", 3: "2, 1, 0, 3, 1, 2"}
CROPS = {1: "-1, 2", 2: "-1, 2, 0, -2", 3: "-1, 0, 2, -1, 1, -2"}

CASES = []
for d in (1, 2, 3):
    x = (2, 3) + SIZES[d]
    for family in ("ZeroPad", "ReflectionPad", "ReplicationPad", "CircularPad", "ConstantPad"):
        value = ", 1.5" if family == "ConstantPad" else ""
        widths = LISTS[d].replace("3", "2") if family in ("ReflectionPad", "CircularPad") else LISTS[d]
        CASES += [
            module("nn.%s%dd(1%s)" % (family, d, value), "nn.%s%dd(1%s)" % (family, d, value), x),
            module("nn.%s%dd({ %s }%s)" % (family, d, widths, value), "nn.%s%dd((%s)%s)" % (family, d, widths, value), x[1:]),
        ]
        CASES.append(module("nn.%s%dd({ %s }%s)" % (family, d, CROPS[d], value), "nn.%s%dd((%s)%s)" % (family, d, CROPS[d], value), x))
    for mode in ("reflect", "replicate", "circular"):
        CASES.append(case("F.pad(x1, { %s }, '%s')" % (LISTS[d].replace("3", "2"), mode), "F.pad(x1, (%s), '%s')" % (LISTS[d].replace("3", "2"), mode), x))
CASES += [
    case("F.pad(x1, { 1, 2 })", "F.pad(x1, (1, 2))", (3,)),
    case("F.pad(x1, { 1, 2, 0, 1, -1, 1, 2, 0 }, { value = -2 })", "F.pad(x1, (1, 2, 0, 1, -1, 1, 2, 0), value=-2)", (2, 3, 2, 3)),
    case("F.pad(x1, { 0, 0, 1, 1 }, 'constant', math.huge)", "F.pad(x1, (0, 0, 1, 1), 'constant', math.inf)", (2, 3), gradient=False),
    case("F.pad(x1, { 0, 0 })", "F.pad(x1, (0, 0))", (2, 3)),
    case("F.pad(x1, { 2, 1 }, 'constant', 4)", "F.pad(x1, (2, 1), 'constant', 4)", ("lengths", 5, 3, 2), gradient=False),
    case("F.pad(x1, { 1, 1, 1, 1 }, 'replicate')", "F.pad(x1, (1, 1, 1, 1), 'replicate')", (0, 2, 3, 3)),
    module("nn.ReflectionPad2d(1)", "nn.ReflectionPad2d(1)", (0, 2, 3, 3)),
    module("nn.ZeroPad1d(1)", "nn.ZeroPad1d(1)", (0, 2, 3)),
]
