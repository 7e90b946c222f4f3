"""The networks of bench/latency.py on PyTorch's side; latency.lua has Moontorch's."""
import torch
import torch.nn as nn

import peer_networks


def mobilenet():
    """MobileNet v1: Howard et al. (2017), arXiv:1704.04861, table 1."""
    def unit(ci, co, k, stride, groups):
        return [nn.Conv2d(ci, co, k, stride, k // 2, groups=groups, bias=False), nn.BatchNorm2d(co), nn.ReLU()]
    mods, ci = unit(3, 32, 3, 2, 1), 32
    for co, stride in [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)] + [(512, 1)] * 5 + [(1024, 2), (1024, 1)]:
        mods += unit(ci, ci, 3, stride, ci) + unit(ci, co, 1, 1, 1)
        ci = co
    return nn.Sequential(*mods, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, 1000))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(128, 128)

    def forward(self, x):
        return self.lstm(x)[0]


class Encoder(nn.Module):
    """An encoder layer, as networks.lua's; torch.onnx can't trace nn.TransformerEncoderLayer."""

    def __init__(self, d=256, heads=4, wide=1024):
        super().__init__()
        self.heads, self.inside, self.out = heads, nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.wide, self.narrow = nn.Linear(d, wide), nn.Linear(wide, d)
        self.first, self.second = nn.LayerNorm(d), nn.LayerNorm(d)

    def forward(self, x):
        n, t, d = x.shape
        q, k, v = (y.reshape(n, t, self.heads, d // self.heads).transpose(1, 2) for y in self.inside(x).chunk(3, -1))
        weights = torch.softmax(q @ k.transpose(2, 3) / (d // self.heads) ** 0.5, -1)
        h = self.first(x + self.out((weights @ v).transpose(1, 2).reshape(n, t, d)))
        return self.second(h + self.narrow(torch.relu(self.wide(h))))


def mlp():
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))


NETWORKS = {
    'mlp': (mlp, (1, 784)),
    'lenet': (peer_networks.lenet, (1, 1, 28, 28)),
    'resnet18': (lambda: peer_networks.resnet18(False, 1000), (1, 3, 224, 224)),
    'mobilenet': (mobilenet, (1, 3, 224, 224)),
    'lstm': (Lstm, (32, 1, 128)),
    'encoder': (Encoder, (1, 64, 256)),
}


def export(name, path):
    """Writes a network, in evaluation mode, to an ONNX file."""
    torch.manual_seed(0)
    make, sizes = NETWORKS[name]
    torch.onnx.export(make().eval(), torch.randn(*sizes), path, input_names=['x'], output_names=['y'], dynamo=False, opset_version=17)
