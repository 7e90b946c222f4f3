#!/usr/bin/env python3
"""All-reduces of float32 on several processes of one machine, against PyTorch's gloo.

    python3 -m venv venv && venv/bin/pip install torch
    venv/bin/python bench/ranks.py [--ranks 2 4] [--bytes 1024 1048576 ...] [--rounds 5]

Both sides run in turns, a round of processes each, with one thread a process. In a round the time of a size is the median of blocks of calls;
printed is the median of the rounds, with the least and the greatest, and the median of the ratios of a round. Both sides take the maximum of
vectors of ones, so that values stay.
"""
import argparse
import os
import socket
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = [1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 10 << 20, 100 << 20]


def plan(bytes):
    """Calls in a block, and blocks."""
    calls = max(1, min(50, (4 << 20) // bytes))
    return calls, 7 if bytes <= 1 << 20 else 3


def peer(rank, ranks, port, sizes):
    import torch
    import torch.distributed as dist
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=ranks)
    for bytes in sizes:
        calls, blocks = plan(bytes)
        x, times = torch.ones(bytes // 4), []
        for _ in range(blocks + 1):    # the first one warms up
            dist.barrier()
            start = time.perf_counter()
            for _ in range(calls):
                dist.all_reduce(x, dist.ReduceOp.MAX)
            times.append((time.perf_counter() - start) / calls)
        if rank == 0:
            print(bytes, statistics.median(times[1:]), flush=True)
    dist.destroy_process_group()


def read(text):
    return {int(bytes): float(seconds) for bytes, seconds in (line.split() for line in text.splitlines())}


def run_peer(ranks, sizes):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [sys.executable, os.path.abspath(__file__), "--bytes", *map(str, sizes), "--peer", str(port), str(ranks)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    processes = [subprocess.Popen([*words, str(rank)], env=environment, stdout=subprocess.PIPE, text=True) for rank in range(ranks)]
    outputs = [process.communicate()[0] for process in processes]
    assert all(process.returncode == 0 for process in processes)
    return read(outputs[0])


def run_ours(ranks, sizes):
    words = ["%d:%d:%d" % (bytes, *plan(bytes)) for bytes in sizes]
    command = [os.path.join(HERE, "../bin/th-launch"), "-n", str(ranks), "--no-labels", os.path.join(HERE, "ranks.lua"), *words]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return read(subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--bytes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer", type=int, nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.peer:
        port, ranks, rank = args.peer
        return peer(rank, ranks, port, args.bytes)
    for ranks in args.ranks:
        ours, theirs = [], []
        for _ in range(args.rounds):
            theirs.append(run_peer(ranks, args.bytes))
            ours.append(run_ours(ranks, args.bytes))
        print(f"{ranks} ranks       bytes   Moontorch (least, greatest)             gloo (least, greatest)   gloo / Moontorch")
        for bytes in args.bytes:
            def figures(side):
                seconds = [each[bytes] * 1e3 for each in side]
                return f"{statistics.median(seconds):9.3f} ms ({min(seconds):8.3f}, {max(seconds):8.3f})"
            ratio = statistics.median(b[bytes] / a[bytes] for a, b in zip(ours, theirs))
            print(f"{bytes:19d} {figures(ours)} {figures(theirs)} {ratio:8.2f}", flush=True)


main()
