#!/usr/bin/env python3
"""Figures for figures_spec.lua, from networks written here in PyTorch: python3 spec/zoo/references.py >spec/zoo/references.lua

DCGAN and the VAE follow PyTorch's examples of these names, U-Net the paper's figure 1, and milesial's Pytorch-UNet. Float64. Sequence to
sequence follows PyTorch's tutorial of translation, step by step, and Luong's equations 5 to 8, with packed sequences.
"""
import torch
import torch.nn.functional as F
from torch import nn

from figures import lua, row
from formula import figures, fill, fingerprint, positions, series

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


class Generator(nn.Module):
    def __init__(self, nz, ngf, nc):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 8, 4, 1, 0, bias=False), nn.BatchNorm2d(ngf * 8), nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 8, ngf * 4, 4, 2, 1, bias=False), nn.BatchNorm2d(ngf * 4), nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 4, ngf * 2, 4, 2, 1, bias=False), nn.BatchNorm2d(ngf * 2), nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False), nn.BatchNorm2d(ngf), nn.ReLU(True),
            nn.ConvTranspose2d(ngf, nc, 4, 2, 1, bias=False), nn.Tanh())

    def forward(self, x):
        return self.main(x)


class Discriminator(nn.Module):
    def __init__(self, ndf, nc):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(nc, ndf, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf, ndf * 2, 4, 2, 1, bias=False), nn.BatchNorm2d(ndf * 2), nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf * 2, ndf * 4, 4, 2, 1, bias=False), nn.BatchNorm2d(ndf * 4), nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf * 4, ndf * 8, 4, 2, 1, bias=False), nn.BatchNorm2d(ndf * 8), nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf * 8, 1, 4, 1, 0, bias=False), nn.Sigmoid())

    def forward(self, x):
        return self.main(x).view(-1, 1).squeeze(1)


class SmallGenerator(nn.Module):
    """Of pictures of 32 x 32: a layer less than the example has."""

    def __init__(self, nz, ngf, nc):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 4, 4, 1, 0, bias=False), nn.BatchNorm2d(ngf * 4), nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 4, ngf * 2, 4, 2, 1, bias=False), nn.BatchNorm2d(ngf * 2), nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False), nn.BatchNorm2d(ngf), nn.ReLU(True),
            nn.ConvTranspose2d(ngf, nc, 4, 2, 1, bias=False), nn.Tanh())

    def forward(self, x):
        return self.main(x)


class SmallDiscriminator(nn.Module):
    def __init__(self, ndf, nc):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(nc, ndf, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf, ndf * 2, 4, 2, 1, bias=False), nn.BatchNorm2d(ndf * 2), nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf * 2, ndf * 4, 4, 2, 1, bias=False), nn.BatchNorm2d(ndf * 4), nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf * 4, 1, 4, 1, 0, bias=False), nn.Sigmoid())

    def forward(self, x):
        return self.main(x).flatten()


class VAE(nn.Module):
    """In evaluation: the mean instead of a draw."""

    def __init__(self, input_dim=784, hidden_dim=400, latent_dim=20):
        super().__init__()
        self.fc1 = nn.Linear(input_dim, hidden_dim)
        self.fc21 = nn.Linear(hidden_dim, latent_dim)
        self.fc22 = nn.Linear(hidden_dim, latent_dim)
        self.fc3 = nn.Linear(latent_dim, hidden_dim)
        self.fc4 = nn.Linear(hidden_dim, input_dim)

    def all(self, x):
        h = F.relu(self.fc1(x.reshape(len(x), -1)))
        mu, logvar = self.fc21(h), self.fc22(h)
        return torch.sigmoid(self.fc4(F.relu(self.fc3(mu)))), mu, logvar

    def forward(self, x):
        return self.all(x)[0]

    def loss(self, x):
        recon, mu, logvar = self.all(x)
        bce = F.binary_cross_entropy(recon, x.reshape(len(x), -1), reduction="sum")
        return bce - 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())


class Double(nn.Module):
    def __init__(self, ins, outs, padded):
        super().__init__()
        if padded:
            self.double_conv = nn.Sequential(
                nn.Conv2d(ins, outs, 3, padding=1, bias=False), nn.BatchNorm2d(outs), nn.ReLU(),
                nn.Conv2d(outs, outs, 3, padding=1, bias=False), nn.BatchNorm2d(outs), nn.ReLU())
        else:
            self.double_conv = nn.Sequential(nn.Conv2d(ins, outs, 3), nn.ReLU(), nn.Conv2d(outs, outs, 3), nn.ReLU())

    def forward(self, x):
        return self.double_conv(x)


class Down(nn.Module):
    def __init__(self, ins, outs, padded):
        super().__init__()
        self.maxpool_conv = nn.Sequential(nn.MaxPool2d(2), Double(ins, outs, padded))

    def forward(self, x):
        return self.maxpool_conv(x)


class Up(nn.Module):
    def __init__(self, ins, outs, padded):
        super().__init__()
        self.up = nn.ConvTranspose2d(ins, ins // 2, 2, stride=2)
        self.conv = Double(ins, outs, padded)
        self.padded = padded

    def forward(self, x, skip):
        x = self.up(x)
        dy, dx = skip.size(2) - x.size(2), skip.size(3) - x.size(3)
        if self.padded:
            x = F.pad(x, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        else:                                               # the middle of what the first path saw
            top, left = -(-dy // 2), -(-dx // 2)
            skip = skip[:, :, top:top + x.size(2), left:left + x.size(3)]
        return self.conv(torch.cat([skip, x], 1))


class OutConv(nn.Module):
    def __init__(self, ins, outs):
        super().__init__()
        self.conv = nn.Conv2d(ins, outs, 1)

    def forward(self, x):
        return self.conv(x)


class UNet(nn.Module):
    def __init__(self, n_channels, n_classes, width, padded):
        super().__init__()
        w = width
        self.inc = Double(n_channels, w, padded)
        self.down1, self.down2 = Down(w, 2 * w, padded), Down(2 * w, 4 * w, padded)
        self.down3, self.down4 = Down(4 * w, 8 * w, padded), Down(8 * w, 16 * w, padded)
        self.up1, self.up2 = Up(16 * w, 8 * w, padded), Up(8 * w, 4 * w, padded)
        self.up3, self.up4 = Up(4 * w, 2 * w, padded), Up(2 * w, w, padded)
        self.outc = OutConv(w, n_classes)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        x4 = self.down3(x3)
        y = self.up1(self.down4(x4), x4)
        return self.outc(self.up4(self.up3(self.up2(y, x3), x2), x1))


class EncoderRNN(nn.Module):
    def __init__(self, count, size):
        super().__init__()
        self.embedding = nn.Embedding(count, size)
        self.gru = nn.GRU(size, size, batch_first=True)

    def forward(self, ids, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(ids), lengths, batch_first=True, enforce_sorted=False)
        states, last = self.gru(packed)
        return nn.utils.rnn.pad_packed_sequence(states, batch_first=True)[0], last


class Weights(nn.Module):
    def __init__(self, **parts):
        super().__init__()
        for name, part in parts.items():
            setattr(self, name, part)


class BahdanauDecoder(nn.Module):
    def __init__(self, count, size):
        super().__init__()
        self.embedding = nn.Embedding(count, size)
        self.attention = Weights(Wa=nn.Linear(size, size), Ua=nn.Linear(size, size), Va=nn.Linear(size, 1))
        self.gru = nn.GRU(2 * size, size, batch_first=True)
        self.out = nn.Linear(size, count)

    def step(self, token, hidden, states, padding):
        a = self.attention
        scores = a.Va(torch.tanh(a.Wa(hidden[0])[:, None] + a.Ua(states)))[..., 0].masked_fill(padding, float("-inf"))
        weights = scores.softmax(1)
        seen = (weights[..., None] * states).sum(1)
        y, hidden = self.gru(torch.cat([self.embedding(token), seen], 1)[:, None], hidden)
        return self.out(y[:, 0]), weights, hidden


class LuongDecoder(nn.Module):
    def __init__(self, count, size):
        super().__init__()
        self.embedding = nn.Embedding(count, size)
        self.gru = nn.GRU(size, size, batch_first=True)
        self.attention = Weights(Wa=nn.Linear(size, size, bias=False), Wc=nn.Linear(2 * size, size, bias=False))
        self.out = nn.Linear(size, count)

    def step(self, token, hidden, states, padding):
        y, hidden = self.gru(self.embedding(token)[:, None], hidden)
        scores = torch.einsum("nd,de,nse->ns", y[:, 0], self.attention.Wa.weight, states).masked_fill(padding, float("-inf"))
        weights = scores.softmax(1)
        seen = (weights[..., None] * states).sum(1)
        return self.out(torch.tanh(self.attention.Wc(torch.cat([seen, y[:, 0]], 1)))), weights, hidden


class Seq2Seq(nn.Module):
    def __init__(self, decoder):
        super().__init__()
        self.encoder, self.decoder = EncoderRNN(13, 6), decoder(11, 6)

    def forward(self, ids, lengths, targets):
        states, hidden = self.encoder(ids, lengths)
        padding = torch.arange(ids.shape[1]) >= torch.tensor(lengths)[:, None]
        logits, weights = [], []
        for t in range(targets.shape[1]):
            y, w, hidden = self.decoder.step(targets[:, t], hidden, states, padding)
            logits.append(y)
            weights.append(w)
        return torch.stack(logits, 1), torch.stack(weights, 1)

    def write(self, ids, lengths, count):
        tokens = torch.zeros(len(ids), 1, dtype=torch.long)
        for _ in range(count):
            tokens = torch.cat([tokens, self(ids, lengths, tokens)[0][:, -1].argmax(1, keepdim=True)], 1)
        return tokens[:, 1:]


def sequences():
    """Sequence to sequence: figures of logits and weights, and texts."""
    ids, targets, lengths = positions("ids", (3, 6), 13), positions("targets", (3, 5), 11), [6, 3, 4]
    print("  sequences = {")
    for name, decoder in (("seq2seq_bahdanau", BahdanauDecoder), ("seq2seq_luong", LuongDecoder)):
        net = Seq2Seq(decoder).eval()
        fill(net.state_dict())
        net.decoder.out.weight.mul_(5)
        logits, weights = net(ids, lengths, targets)
        print(f"    {{ name = '{name}', state = {fingerprint(net.state_dict())},")
        print(f"      logits = {lua([float(f'{x:.12g}') for x in figures(logits)])},")
        print(f"      weights = {lua([float(f'{x:.12g}') for x in figures(weights)])},")
        print(f"      texts = {lua((net.write(ids, lengths, 7) + 1).tolist())} }},")
    print("  },")


class QNetwork(nn.Module):
    """As in CleanRL's dqn_atari.py; pictures of the formula, from -1 to 1, instead of 0 to 255."""

    def __init__(self, num_actions):
        super().__init__()
        self.network = nn.Sequential(
            nn.Conv2d(4, 32, 8, stride=4), nn.ReLU(), nn.Conv2d(32, 64, 4, stride=2), nn.ReLU(), nn.Conv2d(64, 64, 3, stride=1),
            nn.ReLU(), nn.Flatten(), nn.Linear(3136, 512), nn.ReLU(), nn.Linear(512, num_actions))

    def forward(self, x):
        return self.network(x / 255.0)


# Name, options of the zoo, sizes of the input, the network.
CASES = [
    ("dqn", {"num_actions": 5}, (2, 4, 84, 84), lambda o: QNetwork(**o)),
    ("dcgan_generator", {"nz": 7, "ngf": 4, "nc": 2}, (2, 7, 1, 1), lambda o: Generator(**o)),
    ("dcgan_discriminator", {"ndf": 4, "nc": 2}, (3, 2, 64, 64), lambda o: Discriminator(**o)),
    ("dcgan_generator", {"nz": 7, "ngf": 4, "nc": 2, "image_size": 32}, (2, 7, 1, 1), lambda o: SmallGenerator(o["nz"], o["ngf"], o["nc"])),
    ("dcgan_discriminator", {"ndf": 4, "nc": 2, "image_size": 32}, (3, 2, 32, 32), lambda o: SmallDiscriminator(o["ndf"], o["nc"])),
    ("vae", {}, (2, 1, 28, 28), lambda o: VAE(**o)),
    ("unet", {"width": 3, "n_classes": 3, "n_channels": 2}, (1, 2, 188, 204), lambda o: UNet(**o, padded=False)),
    ("unet_padded", {"width": 3, "n_classes": 3}, (2, 3, 53, 38), lambda o: UNet(3, padded=True, **o)),
]

if __name__ == "__main__":
    print("-- Written by spec/zoo/references.py.")
    print("return {")
    with torch.no_grad():
        for name, options, sizes, make in CASES:
            net = make(options).eval()
            fill(net.state_dict())
            row(name, options, sizes, net, net(series("input", sizes)))
            if name == "vae":
                loss = net.loss((series("input", sizes) + 1) / 2).item()
        sequences()
    print(f"  vaeLoss = {loss:.12g},")
    print("}")
