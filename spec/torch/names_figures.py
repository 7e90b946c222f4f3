#!/usr/bin/env python3
"""Figures for names_spec.lua, from PyTorch: python3 spec/torch/names_figures.py >spec/torch/names_figures.lua"""
import math
import re
import textwrap

import torch

DTYPES = {"double": torch.float64, "float": torch.float32, "half": torch.float16, "long": torch.int64, "int": torch.int32,
          "short": torch.int16, "char": torch.int8, "byte": torch.uint8, "bool": torch.bool}
TYPES = {torch.float64: "Double", torch.float32: "Float", torch.float16: "Half", torch.int64: "Long", torch.int32: "Int",
         torch.int16: "Short", torch.int8: "Char", torch.uint8: "Byte", torch.bool: "Byte"}


class T:
    """A tensor: element i, counted from 0, is ((7 i + 5 seed) mod 19 - 9) * 3 / 8; for `positive` its magnitude + 1 / 4, for `unit` the
    number + 4 divided by 8.5, so that it is from 0.07 to 0.87. Integers are (7 i + 5 seed) mod 19 - 9, or the magnitude. The layout, here
    without effect, is 'plain', 'turned' (a transposed copy, transposed back) or 'sparse' (every second element)."""

    def __init__(self, dtype, sizes, seed=1, how="any", layout="plain"):
        self.dtype, self.sizes, self.seed, self.how, self.layout = dtype, sizes, seed, how, layout

    def lua(self):
        layout = f", '{self.layout}'" if self.layout != "plain" else ""
        how = f", '{self.how}'" if layout or self.how != "any" else ""
        return f"t('{self.dtype}', {{{','.join(map(str, self.sizes))}}}, {self.seed}{how}{layout})"

    def make(self):
        count = math.prod(self.sizes)
        base = [(7 * i + 5 * self.seed) % 19 - 9 for i in range(count)]
        dtype = DTYPES[self.dtype]
        if dtype == torch.bool:
            base = [b > 0 for b in base]
        elif not dtype.is_floating_point:
            base = [abs(b) if self.how != "any" or self.dtype == "byte" else b for b in base]
        else:
            base = [b * 3 / 8 for b in base]
            if self.how == "positive":
                base = [abs(b) + 0.25 for b in base]
            if self.how == "unit":
                base = [(b + 4) / 8.5 for b in base]
        x = torch.tensor(base, dtype=dtype).reshape(self.sizes)
        return x.requires_grad_() if dtype.is_floating_point else x


class V(T):
    """A tensor of given numbers."""

    def __init__(self, dtype, sizes, values):
        self.dtype, self.sizes, self.values = dtype, sizes, values

    def lua(self):
        return f"v('{self.dtype}', {{{','.join(map(str, self.sizes))}}}, {{{','.join(number(int(v) if isinstance(v, bool) else v) for v in self.values)}}})"

    def make(self):
        x = torch.tensor(self.values, dtype=DTYPES[self.dtype]).reshape(self.sizes)
        return x.requires_grad_() if x.is_floating_point() else x


class I(V):
    """A tensor of positions, which count from 1 in Lua."""

    def __init__(self, sizes, values):
        super().__init__("long", sizes, values)

    def lua(self):
        return V("long", self.sizes, [value + 1 for value in self.values]).lua()


class D(int):
    """A dimension or position, which counts from 1 in Lua unless it is negative."""


def number(value):
    if isinstance(value, bool):
        return str(value).lower()
    if value != value:
        return "nan"
    if value in (math.inf, -math.inf):
        return "inf" if value > 0 else "-inf"
    return "%.17g" % value if isinstance(value, float) else str(int(value))


def lua(argument):
    if isinstance(argument, T):
        return argument.lua()
    if isinstance(argument, D):
        return str(argument + 1 if argument >= 0 else int(argument))
    if argument is None:
        return "nil"
    if isinstance(argument, str):
        return f"'{argument}'"
    if isinstance(argument, (list, tuple)):
        return "{ " + ", ".join(map(lua, argument)) + " }"
    if argument in DTYPES.values():
        return "'" + TYPES[argument].lower() + "'"
    return number(argument)


def made(argument, leaves):
    if isinstance(argument, T):
        x = argument.make()
        leaves.append(x)
        return x
    if isinstance(argument, (list, tuple)):
        return [made(one, leaves) for one in argument]
    return int(argument) if isinstance(argument, D) else argument


def camel(name):
    return re.sub(r"_(\w)", lambda match: match.group(1).upper(), name)


def plain(x, shift=0):
    flat = x.detach().flatten().tolist()
    numbers = [float(value) + shift if x.is_floating_point() else int(value) + shift for value in flat]
    return f"{{ '{TYPES[x.dtype]}', {{ {', '.join(map(str, x.shape))} }}, {{ {', '.join(map(number, numbers))} }} }}"


def case(name, *arguments, positions=(), grad=True, as_lua=None, method=False, **options):
    """A call of torch.<name>, or of the first argument's method. Options are arguments by name here, and in their order in Lua. The results
    number `positions` count from 1 in Lua."""
    leaves = []
    values = [made(argument, leaves) for argument in arguments]
    named = {key: made(argument, leaves) for key, argument in options.items()}
    function = getattr(values[0], name) if method else getattr(torch, name, None) or getattr(torch.nn.functional, name)
    results = function(*(values[1:] if method else values), **named)
    results = [results] if isinstance(results, torch.Tensor) else list(results)
    texts = [lua(argument) for argument in [*arguments, *options.values()]]
    call = f"{texts[0]}:{camel(name)}({', '.join(texts[1:])})" if method else f"torch.{as_lua or camel(name)}({', '.join(texts)})"
    shown = [plain(y, 1 if k in positions else 0) for k, y in enumerate(results)]
    gradients = ""
    tracked = [(k, y) for k, y in enumerate(results) if y.requires_grad and y.numel() > 0]
    if grad and tracked:
        loss = 0
        for k, y in tracked:
            weights = torch.tensor([(5 * i + 3 * k) % 7 - 3 for i in range(y.numel())], dtype=y.dtype).reshape(y.shape)
            loss = loss + (y * weights).sum().double()
        inputs = [x for x in leaves if x.requires_grad]
        found = torch.autograd.grad(loss, inputs, allow_unused=True)
        gradients = ", gradients = { " + ", ".join("false" if g is None else plain(g) for g in found) + " }"
    body = f'{{ {", ".join(shown)} }}{gradients} }},'
    head = '"\n    .. "'.join(textwrap.wrap(call, 120, break_long_words=False, break_on_hyphens=False, drop_whitespace=False))
    print(f'  {{ "{head}",')
    print(textwrap.fill(body, 134, initial_indent="    ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False))


inf, nan = math.inf, math.nan
SPECIAL = [nan, 1.0, -1.0, inf, -inf, 0.0, -0.0, 2.5]

print("-- Made by names_figures.py, of PyTorch " + torch.__version__.split("+")[0])
print("local inf, nan = math.huge, 0 / 0")
print("return {")

# Functions of two arguments.
for name in "multiply subtract divide true_divide maximum minimum fmax fmin".split():
    case(name, T("double", (3, 1), 1), T("double", (1, 4), 2, "positive"))
    case(name, T("float", (2, 3), 1, layout="turned"), T("float", (3, 2, 3), 4, "positive", "sparse"))
    case(name, T("double", (0, 3), 1), T("double", (3,), 2))
    case(name, V("double", (8,), SPECIAL), V("double", (8,), SPECIAL[3:] + SPECIAL[:3]), grad=name in ("multiply", "subtract", "fmax", "fmin"))
for name in "multiply subtract maximum minimum fmax fmin".split():
    case(name, T("int", (3, 1), 1), T("int", (4,), 2))
    case(name, V("double", (5,), [1, 2, 3, 4, 5]), V("double", (5,), [5, 2, 1, 4, 0]))
for mode in ("floor", "trunc"):
    case("divide", T("double", (3, 4), 1), T("double", (4,), 2, "positive"), rounding_mode=mode)
    case("divide", T("long", (3, 4), 1), V("long", (4,), [2, -3, 4, -7]), rounding_mode=mode)
    case("divide", T("float", (7,), 1), 0.7, rounding_mode=mode)
for name in "floor_divide".split():
    case(name, T("double", (3, 4), 1, layout="turned"), V("double", (4,), [2, -3, 0.1, -0.7]), grad=False)
    case(name, T("int", (3, 4), 1), V("int", (4,), [2, -3, 4, -7]))
    case(name, V("double", (6,), [1, -1, 0, inf, 5, -5]), V("double", (6,), [0, 0, 0, 2, inf, inf]), grad=False)
for name in "greater greater_equal less less_equal not_equal logical_and logical_or logical_xor".split():
    case(name, T("double", (3, 1), 1), T("double", (1, 3), 2))
    case(name, T("int", (4,), 1), T("int", (4,), 3))
    case(name, V("double", (8,), SPECIAL), V("double", (8,), SPECIAL[3:] + SPECIAL[:3]))
for name in "bitwise_and bitwise_or bitwise_xor".split():
    case(name, T("int", (3, 1), 1), T("int", (3,), 2))
    case(name, T("byte", (4,), 1), T("byte", (4,), 3))
    case(name, T("long", (5,), 1), 6)
for name in "bitwise_left_shift bitwise_right_shift".split():
    case(name, T("int", (3, 1), 1), V("int", (3,), [0, 1, 3]))
    case(name, T("long", (5,), 1, "positive"), 2)
for name in "copysign".split():
    case(name, T("double", (3, 1), 1), T("double", (1, 4), 2))
    case(name, T("float", (5,), 1), -0.0)
    case(name, V("double", (7,), SPECIAL[1:]), V("double", (7,), [0.0, -0.0, 1.0, -inf, inf, -2.0, 3.0]), grad=False)
case("heaviside", T("double", (3, 1), 1), T("double", (1, 4), 2), grad=False)
case("heaviside", V("double", (8,), SPECIAL), T("double", (8,), 2), grad=False)
case("heaviside", T("int", (5,), 1), T("int", (5,), 2))
case("xlogy", T("double", (3, 1), 1), T("double", (1, 4), 2, "positive"))
case("xlogy", V("double", (5,), [0, 0, 0, 2, nan]), V("double", (5,), [0.5, 2, nan, 0, 2]), grad=False)
case("xlogy", V("double", (3,), [0, 1, 2]), V("double", (3,), [0.5, 2, 3]))
case("xlogy", T("float", (5,), 1), 2.5)
case("logaddexp2", T("double", (3, 1), 1), T("double", (1, 4), 2))
case("logaddexp2", T("float", (2, 3), 1, layout="turned"), T("float", (3,), 2))
case("ldexp", T("double", (3, 1), 1), V("int", (4,), [0, -3, 5, 1]))
case("ldexp", T("float", (3,), 1), V("float", (3,), [0, -3, 5]))
case("float_power", T("float", (3, 1), 1, "positive"), T("float", (1, 4), 2))
case("float_power", T("int", (4,), 1), 2)
case("arctan2", T("double", (3, 1), 1), T("double", (1, 4), 2))
case("arctan2", T("float", (4,), 1), T("float", (4,), 3, layout="sparse"))
for name in ("gcd", "lcm"):
    case(name, T("int", (3, 1), 1), T("int", (4,), 2))
    case(name, T("long", (6,), 1), V("long", (6,), [0, 6, -4, 12, 1, 9]))
    case(name, T("short", (0,), 1), T("short", (0,), 2))

# Functions of one argument.
for name in "deg2rad rad2deg sinc celu selu hardshrink nan_to_num".split():
    case(name, T("double", (3, 4), 1, layout="turned"))
    case(name, T("float", (2, 3), 2, layout="sparse"))
    case(name, T("double", (0, 3), 1))
for name in "deg2rad rad2deg nan_to_num".split():
    case(name, T("byte", (4,), 1))
case("sinc", V("double", (5,), [0, 1, -2, 0.5, 0.25]))
case("celu", T("double", (5,), 1), alpha=0.5)
case("hardshrink", T("double", (5,), 1), lambd=1.5)
case("nan_to_num", V("double", (8,), SPECIAL))
case("nan_to_num", V("float", (8,), SPECIAL), nan=1.5, posinf=7.0, neginf=-8.0)
case("nan_to_num", V("half", (8,), SPECIAL), grad=False)
for name in "logical_not signbit isposinf isneginf".split():
    case(name, V("double", (8,), SPECIAL))
    case(name, T("int", (3, 4), 1))
    case(name, T("float", (2, 3), 1, layout="turned"))
case("bitwise_not", T("int", (3, 4), 1, layout="turned"))
case("bitwise_not", T("byte", (4,), 1))
case("bitwise_not", T("long", (0,), 1))
case("logit", T("double", (3, 4), 1, "unit"))
case("logit", T("float", (5,), 1, "unit"), eps=0.3)
case("logit", V("double", (4,), [0, 1, 0.5, 0.25]), eps=0.001)
case("mvlgamma", T("double", (3, 4), 1, "positive"), p=1)
case("mvlgamma", V("double", (4,), [2.5, 3, 4.75, 10]), p=4)
case("mvlgamma", V("float", (3,), [2.5, 3, 4.75]), p=2)
case("frexp", T("double", (3, 4), 1, layout="turned"), grad=False)
case("frexp", V("double", (7,), [8, 4, 1, -0.5, 0, 1e300, 5e-324]), grad=False)
case("frexp", V("float", (4,), [8, 4, 0.1, 3e38]), grad=False)
case("threshold", T("double", (3, 4), 1), threshold=0.5, value=-7.0)
case("threshold", V("double", (8,), SPECIAL), threshold=1.0, value=3.0)
case("threshold", T("int", (5,), 1), threshold=2, value=-1)

# Dimensions.
X = T("double", (2, 3, 4), 1, layout="turned")
for name in ("movedim", "moveaxis"):
    case(name, X, D(0), D(2))
    case(name, T("float", (2, 3, 4), 2), [D(0), D(-1)], [D(1), D(0)])
    case(name, T("int", (2, 0, 4), 2), D(-1), D(0))
for name in ("swapaxes", "swapdims"):
    case(name, X, D(0), D(-1))
    case(name, T("int", (2, 0, 4), 2), D(1), D(2))
case("ravel", X)
case("ravel", T("int", (2, 0), 2))
case("unflatten", T("double", (6, 4), 1, layout="turned"), D(0), [2, -1])
case("unflatten", T("float", (2, 12), 1), D(-1), [3, 2, 2])
case("broadcast_to", T("double", (3, 1), 1), [2, 3, 4])
case("broadcast_to", T("float", (2, 3), 1, layout="turned"), [4, 2, 3])
case("broadcast_tensors", T("double", (3, 1), 1), T("double", (1, 4), 2), T("float", (2, 1, 1), 3))
case("atleast_1d", T("double", (3,), 1))
case("atleast_2d", T("double", (3,), 1))
case("atleast_3d", T("double", (3,), 1))
case("atleast_3d", T("double", (3, 2), 1), T("float", (3,), 2))
case("fliplr", X)
case("fliplr", T("int", (2, 5), 1))
case("flipud", X)
case("flipud", T("double", (5,), 1, layout="sparse"))
case("diagonal", T("double", (4, 3), 1, layout="turned"))
case("diagonal", T("float", (3, 4), 1), 1)
case("diagonal", T("double", (2, 3, 4), 1, layout="sparse"), -1, D(2), D(0))
case("diagonal", T("int", (3, 4), 1), 4)
case("tile", T("double", (2, 3), 1, layout="turned"), [2, 2])
case("tile", T("float", (2, 3), 1), [2])
case("tile", T("int", (3,), 1), [2, 1, 2])
case("reshape_as", X, T("int", (4, 6), 1), method=True)
case("sum_to_size", X, [3, 1], method=True)
case("sum_to_size", T("long", (2, 3), 1), [1, 3], method=True)
# Joined and split.
A, B, C = T("double", (2, 3), 1), T("double", (2, 3), 2, layout="turned"), T("double", (3,), 3)
for name in "hstack vstack dstack column_stack".split():
    case(name, [A, B])
    case(name, [C, T("double", (3,), 4, layout="sparse")])
    case(name, [T("int", (2, 3, 2), 1), T("int", (2, 3, 2), 2)])
case("row_stack" if hasattr(torch, "row_stack") else "vstack", [C, A], as_lua="rowStack")
case("block_diag", A, C, T("double", (1, 1), 5))
case("block_diag", T("int", (2, 0), 1), T("int", (2, 2), 1))
case("cartesian_prod", T("double", (2,), 1), C, T("double", (2,), 2, layout="sparse"))
case("cartesian_prod", T("int", (2,), 1))
case("combinations", C)
case("combinations", T("double", (4,), 3, layout="sparse"), 3)
case("combinations", T("int", (3,), 3), 2, True)
case("combinations", T("int", (2,), 3), 3)
case("tensor_split", T("double", (7, 2), 1), 3)
case("tensor_split", T("double", (2, 7), 1, layout="turned"), [1, 5], dim=D(1))
case("tensor_split", T("int", (4,), 1), [0, 3, 9])
case("tensor_split", T("int", (4,), 1), [-1, 2])
case("hsplit", T("double", (2, 6), 1, layout="turned"), 3)
case("hsplit", T("int", (5,), 1), [2])
case("vsplit", T("float", (4, 2), 1), 2)
case("dsplit", T("double", (2, 2, 4), 1, layout="sparse"), [1, 3])
case("split_with_sizes", T("double", (2, 7), 1), [1, 0, 6], dim=D(-1))
# Created.
case("tril_indices", 3, 4, positions=(0,))
case("triu_indices", 3, 4, 1, positions=(0,))
case("tril_indices", 3, 2, -1, positions=(0,))
case("triu_indices", 2, 2, 5, positions=(0,))
case("vander", C, grad=False)
case("vander", T("long", (4,), 1), 3, True)
case("vander", T("double", (2,), 1), 0, grad=False)
torch.set_default_dtype(torch.float64)
for name in "hann hamming blackman bartlett kaiser".split():
    case(f"{name}_window", 6)
    case(f"{name}_window", 5, False)
    case(f"{name}_window", 1)
case("hamming_window", 4, True, 0.6, 0.4)
case("kaiser_window", 7, True, 5.0)
torch.set_default_dtype(torch.float32)
for name in "new_zeros new_ones".split():
    case(name, T("float", (2,), 1), [2, 3], method=True, grad=False)
    case(name, T("int", (2,), 1), [0, 3], method=True)
case("new_full", T("int", (2,), 1), [2, 2], 7, method=True)
case("new_tensor", T("long", (2,), 1), [4.0, 5.0], method=True)
case("argwhere", T("int", (3, 4), 1), positions=(0,))
case("argwhere", V("double", (4,), [0, nan, 2, 0]), positions=(0,))
case("log_softmax", X, D(1))

# Reductions, rows.
for name in ("amax", "amin"):
    case(name, X)
    case(name, X, D(1))
    case(name, T("float", (2, 3, 4), 5, layout="sparse"), [D(0), D(-1)], True)
    case(name, T("int", (3, 4), 2), D(0), True)
    case(name, V("double", (2, 4), [1, 3, 3, 3, nan, 2, 7, 7]), D(1), grad=False)
    case(name, V("double", (2, 4), [1, 3, 1, 3, 5, 2, 2, 2]), D(1))
    case(name, V("double", (4,), [inf, 3, -inf, 3]), grad=False)
case("nanmedian", V("double", (7,), [3, nan, 1, 2, 9, nan, 4]))
case("nanmedian", V("double", (2, 4), [3, nan, 1, 2, 9, -1, 4, 5]), D(1), positions=(1,))
case("nanmedian", T("float", (3, 5), 2, layout="turned"), D(0), True, positions=(1,))
case("inner", C, T("double", (3,), 4, layout="sparse"))
case("inner", A, T("double", (2, 4, 3), 5, layout="turned"))
case("inner", T("long", (2, 3), 1), T("long", (3,), 2))
case("pdist", T("double", (4, 3), 1, layout="turned"))
case("pdist", T("float", (3, 2), 1), 1.0)
case("pdist", T("double", (3, 2), 1), 3.0)
case("cosine_similarity", A, B)
case("cosine_similarity", T("double", (4, 2, 3), 5, layout="turned"), T("double", (3,), 2), D(-1))
case("cosine_similarity", V("double", (2, 2), [0, 0, 3, 4]), T("double", (2, 2), 2), D(1), grad=False)
case("pairwise_distance", A, B)
case("pairwise_distance", T("float", (4, 3), 5, layout="turned"), T("float", (3,), 2), 1.0, 1e-3, True)
case("msort", T("double", (4, 3), 1, layout="turned"))
case("msort", T("int", (5,), 1))
for name in ("clamp_min", "clamp_max"):
    case(name, A, 0.5)
    case(name, A, T("double", (2, 1), 4))
    case(name, V("double", (3,), [nan, 1, 4]), 2.0)
    case(name, T("int", (2, 3), 1), 2)
case("prelu", A, T("double", (3,), 2, "positive"))
case("prelu", T("float", (2, 3, 2), 1, layout="turned"), T("float", (1,), 2, "positive"))
case("cumulative_trapezoid", A)
case("cumulative_trapezoid", B, T("double", (3,), 2, "positive"))
case("cumulative_trapezoid", T("double", (4, 2), 2, layout="turned"), dx=0.5, dim=D(0))
case("diag_embed", C)
case("diag_embed", B, 1)
case("diag_embed", T("double", (2, 3), 1, layout="sparse"), -2, D(0), D(2))
case("diag_embed", T("int", (2, 2, 2), 1), 0, D(-1), D(1))
case("diagflat", B)
case("diagflat", T("int", (3,), 1), -1)
# Written.
case("select_scatter", B, T("double", (3,), 5), D(0), D(1))
case("select_scatter", T("float", (2, 3, 2), 1, layout="turned"), T("float", (2, 2), 5), D(1), D(-1))
case("diagonal_scatter", B, T("double", (2,), 5))
case("diagonal_scatter", T("double", (2, 3, 4), 1, layout="sparse"), T("double", (4, 2), 2), -1, D(1), D(0))
case("as_strided_scatter", A, T("double", (2, 2), 5), [2, 2], [1, 2], D(1), grad=False)  # its gradient by x in PyTorch 2.15 is 0 at the wrong elements
mask = V("bool", (2, 1), [True, False])
case("masked_scatter", B, V("bool", (2, 3), [True, False, True, False, True, True]), T("double", (5,), 5))
case("masked_scatter", B, mask, T("double", (2, 2), 5, layout="turned"))
case("masked_scatter", T("int", (3,), 1), V("bool", (3,), [0, 0, 0]), T("int", (1,), 5))
rows, columns = I((2,), [1, 0]), I((3, 1), [2, 0, 2])
case("index_put", B, [rows], T("double", (2, 3), 7))
case("index_put", B, [I((2,), [1, 1])], T("double", (3,), 7), True)
case("index_put", B, [rows, columns], T("double", (3, 2), 7), True)
case("index_put", T("int", (2, 3), 1), [rows, I((2,), [2, 2])], V("int", (1,), [9]))
case("put", B, I((2, 2), [5, 0, 3, 1]), T("double", (2, 2), 7), method=True)
case("put", B, I((3,), [5, 5, 1]), T("double", (3,), 7), True, method=True)
places = I((3, 3), [0, 1, 0, 1, 1, 0, 0, 1, 1])
S = T("double", (3, 3), 7, layout="turned")
for reduce in "sum prod mean amax amin".split():
    case("scatter_reduce", B, D(0), places, S, reduce)
    case("scatter_reduce", B, D(0), I((2, 3), [1, 1, 0, 1, 1, 0]), T("double", (2, 3), 8), reduce, include_self=False)
    case("scatter_reduce", T("long", (2, 3), 1), D(1), I((2, 2), [0, 0, 2, 1]), T("long", (2, 2), 7), reduce)
for reduce in "prod mean amax amin".split():
    case("index_reduce", B, D(1), I((3,), [0, 2, 0]), T("double", (2, 3), 7), reduce)
    case("index_reduce", T("float", (3, 2), 3, layout="turned"), D(0), I((2,), [1, 1]), T("float", (2, 2), 8), reduce, include_self=False)
case("scatter_reduce", B, D(0), places, V("double", (3, 3), [1, nan, 3, 4, 5, 6, 7, 8, 9]), "amax", grad=False)
# Selected.
case("take_along_dim", B, I((2, 2), [0, 2, 1, 1]), D(1))
case("take_along_dim", B, I((1, 3), [1, 0, 1]), D(0))
case("take_along_dim", B, I((2, 2), [0, 5, 3, 3]))
case("take_along_dim", T("float", (1, 4), 1, layout="sparse"), I((3, 1), [0, 3, 2]), D(1))
case("repeat_interleave", B, 2)
case("repeat_interleave", B, 3, D(1))
case("repeat_interleave", B, V("long", (2,), [0, 2]), D(0))
case("repeat_interleave", T("int", (3,), 1), 0)
case("unique_consecutive", V("double", (6,), [1, 1, 2, 2, 2, 1]), grad=False)
case("bucketize", T("double", (2, 3), 1, layout="turned"), V("double", (4,), [-2, 0, 1, 3]), positions=(0,), grad=False)
case("bucketize", V("int", (4,), [0, 1, 2, 9]), V("int", (3,), [0, 2, 5]), right=True, positions=(0,))
case("unravel_index", I((2, 2), [0, 5, 3, 23]), [2, 3, 4], positions=(0, 1, 2))
case("where", A, V("bool", (1, 3), [True, False, True]), T("double", (2, 1), 6), method=True)
spd = V("double", (2, 2), [2, 0, 0.5, 1.5])
case("cholesky_inverse", spd, grad=False)
case("cholesky_inverse", V("double", (2, 2), [2, 0.5, 0, 1.5]), True, grad=False)
case("cholesky_solve", T("double", (2, 3), 1, layout="turned"), spd, grad=False)
case("cholesky_solve", T("double", (2, 1), 1), V("double", (2, 2), [2, 0.5, 0, 1.5]), True, grad=False)

print("}")
