# Writes the files of small tokenizers into the folder of this script, and ids of texts, figures.lua: `python3 spec/text/figures.py`.
# With tokenizers 0.23.3 of PyPI. An argument N writes N cases, for a longer comparison.
import os
import random
import sys
import unicodedata

from tokenizers import AddedToken, BertWordPieceTokenizer, ByteLevelBPETokenizer, Tokenizer, normalizers, pre_tokenizers, processors

here = os.path.dirname(os.path.abspath(__file__))
texts = [
    "The quick brown fox doesn't jump over 12 lazy dogs; we've seen it, they'll say \"it's true\" -- don't you?",
    'To be, or not to be, that is the question: whether it is nobler in the mind to suffer the slings and arrows.',
    'Ein großes Haus steht über dem Fluß; Äpfel, Öl und Übermut.', "Le garçon mangeait déjà un cœur d'artichaut à l'hôtel.",
    'Съешь же ещё этих мягких французских булок, да выпей чаю.', 'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία με 12 τόνους.',
    '日本語の文章はスペースなしで書かれています。東京は2020年。', '我能吞下玻璃而不伤身体。这是中文。', '나는 유리를 먹을 수 있어요. 그래도 아프지 않아요',
    'أنا قادر على أكل الزجاج و هذا لا يؤلمني. ١٢٣', 'אני יכול לאכול זכוכית וזה לא מזיק לי.', 'मैं काँच खा सकता हूँ और मुझे उससे कोई चोट नहीं पहुंचती। १२३',
    'Bạn có thể ăn thủy tinh mà không hại gì không?', "İstanbul'da ığdır çok güzel, DİYARBAKIR.",
]

gpt2 = ByteLevelBPETokenizer()
gpt2.train_from_iterator(texts * 3, vocab_size=420, special_tokens=['<|endoftext|>'], show_progress=False)
gpt2.save_model(here)
# The same with what the two files can't say: a mask that takes the blank before it, a blank before the first word, ends, NFC.
full = Tokenizer.from_str(gpt2.to_str())
full.normalizer = normalizers.NFC()
full.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
full.add_special_tokens(['<s>', '</s>'])
full.add_special_tokens([AddedToken('<mask>', lstrip=True, special=True)])
full.post_processor = processors.RobertaProcessing(*[(token, full.token_to_id(token)) for token in ('</s>', '<s>')])
full.save(os.path.join(here, 'byte_pairs.json'), pretty=False)

bert = BertWordPieceTokenizer()
bert.train_from_iterator(texts * 3, vocab_size=420, show_progress=False)
bert.save_model(here)
ends = [(token, bert.token_to_id(token)) for token in ('[CLS]', '[SEP]')]
bert.post_processor = processors.TemplateProcessing(single='[CLS] $A [SEP]', pair='[CLS] $A [SEP] $B:1 [SEP]:1', special_tokens=ends)
bert.save(os.path.join(here, 'word_piece.json'), pretty=False)

words = pre_tokenizers.BertPreTokenizer()
accents = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, lowercase=False, strip_accents=True)
known = {}


def agreed(character):
    """Whether the character's category has been the same since Unicode 8, whose tables tokenizers has in part."""
    if character not in known:
        category = unicodedata.category(character)
        splits = len(words.pre_tokenize_str('a' + character + 'b')) == 3
        mark = accents.normalize_str(character) == ''
        old = category != 'Cn' and (category == 'Mn') == mark and (splits == (category[0] == 'P') or ord(character) < 128)
        known[character] = old and category[0] != 'C' or ord(character) < 128
    return known[character]


blocks = [(0x20, 0x250), (0x370, 0x600), (0x900, 0xa00), (0x1e00, 0x2100), (0x3040, 0x3100), (0x4e00, 0x5000), (0xac00, 0xad00),
          (0xff00, 0xffef), (0x1f300, 0x1f600), (0x20, 0x21)]


def draw():
    kind, count = random.randrange(5), random.randrange(30)
    if kind == 0:
        return ''.join(chr(random.randrange(0, 128)) for _ in range(count))
    if kind == 1:
        return ''.join(random.choice(" \t\n\r  's'll'reabAB12.,!?é\u00a0\u3000") for _ in range(count))
    if kind == 2:
        return ''.join(c for c in (chr(random.randrange(*random.choice(blocks))) for _ in range(count)) if agreed(c))
    text = random.choice(texts)
    at = random.randrange(len(text))
    if kind == 3:
        return unicodedata.normalize(random.choice(['NFC', 'NFD']), text[at:at + 40])
    return text[at:] + random.choice(['', '<|endoftext|>', ' <mask> ', '[MASK]', ' [SEP] x']) + text[:at]


def quoted(text):
    return '"' + ''.join(chr(b) if 32 <= b < 127 and b not in (34, 92) else '\\%03d' % b for b in text.encode()) + '"'


def row(encoding):
    return '{ ' + ', '.join(str(i) for i in encoding.ids) + ' }'


random.seed(1)
cases = int(sys.argv[1]) if len(sys.argv) > 1 else 60
with open(os.path.join(here, 'figures.lua'), 'w') as out:
    out.write('-- Written by spec/text/figures.py.\nreturn {\n')
    for text in texts[:cases] + [draw() for _ in range(cases)]:
        a, b, c = gpt2.encode(text), full.encode(text), bert.encode(text)
        out.write(f'  {{ text = {quoted(text)},\n    gpt2 = {row(a)},\n    bytePairs = {row(b)},\n    wordPiece = {row(c)},\n')
        out.write(f'    decoded = {quoted(bert.decode(c.ids))} }},\n')
    one, two = texts[0], texts[2]
    both = bert.encode(one, two)
    types = ', '.join(str(i) for i in both.type_ids)
    out.write(f'  pair = {{ {quoted(one)}, {quoted(two)}, ids = {row(both)}, types = {{ {types} }},\n    bytePairs = {row(full.encode(one, two))} }},\n}}\n')
