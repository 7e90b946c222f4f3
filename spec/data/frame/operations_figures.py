#!/usr/bin/env python3
"""Writes operations_figures.lua: what pandas computes of two tables: python3 spec/data/frame/operations_figures.py. (pandas 3)"""
import io
import os
import re

import numpy as np
import pandas as pd

random = np.random.default_rng(3)
n = 40
words = np.array(['oak', 'elm', 'ash', 'fir', ''])[random.integers(0, 5, n)]
days = pd.to_datetime('2023-11-20') + pd.to_timedelta(random.integers(0, 100, n), 'D') + pd.to_timedelta(random.integers(0, 24, n), 'h')
lines = ['id,word,key,x,y,flag,day']
for i in range(n):
    x = '' if random.random() < 0.2 else '%.3f' % random.normal()
    day = '' if random.random() < 0.1 else days[i].strftime('%Y-%m-%dT%H:%M:%S')
    lines.append('%d,%s,%d,%s,%.2f,%s,%s' % (i + 1, words[i], random.integers(-2, 3), x, random.integers(0, 6) / 2,
                                             'true' if random.random() < 0.5 else 'false', day))
text = '\n'.join(lines) + '\n'
other_text = '''word,key,y,height,place
elm,1,7.5,20,a
oak,2,8,31,b
oak,-1,9,30,c
,0,9.5,,d
yew,0,10,12,e
fir,5,11,44,f
elm,1,12,21,g
'''
frame = pd.read_csv(io.StringIO(text), parse_dates=['day'])
other = pd.read_csv(io.StringIO(other_text))


def shown(value):
    if value is None or value is pd.NaT or value != value:
        return 'false'
    if isinstance(value, pd.Timestamp):
        return repr(value.timestamp())
    if isinstance(value, (bool, np.bool_)):
        return "'yes'" if value else "'no'"
    if isinstance(value, str):
        return '%r' % value
    return 'math.huge' if value == np.inf else repr(float(value))


def table(result):
    """A frame as its names, and the values of each column; missing ones are false, booleans 'yes' and 'no'."""
    names = ', '.join('%r' % str(c) for c in result.columns)
    columns = ['{ ' + ', '.join(shown(v) for v in result[c].tolist()) + ' }' for c in result.columns]
    return '{ { %s },\n    %s }' % (names, ',\n    '.join(columns))


def named(grouped, functions):
    return grouped.agg(**functions).reset_index()


def joined(result):
    """A table with one text for each column."""
    def name(label):
        return label if isinstance(label, str) else 'true' if label is True else 'false' if label is False else '%g' % label
    result = result.copy()
    result.columns = ['_'.join(name(label) for label in labels) for labels in result.columns]
    return result.reset_index()


by_word, both = frame.groupby('word'), frame.groupby(['word', 'key'])
days_only = frame.dropna(subset=['day'])
wide = frame.pivot_table(index='word', columns='key', values='x', aggfunc='mean').reset_index()
counted = frame.pivot_table(index=['word', 'flag'], columns='key', values='id', aggfunc='count', fill_value=0).reset_index()
single = frame.dropna(subset=['word']).drop_duplicates(['word', 'key'])[['word', 'key', 'y']]
numbers = frame[['id', 'x', 'y']]
rolling = {
    'mean': numbers.rolling(4).mean(), 'sum': numbers.rolling(4, min_periods=2).sum(), 'min': numbers.rolling(5, min_periods=1).min(),
    'max': numbers.rolling(5, min_periods=1).max(), 'std': numbers.rolling(6, min_periods=3).std(),
    'var': numbers.rolling(3, min_periods=1).var(), 'count': numbers.rolling(4, min_periods=0).count(),
    'center': numbers.rolling(5, min_periods=1, center=True).mean(), 'even': numbers.rolling(4, min_periods=1, center=True).sum(),
    'own': numbers.rolling(5, min_periods=2).apply(lambda v: np.nanmax(v) - np.nanmin(v)),
}
cases = {
    'numbers': named(by_word, {
        'x_count': ('x', 'count'), 'x_sum': ('x', 'sum'), 'x_mean': ('x', 'mean'), 'x_min': ('x', 'min'), 'x_max': ('x', 'max'),
        'x_first': ('x', 'first'), 'x_last': ('x', 'last'), 'x_var': ('x', 'var'), 'x_std': ('x', 'std'), 'x_median': ('x', 'median'),
        'x_nunique': ('x', 'nunique'), 'x_q0.3': ('x', lambda v: v.quantile(0.3))}),
    'integers': named(frame.groupby('key'), {
        'id_sum': ('id', 'sum'), 'id_mean': ('id', 'mean'), 'id_min': ('id', 'min'), 'id_max': ('id', 'max'), 'id_median': ('id', 'median')}),
    'others': named(frame.groupby('key'), {
        'word_count': ('word', 'count'), 'word_nunique': ('word', 'nunique'), 'word_first': ('word', 'first'), 'word_last': ('word', 'last'),
        'word_min': ('word', 'min'), 'word_max': ('word', 'max'), 'flag_sum': ('flag', 'sum'), 'flag_mean': ('flag', 'mean'),
        'day_min': ('day', 'min'), 'day_max': ('day', 'max'), 'day_count': ('day', 'count')}),
    'pairs': named(both, {'x_mean': ('x', 'mean'), 'total': ('y', 'sum')}),
    'flags': named(frame.groupby('flag'), {'y_mean': ('y', 'mean')}),
    'reals': named(frame.groupby('y'), {'id_sum': ('id', 'sum')}),
    'own': named(by_word, {'y_own': ('y', lambda v: v.max() - v.min())}),
    'monthly': days_only.set_index('day').groupby(pd.Grouper(freq='MS'))[['id', 'y']].sum().reset_index(),
    'weekly': named(days_only.groupby(days_only['day'].dt.to_period('W').dt.start_time), {'y_count': ('y', 'count')}),
    'quarterly': named(days_only.groupby(days_only['day'].dt.to_period('Q').dt.start_time), {'y_count': ('y', 'count')}),
    'sorted': frame.sort_values(['word', 'y', 'x'], ascending=[True, False, True], kind='stable'),
    'descending': frame.sort_values('x', ascending=False, kind='stable'),
    'by_day': frame.sort_values(['flag', 'day'], kind='stable'),
    'inner': frame.merge(other, on='word'), 'left': frame.merge(other, on='word', how='left'),
    'right': frame.merge(other, on='word', how='right'), 'outer': frame[['id', 'word', 'y']].merge(other, on='word', how='outer'),
    'two_keys': frame.merge(other, on=['word', 'key'], how='outer', suffixes=('', '_other')),
    'other_names': frame.merge(other.rename(columns={'key': 'number'})[['number', 'place']], left_on='key', right_on='number', how='left'),
    'table': wide, 'counted': counted,
    'pivoted': single.pivot(index='word', columns='key', values='y').reset_index(),
    'pivoted_columns': joined(frame.pivot_table(index='word', columns=['flag', 'key'], values='y', aggfunc='sum')),
    'pivoted_values': joined(single.assign(z=single['y'] * 2).pivot(index='word', columns='key', values=['y', 'z'])),
    'pivoted_all': joined(frame.pivot_table(index=['word', 'flag'], columns=['key', 'y'], values=['id', 'x'], aggfunc='sum')),
    'clipped': numbers.clip(-0.5, 2), 'clipped_low': numbers.clip(lower=3), 'rounded': numbers.round(1), 'tens': numbers.round(-1),
    'cov': numbers.cov(), 'expanding': numbers.expanding(3).mean(), 'expanding_std': numbers.expanding().std(),
    'exploded': frame.assign(tags=frame['word'].str.split('a').where(frame['word'].notna(), np.nan)).explode('tags')[['id', 'tags']],
    'melted': frame.melt(id_vars=['id', 'word'], value_vars=['x', 'y']),
    'concat': pd.concat([frame[['id', 'word', 'x']].head(4), other[['word', 'height']].head(3)], ignore_index=True),
    'unique': frame.drop_duplicates('word'), 'last': frame.drop_duplicates(['word', 'flag'], keep='last'),
    'shifted': frame.shift(2).drop(columns='flag'), 'ahead': frame.shift(-3).drop(columns='flag'),
    'diff': numbers.diff(2), 'cumsum': numbers.cumsum(),
    'filled': frame.fillna({'x': -1, 'word': 'none yet'}), 'forward': frame[['word', 'x', 'day']].ffill(),
    'backward': frame[['word', 'x', 'day']].bfill(), 'nulls': frame.isna(),
    'filtered': frame[(frame['x'] > 0) & (frame['word'] == 'elm')], 'product': frame.assign(z=frame['x'] * frame['y'] + 1)[['z']],
    'words': frame['word'].drop_duplicates().dropna().to_frame(),
    'pct': numbers[['id', 'y']].pct_change(), 'cumprod': numbers[['x', 'y']].cumprod(), 'cummax': numbers.cummax(), 'cummin': numbers.cummin(),
    'largest': frame.nlargest(5, 'x'), 'smallest': frame.nsmallest(4, ['y', 'x']),
    'duplicated': frame[frame.duplicated(['word', 'key'], keep=False)], 'single': frame.drop_duplicates(['word', 'y'], keep=False),
    'quantiles': numbers.quantile([0.1, 0.5, 0.75]).reset_index(names='quantile'), 'corr': numbers.corr(),
    'spearman': numbers.corr(method='spearman'),
    'crosstab': pd.crosstab(frame['word'], frame['key']).reset_index(),
    'crosstab_rows': pd.crosstab(frame['word'], frame['key'], normalize='index').reset_index(),
    'crosstab_columns': pd.crosstab([frame['word'], frame['flag']], frame['key'], normalize='columns').reset_index(),
    'crosstab_all': pd.crosstab(frame['word'], frame['key'], normalize='all').reset_index(),
    'stacked': frame[['id', 'x', 'y']].set_index('id').stack().rename_axis(['id', 'variable']).reset_index(name='value'),
    'cross': frame[['id', 'word']].head(3).merge(other[['place', 'word']].head(2), how='cross'),
    'semi': frame[frame['word'].isin(['elm', 'fir', 'oak']) | frame['word'].isna()],
    'anti': frame[~(frame['word'].isin(['elm', 'fir', 'oak']) | frame['word'].isna())],
    'transformed': frame.assign(x=by_word['x'].transform('mean'), n=by_word['id'].transform('count')),
    'running': frame.assign(c=by_word['x'].cumsum(), d=by_word['y'].diff(), k=by_word.cumcount().where(frame['word'].notna()) + 1,
                            p=by_word['y'].shift(), share=frame['y'] / by_word['y'].transform('sum')),
    'running_more': frame.assign(a=by_word['x'].cumprod(), b=by_word['x'].cummax(), c=by_word['y'].cummin(), d=by_word['x'].ffill(),
                                 e=by_word['x'].bfill(), f=by_word['y'].rank(), g=by_word['x'].rank()),
    'kept': by_word.filter(lambda rows: rows['y'].mean() > 1.4), 'heads': by_word.head(2).dropna(subset=['word']),
    'tops': by_word[['id', 'y']].apply(lambda rows: rows.sort_values('y', ascending=False, kind='stable').head(2))
    .reset_index()[['word', 'id', 'y']],
    'numbers_kept': named(frame.groupby('word', dropna=False), {'x': ('x', 'sum')}),
    'further': named(by_word, {'x_size': ('x', 'size'), 'x_sem': ('x', 'sem'), 'x_prod': ('x', 'prod'), 'flag_any': ('flag', 'any'),
                               'flag_all': ('flag', 'all')}),
    'hot': pd.get_dummies(frame[['id', 'word', 'key']], columns=['word']), 'hot_numbers': pd.get_dummies(frame[['key']], columns=['key']),
    'ewm': numbers.ewm(span=5).mean(), 'ewm_alpha': numbers.ewm(alpha=0.3).mean(), 'ewm_halflife': numbers.ewm(halflife=2).mean(),
    'shares': frame['flag'].value_counts(normalize=True).reset_index(),
}
timed = frame[['day', 'x', 'y']].dropna(subset=['day']).sort_values('day', kind='stable').set_index('day')
for what in ('mean', 'sum', 'min', 'max', 'std', 'count'):
    cases['timed_' + what] = getattr(timed.rolling('9D'), what)().reset_index()
cases['timed_own'] = timed.rolling('60h', min_periods=2).apply(lambda v: np.nanmax(v) - np.nanmin(v)).reset_index()
for how in ('backward', 'forward', 'nearest'):
    left = frame[['id', 'day', 'word']].dropna().sort_values('day', kind='stable')
    right = frame[['day', 'y', 'word']].dropna().sort_values('day', kind='stable').iloc[::3]
    cases['asof_' + how] = pd.merge_asof(left, right, on='day', direction=how).rename(columns={'word_x': 'word', 'word_y': 'other'})
    cases['asof_by_' + how] = pd.merge_asof(left, right, on='day', by='word', direction=how, tolerance=pd.Timedelta('10D'))
for method in ('average', 'min', 'max', 'first', 'dense'):
    cases['rank_' + method] = pd.DataFrame({c: frame[c].rank(method=method, ascending=c != 'x') for c in ('x', 'y', 'word')})
cases['rank_share'] = pd.DataFrame({'y': frame['y'].rank(pct=True), 'key': frame['key'].rank(method='dense', pct=True)})
cuts = {'cut_edges': pd.cut(frame['y'], [0, 0.5, 1, 2.25]), 'cut_left': pd.cut(frame['y'], [0, 0.5, 1, 2.25], right=False),
        'cut_lowest': pd.cut(frame['y'], [0, 0.5, 1, 2.25], include_lowest=True), 'cut_number': pd.cut(frame['x'], 4),
        'cut_left_number': pd.cut(frame['x'], 3, right=False), 'cut_labels': pd.cut(frame['y'], [0, 1, 9], labels=['low', 'high']),
        'qcut': pd.qcut(frame['x'], 4), 'qcut_shares': pd.qcut(frame['x'], [0, 0.1, 0.5, 1])}
for name, values in cuts.items():
    cases[name] = pd.DataFrame({values.name: [None if v != v else re.sub(r'\.0(?=[,\])])', '', str(v)) for v in values]})
for name, result in rolling.items():
    cases['rolling_' + name] = result
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'operations_figures.lua'), 'w') as out:
    out.write('-- Written by operations_figures.py: what pandas computes of two tables.\n')
    out.write('return {\n  text = [[\n%s]],\n  other = [[\n%s]],\n' % (text, other_text))
    for name, result in cases.items():
        out.write('  %s = %s,\n' % (name, table(result)))
    out.write('}\n')
