#!/usr/bin/env python3
"""Writes zones_figures.lua: what Python's zoneinfo and pandas say of time zones:
python3 spec/data/frame/zones_figures.py >spec/data/frame/zones_figures.lua
Times are from 1970 to 2020, and later where rules are old, so that newer data bases of zones say the same."""
import datetime
import textwrap
import zoneinfo

import numpy as np
import pandas as pd

random = np.random.default_rng(7)
names = {'Europe/Berlin': 2100, 'America/New_York': 2100, 'America/Sao_Paulo': 2018, 'Australia/Lord_Howe': 2020, 'Asia/Kathmandu': 2020,
         'Europe/Dublin': 2020, 'Pacific/Apia': 2020, 'America/St_Johns': 2020}


def words(values):
    return '{\n' + textwrap.fill(', '.join(values), 130, break_on_hyphens=False, initial_indent='      ', subsequent_indent='      ') + '\n    }'


def numbers(values):
    return words(['false' if v != v else repr(float(v)).removesuffix('.0') for v in values])


def stamps(values):
    return numbers([float('nan') if v is pd.NaT else v.timestamp() for v in values])


print("-- Written by zones_figures.py: what Python's zoneinfo and pandas say of time zones.")
print('return {\n  offsets = {')
for name, last in names.items():
    zone = zoneinfo.ZoneInfo(name)
    seconds = [int(s) for s in random.integers(86400, int((last - 1970) * 365.2425 * 86400), 25)]
    times = [datetime.datetime.fromtimestamp(s, zone) for s in seconds]
    print("    ['%s'] = { %s, %s, %s }," % (name, numbers(seconds), numbers([t.utcoffset().total_seconds() for t in times]),
                                          words(["'%s'" % t.strftime('%Y-%m-%dT%H:%M:%S%z/%Z') for t in times])))
print('  },\n  walls = {')
changes = {'Europe/Berlin': ['2024-03-31T02:00', '2024-10-27T02:00', '2090-10-29T02:00'],
           'America/New_York': ['2024-03-10T02:00', '2024-11-03T01:00'],
           'America/Sao_Paulo': ['2017-10-15T00:00', '2018-02-17T23:00'], 'Australia/Lord_Howe': ['2019-04-07T01:30']}
for name, starts in changes.items():
    walls = pd.DatetimeIndex([w for s in starts for w in pd.date_range(pd.Timestamp(s) - pd.Timedelta('30min'), periods=9, freq='15min')])
    local = (walls - pd.Timestamp('1970-01-01')).total_seconds()

    def localized(**options):
        return stamps([w.tz_localize(name, **options) for w in walls])

    print("    ['%s'] = {\n    walls = %s," % (name, numbers(local)))
    print('    first = %s,' % localized(ambiguous=True, nonexistent='shift_forward'))
    print('    last = %s,' % localized(ambiguous=False, nonexistent='shift_forward'))
    print('    missing = %s },' % localized(ambiguous='NaT', nonexistent='NaT'))
print('  },\n  resampled = {')
for name, start in {'Europe/Berlin': '2024-03-29T22:30', 'America/New_York': '2024-11-01T10:15'}.items():
    day = pd.to_datetime(start) + pd.to_timedelta(np.sort(random.integers(0, 9 * 86400, 60)), 's')
    frame = pd.DataFrame({'day': day, 'n': random.integers(0, 9, 60)})
    local = frame.assign(day=frame['day'].dt.tz_localize('UTC').dt.tz_convert(name))
    print("    ['%s'] = {\n    day = %s, n = %s, periods = {" % (name, stamps(frame['day']), numbers(frame['n'])))
    for period, frequency in {'day': 'D', 'month': 'MS', '6 hours': '6h', 'hour': 'h', '90 minutes': '90min'}.items():
        found = local.resample(frequency, on='day')['n'].sum().reset_index()
        print("    ['%s'] = { %s, %s }," % (period, stamps(found['day']), numbers(found['n'])))
    found = local.resample('W-MON', on='day', label='left', closed='left')['n'].sum().reset_index()
    print("    week = { %s, %s } } }," % (stamps(found['day']), numbers(found['n'])))
print('  },\n}')
