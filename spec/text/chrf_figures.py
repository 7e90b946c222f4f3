# Writes chrF of random texts, by PyPI's sacrebleu 2.6.0: `python3 spec/text/chrf_figures.py N >spec/text/chrf_figures.lua`, with N cases, by
# default 30.
import random
import sys

from sacrebleu.metrics import CHRF

WORDS = ['the', 'cat', 'Cat', 'sat', "it's", 'a', 'mat.', '3.5', '(no)', '"so"', 'été', '日本', 'ÄÖ', '.', '-', '¿no', '?!', '\u3000', '\u00a0x', 'a\x1cb',
         'walks', 'walked', '\U0001f600', 'e\u0301.']
random.seed(8)


def text(least=1):
    return random.choice([' ', ' ', '  ', '\n']).join(random.choices(WORDS, k=random.randint(least, 9)))


def changed(line):
    at = random.randrange(len(line) + 1)
    return line[:at] + random.choice(['', 'x', ' ', 'the ', '.']) + line[at + random.randrange(4):]


def quoted(line):
    return '"' + ''.join(chr(b) if 32 <= b < 127 and b not in (34, 92) else '\\%03d' % b for b in line.encode()) + '"'


def listed(lines):
    return '{ ' + ', '.join(map(quoted, lines)) + ' }'


print('-- Written by spec/text/chrf_figures.py.\nreturn {')
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 30):
    count = random.randint(1, 3)
    one = [text(0) for _ in range(count)]
    other = [changed(line) if random.random() < 0.8 else text(0) for line in one]
    more = [changed(line) for line in one]
    options = dict(char_order=random.choice([6, 6, 3, 1]), word_order=random.choice([0, 2, 2, 1]), beta=random.choice([2, 2, 1, 3]),
                   lowercase=random.random() < 0.3, whitespace=random.random() < 0.3, eps_smoothing=random.random() < 0.3)
    metric = CHRF(**options)
    corpus, sentence = metric.corpus_score(other, [one, more]).score, metric.sentence_score(other[0], [one[0]]).score
    names = dict(zip(options, ['characterOrder', 'wordOrder', 'beta', 'lowercase', 'whitespace', 'smooth']))
    given = ', '.join(f'{names[key]} = {str(value).lower()}' for key, value in options.items())
    print(f'  {{ references = {listed(one)}, more = {listed(more)},\n    hypotheses = {listed(other)},')
    print(f'    options = {{ {given} }}, corpus = {corpus!r}, sentence = {sentence!r} }},')
print('}')
