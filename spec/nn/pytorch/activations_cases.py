"""Activations: see figures.py."""
from figures import case, module

CASES = []
S = (3, 4)
# PyTorch computes these with factors in float32.
ROUNDED = dict(hardsigmoid=dict(within=1e-7), celu=dict(within=1e-7))


def layer(ours, theirs, *sizes, **options):
    for s in sizes or (S, (2, 3, 2), (5,)):
        CASES.append(module("nn." + ours, "nn." + theirs, s, **options))


def function(ours, theirs, *inputs, **options):
    CASES.append(case("F." + ours, "F." + theirs, *(inputs or (S,)), **options))


for name in ("Hardsigmoid", "Hardswish", "Hardtanh", "Hardshrink", "Softshrink", "Tanhshrink", "Softsign", "Softplus", "CELU", "SELU", "Mish",
             "LogSigmoid", "ELU", "LeakyReLU", "ReLU6", "SiLU", "GELU", "PReLU", "Sigmoid", "Tanh", "ReLU"):
    layer(name + "()", name + "()", **ROUNDED.get(name.lower(), {}))
layer("Hardtanh { minVal = -0.3, maxVal = 0.8 }", "Hardtanh(-0.3, 0.8)", S)
layer("Hardshrink { lambd = 0.8 }", "Hardshrink(0.8)", S)
layer("Softshrink(0.3)", "Softshrink(0.3)", S)
layer("Softplus { beta = 2, threshold = 1.5 }", "Softplus(2, 1.5)", S)
layer("CELU(0.6)", "CELU(0.6)", S, **ROUNDED["celu"])
layer("ELU { alpha = 0.6 }", "ELU(0.6)", S)
layer("LeakyReLU { negativeSlope = 0.2 }", "LeakyReLU(0.2)", S)
layer("Threshold(0.3, -2)", "Threshold(0.3, -2)", S)
layer("GELU { approximate = 'tanh' }", "GELU(approximate='tanh')", S, (2, 3, 2))
layer("GELU('tanh')", "GELU('tanh')", (2, 2, 2, 2))
layer("GELU('none')", "GELU('none')", S)
layer("PReLU { numParameters = 3, init = 0.1 }", "PReLU(3, 0.1)", (2, 3), (2, 3, 4), (2, 3, 2, 2), fill=False)
layer("PReLU(1, 0.4)", "PReLU(1, 0.4)", (2, 3, 4), fill=False)
layer("RReLU()", "RReLU()", evaluate=True)
layer("RReLU(0.1, 0.4)", "RReLU(0.1, 0.4)", S, evaluate=True)
layer("RReLU { lower = 0.2, upper = 0.2 }", "RReLU(0.2, 0.2)", S)
for name in ("Softmax", "LogSoftmax", "Softmin"):
    layer(name + "(2)", name + "(1)", S, (2, 3, 2))
    layer(name + "{ dim = -1 }", name + "(dim=-1)", (5,), (2, 3, 2, 2))
    layer(name + "(1)", name + "(0)", S, (2, 0))
    layer(name + "()", name + "()", (5,), S, (2, 3, 2), (2, 3, 2, 2))
layer("Softmax2d()", "Softmax2d()", (2, 3, 2, 2), (3, 2, 4), (1, 1, 2, 2))
layer("GLU()", "GLU()", (3, 4), (2, 3, 6), (2,))
layer("GLU(1)", "GLU(0)", (4, 3))
layer("GLU { dim = -2 }", "GLU(dim=-2)", (2, 4, 3))

for name, theirs in dict(relu="relu", relu6="relu6", elu="elu", celu="celu", selu="selu", leakyRelu="leaky_relu", hardtanh="hardtanh",
                         hardsigmoid="hardsigmoid", hardswish="hardswish", silu="silu", mish="mish", rrelu="rrelu").items():
    function(name + "(x1)", theirs + "(x1)", **ROUNDED.get(name, {}))
    function(name + "(x1 * 1, { inplace = true })", theirs + "(x1 * 1, inplace=True)", (2, 3, 2), **ROUNDED.get(name, {}))
for name, theirs in dict(relu_="relu_", elu_="elu_", celu_="celu_", selu_="selu_", leakyRelu_="leaky_relu_", hardtanh_="hardtanh_",
                         rrelu_="rrelu_").items():
    function(name + "(x1 * 1)", theirs + "(x1 * 1)", (2, 3, 2))
for name in ("hardshrink", "softshrink", "tanhshrink", "softsign", "softplus", "logsigmoid", "sigmoid", "tanh", "gelu"):
    function(name + "(x1)", name + "(x1)")
    function(name + "(x1)", name + "(x1)", (2, 3, 2))
function("elu(x1, 0.6)", "elu(x1, 0.6)")
function("celu(x1, { alpha = 0.6 })", "celu(x1, 0.6)", **ROUNDED["celu"])
function("leakyRelu(x1, 0.3)", "leaky_relu(x1, 0.3)")
function("leakyRelu(x1, { negative_slope = 0.3 })", "leaky_relu(x1, negative_slope=0.3)")
function("hardtanh(x1, -0.4, 0.6)", "hardtanh(x1, -0.4, 0.6)")
function("threshold(x1, 0.2, -3)", "threshold(x1, 0.2, -3)")
function("threshold_(x1 * 1, 0.2, -3)", "threshold_(x1 * 1, 0.2, -3)")
function("threshold(x1 * 1, 0.2, -3, true)", "threshold(x1 * 1, 0.2, -3, True)", (5,))
function("hardshrink(x1, 0.9)", "hardshrink(x1, 0.9)")
function("softshrink(x1, { lambd = 0.9 })", "softshrink(x1, 0.9)")
function("softplus(x1, 2, 1.5)", "softplus(x1, 2, 1.5)")
function("gelu(x1, { approximate = 'tanh' })", "gelu(x1, approximate='tanh')")
function("rrelu(x1, 0.2, 0.2, true)", "rrelu(x1, 0.2, 0.2, True)")
function("glu(x1)", "glu(x1)")
function("glu(x1, 1)", "glu(x1, 0)", (4, 3))
function("glu(x1, { dim = -2 })", "glu(x1, dim=-2)", (2, 4, 3))
function("prelu(x1, x2)", "prelu(x1, x2)", (2, 3, 4), (3,))
function("prelu(x1, x2)", "prelu(x1, x2)", (2, 3), (1,))
function("prelu(x1, x2)", "prelu(x1, x2)", (2, 3, 2, 2), (3,))
for name, theirs in dict(softmax="softmax", logSoftmax="log_softmax", softmin="softmin").items():
    function(name + "(x1, 2)", theirs + "(x1, 1)")
    function(name + "(x1, { dim = -1 })", theirs + "(x1, dim=-1)", (2, 3, 2))
    function(name + "(x1)", theirs + "(x1)", (2, 3, 2))
