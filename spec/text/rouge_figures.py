# Writes ROUGE of random texts, by PyPI's rouge-score 0.1.2: `python3 spec/text/rouge_figures.py N >spec/text/rouge_figures.lua`, with N
# cases, by default 25.
import random
import sys

from rouge_score import rouge_scorer

WORDS = ['the', 'cat', 'Cat', 'sat', 'on', "it's", 'a', 'mat.', '3.5', 'well-known', 'x,y', 'été', '"so"', 'end.', '日本', '-', 'a/b', 'cats']
KINDS = ['rouge1', 'rouge2', 'rougeL', 'rougeLsum']
random.seed(6)


def text():
    lines = [' '.join(random.choices(WORDS, k=random.randint(1, 9))) for _ in range(random.randint(1, 4))]
    return random.choice(['\n', '\n\n']).join(lines)


def changed(contents):
    words = contents.split(' ')
    for _ in range(random.randrange(5)):
        at = random.randrange(len(words))
        words[at:at + random.randint(0, 2)] = random.choices(WORDS + ['\n'], k=random.randint(0, 2))
        words = words or ['the']
    return ' '.join(words)


def quoted(line):
    return '"' + ''.join(chr(b) if 32 <= b < 127 and b not in (34, 92) else '\\%03d' % b for b in line.encode()) + '"'


scorer = rouge_scorer.RougeScorer(KINDS)
print('-- Written by spec/text/rouge_figures.py.\nreturn {')
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 25):
    references = [text() for _ in range(random.randint(1, 2))]
    hypothesis = changed(references[0]) if random.random() < 0.8 else text()
    found = scorer.score_multi(references, hypothesis)
    print(f'  {{ hypothesis = {quoted(hypothesis)}, references = {{ {", ".join(map(quoted, references))} }},')
    for kind in KINDS:
        s = found[kind]
        print(f'    {kind} = {{ precision = {s.precision!r}, recall = {s.recall!r}, f1 = {s.fmeasure!r} }},')
    print('  },')
print('}')
