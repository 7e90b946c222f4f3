# Writes ROUGE of random texts, by PyPI's rouge-score 0.1.2: `python3 spec/text/rouge_figures.py N >spec/text/rouge_figures.lua`, with N
# cases, by default 25, and a third as many with stems; and stems of words, by its nltk 3.10.
import random
import sys

from nltk.stem.porter import PorterStemmer
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


INFLECTED = """caresses ponies ties caress cats feed agreed plastered bled motoring sing conflated troubled sized hopping tanned falling hissing
fizzed failing filing happy sky skies dying lying news innings howe proceed exceeded flies flied died tied spied enjoy say relational
conditional rational valenci hesitanci digitizer conformabli radicalli differentli vileli analogousli vietnamization predication operator
feudalism decisiveness hopefulness callousness formaliti sensitiviti sensibiliti triplicate formative formalize electriciti electrical
hopeful goodness revival allowance inference airliner gyroscopic adjustable defensible irritant replacement adjustment dependent adoption
homologou communism activate angulariti homologous effective bowdlerize probate rate cease controll roll generically hopefulli geologi
apologi logi is by bys beautifulli yelled syzygy yes toys boyish abilities axes 2nds x11ing oxidized eed ing bed""".split()

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 25
print('-- Written by spec/text/rouge_figures.py.\nreturn {')
for number in range(COUNT + COUNT // 3):
    stem = number >= COUNT
    if stem:
        WORDS = INFLECTED[:20] + ['cat', 'Running', 'run', 'runs', 'hopes', 'hoping', 'hop', 'agree', 'the']
    scorer = rouge_scorer.RougeScorer(KINDS, use_stemmer=stem)
    references = [text() for _ in range(random.randint(1, 2))]
    hypothesis = changed(references[0]) if random.random() < 0.8 else text()
    found = scorer.score_multi(references, hypothesis)
    print(f'  {{ hypothesis = {quoted(hypothesis)}, references = {{ {", ".join(map(quoted, references))} }},' + ' stem = true,' * stem)
    for kind in KINDS:
        s = found[kind]
        print(f'    {kind} = {{ precision = {s.precision!r}, recall = {s.recall!r}, f1 = {s.fmeasure!r} }},')
    print('  },')
print('  stems = {')
for word in INFLECTED:
    print(f'    ["{word}"] = "{PorterStemmer().stem(word)}",')
print('  },\n}')
