"""Dropout without chance, distances, embeddings, bilinear products: see figures.py."""
from figures import case, module

CASES = []


def layer(ours, theirs, *sizes, **options):
    for s in sizes:
        CASES.append(module("nn." + ours, "nn." + theirs, s, **options))


def pair(ours, theirs, *inputs, **options):
    CASES.append(module("nn." + ours, "nn." + theirs, *inputs, **options))


def function(ours, theirs, *inputs, **options):
    CASES.append(case("F." + ours, "F." + theirs, *inputs, **options))


DROPOUTS = dict(Dropout1d=(2, 3, 4), Dropout2d=(2, 3, 4, 2), Dropout3d=(2, 3, 2, 2, 2), AlphaDropout=(2, 3), FeatureAlphaDropout=(2, 3, 4))
for name, sizes in DROPOUTS.items():
    layer(name + "()", name + "()", sizes, evaluate=True)
    layer(name + "(0)", name + "(0)", sizes)
    layer(name + "({ p = 0, inplace = true })", name + "(p=0)", sizes)
    if name.startswith("Dropout"):
        layer(name + "(1)", name + "(1)", sizes, sizes[1:])
        layer(name + "(0.3)", name + "(0.3)", sizes[1:], evaluate=True)
for name, theirs, sizes in (("dropout", "dropout", (3, 4)), ("dropout1d", "dropout1d", (2, 3, 4)), ("dropout2d", "dropout2d", (2, 3, 4, 2)),
                            ("dropout3d", "dropout3d", (2, 3, 2, 2, 2)), ("alphaDropout", "alpha_dropout", (2, 3)),
                            ("featureAlphaDropout", "feature_alpha_dropout", (2, 3, 4))):
    function(name + "(x1, 0.3, false)", theirs + "(x1, 0.3, False)", sizes)
    function(name + "(x1, { p = 0, training = true })", theirs + "(x1, p=0., training=True)", sizes)
    if theirs.startswith("dropout"):
        function(name + "(x1, 1)", theirs + "(x1, 1.)", sizes)

pair("CosineSimilarity()", "CosineSimilarity()", (3, 4), (3, 4))
pair("CosineSimilarity(1)", "CosineSimilarity(0)", (5,), (5,))
pair("CosineSimilarity { dim = -1, eps = 2 }", "CosineSimilarity(-1, 2)", (2, 3, 4), (2, 3, 4))
pair("PairwiseDistance(2, 1e-6)", "PairwiseDistance()", (3, 4), (3, 4))
pair("PairwiseDistance { p = 1, eps = 0.1, keepdim = true }", "PairwiseDistance(1, 0.1, True)", (3, 4), (3, 4))
pair("PairwiseDistance(3, 1e-6)", "PairwiseDistance(3)", (4,), (4,))
function("cosineSimilarity(x1, x2)", "cosine_similarity(x1, x2)", (3, 4), (3, 4))
function("cosineSimilarity(x1, x2, 1)", "cosine_similarity(x1, x2, 0)", (3, 4), (3, 4))
function("cosineSimilarity(x1, x2, { dim = 3, eps = 2 })", "cosine_similarity(x1, x2, 2, 2)", (2, 3, 4), (2, 3, 4))
function("pairwiseDistance(x1, x2)", "pairwise_distance(x1, x2)", (3, 4), (3, 4))
function("pairwiseDistance(x1, x2, 1, 0.1, true)", "pairwise_distance(x1, x2, 1, 0.1, True)", (3, 4), (3, 4))
function("pairwiseDistance(x1, x2, { p = 3 })", "pairwise_distance(x1, x2, 3)", (4,), (4,))
function("pdist(x1)", "pdist(x1)", (4, 3))
function("pdist(x1, 1)", "pdist(x1, 1)", (3, 4))
function("pdist(x1, { p = 3 })", "pdist(x1, 3)", (2, 4))
function("bilinear(x1, x2, x3, x4)", "bilinear(x1, x2, x3, x4)", (5, 3), (5, 2), (4, 3, 2), (4,))
function("bilinear(x1, x2, x3)", "bilinear(x1, x2, x3)", (2, 5, 3), (2, 5, 2), (4, 3, 2))
function("bilinear(x1, x2, x3)", "bilinear(x1, x2, x3)", (3,), (2,), (4, 3, 2))
pair("Bilinear(3, 2, 4)", "Bilinear(3, 2, 4)", (5, 3), (5, 2))
pair("Bilinear { in1Features = 3, in2Features = 2, outFeatures = 4, bias = false }", "Bilinear(3, 2, 4, bias=False)", (5, 3), (5, 2))
pair("Bilinear(3, 2, 1)", "Bilinear(3, 2, 1)", (2, 4, 3), (2, 4, 2))
layer("Identity()", "Identity()", (3, 4), (5,), (0, 2))

L = ("labels", 5, 3, 4)
for options, theirs in (("", ""), (", 2", ", 1"), (", { paddingIdx = 3, scaleGradByFreq = true }", ", padding_idx=2, scale_grad_by_freq=True"),
                        (", nil, 0.4", ", max_norm=0.4"), (", { maxNorm = 0.4, normType = 1 }", ", max_norm=0.4, norm_type=1.0")):
    layer("Embedding(5, 3%s)" % options, "Embedding(5, 3%s)" % theirs, L, ("labels", 5, 7), protocol=False)
    function("embedding(x1, x2%s)" % options, "embedding(x1, x2%s)" % theirs, L, (5, 3), gradient="axNorm" not in options and "0.4" not in options)
for mode in ("sum", "mean", "max"):
    layer("EmbeddingBag(5, 3, { mode = '%s' })" % mode, "EmbeddingBag(5, 3, mode='%s')" % mode, L, protocol=False)
    layer("EmbeddingBag(5, 3, { mode = '%s', paddingIdx = 2 })" % mode, "EmbeddingBag(5, 3, mode='%s', padding_idx=1)" % mode, L, protocol=False)
    CASES.append(case("m { x1, torch.LongTensor { 1, 3, 3, 8 } }", "m(x1, torch.tensor([0, 2, 2, 7]))", ("labels", 5, 9),
                      module=("nn.EmbeddingBag(5, 3, { mode = '%s' })" % mode, "nn.EmbeddingBag(5, 3, mode='%s')" % mode)))
    function("embeddingBag(x1, x2, torch.LongTensor { 1, 4, 6 }, { mode = '%s', includeLastOffset = true })" % mode,
             "embedding_bag(x1, x2, torch.tensor([0, 3, 5]), mode='%s', include_last_offset=True)" % mode, ("labels", 5, 5), (5, 3))
    function("embeddingBag(x1, x2, torch.LongTensor { 1, 4 }, { mode = '%s', paddingIdx = 3 })" % mode,
             "embedding_bag(x1, x2, torch.tensor([0, 3]), mode='%s', padding_idx=2)" % mode, ("labels", 5, 7), (5, 3))
CASES.append(case("m { x1, false, x2 }", "m(x1, per_sample_weights=x2)", L, (3, 4),
                  module=("nn.EmbeddingBag(5, 3, { mode = 'sum' })", "nn.EmbeddingBag(5, 3, mode='sum')")))
function("embeddingBag(x1, x2, torch.LongTensor { 1, 4 }, { mode = 'sum', perSampleWeights = x3 })",
         "embedding_bag(x1, x2, torch.tensor([0, 3]), mode='sum', per_sample_weights=x3)", ("labels", 5, 7), (5, 3), (7,))
function("oneHot(x1)", "one_hot(x1)", L, gradient=False)
function("oneHot(x1, 7)", "one_hot(x1, 7)", ("labels", 5, 6), gradient=False)
function("oneHot(x1, { numClasses = 6 })", "one_hot(x1, 6)", ("labels", 5, 2, 1, 3), gradient=False)
