#!/usr/bin/env python3
"""Writes dates_figures.lua: what pandas computes of dates: python3 spec/data/frame/dates_figures.py >spec/data/frame/dates_figures.lua"""
import textwrap

import numpy as np
import pandas as pd

random = np.random.default_rng(5)
seconds = np.concatenate([random.integers(-4 * 10 ** 9, 6 * 10 ** 9, 60), [0, -1, 951782400, 951868799, 1704067199, 1735603200]])
days = pd.to_datetime(seconds, unit='s')
visits = pd.DataFrame({'day': pd.to_datetime('2023-12-28T05:00') + pd.to_timedelta(np.sort(random.integers(0, 40 * 86400, 50)), 's'),
                       'n': random.integers(0, 9, 50)})


def numbers(values):
    text = ', '.join('false' if v != v else repr(float(v)).removesuffix('.0') for v in values)
    return '{\n' + textwrap.fill(text, 130, initial_indent='      ', subsequent_indent='      ') + '\n    }'


def stamps(values):
    return numbers([v.timestamp() for v in values])


print('-- Written by dates_figures.py: what pandas computes of dates.')
print('return {')
print('  seconds = %s,' % numbers(seconds))
print('  texts = {\n%s\n  },' % textwrap.fill(', '.join('%r' % d.isoformat() for d in days), 130, initial_indent='    ',
                                             subsequent_indent='    '))
print('  visits = { day = %s, n = %s },' % (stamps(visits['day']), numbers(visits['n'])))
print('  parts = {')
parts = {'year': days.year, 'month': days.month, 'day': days.day, 'hour': days.hour, 'minute': days.minute, 'second': days.second,
         'weekday': days.day_of_week + 1, 'dayOfYear': days.day_of_year, 'week': days.isocalendar().week, 'quarter': days.quarter}
for name, values in parts.items():
    print('    %s = %s,' % (name, numbers(values)))
print('  },\n  starts = {')
for name, unit in {'second': 's', 'minute': 'min', 'hour': 'h', 'day': 'D'}.items():
    print('    %s = %s,' % (name, stamps(days.floor(unit))))
for name, unit in {'week': 'W-SUN', 'month': 'M', 'quarter': 'Q', 'year': 'Y'}.items():
    print('    %s = %s,' % (name, stamps(days.to_period(unit).to_timestamp())))
print('  },\n  later = {')
offsets = {'month 1': {'months': 1}, 'month -13': {'months': -13}, 'quarter 2': {'months': 6}, 'year 1': {'years': 1}, 'week 3': {'weeks': 3},
           '90 minutes 5': {'minutes': 450}, '-1 month 1': {'months': -1}, '-2 months -7': {'months': 14}, '2 years 1': {'years': 2},
           '-4 years 1': {'years': -4}, '-1 quarter 1': {'months': -3}, '-36 hours 1': {'hours': -36}, '+3 days 1': {'days': 3}}
for name, offset in offsets.items():
    print("    ['%s'] = %s," % (name, stamps([d + pd.DateOffset(**offset) for d in days])))
print('  },\n  ranges = {')
for step, (first, last, frequency) in {
        'day': ('2024-02-27', '2024-03-02', 'D'), 'month': ('2023-11-01', '2024-04-15', 'MS'), '6 hours': ('2024-01-01', '2024-01-02', '6h'),
        'week': ('2024-01-01', '2024-02-01', '7D'), 'year': ('2020-01-01', '2024-01-01', 'YS')}.items():
    print("    { '%s', '%s', '%s', %s }," % (first, last, step, stamps(pd.date_range(first, last, freq=frequency))))
print('  },\n  resampled = {')
for period, frequency in {'day': 'D', '3 days': '3D', '6 hours': '6h', '90 minutes': '90min', 'month': 'MS', '2 months': '2MS',
                          'year': 'YS'}.items():
    found = visits.resample(frequency, on='day')['n'].agg(['count', 'sum', 'mean', 'max']).reset_index()
    print("    ['%s'] = { %s, %s }," % (period, stamps(found['day']), ', '.join(numbers(found[c]) for c in ('count', 'sum', 'mean', 'max'))))
found = visits.resample('W-MON', on='day', label='left', closed='left')['n'].agg(['count', 'sum', 'mean', 'max']).reset_index()
print("    week = { %s, %s }," % (stamps(found['day']), ', '.join(numbers(found[c]) for c in ('count', 'sum', 'mean', 'max'))))
print('  },\n}')
