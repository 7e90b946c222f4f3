"""The models of group K in PyTorch; models.lua has Moontorch's, with the same names of parameters, and the formulas of weights and data."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(s, size, heads):
        super().__init__()
        s.heads, s.qkv, s.proj = heads, nn.Linear(size, 3 * size), nn.Linear(size, size)

    def forward(s, x):
        q, k, v = (part.view(*x.shape[:2], s.heads, -1).transpose(1, 2) for part in s.qkv(x).split(x.shape[2], 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return s.proj(y.transpose(1, 2).contiguous().view(x.shape))


class Block(nn.Module):
    def __init__(s, size, heads):
        super().__init__()
        s.ln1, s.attn, s.ln2 = nn.LayerNorm(size), Attention(size, heads), nn.LayerNorm(size)
        s.mlp = nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size))

    def forward(s, x):
        x = x + s.attn(s.ln1(x))
        return x + s.mlp(s.ln2(x))


class GPT(nn.Module):
    def __init__(s, vocabulary, length, layers, size, heads):
        super().__init__()
        s.emb, s.posemb = nn.Embedding(vocabulary, size), nn.Embedding(length, size)
        s.blocks = nn.ModuleList(Block(size, heads) for _ in range(layers))
        s.ln, s.head, s.positions = nn.LayerNorm(size), nn.Linear(size, vocabulary, bias=False), torch.arange(length)

    def forward(s, tokens):
        x = s.emb(tokens) + s.posemb(s.positions)
        for block in s.blocks:
            x = block(x)
        return s.head(s.ln(x)).flatten(0, 1)


class LanguageModel(nn.Module):
    def __init__(s, vocabulary, size, layers):
        super().__init__()
        s.emb, s.rnn, s.out = nn.Embedding(vocabulary, size), nn.LSTM(size, size, layers), nn.Linear(size, vocabulary)

    def forward(s, tokens):
        return s.out(s.rnn(s.emb(tokens))[0].flatten(0, 1))


def numbers(n, seed):
    """n numbers between 0 and 1, the same in every implementation, as float64"""
    x = torch.sin(torch.arange(n, dtype=torch.float64) * 12.9898 + seed) * 43758.5453
    return x - torch.floor(x)


@torch.no_grad()
def initialise(net):
    for name, parameter in net.named_parameters():
        if parameter.dim() == 1:
            parameter.fill_(0 if "bias" in name else 1)
        else:
            bound = math.sqrt(3) * (0.1 if "emb" in name else 0.5 / math.sqrt(parameter[0].numel()))
            parameter.copy_((numbers(parameter.numel(), sum(name.encode())) * (2 * bound) - bound).view(parameter.shape))
    return net


def inputs(*sizes):
    return (numbers(math.prod(sizes), 1) * 2 - 1).float().view(sizes)


def integers(count, seed, *sizes):
    return (numbers(math.prod(sizes), seed) * count).floor().long().view(sizes)
