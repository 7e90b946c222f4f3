"""The networks that several groups of PyTorch's side train or run; networks.lua has Moontorch's."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(s, ci, co, st):
        super().__init__()
        s.c1, s.b1 = nn.Conv2d(ci, co, 3, st, 1, bias=False), nn.BatchNorm2d(co)
        s.c2, s.b2 = nn.Conv2d(co, co, 3, 1, 1, bias=False), nn.BatchNorm2d(co)
        s.short = nn.Sequential(nn.Conv2d(ci, co, 1, st, bias=False), nn.BatchNorm2d(co)) if st > 1 else nn.Identity()

    def forward(s, x):
        return F.relu(s.b2(s.c2(F.relu(s.b1(s.c1(x))))) + s.short(x))


def resnet18(cifar, classes=10):
    stem = [nn.Conv2d(3, 64, 3, 1, 1, bias=False)] if cifar else [nn.Conv2d(3, 64, 7, 2, 3, bias=False)]
    mods = stem + [nn.BatchNorm2d(64), nn.ReLU()] + ([] if cifar else [nn.MaxPool2d(3, 2, 1)])
    for ci, co, st in ((64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)):
        mods += [Block(ci, co, st), Block(co, co, 1)]
    return nn.Sequential(*mods, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, classes))


def mlp():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


def lenet():
    return nn.Sequential(nn.Conv2d(1, 32, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 5), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Linear(1024, 256), nn.ReLU(), nn.Linear(256, 10))


class CharFused(nn.Module):
    def __init__(s):
        super().__init__()
        s.emb, s.rnn, s.out = nn.Embedding(65, 128), nn.LSTM(128, 128, 2), nn.Linear(128, 65)

    def forward(s, x):      # x: seq x batch
        return s.out(s.rnn(s.emb(x))[0].flatten(0, 1))


class CharCells(nn.Module):
    def __init__(s):
        super().__init__()
        s.emb, s.out = nn.Embedding(65, 128), nn.Linear(128, 65)
        s.cells = nn.ModuleList([nn.LSTMCell(128, 128), nn.LSTMCell(128, 128)])

    def forward(s, x):
        e, ys = s.emb(x), []
        state = [(torch.zeros(x.shape[1], 128),) * 2 for _ in s.cells]
        for v in e:
            for i, cell in enumerate(s.cells):
                state[i] = cell(v, state[i])
                v = state[i][0]
            ys.append(v)
        return s.out(torch.cat(ys))


class TreeLSTM(nn.Module):
    """child-sum tree-LSTM; node i has the children 2i+1 and 2i+2 that are below 20"""

    def __init__(s, d=32, classes=5):
        super().__init__()
        s.wx, s.wf = nn.Linear(d, 3 * d), nn.Linear(d, d)
        s.uh, s.uf, s.out = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False), nn.Linear(d, classes)

    def node(s, x, i):
        kids = [s.node(x, k) for k in (2 * i + 1, 2 * i + 2) if k < 20]
        xi = x[i:i + 1]
        iou = s.wx(xi)
        if kids:
            iou = iou + s.uh(sum(h for h, _ in kids[1:]) + kids[0][0] if len(kids) > 1 else kids[0][0])
        a, o, u = iou.chunk(3, 1)
        c = a.sigmoid() * u.tanh()
        if kids:
            fx = s.wf(xi)
            for h, ck in kids:
                c = c + (fx + s.uf(h)).sigmoid() * ck
        return o.sigmoid() * c.tanh(), c

    def forward(s, x):
        return s.out(s.node(x, 0)[0])
