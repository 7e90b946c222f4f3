# Writes error rates and BLEU of random texts, by PyPI's jiwer 4.0.0 and sacrebleu 2.6.0: `python3 spec/text/scores_figures.py N
# >spec/text/scores_figures.lua`, with N cases, by default 30.
import random
import sys

import jiwer
from sacrebleu.metrics import BLEU

WORDS = ['the', 'cat', 'Cat', 'sat', 'on', "it's", 'a', 'mat.', '3.5', '1,000', 'well-known', '5-6', 'x,y', 'été', '&amp;', '"so"', '(no)', 'end.', '日本', 'ÄÖ', '$5', '-', '.', 'a/b']
random.seed(4)


def text():
    return ' '.join(random.choices(WORDS, k=random.randint(1, 12)))


def changed(line):
    words = line.split(' ')
    for _ in range(random.randrange(4)):
        kind, at = random.randrange(3), random.randrange(len(words))
        words[at:at + (kind > 0)] = [random.choice(WORDS)] if kind < 2 else []
        words = words or ['the']
    return ' '.join(words)


def quoted(line):
    return '"' + ''.join(chr(b) if 32 <= b < 127 and b not in (34, 92) else '\\%03d' % b for b in line.encode()) + '"'


def listed(lines):
    return '{ ' + ', '.join(map(quoted, lines)) + ' }'


print('-- Written by spec/text/scores_figures.py.\nreturn {')
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 30):
    count = random.randint(1, 4)
    one = [text() for _ in range(count)]
    other = [changed(line) if random.random() < 0.8 else text() for line in one]
    more = [changed(line) for line in one]
    tokenize, smooth, lower = random.choice(['13a', 'none']), random.choice(['exp', 'floor', 'add-k', 'none']), random.random() < 0.3
    options = dict(tokenize=tokenize, smooth_method=smooth, lowercase=lower)
    value = random.choice([None, None, 0.5]) if smooth in ('floor', 'add-k') else None
    corpus = BLEU(**options, smooth_value=value).corpus_score(other, [one, more]).score
    sentence = BLEU(**options, smooth_value=value, effective_order=True).sentence_score(other[0], [one[0]]).score
    print(f'  {{ references = {listed(one)}, more = {listed(more)},\n    hypotheses = {listed(other)},')
    given = f', smoothValue = {value}' if value else ''
    print(f'    options = {{ tokenize = "{tokenize}", smooth = "{smooth}", lowercase = {str(lower).lower()}{given} }},')
    print(f'    words = {jiwer.wer(one, other)!r}, characters = {jiwer.cer(one, other)!r}, corpus = {corpus!r}, sentence = {sentence!r} }},')
print('}')
