--- Splitters of tokenizers: a text into words, which the model splits into tokens. A function for each type of tokenizer.json: it receives
-- a text and returns a list of words.
-- @module text.splitters
local ffi = require 'ffi'
local unicode = require 'text.unicode'
local byteLevel = require 'text.byte_level'
local splitting = require 'text.splitting'

local splitters = {}

local bytes, at = ffi.typeof 'const uint8_t *', unicode.at
local letter, number, space, other = 1, 2, 3, 4

local classes = {}

local function classify(code)
  local class = unicode.isLetter(code) and letter or unicode.isNumber(code) and number or unicode.isSpace(code) and space or other
  classes[code] = class
  return class
end

-- The class of the character at a position, from 0, and the position after it; 0 at the end. Bytes that are not UTF-8 are of no class.
local function classAt(p, place, size)
  if place >= size then return 0, place end
  local code, after = at(p, place, size)
  if code < 0 then return other, after end
  return classes[code] or classify(code), after
end

-- The position after a run of characters of a class.
local function skip(p, place, size, class)
  local found, after = classAt(p, place, size)
  while found == class do
    place = after
    found, after = classAt(p, place, size)
  end
  return place
end

-- The position after white space at `place`: without the last character, if a word follows and there are others.
local function skipSpace(p, place, size)
  local before, current = place, place
  local class, after = classAt(p, current, size)
  while class == space do
    before, current = current, after
    class, after = classAt(p, current, size)
  end
  return (class == 0 or before == place) and current or before
end

local endings = { s = 1, t = 1, m = 1, d = 1, re = 2, ve = 2, ll = 2 }

local function contraction(text, place)
  return endings[text:sub(place + 2, place + 2)] or endings[text:sub(place + 2, place + 3)]
end

--- GPT-2's words: contractions, letters, numbers and other characters, each with one blank before them, and white space.
-- Its regular expression is 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
-- Source: Radford et al. (2019), encoder.py of openai/gpt-2.
-- @string text any bytes
-- @treturn {string,...} which joined give the text
function splitters.gpt2(text)
  local p, size, words, count, place = ffi.cast(bytes, text), #text, {}, 0, 0
  while place < size do
    local ending = p[place] == 39 and contraction(text, place)
    local stop
    if ending then
      stop = place + 1 + ending
    else
      local first = p[place] == 32 and place + 1 or place
      local class = classAt(p, first, size)
      if class == 0 or class == space then
        stop = skipSpace(p, place, size)
      else
        stop = skip(p, first, size, class)
      end
    end
    count = count + 1
    words[count] = text:sub(place + 1, stop)
    place = stop
  end
  return words
end

--- GPT-2's words in its characters for bytes.
-- @tparam table options of tokenizer.json: `add_prefix_space` (true), `use_regex` (true)
function splitters.ByteLevel(options)
  local split = options.use_regex ~= false and splitters.gpt2 or function(text) return { text } end
  return function(text)
    if options.add_prefix_space ~= false and text:sub(1, 1) ~= ' ' then text = ' ' .. text end
    local words = split(text)
    for i = 1, #words do words[i] = byteLevel.encode(words[i]) end
    return words
  end
end

-- Splits where the class of characters changes: 0 is left out, the class `single` makes words of one character.
local function byClass(classOf, single)
  return function(text)
    local words, count, begin, before = {}, 0, 1, 0
    local function finish(stop)
      if before ~= 0 and stop >= begin then
        count = count + 1
        words[count] = text:sub(begin, stop)
      end
    end
    for _, code, place in unicode.each(text) do
      local class = classOf(code)
      if class ~= before or class == single then
        finish(place - 1)
        begin, before = place, class
      end
    end
    finish(#text)
    return words
  end
end

local function isBertPunctuation(code)
  if code > 127 then return unicode.isPunctuation(code) end
  return code >= 33 and code <= 47 or code >= 58 and code <= 64 or code >= 91 and code <= 96 or code >= 123 and code <= 126
end

--- Words between white space, with each punctuation character apart.
function splitters.BertPreTokenizer()
  return byClass(function(code) return unicode.isSpace(code) and 0 or isBertPunctuation(code) and 2 or 1 end, 2)
end

--- What is between white space.
function splitters.WhitespaceSplit()
  return byClass(function(code) return unicode.isSpace(code) and 0 or 1 end)
end

--- Runs of word characters, and runs of others; white space is left out: \w+|[^\w\s]+
function splitters.Whitespace()
  return byClass(function(code) return unicode.isSpace(code) and 0 or unicode.isWord(code) and 1 or 2 end)
end

--- What a pattern finds or leaves.
-- @tparam table options of tokenizer.json: `pattern` ({ String = } or { Regex = }), `behavior`, `invert`
-- @string where the start of messages
function splitters.Split(options, where)
  where = where .. ': Split'
  return splitting.by(where, splitting.finder(where, options.pattern), options.behavior, options.invert)
end

-- Iterates over characters that a function accepts, or over runs of them.
local function characterFinder(accepts, runs)
  return function(text)
    local following, _, place = unicode.each(text)
    return function()
      local first
      while true do
        local after, code, begin = following(nil, place)
        local accepted = after and accepts(code)
        if first and not accepted then return first, (begin or #text + 1) - 1 end
        if not after then return nil end
        place = after
        if accepted and not runs then return begin, after - 1 end
        if accepted then first = first or begin end
      end
    end
  end
end

--- Numbers apart, or each digit (`individual_digits`).
function splitters.Digits(options, where)
  return splitting.by(where, characterFinder(function(code) return code >= 0 and unicode.isNumber(code) end, not options.individual_digits),
    'Isolated')
end

--- Punctuation apart (`behavior`).
function splitters.Punctuation(options, where)
  local find = characterFinder(function(code) return code >= 0 and isBertPunctuation(code) end)
  return splitting.by(where, find, options.behavior or 'Isolated')
end

--- Splits at a character, which is left out (`delimiter`).
function splitters.CharDelimiterSplit(options, where)
  return splitting.by(where, splitting.finder(where, options.delimiter), 'Removed')
end

--- SentencePiece's words: blanks become a visible character, which begins words.
-- @tparam table options of tokenizer.json: `replacement` (U+2581), `prepend_scheme` ('always', 'first' or 'never': whether a text without a
-- blank at the beginning gets one) or `add_prefix_space`, `split` (true)
-- @string where the start of messages
function splitters.Metaspace(options, where)
  local blank = options.replacement or '\226\150\129'
  local scheme = options.prepend_scheme or options.add_prefix_space == false and 'never' or 'always'
  local split = splitting.by(where, splitting.finder(where, blank), 'MergedWithNext')
  return function(text, isFirst)
    text = text:gsub(' ', { [' '] = blank })
    local isWanted = scheme == 'always' or scheme == 'first' and isFirst
    if isWanted and text:sub(1, #blank) ~= blank then text = blank .. text end
    return options.split == false and { text } or split(text)
  end
end

return splitters
