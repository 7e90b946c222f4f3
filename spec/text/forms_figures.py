# Writes tokenizer.json files of further forms into the folder of this script, and ids of texts that PyPI's tokenizers 0.23.3 gives, with
# sentencepiece 0.2.3 and protobuf: `python3 spec/text/forms_figures.py`. Arguments FOLDER FILE N: into a folder, with lines of a file and N
# random texts for each form, for the longer comparison of forms_sweep.lua.
import io
import json
import os
import random
import sys

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'figures.py')
texts = eval('[' + open(source, encoding='utf8').read().split('texts = [')[1].split(']\n')[0] + ']')
lines = open(sys.argv[2], encoding='utf8').read().split('\n') if len(sys.argv) > 2 else texts

# The patterns of GPT-4 (cl100k), Llama 3 and Qwen 2, as their tokenizer.json has them.
ends = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
rest = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
patterns = {'llama3': ends + r'\p{N}{1,3}' + rest, 'qwen2': ends + r'\p{N}' + rest,
            'deepseek': r'\s?[!-/:-@\[-`{-~！-／：-～‘-‟　-。]+|[一-龥ࠀ-一가-퟿]+'}

def byte_level(split):
    learner = Tokenizer(models.BPE(ignore_merges=True))
    learner.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    learner.decoder = decoders.ByteLevel()
    return learner, dict(initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), special_tokens=['<|end|>'])

def forms():
    for name, pattern in patterns.items():
        learner, options = byte_level(pre_tokenizers.Split(Regex(pattern), 'isolated', invert=False))
        if name == 'deepseek':
            learner.pre_tokenizer = pre_tokenizers.Sequence([
                pre_tokenizers.Split(Regex('[\r\n]'), 'isolated'), pre_tokenizers.Split(Regex(pattern), 'isolated'),
                pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
        if name == 'qwen2':
            learner.normalizer = normalizers.NFC()
        learner.train_from_iterator(texts * 3, trainers.BpeTrainer(vocab_size=330, show_progress=False, **options))
        yield name, learner
    llama2 = Tokenizer(models.BPE(unk_token='<unk>', fuse_unk=True, byte_fallback=True))
    llama2.normalizer = normalizers.Sequence([normalizers.Prepend('▁'), normalizers.Replace(' ', '▁')])
    bytes_ = [f'<0x{i:02X}>' for i in range(256)]
    llama2.train_from_iterator([t[:60] for t in texts[:4]] * 3, trainers.BpeTrainer(
        vocab_size=420, show_progress=False, special_tokens=['<unk>', '<s>', '</s>'] + bytes_))

    state = json.loads(llama2.to_str())
    state['added_tokens'] = state['added_tokens'][:3]
    llama2 = Tokenizer.from_str(json.dumps(state))
    llama2.decoder = decoders.Sequence([decoders.Replace('▁', ' '), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(' ', 1, 0)])
    yield 'llama2', llama2

    # T5's and XLM-R's form: SentencePiece's own normalisation (a small table here), Unigram, Metaspace.
    rules = os.path.join(folder, 'rules.tsv')
    if len(sys.argv) <= 1:
        with open(rules, 'w') as file:
            for one, other in [('ﬁ', 'fi'), ('Ｈ', 'H'), ('\t', ' '), ('\r', ' '), ('é', 'e'), ('e\u0301', 'e'), ('ß', 'ss'), ('\u3000', ' '), ('２', '2'), ('\u200d', '')]:
                file.write(' '.join(f'{ord(c):X}' for c in one) + '\t' + ' '.join(f'{ord(c):X}' for c in other) + '\n')
    trained = io.BytesIO()
    options = dict(normalization_rule_tsv=rules) if os.path.exists(rules) else dict(normalization_rule_name='nmt_nfkc')
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(texts * 5), model_writer=trained, vocab_size=280, model_type='unigram',
                                             minloglevel=9, **options)
    if os.path.exists(rules):
        os.remove(rules)
    model = sentencepiece_model_pb2.ModelProto.FromString(trained.getvalue())
    pieces = [(piece.piece, round(piece.score, 4)) for piece in model.pieces]
    for name in ('t5', 'xlmr', 'first'):
        unigram = Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=False))
        unigram.normalizer = normalizers.Sequence([normalizers.Precompiled(model.normalizer_spec.precompiled_charsmap)])
        if name == 't5':
            unigram.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
        elif name == 'xlmr':
            unigram.normalizer = normalizers.Sequence([unigram.normalizer, normalizers.Replace(Regex(' {2,}'), ' '), normalizers.Strip()])
            unigram.pre_tokenizer = pre_tokenizers.Metaspace()
        else:
            unigram.normalizer = None
            unigram.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme='first', split=False)
        unigram.decoder = decoders.Metaspace()
        unigram.add_special_tokens([AddedToken('<mask>', lstrip=True, special=True)])
        unigram.post_processor = processors.TemplateProcessing(single='$A </s>', pair='$A </s> $B </s>', special_tokens=[('</s>', 2)])
        yield name, unigram
    for behaviour in ('isolated', 'removed', 'contiguous', 'merged_with_previous', 'merged_with_next'):
        plain = Tokenizer(models.BPE())
        plain.pre_tokenizer = pre_tokenizers.Sequence([
            pre_tokenizers.Split(' ', behaviour), pre_tokenizers.Punctuation(behaviour), pre_tokenizers.Digits(),
            pre_tokenizers.Split(Regex('[aeiou]+'), behaviour, invert=behaviour == 'contiguous'), pre_tokenizers.CharDelimiterSplit('z')])
        plain.train_from_iterator(texts[:2], trainers.BpeTrainer(vocab_size=90, show_progress=False))
        yield behaviour, plain

def quoted(text):
    return '"' + ''.join(chr(b) if 32 <= b < 127 and b not in (34, 92) else '\\%03d' % b for b in text.encode()) + '"'

blocks = [(0x20, 0x250), (0x370, 0x600), (0x900, 0x970), (0x3041, 0x3097), (0x4e00, 0x5000), (0xac00, 0xad00), (0x20, 0x7f), (0x20, 0x21)]

def draw():
    kind, count = random.randrange(4), random.randrange(30)
    if kind == 0:
        return ''.join(random.choice(" \t\n\r  's'LL're'veabAB12345.,!?é\u00a0\u3000\u2581") for _ in range(count))
    if kind == 1:
        return ''.join(chr(random.randrange(*random.choice(blocks))) for _ in range(count))
    text = random.choice(lines)
    at = random.randrange(len(text) or 1)
    return text[at:at + 50] + random.choice(['', '<|end|>', ' <mask> ', '</s>', '  ', '\r\n', 'ﬁ Ｈe\u0301']) + text[:at][:30]

random.seed(3)
if len(sys.argv) > 1:
    for name, tokenizer in forms():
        tokenizer.save(os.path.join(folder, f'form_{name}.json'), pretty=False)
        chosen = lines + [draw() for _ in range(int(sys.argv[3]))]
        with open(os.path.join(folder, f'form_{name}.jsonl'), 'w', encoding='utf8') as out:
            for text, encoding in zip(chosen, tokenizer.encode_batch(chosen)):
                out.write(json.dumps([text, ' '.join(map(str, encoding.ids)), tokenizer.decode(encoding.ids)], ensure_ascii=False) + '\n')
    sys.exit()

with open(os.path.join(folder, 'forms_figures.lua'), 'w') as out:
    out.write('-- Written by spec/text/forms_figures.py.\nreturn {\n')
    for name, tokenizer in forms():
        tokenizer.save(os.path.join(folder, f'form_{name}.json'), pretty=False)
        out.write(f'  {{ name = "{name}",\n')
        for text in texts[:8] + [draw() for _ in range(12)]:
            ids = tokenizer.encode(text).ids
            out.write(f'    {{ {quoted(text)}, {{ {", ".join(map(str, ids))} }}, {quoted(tokenizer.decode(ids))} }},\n')
        out.write('  },\n')
    out.write('}\n')
