--- Tokenizers from files: tokenizer.json, GPT-2's vocab.json and merges.txt, BERT's vocab.txt.
-- @module text.files
local check = require 'torch.check'
local json, utf8 = require 'torch.file.json', require 'torch.file.utf8'
local recognise = require 'torch.file.recognise'
local read = require('data').text.read
local Tokenizer = require('text.Tokenizer').Tokenizer

local files = {}

-- Removes nulls, which mean that a field is not given.
local function withoutNulls(value)
  if type(value) ~= 'table' then return value end
  for key, entry in pairs(value) do
    if entry == json.null then value[key] = nil else withoutNulls(entry) end
  end
  return value
end

local function contents(where, name)
  name = check.name(where, 'name', name)
  local good, result = pcall(read, name)
  check.that(good, not good and tostring(result):gsub('^[^\n]-data%.text%.read', where) or nil)
  return result
end

local function decoded(where, name)
  local text = contents(where, name)
  local function expect(condition, problem)
    check.that(condition, condition or recognise.explained(('%s: %s: %s'):format(where, name, problem), text:sub(1, 512), where))
  end
  expect(utf8.isValid(text), 'bytes that are no UTF-8, expected a JSON text')
  local good, value = pcall(json.decode, text)
  expect(good, tostring(value))
  expect(type(value) == 'table' and value ~= json.null, json.shown(value) .. ', expected an object')
  return withoutNulls(value)
end

local function linesOf(where, name)
  local list = {}
  for line in (contents(where, name):gsub('\r\n', '\n') .. '\n'):gmatch '([^\n]*)\n' do list[#list + 1] = line end
  if list[#list] == '' then list[#list] = nil end
  return list
end

-- Checks options of a constructor; those of the tokenizer are passed on.
local function optionsOf(where, options, names)
  names[#names + 1] = 'zeroBased'
  return check.options(where, options, names)
end

--- Reads a tokenizer.json of Hugging Face's tokenizers, of the models BPE, Unigram and WordPiece.
-- @string name file
-- @tparam[opt] table options `zeroBased`: ids count from 0, as in the file
-- @treturn text.Tokenizer
-- @raise if the file is damaged, or has a part that isn't known: the error names it
function files.load(name, options)
  options = optionsOf('text.load', options, {})
  local description = decoded('text.load', name)
  check.that(type(description.model) == 'table', ('text.load: %s: an object without model, expected a tokenizer.json'):format(name))
  local good, tokenizer = pcall(Tokenizer, description, options)
  local start = ('text.load: %s: '):format(name)
  check.that(good, not good and (tostring(tokenizer):gsub('^[^\n]-text%.Tokenizer: ', function() return start end)))
  return tokenizer
end

local function special(content, id) return { id = id, content = content, special = true, normalized = false } end

--- Reads GPT-2's files.
-- @string vocabulary the name of vocab.json (or encoder.json): ids of tokens
-- @string merges the name of merges.txt (or vocab.bpe)
-- @tparam[opt] table options `zeroBased`: ids count from 0, as in the file; `prefixSpace`: true puts a blank before the first word
-- @treturn text.Tokenizer
function files.gpt2(vocabulary, merges, options)
  options = optionsOf('text.gpt2', options, { 'prefixSpace' })
  local vocab, list = decoded('text.gpt2', vocabulary), {}
  for i, line in ipairs(linesOf('text.gpt2', merges)) do
    if line ~= '' and not (i == 1 and line:find '^#version') then list[#list + 1] = line end
  end
  local ending = '<|endoftext|>'
  return Tokenizer({
    added_tokens = vocab[ending] and { special(ending, vocab[ending]) } or {},
    pre_tokenizer = { type = 'ByteLevel', add_prefix_space = options.prefixSpace or false, use_regex = true },
    decoder = { type = 'ByteLevel' },
    model = { type = 'BPE', vocab = vocab, merges = list },
  }, { zeroBased = options.zeroBased })
end

--- Reads BERT's vocab.txt: a token a line.
-- @string name file
-- @tparam[opt] table options
--
-- - `zeroBased`: ids count from 0, as lines of the file
-- - `lower`: false keeps capitals and accents, for cased models (true)
-- @treturn text.Tokenizer whose `encode` adds [CLS] and [SEP]
function files.wordPiece(name, options)
  options = optionsOf('text.wordPiece', options, { 'lower' })
  local vocab, added = {}, {}
  for i, token in ipairs(linesOf('text.wordPiece', name)) do vocab[token] = i - 1 end
  for _, token in ipairs { '[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]' } do
    if vocab[token] then added[#added + 1] = special(token, vocab[token]) end
  end
  local hasEnds = vocab['[CLS]'] and vocab['[SEP]']
  return Tokenizer({
    added_tokens = added,
    normalizer = { type = 'BertNormalizer', clean_text = true, handle_chinese_chars = true, lowercase = options.lower ~= false },
    pre_tokenizer = { type = 'BertPreTokenizer' },
    post_processor = hasEnds and { type = 'BertProcessing', cls = { '[CLS]', vocab['[CLS]'] }, sep = { '[SEP]', vocab['[SEP]'] } } or nil,
    decoder = { type = 'WordPiece', prefix = '##', cleanup = true },
    model = { type = 'WordPiece', vocab = vocab, unk_token = '[UNK]', continuing_subword_prefix = '##', max_input_chars_per_word = 100 },
  }, { zeroBased = options.zeroBased })
end

return files
