"""Normalisation: see figures.py."""
from figures import case, module

CASES = []
SHAPES = {1: ((4, 3, 5), (3, 3), (2, 3, 1)), 2: ((2, 3, 4, 5), (1, 3, 2, 2), (3, 3, 1, 2)), 3: ((2, 3, 2, 3, 2), (1, 3, 2, 2, 2), (2, 3, 1, 2, 1))}


def layer(ours, theirs, *sizes, **options):
    for s in sizes:
        CASES.append(module("nn." + ours, "nn." + theirs, s, **options))


def function(ours, theirs, *inputs, **options):
    CASES.append(case("F." + ours, "F." + theirs, *inputs, **options))


for d, shapes in SHAPES.items():
    name = "BatchNorm%dd" % d
    layer(name + "(3)", name + "(3)", *shapes)
    layer(name + "(3, 0.1, 0.3, false)", name + "(3, 0.1, 0.3, False)", shapes[0])
    layer(name + "(3, { trackRunningStats = false })", name + "(3, track_running_stats=False)", shapes[0])
    layer(name + "(3, { trackRunningStats = false })", name + "(3, track_running_stats=False)", shapes[0], evaluate=True)
    layer(name + "(3, { eps = 0.2 })", name + "(3, eps=0.2)", shapes[0], evaluate=True)
    for ours, theirs in (("0.3", "0.3"), ("false", "None")):
        CASES.append(case("{ m(x1), m(x2), m.running_mean, m.running_var, m.num_batches_tracked:double() }",
                          "[m(x1), m(x2), m.running_mean, m.running_var, m.num_batches_tracked.double()]", shapes[0], shapes[0],
                          module=("nn.%s(3, { momentum = %s })" % (name, ours), "nn.%s(3, momentum=%s)" % (name, theirs))))
    name = "InstanceNorm%dd" % d
    usual = [s for s in shapes if len(s) == d + 2 and s[2:] != (1,)]
    layer(name + "(3)", name + "(3)", *usual)
    layer(name + "(3, { affine = true, eps = 0.1 })", name + "(3, affine=True, eps=0.1)", *usual)
    layer(name + "(3)", name + "(3)", usual[0][1:])
    layer(name + "(3, { affine = true, trackRunningStats = true })", name + "(3, affine=True, track_running_stats=True)", usual[0])
    layer(name + "(3, 0.1, 0.1, true, true)", name + "(3, 0.1, 0.1, True, True)", usual[0], evaluate=True)
    CASES.append(case("{ m(x1), m(x2), m.running_mean, m.running_var }", "[m(x1), m(x2), m.running_mean, m.running_var]", usual[0], usual[0],
                      module=("nn.%s(3, { trackRunningStats = true, momentum = 0.3 })" % name,
                              "nn.%s(3, track_running_stats=True, momentum=0.3)" % name)))
layer("SyncBatchNorm(3)", "BatchNorm2d(3)", (2, 3, 4, 5), (2, 3, 1, 2))
layer("SyncBatchNorm(3, { affine = false })", "BatchNorm1d(3, affine=False)", (2, 3, 4))
layer("GroupNorm(2, 4)", "GroupNorm(2, 4)", (3, 4), (2, 4, 5), (2, 4, 3, 2), (1, 4, 2, 2, 2), (0, 4, 2))
layer("GroupNorm(4, 4, 0.1)", "GroupNorm(4, 4, 0.1)", (2, 4, 3, 2))
layer("GroupNorm { numGroups = 1, numChannels = 4, affine = false }", "GroupNorm(1, 4, affine=False)", (2, 4, 3, 2))
layer("LayerNorm(4)", "LayerNorm(4)", (3, 4), (4,), (2, 3, 4))
layer("LayerNorm({ 3, 4 }, 0.1)", "LayerNorm((3, 4), 0.1)", (2, 3, 4), (3, 4))
layer("LayerNorm(4, { elementwiseAffine = false })", "LayerNorm(4, elementwise_affine=False)", (2, 3, 4))
layer("LayerNorm({ 3, 4 }, { bias = false })", "LayerNorm((3, 4), bias=False)", (2, 3, 4))
layer("RMSNorm(4, 1e-5)", "RMSNorm(4, 1e-5)", (3, 4), (4,), (2, 3, 4))
layer("RMSNorm({ 3, 4 }, 0.1)", "RMSNorm((3, 4), 0.1)", (2, 3, 4), (3, 4))
layer("RMSNorm(4, { elementwiseAffine = false, eps = 0.1 })", "RMSNorm(4, 0.1, elementwise_affine=False)", (2, 3, 4))

P3 = ("positive", 3)
function("batchNorm(x1, x2, x3, x4, x5)", "batch_norm(x1, x2, x3, x4, x5)", (2, 3, 4), (3,), P3, (3,), (3,), constants=(2, 3))
function("batchNorm(x1, x2, x3, { training = true, eps = 0.1 })", "batch_norm(x1, x2, x3, training=True, eps=0.1)", (2, 3, 4), (3,), P3, constants=(2, 3))
function("batchNorm(x1, nil, nil, x2, { training = true })", "batch_norm(x1, None, None, x2, training=True)", (2, 3, 4, 2), (3,))
function("instanceNorm(x1)", "instance_norm(x1)", (2, 3, 4))
function("instanceNorm(x1, nil, nil, x2, x3, { eps = 0.1 })", "instance_norm(x1, None, None, x2, x3, eps=0.1)", (2, 3, 4, 2), (3,), (3,))
function("instanceNorm(x1, x2, x3, { useInputStats = false })", "instance_norm(x1, x2, x3, use_input_stats=False)", (2, 3, 4), (3,), P3, constants=(2, 3))
function("groupNorm(x1, 2)", "group_norm(x1, 2)", (2, 4, 3))
function("groupNorm(x1, 2, x2, x3)", "group_norm(x1, 2, x2, x3)", (2, 4, 3, 2), (4,), (4,))
function("groupNorm(x1, 4, { weight = x2, eps = 0.1 })", "group_norm(x1, 4, x2, eps=0.1)", (2, 4, 3), (4,))
function("layerNorm(x1, 4)", "layer_norm(x1, (4,))", (2, 3, 4))
function("layerNorm(x1, { 3, 4 }, x2, x3, 0.1)", "layer_norm(x1, (3, 4), x2, x3, 0.1)", (2, 3, 4), (3, 4), (3, 4))
function("layerNorm(x1, { 4 }, { bias = x2 })", "layer_norm(x1, (4,), bias=x2)", (3, 4), (4,))
function("rmsNorm(x1, 4)", "rms_norm(x1, (4,))", (2, 3, 4))
function("rmsNorm(x1, { 3, 4 }, x2, 0.1)", "rms_norm(x1, (3, 4), x2, 0.1)", (2, 3, 4), (3, 4))
function("rmsNorm(x1, { 4 }, { weight = x2 })", "rms_norm(x1, (4,), x2)", (3, 4), (4,))
function("normalize(x1)", "normalize(x1)", (3, 4))
function("normalize(x1, 1, 3)", "normalize(x1, 1, 2)", (2, 3, 4))
function("normalize(x1, { dim = 1, p = 3 })", "normalize(x1, p=3, dim=0)", (3, 4))
