#!/usr/bin/env python3
"""Prepared runs of ONNX models against ONNX Runtime.

    python3 -m venv venv && venv/bin/pip install onnx onnxruntime
    venv/bin/python bench/onnx_peer.py [--threads 1] [--batch 1] [--rounds 5] [--runs 5] [--without-avx512] MODEL.onnx ...

Both sides run in turns. Printed: the microseconds of the fastest run, ONNX Runtime's by ours, and the largest difference of the first outputs
by the largest element; last the geometric mean of the ratios. With one thread times are those of the processor, which other programs don't
lengthen. --batch sets the first dimension of all inputs, and of the shapes of Reshape nodes that begin with 1. --without-avx512 lets
Moontorch and oneDNN use AVX2 alone; ONNX Runtime has no such switch, and keeps AVX-512.
"""
import argparse
import math
import os
import subprocess
import tempfile
import time

import numpy
import onnx
import onnx.numpy_helper
import onnxruntime

HERE = os.path.dirname(os.path.abspath(__file__))
TH = os.environ.get('TH', os.path.join(HERE, '..', 'build', 'release', 'bin', 'th'))
DTYPES = {'tensor(float)': numpy.float32, 'tensor(double)': numpy.float64, 'tensor(int32)': numpy.int32, 'tensor(int64)': numpy.int64}


def sample(declared):
    """The elements that bench/onnx.lua computes as well."""
    sizes = [size if isinstance(size, int) else 1 for size in declared.shape]
    dtype = DTYPES[declared.type]
    steps = numpy.arange(math.prod(sizes), dtype=numpy.float64) * 7919 % 199
    if numpy.issubdtype(dtype, numpy.floating):
        steps /= 199
    return steps.astype(dtype).reshape(sizes)


def with_batch(path, batch, folder):
    model = onnx.load(path)
    shapes = {node.input[1] for node in model.graph.node if node.op_type == 'Reshape'}
    given = {value.name for value in model.graph.initializer}
    for value in model.graph.input:
        if value.name not in given:
            value.type.tensor_type.shape.dim[0].dim_value = batch
    for value in model.graph.output:
        value.type.tensor_type.shape.dim[0].dim_value = batch
    for value in model.graph.initializer:
        shape = onnx.numpy_helper.to_array(value)
        if value.name in shapes and shape.size and shape[0] == 1:
            shape = shape.copy()
            shape[0] = batch
            value.CopyFrom(onnx.numpy_helper.from_array(shape, value.name))
    del model.graph.value_info[:]
    changed = os.path.join(folder, os.path.basename(path))
    onnx.save(model, changed)
    return changed


class Peer:
    def __init__(self, path, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(path, options, providers=['CPUExecutionProvider'])
        self.feed = {each.name: sample(each) for each in self.session.get_inputs()}
        self.clock = time.process_time if threads == 1 else time.perf_counter

    def result(self):
        return self.session.run(None, self.feed)[0].astype(numpy.float64).ravel()

    def measure(self, runs):
        best = math.inf
        for _ in range(runs):
            before = self.clock()
            self.session.run(None, self.feed)
            best = min(best, self.clock() - before)
        return best * 1e6


class Ours:
    def __init__(self, path, threads, inputs, without_avx512):
        environment = dict(os.environ)
        if without_avx512:
            environment.update(MOONTORCH_CPU='avx2', DNNL_MAX_CPU_ISA='AVX2', ONEDNN_MAX_CPU_ISA='AVX2', OPENBLAS_CORETYPE='Haswell')
        command = [TH, os.path.join(HERE, 'onnx.lua'), path, str(threads), *inputs]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.elements = numpy.array(self.child.stdout.readline().split(), dtype=numpy.float64)

    def result(self):
        return self.elements

    def measure(self, runs):
        self.child.stdin.write(f'{runs}\n')
        self.child.stdin.flush()
        return float(self.child.stdout.readline())

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def difference(ours, theirs):
    if ours.shape != theirs.shape:
        return math.nan
    same = (ours == theirs) | (numpy.isnan(ours) & numpy.isnan(theirs))
    if same.all():
        return 0.0
    return float(numpy.abs(ours - theirs)[~same].max() / max(numpy.abs(theirs).max(), 1e-30))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('models', nargs='+')
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--batch', type=int, default=1)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--runs', type=int, default=5)
    parser.add_argument('--without-avx512', action='store_true')
    options = parser.parse_args()
    logs = []
    print(f"{'model':28} {'ONNX Runtime':>12} {'Moontorch':>12} {'ratio':>6} {'difference':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for path in options.models:
            used = with_batch(path, options.batch, folder) if options.batch != 1 else path
            theirs = Peer(used, options.threads)
            ours = Ours(used, options.threads, list(theirs.feed), options.without_avx512)
            apart = difference(ours.result(), theirs.result())
            for side in (theirs, ours):
                side.measure(2)
            times = [(theirs.measure(options.runs), ours.measure(options.runs)) for _ in range(options.rounds)]
            ours.close()
            peer, own = (min(column) for column in zip(*times))
            logs.append(math.log(peer / own))
            print(f'{os.path.basename(path)[:28]:28} {peer:12.0f} {own:12.0f} {peer / own:6.2f} {apart:10.1e}', flush=True)
    print(f'geometric mean {math.exp(sum(logs) / len(logs)):.2f}')


if __name__ == '__main__':
    main()
