-- Byte-pair encoding learned from texts, against PyPI's package tokenizers.
local torch, data, text = require 'torch', require 'data', require 'text'
local unicode = require 'text.unicode'
local files = require 'spec.support.files'
local figures = require 'spec.text.figures'
local cases = dofile(os.getenv 'MOONTORCH_TRAINING_FIGURES' or 'spec/text/training_figures.lua')

local folder = 'spec/text/'

local function mergesOf(tokenizer)
  local list = {}
  for i, merge in ipairs(tokenizer.description.model.merges) do list[i] = table.concat(merge, ' ') end
  return list
end

local function isKnown(list) return unicode.available() or not table.concat(list):find '[\128-\255]' end

-- The texts of figures.py, three times as there.
local function threeTimes()
  local list = {}
  for i = 1, 42 do list[i] = figures[(i - 1) % 14 + 1].text end
  return list
end

describe('text.trainBytePairs', function()
  it('learns the tokens and merges of the package tokenizers', function()
    for number, case in ipairs(cases) do
      if isKnown(case.texts) then
        local tokenizer = text.trainBytePairs(case.texts, case.options)
        assert.same(case.merges, mergesOf(tokenizer), 'case ' .. number)
        local first = tokenizer:size() - #case.tokens
        for i, token in ipairs(case.tokens) do assert.equal(token, tokenizer:token(first + i)) end
        for i, token in ipairs(case.options.specialTokens) do assert.equal(i, tokenizer:id(token)) end
      end
    end
  end)

  it('writes the files of the package tokenizers', function()
    if not unicode.available() then return end
    local tokenizer = text.trainBytePairs(threeTimes(), { vocabularySize = 420, specialTokens = { '<|endoftext|>' } })
    local place = files.folder()
    tokenizer:saveModel(place)
    assert.equal(files.read(folder .. 'merges.txt'), files.read(place .. '/merges.txt'))
    local json = require 'torch.file.json'
    assert.same(json.decode(files.read(folder .. 'vocab.json')), json.decode(files.read(place .. '/vocab.json')))
  end)

  it('accepts an iterator, a stream, and one text', function()
    local list, options = { 'to be to be', 'or not to be' }, { vocabularySize = 270 }
    local expected = mergesOf(text.trainBytePairs(list, options))
    assert.is_true(#expected > 3)
    local i = 0
    local function following()
      i = i + 1
      return list[i]
    end
    assert.same(expected, mergesOf(text.trainBytePairs(following, options)))
    assert.same(expected, mergesOf(text.trainBytePairs(data.Stream(list), options)))
    assert.same(mergesOf(text.trainBytePairs({ list[1] }, options)), mergesOf(text.trainBytePairs(list[1], options)))
  end)

  it('finds special tokens, and returns texts', function()
    local tokenizer = text.trainBytePairs('to be or not to be', { vocabularySize = 262, specialTokens = { '<end>' } })
    local ids = tokenizer:encode 'to be<end>'
    assert.equal(1, ids[ids:size(1)])
    assert.equal('to be<end>', tokenizer:decode(ids, { special = true }))
    assert.equal(0, text.trainBytePairs('a', { zeroBased = true, specialTokens = { '<end>' } }):id '<end>')
  end)

  it('refuses what it can not learn from', function()
    local function refuses(pattern, texts, options)
      assert.error_matches(function() text.trainBytePairs(texts, options) end, pattern)
    end
    refuses('text%.trainBytePairs: texts: true, expected a list, an iterator, a stream or a text', true)
    refuses('texts: number 2: .*expected a string', { 'a', {} })
    refuses('vocabularySize: 0, expected a whole number from 1', 'a', { vocabularySize = 0 })
    refuses("specialTokens: 'x' twice", 'a', { specialTokens = { 'x', 'x' } })
    refuses('options: size, expected one of', 'a', { size = 3 })
    refuses('pre_tokenizer: the type Words, expected BertPreTokenizer', 'a', { preTokenizer = { type = 'Words' } })
  end)
end)

describe('text.Tokenizer:save', function()
  it('writes what text.load reads', function()
    local name = os.tmpname()
    for _, original in ipairs { text.load(folder .. 'byte_pairs.json'), text.load(folder .. 'word_piece.json') } do
      original:save(name)
      local copy = text.load(name)
      for i = 1, 20 do
        if isKnown { figures[i].text } then
          assert.is_true(torch.equal(original:encode(figures[i].text), copy:encode(figures[i].text)))
        end
      end
      assert.same(original.description.added_tokens, copy.description.added_tokens)
    end
    os.remove(name)
  end)

  it('writes the vocabulary of WordPiece', function()
    local place = files.folder()
    text.wordPiece(folder .. 'vocab.txt'):saveModel(place)
    assert.equal(files.read(folder .. 'vocab.txt'), files.read(place .. '/vocab.txt'))
  end)

  it('names the file that it can not write', function()
    local tokenizer = text.trainBytePairs 'a'
    assert.error_matches(function() tokenizer:save 'no/such/folder/t.json' end, 'text%.Tokenizer: save: no/such/folder/t%.json: ')
    assert.error_matches(function() tokenizer:saveModel 'no/such/folder' end, 'saveModel: no/such/folder/vocab%.json: ')
  end)
end)
