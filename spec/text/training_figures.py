# Writes merges of byte-pair encoding that PyPI's tokenizers 0.23.3 learns: `python3 spec/text/training_figures.py >spec/text/training_figures.lua`.
# Arguments N FILE: N cases with lines of a file, for a longer comparison.
import json
import random
import sys

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

texts = ["to be, or not to be: that's the question", 'whether it is nobler in the mind to suffer', 'aaaa aaaaa aaaaaa', 'the slings and arrows the the',
         'ab abab ababab babab', 'Ein großes Haus über dem Fluß, über ÄPFEL', '日本語の文章は日本語の文です', 'можно и нужно можно', "it's the thing's end", '']


def quoted(text):
    return '"' + ''.join(chr(b) if 32 <= b < 127 and b not in (34, 92) else '\\%03d' % b for b in text.encode()) + '"'


def lua(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, (list, tuple)):
        return '{ ' + ', '.join(lua(v) for v in value) + ' }'
    if isinstance(value, dict):
        return '{ ' + ', '.join(f'{k} = {lua(v)}' for k, v in value.items()) + ' }'
    return str(value)


def split():
    kind = random.randrange(4)
    if kind == 0:
        prefix = random.random() < 0.5
        return pre_tokenizers.ByteLevel(add_prefix_space=prefix), {'type': 'ByteLevel', 'add_prefix_space': prefix}
    if kind == 1:
        return pre_tokenizers.Whitespace(), {'type': 'Whitespace'}
    if kind == 2:
        return pre_tokenizers.BertPreTokenizer(), {'type': 'BertPreTokenizer'}
    return None, {'type': 'Sequence', 'pretokenizers': []}


random.seed(2)
count = int(sys.argv[1]) if len(sys.argv) > 1 else 12
lines = open(sys.argv[2], encoding='utf8').read().split('\n') if len(sys.argv) > 2 else texts
print('-- Written by spec/text/training_figures.py.\nreturn {')
for _ in range(count):
    chosen = random.choices(lines, k=random.choice([5, 20]) if lines is texts else random.choice([20, 200, 2000]))
    size = random.choice([60, 300, 330, 400]) if lines is texts else random.choice([300, 600, 2000])
    least = random.choice([0, 1, 2, 3])
    longest = random.choice([None, None, 2, 3, 5])
    special = random.choice([[], ['<|endoftext|>'], ['<s>', 'a', '</s>']])
    pre, description = split()
    learner = Tokenizer(models.BPE())
    options = {'vocabularySize': size, 'minFrequency': least, 'specialTokens': special, 'preTokenizer': description}
    if pre is not None:
        learner.pre_tokenizer = pre
    if random.random() < 0.3:
        learner.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
        options['normalizer'] = {'type': 'Sequence', 'normalizers': [{'type': 'NFC'}, {'type': 'Lowercase'}]}
    if longest:
        options['maxTokenLength'] = longest
    alphabet = pre_tokenizers.ByteLevel.alphabet() if description['type'] == 'ByteLevel' else []
    learner.train_from_iterator(chosen, trainers.BpeTrainer(vocab_size=size, min_frequency=least, special_tokens=special, show_progress=False,
                                                            max_token_length=longest, initial_alphabet=alphabet))
    model = json.loads(learner.to_str())['model']
    tokens = sorted(model['vocab'], key=model['vocab'].get)
    merges = [' '.join(merge) for merge in model['merges']]
    print(f'  {{ texts = {lua(chosen)},\n    options = {lua(options)},\n    tokens = {lua(tokens[-40:])}, merges = {lua(merges)} }},')
print('}')
