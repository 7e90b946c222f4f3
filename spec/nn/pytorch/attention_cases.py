"""Attention, rotary embeddings and transformers: see figures.py."""
import torch
from figures import case

X, S = (2, 4, 6), (2, 5, 6)


def mha(arguments, theirs_arguments, ours, theirs, *inputs, **options):
    return case(ours, theirs, *inputs, module=("nn.MultiheadAttention(%s)" % arguments, "nn.MultiheadAttention(%s)" % theirs_arguments), **options)


def rotary(x, base=10000.0, interleaved=True, dim=None, first=0):
    """The formula with complex numbers: pairs times exp(i t theta)."""
    dim = dim or x.shape[-1]
    part = x[..., :dim]
    theta = base ** (-2 * torch.arange(dim // 2) / dim)
    angle = (torch.arange(x.shape[-2]) + first)[:, None] * theta
    turn = torch.polar(torch.ones_like(angle), angle)
    if interleaved:
        z = torch.view_as_complex(part.reshape(*part.shape[:-1], dim // 2, 2).contiguous()) * turn
        y = torch.view_as_real(z).reshape(part.shape)
    else:
        z = torch.complex(part[..., :dim // 2], part[..., dim // 2:]) * turn
        y = torch.cat([z.real, z.imag], -1)
    return torch.cat([y, x[..., dim:]], -1)


ROTARY = dict(scope=dict(rotary=rotary))
MASK = "nn.Transformer.generate_square_subsequent_mask(%d)"
OURS = "nn.Transformer.generateSquareSubsequentMask(%d):typeAs(x1)"


def layer(name, arguments, theirs_arguments, ours, theirs, *inputs, **options):
    return case(ours, theirs, *inputs, module=("nn.%s(%s)" % (name, arguments), "nn.%s(%s)" % (name, theirs_arguments)), **options)


CASES = [
    # MultiheadAttention: batchFirst is the default in Lua
    mha("6, 2", "6, 2, batch_first=True", "m(x1)", "m(x1, x1, x1)[0]", X),
    mha("6, 3, { batchFirst = false }", "6, 3", "m { x1, x2, x3 }", "m(x1, x2, x3)[0]", (4, 2, 6), (5, 2, 6), (5, 2, 6)),
    mha("6, 2, 0, false", "6, 2, 0, False, batch_first=True", "m { x1, x2, x3, needWeights = true }", "m(x1, x2, x3)", X, S, S),
    mha("6, 2, { kdim = 3, vdim = 5 }", "6, 2, kdim=3, vdim=5, batch_first=True", "m { x1, x2, x3, needWeights = true, averageAttnWeights = false }",
        "m(x1, x2, x3, average_attn_weights=False)", X, (2, 5, 3), (2, 5, 5)),
    mha("6, 2, { kdim = 3, bias = false }", "6, 2, kdim=3, bias=False, batch_first=True", "m { x1, x2, x3 }", "m(x1, x2, x3)[0]", X, (2, 5, 3), S),
    mha("6, 2, { addBiasKv = true, addZeroAttn = true }", "6, 2, add_bias_kv=True, add_zero_attn=True, batch_first=True",
        "m { x1, x2, x3, needWeights = true }", "m(x1, x2, x3)", X, S, S),
    mha("6, 2, { addBiasKv = true }", "6, 2, add_bias_kv=True, batch_first=True",
        "m { x1, x1, x1, isCausal = true, keyPaddingMask = torch.ByteTensor { { 0, 0, 0, 0 }, { 0, 0, 1, 1 } } }",
        "m(x1, x1, x1, key_padding_mask=torch.tensor([[0, 0, 0, 0], [0, 0, 1, 1]]) > 0, attn_mask=torch.ones(4, 4).triu(1) > 0)[0]", X),
    mha("6, 2, { addZeroAttn = true }", "6, 2, add_zero_attn=True, batch_first=True", "m { x1, attnMask = x2 }", "m(x1, x1, x1, attn_mask=x2)[0]",
        X, (4, 4)),
    mha("6, 2", "6, 2, batch_first=True", "m { x1, x2, x3, attnMask = x4, needWeights = true }", "m(x1, x2, x3, attn_mask=x4)", X, S, S, (4, 4, 5)),
    mha("6, 2", "6, 2, batch_first=True", "m { x1, attnMask = torch.gt(torch.triu(torch.ones(4, 4), 2), 0), keyPaddingMask = x2 }",
        "m(x1, x1, x1, attn_mask=torch.where(torch.ones(4, 4).triu(2) > 0, -torch.inf, 0.0), key_padding_mask=x2)[0]", X, (2, 4)),
    mha("6, 2, { causal = true }", "6, 2, batch_first=True", "m(x1)", "m(x1, x1, x1, attn_mask=%s, is_causal=True)[0]" % (MASK % 4), X),
    mha("6, 2", "6, 2", "m { x1, x2, x3, needWeights = true }", "m(x1, x2, x3)", (4, 6), (5, 6), (5, 6)),
    mha("6, 1, 0.5", "6, 1, 0.5, batch_first=True", "m { x1, needWeights = true }", "m(x1, x1, x1)", X, evaluate=True),
    # functions
    case("{ F.multiHeadAttentionForward(x1, x2, x3, 6, 2, x4, x5, nil, nil, false, 0, x6, x7) }",
         "F.multi_head_attention_forward(x1, x2, x3, 6, 2, x4, x5, None, None, False, 0.0, x6, x7)",
         (4, 2, 6), (5, 2, 6), (5, 2, 6), (18, 6), (18,), (6, 6), (6,)),
    case("{ F.multiHeadAttentionForward(x1, x1, x1, 6, 3, nil, x2, x3, x4, true, 0, x5, nil, { needWeights = true, averageAttnWeights = false, "
         "useSeparateProjWeight = true, qProjWeight = x6, kProjWeight = x7, vProjWeight = x8 }) }",
         "F.multi_head_attention_forward(x1, x1, x1, 6, 3, None, x2, x3, x4, True, 0.0, x5, None, average_attn_weights=False, "
         "use_separate_proj_weight=True, q_proj_weight=x6, k_proj_weight=x7, v_proj_weight=x8)",
         (4, 2, 6), (18,), (1, 1, 6), (1, 1, 6), (6, 6), (6, 6), (6, 6), (6, 6)),
    case("(F.multiHeadAttentionForward(x1, x2, x2, 6, 2, x3, nil, nil, nil, false, 0.3, x4, nil, false, nil, false))",
         "F.multi_head_attention_forward(x1, x2, x2, 6, 2, x3, None, None, None, False, 0.3, x4, None, False, None, False)[0]",
         (4, 6), (5, 6), (18, 6), (6, 6)),
    case("(F.multiHeadAttentionForward(x1, x1, x1, 6, 2, x2, nil, nil, nil, false, 0, x3, nil, { staticK = x4, staticV = x5 }))",
         "F.multi_head_attention_forward(x1, x1, x1, 6, 2, x2, None, None, None, False, 0.0, x3, None, static_k=x4, static_v=x5)[0]",
         (4, 2, 6), (18, 6), (6, 6), (4, 3, 3), (4, 3, 3)),
    case("F.scaledDotProductAttention(x1, x2, x3, nil, 0, true)", "F.scaled_dot_product_attention(x1, x2, x3, None, 0.0, True)",
         (2, 3, 4, 6), (2, 3, 4, 6), (2, 3, 4, 5)),
    case("F.scaledDotProductAttention(x1, x2, x3, x4, { scale = 0.7 })", "F.scaled_dot_product_attention(x1, x2, x3, x4, scale=0.7)",
         (2, 3, 4), (2, 5, 4), (2, 5, 3), (3, 5)),
    case("F.scaledDotProductAttention(x1, x2, x3, { enableGqa = true })", "F.scaled_dot_product_attention(x1, x2, x3, enable_gqa=True)",
         (2, 4, 3, 6), (2, 2, 5, 6), (2, 2, 5, 6)),
    case("F.scaledDotProductAttention(x1, x2, x3, torch.gt(torch.tril(torch.ones(4, 5), 1), 0))",
         "F.scaled_dot_product_attention(x1, x2, x3, torch.ones(4, 5).tril(1) > 0)", (2, 4, 6), (2, 5, 6), (2, 5, 6)),
    # rotary embeddings: the formula by complex numbers
    case("F.rotaryEmbedding(x1)", "rotary(x1)", (2, 3, 5, 6), **ROTARY),
    case("F.rotaryEmbedding(x1, 7, 100, false)", "rotary(x1, 100.0, False, None, 7)", (3, 5, 8), **ROTARY),
    case("F.rotaryEmbedding(x1, torch.LongTensor { 2, 3, 4 }, { dim = 4, base = 50 })", "rotary(x1, 50.0, True, 4, 2)", (3, 6), **ROTARY),
    case("nn.RotaryEmbedding(4, 100, false):forward { x1, 3 }", "rotary(x1, 100.0, False, 4, 3)", (2, 3, 6), gradient=False, **ROTARY),
    # layers of transformers
    layer("TransformerEncoderLayer", "6, 2, 8, 0", "6, 2, 8, 0.0", "m(x1)", "m(x1)", (4, 2, 6)),
    layer("TransformerEncoderLayer", "6, 2, 8, 0, 'gelu', { batchFirst = true, normFirst = true }",
          "6, 2, 8, 0.0, 'gelu', batch_first=True, norm_first=True", "m(x1, { srcMask = %s, isCausal = true })" % (OURS % 4),
          "m(x1, %s, is_causal=True)" % (MASK % 4), X),
    layer("TransformerEncoderLayer", "6, 3, 8, 0, { bias = false, layerNormEps = 0.1 }", "6, 3, 8, 0.0, bias=False, layer_norm_eps=0.1",
          "m(x1, nil, torch.ByteTensor { { 0, 0, 0, 1 }, { 0, 1, 1, 1 } })",
          "m(x1, None, torch.tensor([[0, 0, 0, 1], [0, 1, 1, 1]]) > 0)", (4, 2, 6)),
    layer("TransformerEncoderLayer", "6, 2, 8", "6, 2, 8", "m(x1)", "m(x1)", (4, 6), evaluate=True),
    layer("TransformerEncoderLayer", "6, 2, 5, 0, torch.tanh",
          "6, 2, 5, 0.0, torch.tanh", "m(x1)", "m(x1)", (4, 2, 6)),
    layer("TransformerDecoderLayer", "6, 2, 8, 0", "6, 2, 8, 0.0", "m(x1, x2)", "m(x1, x2)", (4, 2, 6), (5, 2, 6)),
    layer("TransformerDecoderLayer", "6, 2, 8, 0, 'gelu', 1e-5, true, true", "6, 2, 8, 0.0, 'gelu', 1e-5, True, True",
          "m(x1, x2, { tgtMask = %s, memoryKeyPaddingMask = torch.ByteTensor { { 0, 0, 0, 0, 1 }, { 0, 0, 1, 1, 1 } } })" % (OURS % 4),
          "m(x1, x2, %s, memory_key_padding_mask=torch.tensor([[0, 0, 0, 0, 1], [0, 0, 1, 1, 1]]) > 0)" % (MASK % 4), X, S),
    layer("TransformerDecoderLayer", "6, 2, 8", "6, 2, 8", "m(x1, x2, nil, x3)", "m(x1, x2, None, x3)", (4, 6), (5, 6), (4, 5), evaluate=True),
    layer("TransformerEncoder", "nn.TransformerEncoderLayer(6, 2, 8, 0), 2", "nn.TransformerEncoderLayer(6, 2, 8, 0.0), 2", "m(x1)", "m(x1)",
          (4, 2, 6)),
    layer("TransformerEncoder", "nn.TransformerEncoderLayer(6, 2, 8, 0, { batchFirst = true, normFirst = true }), 2, nn.LayerNorm(6)",
          "nn.TransformerEncoderLayer(6, 2, 8, 0.0, batch_first=True, norm_first=True), 2, nn.LayerNorm(6), False",
          "m(x1, { isCausal = true })", "m(x1, %s, is_causal=True)" % (MASK % 4), X),
    layer("TransformerDecoder", "nn.TransformerDecoderLayer(6, 2, 8, 0), 2, nn.LayerNorm(6)",
          "nn.TransformerDecoderLayer(6, 2, 8, 0.0), 2, nn.LayerNorm(6)", "m(x1, x2, { tgtIsCausal = true })",
          "m(x1, x2, %s)" % (MASK % 4), (4, 2, 6), (5, 2, 6)),
    layer("Transformer", "6, 2, 2, 1, 8, 0", "6, 2, 2, 1, 8, 0.0", "m(x1, x2, { tgtMask = %s })" % (OURS % 3), "m(x1, x2, tgt_mask=%s)" % (MASK % 3),
          (4, 2, 6), (3, 2, 6)),
    layer("Transformer", "{ dModel = 6, nhead = 3, numEncoderLayers = 1, numDecoderLayers = 2, dimFeedforward = 8, batchFirst = true }",
          "d_model=6, nhead=3, num_encoder_layers=1, num_decoder_layers=2, dim_feedforward=8, batch_first=True",
          "m(x1, x2, nil, nil, x3)", "m(x1, x2, memory_mask=x3)", X, (2, 3, 6), (3, 4), evaluate=True),
    layer("Transformer", "6, 2, 1, 1, 8, 0, 'gelu', { normFirst = true, bias = false }",
          "6, 2, 1, 1, 8, 0.0, 'gelu', norm_first=True, bias=False", "m(x1, x2)", "m(x1, x2)", (4, 6), (3, 6)),
    case("nn.Transformer.generateSquareSubsequentMask(3)", MASK % 3, gradient=False),
]
