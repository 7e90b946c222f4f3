--- chrF: how many sequences of characters translations share with references; chrF++ with those of words, too.
-- Source: Popović (2015), "chrF: character n-gram F-score for automatic MT evaluation", WMT; Popović (2017), "chrF++: words helping
-- character n-grams", WMT; the mean over lengths and the choice of a reference as in sacrebleu 2.
-- @module text.chrf
local check = require 'torch.check'
local scored, unicode = require 'text.scored', require 'text.unicode'

local chrf = {}

local tiny = 1e-16

-- Adds the number of each sequence of n parts of a text to a table; `places` are where the parts begin, and where the last one ends.
local function count(contents, places, n)
  local found = {}
  for i = 1, #places - n do
    local key = contents:sub(places[i], places[i + n] - 1)
    found[key] = (found[key] or 0) + 1
  end
  return found
end

local function isSpace(code) return code >= 0 and (unicode.isSpace(code) or code >= 28 and code <= 31) end      -- as of Python's split

-- A text without white space, or with it.
local function packed(contents, keepsSpace)
  if keepsSpace then return contents end
  return (unicode.map(contents, function(code) return isSpace(code) and '' or nil end))
end

local function characterPlaces(contents)
  local places = {}
  for _, _, place in unicode.each(contents) do places[#places + 1] = place end
  places[#places + 1] = #contents + 1
  return places
end

-- Words between white space, with punctuation at one of their ends apart; each word ends with a blank, so that joined words are a key.
local function words(contents)
  local list = {}
  local spaced = unicode.map(contents, function(code) return isSpace(code) and ' ' or nil end)
  for word in spaced:gmatch '[^ ]+' do
    local isSingle = #characterPlaces(word) == 2
    if not isSingle and word:find '%p$' then
      list[#list + 1], list[#list + 2] = word:sub(1, -2), word:sub(-1)
    elseif not isSingle and word:find '^%p' then
      list[#list + 1], list[#list + 2] = word:sub(1, 1), word:sub(2)
    else
      list[#list + 1] = word
    end
  end
  local places, at = { 1 }, 1
  for i, word in ipairs(list) do
    at = at + #word + 1
    places[i + 1] = at
  end
  return table.concat(list, ' ') .. ' ', places
end

-- The counts of all lengths of a text.
local function sequences(contents, o)
  local list, text = {}, packed(contents, o.whitespace)
  local places = characterPlaces(text)
  for n = 1, o.characterOrder do list[n] = count(text, places, n) end
  if o.wordOrder > 0 then
    text, places = words(contents)
    for n = 1, o.wordOrder do list[o.characterOrder + n] = count(text, places, n) end
  end
  return list
end

local function total(counts)
  local sum = 0
  for _, number in pairs(counts) do sum = sum + number end
  return sum
end

-- Numbers of sequences: of the translation, of the reference, and of both, for each length.
local function statistics(own, reference)
  local list = {}
  for n = 1, #own do
    local hits = 0
    for key, number in pairs(own[n]) do hits = hits + math.min(number, reference[n][key] or 0) end
    list[n] = { next(reference[n]) and total(own[n]) or 0, total(reference[n]), hits }
  end
  return list
end

local function score(list, o)
  local factor, smoothed, precisions, recalls, lengths = o.beta ^ 2, 0, 0, 0, 0
  for _, numbers in ipairs(list) do
    local own, expected, hits = unpack(numbers)
    local precision, recall = own > 0 and hits / own or tiny, expected > 0 and hits / expected or tiny
    local sum = factor * precision + recall
    smoothed = smoothed + (sum > 0 and (1 + factor) * precision * recall / sum or tiny)
    if own > 0 and expected > 0 then precisions, recalls, lengths = precisions + precision, recalls + recall, lengths + 1 end
  end
  if o.smooth then return 100 * smoothed / #list end
  if precisions + recalls == 0 then return 0 end
  local precision, recall = precisions / lengths, recalls / lengths
  return 100 * (1 + factor) * precision * recall / (factor * precision + recall)
end

-- Complete options of a function.
local function optionsOf(where, options)
  options = check.options(where, options, { 'characterOrder', 'wordOrder', 'beta', 'lowercase', 'whitespace', 'smooth' })
  return {
    characterOrder = check.int(where, 'characterOrder', options.characterOrder or 6, { min = 1, max = 100 }),
    wordOrder = check.int(where, 'wordOrder', options.wordOrder or 0, { min = 0, max = 100 }),
    beta = check.number(where, 'beta', options.beta or 2, { min = 0 }), lowercase = check.flag(where, 'lowercase', options.lowercase),
    whitespace = check.flag(where, 'whitespace', options.whitespace), smooth = check.flag(where, 'smooth', options.smooth),
  }
end

local function compute(where, hypotheses, references, options)
  local o = optionsOf(where, options)
  local texts, lists = scored(where, hypotheses, references)
  local function cased(contents) return o.lowercase and unicode.lower(contents) or contents end
  local sums = {}
  for n = 1, o.characterOrder + o.wordOrder do sums[n] = { 0, 0, 0 } end
  for i, hypothesis in ipairs(texts) do
    local own, best, bestScore = sequences(cased(hypothesis), o), nil, nil
    for _, reference in ipairs(lists[i]) do
      local found = statistics(own, sequences(cased(reference), o))
      local its = score(found, o)
      if not best or its > bestScore then best, bestScore = found, its end
    end
    for n, numbers in ipairs(best) do
      for k = 1, 3 do sums[n][k] = sums[n][k] + numbers[k] end
    end
  end
  return score(sums, o)
end

--- Returns chrF of translations, from 0 to 100: sacrebleu's corpus_chrf. Of several references the one with the best score counts.
-- @tparam {string,...} hypotheses translations
-- @tparam {string|{string,...},...} references for each translation a reference, or several
-- @tparam[opt] table options
--
-- - `characterOrder`: the longest sequence of characters (6)
-- - `wordOrder`: the longest one of words: 2 is chrF++ (0)
-- - `beta`: how many times as much as precision recall counts (2)
-- - `lowercase`: true ignores capitals
-- - `whitespace`: true counts white space among the characters
-- - `smooth`: true is the mean of the scores of all lengths, those without sequences among them, as in chrF++.py
-- @treturn number
-- @raise if lists differ in length, or contain something else than texts
function chrf.chrf(hypotheses, references, options) return compute('text.chrf', hypotheses, references, options) end

--- Returns chrF of one translation, from 0 to 100: sacrebleu's sentence_chrf.
-- @string hypothesis
-- @tparam string|{string,...} references
-- @tparam[opt] table options as of `chrf`
-- @treturn number
function chrf.sentenceChrf(hypothesis, references, options)
  return compute('text.sentenceChrf', { hypothesis }, { references }, options)
end

return chrf
