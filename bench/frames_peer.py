#!/usr/bin/env python3
"""Data frames against pandas: groups, joins and sorts of a million rows.

    python3 -m venv venv && venv/bin/pip install pandas
    venv/bin/python bench/frames_peer.py [--rows 1000000] [--rounds 7] [GROUPS ...] [--only STEP ...]

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


def steps_of(folder, keys, values, others):
    words, other_words = ['k%06d' % k for k in keys], ['k%06d' % k for k in others]
    frame = pd.DataFrame({'key': keys, 'word': words, 'x': values})
    frame['kind'] = frame['word'].astype('category')
    table = pd.DataFrame({'key': others, 'word': other_words, 'y': np.arange(1, len(others) + 1, dtype=float)})

    gaps = frame.assign(key=frame['key'].astype('Int64').mask(np.arange(1, len(keys) + 1) % 7 == 0))
    days = frame.assign(day=pd.date_range('2020-01-01', periods=len(keys), freq='min'))
    half = table[['key', 'y']].head((len(others) + 1) // 2)
    name = os.path.join(folder, 'table.csv')
    days.assign(key=gaps['key'])[['key', 'word', 'x', 'day']].to_csv(name, index=False, date_format='%Y-%m-%dT%H:%M:%S')

    def write():
        frame[['key', 'x']].head(100000).to_csv(os.path.join(folder, 'peer.csv'), index=False)
        return 1

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
        'group_gaps': lambda: gaps.groupby('key')['x'].agg(['sum', 'mean'])['mean'].sum(),
        'sum_gaps': lambda: gaps.groupby('kind', observed=True)['key'].sum().sum(),
        'group_two': lambda: frame.groupby(['key', 'kind'], observed=True)['x'].mean().sum(),
        'left_join': lambda: frame[['key', 'x']].merge(half, on='key', how='left')['y'].sum(),
        'rolling_mean': lambda: frame['x'].rolling(50).mean().sum(), 'rolling_std': lambda: frame['x'].rolling(50).std().sum(),
        'rolling_max': lambda: frame['x'].rolling(50).max().sum(), 'resample': lambda: days.resample('D', on='day')['x'].mean().sum(),
        'filter': lambda: frame.query('x > 0.5 and key != 3')['x'].sum(), 'filter_mask': lambda: frame[frame['x'] > 0.5]['x'].sum(),
        'transform': lambda: frame.assign(m=frame.groupby('key')['x'].transform('mean'))['m'].sum(), 'rank': lambda: frame['x'].rank().iloc[999],
        'value_counts': lambda: frame['key'].value_counts().iloc[0], 'duplicates': lambda: len(frame.drop_duplicates('word')),
        'sort_texts': lambda: frame[['word', 'x']].sort_values('word', kind='stable')['x'].iloc[999],
        'csv_read': lambda: pd.read_csv(name, parse_dates=['day'])['x'].sum(), 'csv_write': write,
    }


def compare(rows, groups, rounds, only):
    random = np.random.default_rng(groups)
    keys, values = random.integers(0, groups, rows), random.normal(size=rows)
    others = random.permutation(groups)
    with tempfile.TemporaryDirectory() as folder:
        for name, array in (('keys', keys), ('values', values), ('others', others)):
            np.save(os.path.join(folder, name + '.npy'), array)
        peer = subprocess.Popen([TH, os.path.join(HERE, 'frames.lua'), folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        steps = steps_of(folder, keys, values, others)
        for name, step in steps.items():
            if only and name not in only:
                continue
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
    parser.add_argument('--only', nargs='*', default=[], help='names of steps')
    parser.add_argument('groups', type=int, nargs='*', default=[100, 10000, 100000])
    options = parser.parse_args()
    print(' groups step              Moontorch pandas  ratio')
    for each in options.groups:
        compare(options.rows, each, options.rounds, options.only)
