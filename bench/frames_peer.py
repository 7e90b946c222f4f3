#!/usr/bin/env python3
"""Data frames against pandas: groups, joins and sorts of a million rows.

    python3 -m venv venv && venv/bin/pip install pandas
    venv/bin/python bench/frames_peer.py [--rows 1000000] [--rounds 7] [GROUPS ...]

Both sides run in turns, on one thread, with the same rows; printed are medians of milliseconds of processor time, which other programs don't
lengthen much, and their ratio. Texts are pandas's own, of its default type. GROUPS are numbers of distinct keys (100 10000 100000).
"""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

os.environ['OMP_NUM_THREADS'] = '1'
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TH = os.environ.get('TH', os.path.join(HERE, '..', 'build', 'release', 'bin', 'th'))


def steps_of(keys, values, others):
    words, other_words = ['k%06d' % k for k in keys], ['k%06d' % k for k in others]
    frame = pd.DataFrame({'key': keys, 'word': words, 'x': values})
    frame['kind'] = frame['word'].astype('category')
    table = pd.DataFrame({'key': others, 'word': other_words, 'y': np.arange(1, len(others) + 1, dtype=float)})

    def group(by):
        return frame.groupby(by)['x'].agg(['sum', 'mean'])['mean'].sum()

    def join(by):
        joined = frame[[by, 'x']].merge(table[[by, 'y']], on=by)
        return (joined['x'] * joined['y']).sum()

    return {
        'group_integers': lambda: group('key'), 'group_texts': lambda: group('word'), 'group_categories': lambda: group('kind'),
        'median_integers': lambda: frame.groupby('key')['x'].median().sum(),
        'join_integers': lambda: join('key'), 'join_texts': lambda: join('word'),
        'sort_values': lambda: frame[['x']].sort_values('x', kind='stable')['x'].iloc[999],
        'sort_integers': lambda: frame[['key', 'x']].sort_values('key', kind='stable')['x'].iloc[999],
    }


def compare(rows, groups, rounds):
    random = np.random.default_rng(groups)
    keys, values = random.integers(0, groups, rows), random.normal(size=rows)
    others = random.permutation(groups)
    with tempfile.TemporaryDirectory() as folder:
        for name, array in (('keys', keys), ('values', values), ('others', others)):
            np.save(os.path.join(folder, name + '.npy'), array)
        peer = subprocess.Popen([TH, os.path.join(HERE, 'frames.lua'), folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        steps = steps_of(keys, values, others)
        for name, step in steps.items():
            own, theirs = [], []
            for _ in range(rounds):
                peer.stdin.write(name + '\n')
                peer.stdin.flush()
                microseconds, total = peer.stdout.readline().split()
                own.append(float(microseconds) / 1000)
                before = time.process_time()
                expected = step()
                theirs.append((time.process_time() - before) * 1000)
                assert abs(float(total) - expected) <= 1e-6 * max(1, abs(expected)), (name, total, expected)
            ours, other = statistics.median(own), statistics.median(theirs)
            print('%7d %-17s %8.1f %8.1f %6.2f' % (groups, name, ours, other, ours / other), flush=True)
        peer.stdin.close()
        peer.wait()


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--rows', type=int, default=1000000)
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('groups', type=int, nargs='*', default=[100, 10000, 100000])
    options = parser.parse_args()
    print(' groups step              Moontorch pandas  ratio')
    for each in options.groups:
        compare(options.rows, each, options.rounds)
