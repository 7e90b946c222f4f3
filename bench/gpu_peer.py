"""PyTorch's side of bench/gpu.lua: prints the median microseconds of the named workload."""
import sys
import time

import torch
from torch import nn

N = 2**26


def uniform(*sizes, dtype=torch.float32):
    return (torch.rand(*sizes, device="cuda") * 2 - 1).to(dtype)


def step(net, x):
    net, loss = net.cuda(), nn.CrossEntropyLoss()
    target = torch.randint(0, 10, (x.shape[0],), device="cuda")
    optimiser = torch.optim.SGD(net.parameters(), lr=0.01)

    def run():
        optimiser.zero_grad(set_to_none=True)
        loss(net(x), target).backward()
        optimiser.step()

    return run


def add(n):
    x, y, z = uniform(n), uniform(n), uniform(n)
    return lambda: torch.add(x, y, out=z)


def exp():
    x = uniform(N, dtype=torch.bfloat16)
    z = x.clone()
    return lambda: torch.exp(x, out=z)


def total():
    x = uniform(8192, 8192)
    return lambda: x.sum(1)


def product():
    a, b = uniform(4096, 4096, dtype=torch.bfloat16), uniform(4096, 4096, dtype=torch.bfloat16)
    c = a @ b
    return lambda: torch.mm(a, b, out=c)


def mlp():
    net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
    return step(net, uniform(64, 784))


def convnet():
    net = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(),
                        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64 * 8 * 8, 10))
    return step(net, uniform(128, 3, 32, 32))


WORKLOADS = {"add 6.7e7 floats": lambda: add(N), "exp 6.7e7 bf16": exp, "sum 6.7e7 floats": total, "mm 4096 bf16": product,
             "add 1000 floats": lambda: add(1000), "mlp step 64": mlp, "convnet step 128": convnet}


def microseconds(f, repeats=20):
    f()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(repeats):
        f()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / repeats * 1e6


if __name__ == "__main__":
    work = WORKLOADS[sys.argv[1]]()
    times = sorted(microseconds(work) for _ in range(15))
    print(times[len(times) // 2])
