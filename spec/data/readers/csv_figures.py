# Writes csv_figures.lua: points in time as Python's datetime has them, in seconds since 1970.
from datetime import datetime, timezone, timedelta

def at(*fields, east=0):
    return datetime(*fields, tzinfo=timezone(timedelta(minutes=east))).timestamp()

cases = {
    '2021-03-04': at(2021, 3, 4), '1969-12-31': at(1969, 12, 31), '1900-03-01': at(1900, 3, 1), '2000-02-29': at(2000, 2, 29),
    '0001-01-01': at(1, 1, 1), '9999-12-31': at(9999, 12, 31),
    '2021-03-04T05:06:07': at(2021, 3, 4, 5, 6, 7), '2021-03-04 05:06': at(2021, 3, 4, 5, 6),
    '2021-03-04T05:06:07.25Z': at(2021, 3, 4, 5, 6, 7, 250000), '2021-03-04T05:06:07+01:30': at(2021, 3, 4, 5, 6, 7, east=90),
    '2021-03-04 05:06:07-0800': at(2021, 3, 4, 5, 6, 7, east=-480), '20210304T050607Z': at(2021, 3, 4, 5, 6, 7),
    '2021/3/4': at(2021, 3, 4), '4.3.2021': at(2021, 3, 4), '04.03.2021 17:06': at(2021, 3, 4, 17, 6),
    '4 March 2021': at(2021, 3, 4), '04-Mar-2021': at(2021, 3, 4), 'Mar 4, 2021': at(2021, 3, 4),
    'Thu, 04 Mar 2021 05:06:07 GMT': at(2021, 3, 4, 5, 6, 7), '04/Mar/2021:05:06:07 +0200': at(2021, 3, 4, 5, 6, 7, east=120),
    '2021-03-04 12:30 am': at(2021, 3, 4, 0, 30), '2021-03-04 12:30 PM': at(2021, 3, 4, 12, 30), '2016-12-31T23:59:60Z': at(2017, 1, 1),
}
print('-- Written by csv_figures.py.\nreturn {')
for text, seconds in cases.items():
    print("  ['%s'] = %r," % (text, seconds))
print('}')
