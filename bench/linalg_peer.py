#!/usr/bin/env python3
"""Decompositions of square matrices against PyTorch, in turns.

    python3 -m venv venv && venv/bin/pip install torch
    venv/bin/python bench/linalg_peer.py [--threads 2] [--rounds 7] [--sizes 512 1024] [OP ...]

Printed: milliseconds of the fastest run of each, and PyTorch's over ours. eigh, svd and eig also compute vectors; solve has one right-hand side.
"""
import argparse
import os
import subprocess
import time

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
TH = os.environ.get('TH', os.path.join(HERE, '..', 'build', 'release', 'bin', 'th'))
CALLS = {
    'cholesky': lambda a, b, d: torch.linalg.cholesky(d), 'lu': lambda a, b, d: torch.linalg.lu(a),
    'qr': lambda a, b, d: torch.linalg.qr(a), 'eigh': lambda a, b, d: torch.linalg.eigh(d),
    'svd': lambda a, b, d: torch.linalg.svd(a, full_matrices=False), 'eig': lambda a, b, d: torch.linalg.eig(a),
    'inverse': lambda a, b, d: torch.linalg.inv(a), 'solve': lambda a, b, d: torch.linalg.solve(a, b),
    'det': lambda a, b, d: torch.linalg.det(a),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--sizes', type=int, nargs='+', default=[512, 1024])
    parser.add_argument('ops', nargs='*', default=list(CALLS))
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    ours = subprocess.Popen([TH, os.path.join(HERE, 'linalg.lua'), str(options.threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True)
    print('op, size, dtype: PyTorch, ours in ms, ratio')
    for dtype in ('float32', 'float64'):
        for n in options.sizes:
            a = torch.randn(n, n, dtype=getattr(torch, dtype))
            b, definite = torch.randn(n, dtype=a.dtype), a @ a.T / n + torch.eye(n, dtype=a.dtype)
            for op in options.ops:
                peer, own = [], []
                for _ in range(options.rounds + 1):         # the first one warms up
                    start = time.perf_counter()
                    CALLS[op](a, b, definite)
                    peer.append((time.perf_counter() - start) * 1000)
                    time.sleep(0.05)                        # until the threads of OpenMP no longer spin
                    ours.stdin.write(f'{op} {n} {dtype}\n')
                    ours.stdin.flush()
                    own.append(float(ours.stdout.readline()))
                    time.sleep(0.05)
                theirs, mine = min(peer[1:]), min(own[1:])
                print(f'{op:9} {n:5} {dtype}: {theirs:9.2f} {mine:9.2f}  {theirs / mine:.2f}', flush=True)
    ours.stdin.close()


main()
