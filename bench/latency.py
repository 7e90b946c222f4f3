#!/usr/bin/env python3
"""Latency of prepared runs at batch 1 against ONNX Runtime.

    python3 -m venv venv && venv/bin/pip install torch onnx onnxruntime
    venv/bin/python bench/latency.py [--threads 1 2] [--networks mlp lenet ...] [--seconds 4]

Both sides run in turns, each for a fraction of the time. Printed: the medians and their ratio, the 99.9th percentile by the median (of fewer
than 1000 runs the longest one), and the same of a loop of plain arithmetic that takes as long as a run. ONNX Runtime gets bound inputs and
outputs, and sequential execution; its worker threads do not spin between runs.
"""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

import numpy
import onnxruntime

import latency_networks

HERE = os.path.dirname(os.path.abspath(__file__))


class Peer:
    def __init__(self, path, threads, sizes):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.add_session_config_entry('session.force_spinning_stop', '1')
        self.session = onnxruntime.InferenceSession(path, options, providers=['CPUExecutionProvider'])
        self.binding = self.session.io_binding()
        x = numpy.random.default_rng(0).standard_normal(sizes).astype(numpy.float32)
        self.input = onnxruntime.OrtValue.ortvalue_from_numpy(x)
        self.binding.bind_ortvalue_input('x', self.input)
        self.session.run(None, {'x': x})
        output = onnxruntime.OrtValue.ortvalue_from_numpy(self.session.run(None, {'x': x})[0])
        self.binding.bind_ortvalue_output('y', output)

    def run(self, seconds):
        times, stop, clock, run, binding = [], time.perf_counter() + seconds, time.perf_counter, self.session.run_with_iobinding, self.binding
        while True:
            before = clock()
            run(binding)
            after = clock()
            times.append((after - before) * 1e6)
            if after > stop:
                return times


class Own:
    def __init__(self, name, threads):
        th = os.path.join(HERE, '..', 'build', 'release', 'bin', 'th')
        command = [th, os.path.join(HERE, 'latency.lua'), name, str(threads)]
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def ask(self, line):
        self.child.stdin.write(line + '\n')
        self.child.stdin.flush()
        return [float(t) for t in self.child.stdout.readline().split()]

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def tail(times):
    return sorted(times)[min(len(times) - 1, int(len(times) * 0.999))] / statistics.median(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--threads', type=int, nargs='+', default=[1, 2])
    parser.add_argument('--networks', nargs='+', default=list(latency_networks.NETWORKS))
    parser.add_argument('--seconds', type=float, default=4)
    parser.add_argument('--rounds', type=int, default=8)
    arguments = parser.parse_args()
    print(f'ONNX Runtime {onnxruntime.__version__}; microseconds')
    for threads in arguments.threads:
        ratios = []
        print(f'{threads} thread(s)    peer      own    ratio   tail of peer, own, arithmetic   of the minima')
        for name in arguments.networks:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, name + '.onnx')
                latency_networks.export(name, path)
                peer = Peer(path, threads, latency_networks.NETWORKS[name][1])
            own = Own(name, threads)
            theirs, ours, plain, part = [], [], [], arguments.seconds / arguments.rounds
            peer.run(part), own.ask(f'run {part}')
            for _ in range(arguments.rounds):
                theirs += peer.run(part)
                time.sleep(0.02)
                ours += own.ask(f'run {part}')
                plain += own.ask(f'loop {part / 2} {statistics.median(ours)}')
            own.close()
            a, b = statistics.median(theirs), statistics.median(ours)
            ratios.append(a / b)
            print(f'{name:12} {a:9.1f} {b:9.1f} {a / b:7.2f}   {tail(theirs):5.2f} {tail(ours):5.2f} {tail(plain):5.2f}   {min(theirs) / min(ours):5.2f}', flush=True)
        print(f'geometric mean {statistics.geometric_mean(ratios):.2f}')


if __name__ == '__main__':
    main()
