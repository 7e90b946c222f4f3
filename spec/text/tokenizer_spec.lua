-- Tokenizers against those of PyPI's package tokenizers (figures.py), and texts that come back.
local torch, text = require 'torch', require 'text'
local unicode = require 'text.unicode'
local figures = require 'spec.text.figures'
local files = require 'spec.support.files'

local folder = 'spec/text/'
local zeroBased = { zeroBased = true }

local function listOf(ids)
  local list = {}
  for i = 1, ids:nElement() do list[i] = ids[i] end
  return list
end

local function shifted(list)
  local result = {}
  for i, id in ipairs(list) do result[i] = id + 1 end
  return result
end

local function gpt2(options) return text.gpt2(folder .. 'vocab.json', folder .. 'merges.txt', options) end

if not unicode.available() then
  print 'libutf8proc is not installed: texts beyond ASCII are left out'
end

local function eachCase(visit)
  for _, case in ipairs(figures) do
    if unicode.available() or not case.text:find '[\128-\255]' then visit(case) end
  end
end

describe('text.gpt2', function()
  it('gives the ids of the package tokenizers', function()
    local tokenizer = gpt2(zeroBased)
    eachCase(function(case) assert.same(case.gpt2, listOf(tokenizer:encode(case.text)), case.text) end)
  end)

  it('counts ids from 1', function()
    local tokenizer = gpt2()
    assert.equal(420, tokenizer:size())
    assert.equal(1, tokenizer:id '<|endoftext|>')
    assert.equal('<|endoftext|>', tokenizer:token(1))
    local case = figures[1]
    assert.same(shifted(case.gpt2), listOf(tokenizer:encode(case.text)))
    assert.equal('torch.LongTensor', tokenizer:encode(case.text):type())
    assert.is_nil(tokenizer:id 'no such token')
  end)

  it('returns any bytes as they were', function()
    local tokenizer = gpt2()
    local most = unicode.available() and 255 or 127
    for _ = 1, 300 do
      local bytes = {}
      for i = 1, math.random(0, 40) do bytes[i] = string.char(math.random(0, most)) end
      local written = table.concat(bytes)
      assert.equal(written, tokenizer:decode(tokenizer:encode(written)))
    end
  end)

  it('encodes a long word in time that grows little faster than the word', function()
    local word = ('the'):rep(20000)
    local tokenizer = gpt2()
    assert.equal(word, tokenizer:decode(tokenizer:encode(word)))
  end)

  it('leaves special tokens out of text unless asked', function()
    local tokenizer = gpt2()
    local ids = tokenizer:encode 'a<|endoftext|>b'
    assert.equal('ab', tokenizer:decode(ids))
    assert.equal('a<|endoftext|>b', tokenizer:decode(ids, { special = true }))
  end)

  it('survives serialization', function()
    local tokenizer = torch.deserialize(torch.serialize(gpt2()))
    assert.same(listOf(gpt2():encode 'to be'), listOf(tokenizer:encode 'to be'))
  end)
end)

describe('text.wordPiece', function()
  local function plain(options) return text.wordPiece(folder .. 'vocab.txt', options) end

  it('gives the ids and the text of the package tokenizers', function()
    local tokenizer = plain(zeroBased)
    eachCase(function(case)
      local ids = tokenizer:encode(case.text)
      assert.same(case.wordPiece, listOf(ids), case.text)
      assert.equal(case.decoded, tokenizer:decode(ids))
    end)
  end)

  it('makes one sequence of two texts', function()
    local ids, types = plain(zeroBased):encode(figures.pair[1], { pair = figures.pair[2] })
    if not unicode.available() then return end
    assert.same(figures.pair.ids, listOf(ids))
    assert.same(figures.pair.types, listOf(types))
    local _, fromOne = plain():encode(figures.pair[1], { pair = figures.pair[2] })
    assert.same(shifted(figures.pair.types), listOf(fromOne))
  end)

  it('keeps capitals for cased models', function()
    assert.equal('[UNK]', plain { lower = false }:tokens('TO', { special = false })[1])
    assert.not_equal('[UNK]', plain():tokens('TO', { special = false })[1])
  end)
end)

describe('text.load', function()
  it('gives the ids of the package tokenizers: byte pairs with added tokens, a normaliser and ends', function()
    local tokenizer = text.load(folder .. 'byte_pairs.json', zeroBased)
    eachCase(function(case) assert.same(case.bytePairs, listOf(tokenizer:encode(case.text)), case.text) end)
    if not unicode.available() then return end
    assert.same(figures.pair.bytePairs, listOf(tokenizer:encode(figures.pair[1], { pair = figures.pair[2] })))
  end)

  it('gives the ids of the package tokenizers: WordPiece', function()
    local tokenizer = text.load(folder .. 'word_piece.json', zeroBased)
    eachCase(function(case) assert.same(case.wordPiece, listOf(tokenizer:encode(case.text)), case.text) end)
  end)

  it('names the file and what it does not know', function()
    local name = os.tmpname()
    local function refuses(contents, pattern)
      files.write(name, contents)
      assert.error_matches(function() text.load(name) end, pattern)
    end
    refuses('{"model": ', 'text%.load: .*expected a value')
    refuses('[1]', 'text%.load: .*expected a tokenizer%.json')
    refuses('{"model": {"type": "WordLevel", "vocab": {}}}', 'model: the type WordLevel, expected BPE, Unigram or WordPiece')
    refuses('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}}', "merges: 'a b' %(number 1%)")
    refuses('{"normalizer": {"type": "Nmt"}, "model": {"type": "BPE", "vocab": {}, "merges": []}}',
      'normalizer: the type Nmt, expected BertNormalizer, Lowercase')
    refuses('{"model": {"type": "BPE", "vocab": {"a": -1}, "merges": []}}', 'the token a with the id %-1')
    refuses('{"post_processor": {"type": "BertProcessing"}, "model": {"type": "BPE", "vocab": {}, "merges": []}}', 'post_processor: no cls')
    refuses('{"added_tokens": [3], "model": {"type": "BPE", "vocab": {}, "merges": []}}', 'added_tokens%[1%]: 3, expected a table')
    os.remove(name)
    assert.error_matches(function() text.load 'no/such/file' end, 'text%.load: .*no/such/file')
  end)
end)

describe('a text beyond ASCII', function()
  it('is an error that names the package where utf8proc is missing', function()
    local C, library = require 'libmoontorch', require 'torch.library'
    assert.error_matches(function() library.open({ 'libnone.so.1' }, 'missing') end, 'missing')
    local rows = C.systemLibrary
    C.systemLibrary = function(name) return 'libnone.so.1', select(2, rows(name)) end
    local good, message = pcall(dofile('lua/text/unicode.lua').category, 0x3b1)
    C.systemLibrary = rows
    assert.is_false(good)
    assert.equal('text: libnone.so.1 was not found, which tokenizers of text beyond ASCII need (Debian and Ubuntu: apt-get install '
      .. 'libutf8proc3 or libutf8proc2)', message)
  end)
end)

describe('text.Tokenizer', function()
  local description = {
    model = { type = 'BPE', vocab = { ['<unk>'] = 0, a = 1, b = 2, ab = 3, aba = 4, ['b</w>'] = 5 }, merges = { 'a b', { 'ab', 'a' } } },
  }

  it('merges the pair first that was learned first', function()
    local tokenizer = text.Tokenizer(description)
    assert.same({ 'ab', 'ab' }, tokenizer:tokens 'abab')
    assert.same({ 'aba' }, tokenizer:tokens 'aba')
    assert.same({ 'b', 'ab', 'ab' }, tokenizer:tokens 'babcab')      -- c is no token
    assert.equal(0, tokenizer:encode(''):nElement())
  end)

  it('refuses ids of no token', function()
    local tokenizer = text.Tokenizer(description)
    assert.error_matches(function() tokenizer:decode { 7 } end, 'text%.Tokenizer: id: 7, expected a whole number from 1 to 6')
    assert.error_matches(function() tokenizer:encode {} end, 'encode: contents: .*expected a string')
    assert.error_matches(function() tokenizer:encode('a', { pad = 1 }) end, 'options: pad, expected one of special, pair')
  end)
end)
