#!/usr/bin/env python3
"""Networks of the zoo against PyTorch (eager) and ONNX Runtime (prepared).

    python3 -m venv venv && venv/bin/pip install torch torchvision transformers onnx onnxscript onnxruntime
    venv/bin/python bench/zoo_peer.py [--threads 1] [--batch 1] [--rounds 5] [--seconds 1] [--silero FILE.jit] [--without-avx512] [NAME ...]

All sides run in turns. Printed: milliseconds of the fastest run of each, the ratios, and the peaks of the resident memory of processes that
run nothing else. gpt2 is measured by the token, with a cache of keys and values. With one thread times are those of the processor, which
other programs don't lengthen. --without-avx512 lets Moontorch, PyTorch and oneDNN use AVX2 alone; ONNX Runtime has no such switch.
"""
import argparse
import math
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TH = os.environ.get('TH', os.path.join(HERE, '..', 'build', 'release', 'bin', 'th'))
NAMES = ['resnet18', 'mobilenet_v2', 'unet_padded', 'all-MiniLM-L6-v2', 'crepe_tiny', 'silero_vad', 'gpt2']
AVX2 = {'MOONTORCH_CPU': 'avx2', 'DNNL_MAX_CPU_ISA': 'AVX2', 'ONEDNN_MAX_CPU_ISA': 'AVX2', 'OPENBLAS_CORETYPE': 'Haswell',
        'ATEN_CPU_CAPABILITY': 'avx2', 'MKL_ENABLE_INSTRUCTIONS': 'AVX2'}
SIZES = {'unet_padded': (3, 256, 256), 'all-MiniLM-L6-v2': (128,), 'crepe_tiny': (1024,), 'silero_vad': (576,), 'gpt2': (16,)}


def sizes_of(name, batch):
    return (batch, *SIZES.get(name, (3, 224, 224)))


def crepe():
    import torch
    from torch import nn

    class Crepe(nn.Module):
        def __init__(self):
            super().__init__()
            filters = [1, 128, 16, 16, 16, 32, 64]
            self.convs = nn.ModuleList(nn.Conv2d(i, o, (64 if k else 512, 1), (1 if k else 4, 1))
                                       for k, (i, o) in enumerate(zip(filters, filters[1:])))
            self.norms = nn.ModuleList(nn.BatchNorm2d(o) for o in filters[1:])
            self.classifier = nn.Linear(256, 360)

        def forward(self, x):
            x = x[:, None, :, None]
            for k, (conv, norm) in enumerate(zip(self.convs, self.norms)):
                x = nn.functional.pad(x, (0, 0, 31, 32) if k else (0, 0, 254, 254))
                x = nn.functional.max_pool2d(norm(torch.relu(conv(x))), (2, 1), (2, 1))
            return torch.sigmoid(self.classifier(x.permute(0, 2, 1, 3).reshape(-1, 256)))
    return Crepe()


def unet():
    sys.path.insert(0, os.path.join(HERE, '..', 'spec', 'zoo'))
    import torch
    from references import UNet                             # which makes float64 the default
    torch.set_default_dtype(torch.float32)
    return UNet(3, 2, 64, True)


def network(name, silero):
    """A network of PyTorch that gets one tensor, and gives one."""
    import torch
    if name == 'all-MiniLM-L6-v2':
        from transformers import BertConfig, BertModel

        class Encoder(torch.nn.Module):
            def __init__(self):
                super().__init__()
                config = BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536)
                self.bert = BertModel(config, add_pooling_layer=True)

            def forward(self, ids):
                return self.bert(ids)[0]
        return Encoder()
    if name == 'gpt2':
        from transformers import GPT2Config, GPT2LMHeadModel
        return GPT2LMHeadModel(GPT2Config())
    if name == 'silero_vad':
        return torch.jit.load(silero)._model
    if name in ('crepe_tiny', 'unet_padded'):
        return crepe() if name == 'crepe_tiny' else unet()
    import torchvision
    return getattr(torchvision.models, name)()


def input_of(name, batch):
    import torch
    sizes = sizes_of(name, batch)
    return torch.randint(0, 30000, sizes) if name in ('all-MiniLM-L6-v2', 'gpt2') else torch.randn(sizes)


def peak():
    with open('/proc/self/status') as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith('VmHWM'))


def fastest(f, runs, clock):
    best = math.inf
    for _ in range(runs):
        before = clock()
        f()
        best = min(best, clock() - before)
    return best


def serve_eager(name, batch, threads, silero):
    """The child for PyTorch: answers the lines that zoo.lua answers."""
    import torch
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    clock = time.process_time if threads == 1 else time.perf_counter
    net, x = network(name, silero).eval(), input_of(name, batch)
    state = torch.zeros(2, batch, 128) if name == 'silero_vad' else None

    def run():
        return net(x) if state is None else net(x, state)

    def generate(tokens):
        net.generate(x[:1], attention_mask=torch.ones_like(x[:1]), do_sample=False, min_new_tokens=tokens, max_new_tokens=tokens, pad_token_id=0)

    with torch.no_grad():
        for line in sys.stdin:
            what, *count = line.split()
            if what == 'memory':
                answer = peak()
            elif what == 'generate':
                count = int(count[0])
                one, all_tokens = (fastest(lambda: generate(n), 2, clock) for n in (1, count + 1))
                answer = (all_tokens - one) / count * 1e6
            else:
                answer = fastest(run, int(count[0]), clock) * 1e6
            print(f'{answer:.1f}', flush=True)


def serve_prepared(path, name, batch, threads):
    """The child for ONNX Runtime."""
    import numpy
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
    session = onnxruntime.InferenceSession(path, options, providers=['CPUExecutionProvider'])
    clock = time.process_time if threads == 1 else time.perf_counter
    random, feed = numpy.random.default_rng(0), {}
    for each in session.get_inputs():
        if 'int64' in each.type:
            feed[each.name] = random.integers(0, 30000, sizes_of(name, batch)) if each.shape else numpy.array(16000)
        else:
            sizes = (2, batch, 128) if each.name == 'state' else sizes_of(name, batch)
            feed[each.name] = random.standard_normal(sizes).astype(numpy.float32)
    for line in sys.stdin:
        what, *count = line.split()
        answer = peak() if what == 'memory' else fastest(lambda: session.run(None, feed), int(count[0]), clock) * 1e6
        print(f'{answer:.1f}', flush=True)


def export(path, name, batch, silero):
    import torch
    net, x = network(name, silero).eval(), input_of(name, batch)
    torch.onnx.export(net, (x,), path, dynamo=True, verbose=False)


class Side:
    """A process that answers lines."""

    def __init__(self, command, environment):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def ask(self, line):
        self.child.stdin.write(line + '\n')
        self.child.stdin.flush()
        return float(self.child.stdout.readline())

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def compare(name, options, folder):
    environment = dict(os.environ, OMP_NUM_THREADS=str(options.threads), **(AVX2 if options.without_avx512 else {}))
    batch, threads = str(options.batch), str(options.threads)
    own = [TH, os.path.join(HERE, 'zoo.lua'), name, threads, *map(str, sizes_of(name, options.batch))]
    serve = [sys.executable, __file__, '--threads', threads, '--batch', batch, '--silero', options.silero]
    sides = {'eager': [Side([*serve, '--serve', 'eager', name], environment), Side(own, environment)]}
    if name != 'gpt2':
        path = os.path.join(folder, name + '.onnx')
        if name == 'silero_vad':
            path = os.path.splitext(options.silero)[0] + '.onnx'
        else:
            subprocess.run([*serve, '--serve', 'export', '--path', path, name], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        sides['prepared'] = [Side([*serve, '--serve', 'prepared', '--path', path, name], environment), Side(own, environment)]
    line = f'{name:18}'
    for form, pair in sides.items():
        request = 'generate' if name == 'gpt2' else form
        counts = [32, 32]
        if name != 'gpt2':
            for side in pair:
                side.ask(f'{request} 2')
            counts = [max(2, math.ceil(options.seconds / options.rounds / (side.ask(f'{request} 2') / 1e6))) for side in pair]
        rounds = [[side.ask(f'{request} {count}') for side, count in zip(pair, counts)] for _ in range(options.rounds)]
        peer, ours = (min(column) / 1000 for column in zip(*rounds))
        peaks = [side.ask('memory') for side in pair]
        for side in pair:
            side.close()
        line += f' | {peer:9.3f} {ours:9.3f} {peer / ours:6.2f} {peaks[0]:6.0f} {peaks[1]:5.0f} {peaks[0] / peaks[1]:5.1f}'
    print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='*', default=NAMES)
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--batch', type=int, default=1)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--seconds', type=float, default=1)
    parser.add_argument('--silero', default='silero.jit')
    parser.add_argument('--without-avx512', action='store_true')
    parser.add_argument('--serve', help=argparse.SUPPRESS)
    parser.add_argument('--path', help=argparse.SUPPRESS)
    options = parser.parse_args()
    name = options.names[0]
    if options.serve == 'eager':
        return serve_eager(name, options.batch, options.threads, options.silero)
    if options.serve == 'prepared':
        return serve_prepared(options.path, name, options.batch, options.threads)
    if options.serve == 'export':
        return export(options.path, name, options.batch, options.silero)
    columns = f"{'ms':>9} {'ours':>9} {'ratio':>6} {'MB':>6} {'ours':>5} {'ratio':>5}"
    print(f"{'eager against PyTorch, then prepared':18}\n{'':18} | {columns} | {columns}")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names:
            if name == 'silero_vad' and not os.path.exists(options.silero):
                print(f'{name:18} | needs --silero FILE.jit, with FILE.onnx beside it')
                continue
            compare(name, options, folder)


if __name__ == '__main__':
    main()
