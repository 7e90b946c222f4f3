--- BLEU: how many sequences of words translations share with references.
-- Source: Papineni et al. (2002), "BLEU: a Method for Automatic Evaluation of Machine Translation", ACL; tokens (13a), smoothing
-- and lengths as in sacrebleu: Post (2018), "A Call for Clarity in Reporting BLEU Scores", WMT.
-- @module text.bleu
local check = require 'torch.check'
local scored, unicode = require 'text.scored', require 'text.unicode'

local bleu = {}

local longest = 4
local entities = { ['&quot;'] = '"', ['&amp;'] = '&', ['&lt;'] = '<', ['&gt;'] = '>' }
local order = { '&quot;', '&amp;', '&lt;', '&gt;' }

local function words(line)
  if line:find '[\128-\255]' then
    line = unicode.map(line, function(code) return code > 127 and unicode.isSpace(code) and ' ' or nil end)
  end
  local list = {}
  for word in line:gmatch '%S+' do list[#list + 1] = word end
  return list
end

local tokenizers = { none = words }

tokenizers['13a'] = function(line)
  line = line:gsub('<skipped>', ''):gsub('%-\n', ''):gsub('\n', ' ')
  for _, entity in ipairs(order) do line = line:gsub(entity, (entities[entity]:gsub('%%', '%%%%'))) end
  line = (' ' .. line .. ' '):gsub('[{-~[-` -&(-+:-@/]', ' %0 ')
  line = line:gsub('([^0-9])([.,])', '%1 %2 '):gsub('([.,])([^0-9])', ' %1 %2'):gsub('([0-9])(%-)', '%1 %2 ')
  return words(line)
end

-- Returns how often each sequence of n words occurs.
local function sequences(list, n)
  local counts = {}
  for i = 1, #list - n + 1 do
    local key = table.concat(list, ' ', i, i + n - 1)
    counts[key] = (counts[key] or 0) + 1
  end
  return counts
end

local function most(counts, others)
  for key, count in pairs(others) do counts[key] = math.max(counts[key] or 0, count) end
end

-- The length that is nearest, the shorter of two.
local function nearest(length, lists)
  local best
  for _, list in ipairs(lists) do
    local difference, other = math.abs(#list - length), best and math.abs(best - length)
    if not best or difference < other or difference == other and #list < best then best = #list end
  end
  return best
end

-- Adds the counts of a translation to sums.
local function add(sums, hypothesis, references)
  sums.length, sums.referenceLength = sums.length + #hypothesis, sums.referenceLength + nearest(#hypothesis, references)
  for n = 1, longest do
    local known = {}
    for _, reference in ipairs(references) do most(known, sequences(reference, n)) end
    for key, count in pairs(sequences(hypothesis, n)) do
      sums.total[n] = sums.total[n] + count
      sums.correct[n] = sums.correct[n] + math.min(count, known[key] or 0)
    end
  end
end

local smoothers = {
  exp = function(total, state)
    state.factor = state.factor * 2
    return 1 / (state.factor * total)
  end,
  floor = function(total, state) return state.value / total end,
  none = function() return 0 end,
}
smoothers['add-k'] = smoothers.none

local function score(sums, o)
  local isAny = false
  for n = 1, longest do isAny = isAny or sums.correct[n] > 0 end
  if not isAny then return 0 end
  local logarithms, count, state = 0, longest, { factor = 1, value = o.smoothValue }
  for n = 1, longest do
    local more = o.smooth == 'add-k' and n > 1 and o.smoothValue or 0
    local correct, total = sums.correct[n] + more, sums.total[n] + more
    if total == 0 then
      if o.isSentence then
        count = n - 1
      else
        logarithms = -math.huge
      end
      break
    end
    local precision = correct > 0 and correct / total or smoothers[o.smooth](total, state)
    logarithms = logarithms + math.log(100 * precision)
  end
  local penalty = sums.length >= sums.referenceLength and 1 or math.exp(1 - sums.referenceLength / sums.length)
  return penalty * math.exp(logarithms / count)
end

local values = { exp = 0, none = 0, floor = 0.1, ['add-k'] = 1 }

-- Complete options of a function.
local function optionsOf(where, options, isSentence)
  options = check.options(where, options, { 'tokenize', 'smooth', 'smoothValue', 'lowercase' })
  local smooth = check.choice(where, 'smooth', options.smooth or 'exp', { 'exp', 'floor', 'add-k', 'none' })
  return {
    tokenize = tokenizers[check.choice(where, 'tokenize', options.tokenize or '13a', { '13a', 'none' })], smooth = smooth,
    smoothValue = check.number(where, 'smoothValue', options.smoothValue or values[smooth], { min = 0 }),
    lower = check.flag(where, 'lowercase', options.lowercase), isSentence = isSentence,
  }
end

local function tokensOf(contents, o)
  contents = contents:match '^(.-)%s*$'
  return o.tokenize(o.lower and unicode.lower(contents) or contents)
end

local function compute(where, hypotheses, references, o)
  local texts, lists = scored(where, hypotheses, references)
  local sums = { length = 0, referenceLength = 0, correct = { 0, 0, 0, 0 }, total = { 0, 0, 0, 0 } }
  for i, hypothesis in ipairs(texts) do
    local tokens = {}
    for j, reference in ipairs(lists[i]) do tokens[j] = tokensOf(reference, o) end
    add(sums, tokensOf(hypothesis, o), tokens)
  end
  return score(sums, o)
end

--- Returns BLEU of translations, from 0 to 100: sacrebleu's corpus_bleu.
-- @tparam {string,...} hypotheses translations
-- @tparam {string|{string,...},...} references for each translation a reference, or several
-- @tparam[opt] table options
--
-- - `tokenize`: '13a', mteval's words and punctuation, or 'none', what is between white space ('13a')
-- - `smooth`: what counts for no match: 'exp', half as much each time, 'floor', 'add-k', 'none' ('exp')
-- - `smoothValue`: of 'floor' (0.1) and 'add-k' (1)
-- - `lowercase`: true ignores capitals
-- @treturn number
-- @raise if lists differ in length, or contain something else than texts
function bleu.bleu(hypotheses, references, options)
  local where = 'text.bleu'
  return compute(where, hypotheses, references, optionsOf(where, options, false))
end

--- Returns BLEU of one translation, from 0 to 100: sacrebleu's sentence_bleu, where sequences longer than the translation don't count.
-- @string hypothesis
-- @tparam string|{string,...} references
-- @tparam[opt] table options as of `bleu`
-- @treturn number
function bleu.sentenceBleu(hypothesis, references, options)
  local where = 'text.sentenceBleu'
  return compute(where, { hypothesis }, { references }, optionsOf(where, options, true))
end

return bleu
