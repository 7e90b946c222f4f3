--- Tokenizers learned from texts.
-- @module text.training
local torch, check = require 'torch', require 'torch.check'
local pipeline, byteLevel, unicode = require 'text.pipeline', require 'text.byte_level', require 'text.unicode'
local learn = require 'text.merges'
local Tokenizer = require('text.Tokenizer').Tokenizer

local training = {}

local where = 'text.trainBytePairs'
local names = { 'vocabularySize', 'minFrequency', 'specialTokens', 'maxTokenLength', 'normalizer', 'preTokenizer', 'decoder',
                'postProcessor', 'zeroBased' }

-- Returns an iterator of texts.
local function textsOf(source)
  if type(source) == 'string' then source = { source } end
  if torch.isTypeOf(source, 'data.Stream') then return source:iterate() end
  if type(source) == 'table' and not (getmetatable(source) or {}).__call then
    local i = 0
    return function()
      i = i + 1
      return source[i]
    end
  end
  local isCallable = type(source) == 'function' or type(source) == 'table'
  check.that(isCallable, ('%s: texts: %s, expected a list, an iterator, a stream or a text'):format(where, tostring(source)))
  return source
end

-- Different words of texts, and their characters.
local function count(source, description)
  local normalise, split = pipeline.normaliser(where, description), pipeline.splitter(where, description)
  local keeps, counts, words, number = pipeline.keepsBytes(description), {}, {}, 0
  for contents in textsOf(source) do
    number = number + 1
    contents = check.text(where, ('texts: number %d'):format(number), contents)
    if not keeps then contents = unicode.repaired(contents) end
    for _, word in ipairs(split(normalise(contents), true)) do
      local entry = counts[word]
      if entry then
        entry.count = entry.count + 1
      else
        entry = { text = word, count = 1 }
        counts[word], words[#words + 1] = entry, entry
      end
    end
  end
  return words
end

-- The first tokens: special ones, and the characters in the order of their codes; all of bytes if the splitter writes bytes.
local function alphabet(words, special, isByteLevel)
  local has, tokens, isSpecial = {}, {}, {}
  for _, character in ipairs(isByteLevel and byteLevel.alphabet() or {}) do has[character] = true end
  for _, word in ipairs(words) do
    for character in word.text:gmatch '[%z\1-\127\194-\244][\128-\191]*' do has[character] = true end
  end
  for i, token in ipairs(special) do
    tokens[i] = check.text(where, ('specialTokens[%d]'):format(i), token)
    check.that(not isSpecial[token], ("%s: specialTokens: '%s' twice, expected different tokens"):format(where, token))
    isSpecial[token] = true
  end
  local characters = {}
  for character in pairs(has) do
    if not isSpecial[character] then characters[#characters + 1] = character end
  end
  table.sort(characters)      -- UTF-8 sorts as codes do
  for _, character in ipairs(characters) do tokens[#tokens + 1] = character end
  return tokens
end

local function writesBytes(part)
  if type(part) ~= 'table' then return false end
  if part.type == 'ByteLevel' then return true end
  for _, member in ipairs(part.pretokenizers or {}) do
    if writesBytes(member) then return true end
  end
  return false
end

local function descriptionOf(options)
  local splitter = options.preTokenizer or { type = 'ByteLevel', add_prefix_space = false, trim_offsets = true, use_regex = true }
  return {
    normalizer = options.normalizer, pre_tokenizer = splitter, post_processor = options.postProcessor,
    decoder = options.decoder or writesBytes(splitter)
      and { type = 'ByteLevel', add_prefix_space = true, trim_offsets = true, use_regex = true } or nil,
  }
end

--- Learns byte-pair encoding: a tokenizer like GPT-2's, whose tokens are the most frequent parts of words of the texts.
-- Tokens and merges are those of PyPI's package tokenizers (ByteLevelBPETokenizer, BpeTrainer) for the same texts.
-- @tparam {string,...}|function|data.Stream|string texts a list, an iterator that returns a text per call and nil at the end, a stream,
-- or one text. Words don't go on from one text to the next
-- @tparam[opt] table options
--
-- - `vocabularySize`: tokens at most (30000), with special ones and the 256 of bytes
-- - `minFrequency`: how often a pair occurs at least to become a token (2)
-- - `specialTokens`: tokens that get the first ids, such as '<|endoftext|>' ({})
-- - `maxTokenLength`: tokens get fewer characters (unlimited)
-- - `preTokenizer` (ByteLevel without a blank before the first word), `normalizer` (none), `decoder`, `postProcessor`: parts of a
--   tokenizer.json, as tables: `{ type = 'ByteLevel', add_prefix_space = true }`
-- - `zeroBased`: ids count from 0
-- @treturn text.Tokenizer
-- @raise if texts aren't strings, or options are out of range
-- @usage local tokenizer = text.trainBytePairs(io.lines 'corpus.txt', { vocabularySize = 8000, specialTokens = { '<|endoftext|>' } })
-- tokenizer:save 'tokenizer.json'
function training.trainBytePairs(texts, options)
  options = check.options(where, options, names)
  local size = check.int(where, 'vocabularySize', options.vocabularySize or 30000, { min = 1, max = 2 ^ 25 })
  local least = check.int(where, 'minFrequency', options.minFrequency or 2, { min = 0 })
  local longest = check.int(where, 'maxTokenLength', options.maxTokenLength or 2 ^ 31, { min = 1 })
  local special = check.table(where, 'specialTokens', options.specialTokens or {})
  local description = descriptionOf(options)
  local words = count(texts, description)
  local tokens = alphabet(words, special, writesBytes(description.pre_tokenizer))
  local merges = learn(words, tokens, size, least, longest)
  local vocab, added = {}, {}
  for i, token in ipairs(tokens) do vocab[token] = i - 1 end
  for i, token in ipairs(special) do added[i] = { id = i - 1, content = token, special = true, normalized = false } end
  description.added_tokens = added
  description.model = { type = 'BPE', vocab = vocab, merges = merges }
  return Tokenizer(description, { zeroBased = options.zeroBased })
end

return training
