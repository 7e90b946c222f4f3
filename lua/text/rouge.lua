--- ROUGE: how much of references summaries contain.
-- Source: Lin (2004), "ROUGE: A Package for Automatic Evaluation of Summaries", ACL workshop Text Summarization Branches Out; words and
-- summaries of several sentences as in Google's rouge-score.
-- @module text.rouge
local check = require 'torch.check'
local porter, scored, unicode = require 'text.porter', require 'text.scored', require 'text.unicode'

local rouge = {}

local function words(contents)
  local list = {}
  for word in unicode.lower(contents):gmatch '[a-z0-9]+' do list[#list + 1] = word end
  return list
end

local leastStemmed = 4      -- letters, as in rouge-score

local function stems(contents)
  local list = words(contents)
  for i, word in ipairs(list) do
    if #word >= leastStemmed then list[i] = porter.stem(word) end
  end
  return list
end

local function sentences(contents, split)
  local list = {}
  for line in contents:gmatch '[^\n]+' do list[#list + 1] = split(line) end
  return list
end

-- Returns the scores of a number of hits.
local function scores(hits, referenceLength, hypothesisLength)
  local recall = referenceLength > 0 and hits / referenceLength or 0
  local precision = hypothesisLength > 0 and hits / hypothesisLength or 0
  local sum = precision + recall
  return { precision = precision, recall = recall, f1 = sum > 0 and 2 * precision * recall / sum or 0 }
end

local function counts(list, n)
  local found, total = {}, 0
  for i = 1, #list - n + 1 do
    local key = table.concat(list, ' ', i, i + n - 1)
    found[key], total = (found[key] or 0) + 1, total + 1
  end
  return found, total
end

-- Sequences of n words that both have.
local function sequences(n)
  return function(reference, hypothesis, split)
    local known, length = counts(split(reference), n)
    local found, own = counts(split(hypothesis), n)
    local hits = 0
    for key, count in pairs(found) do hits = hits + math.min(count, known[key] or 0) end
    return scores(hits, length, own)
  end
end

-- The lengths of the longest common subsequences of the first i and j words: rows of i, from 0.
local function subsequences(a, b)
  local rows = { [0] = {} }
  for j = 0, #b do rows[0][j] = 0 end
  for i = 1, #a do
    local row, above = { [0] = 0 }, rows[i - 1]
    for j = 1, #b do row[j] = a[i] == b[j] and above[j - 1] + 1 or math.max(above[j], row[j - 1]) end
    rows[i] = row
  end
  return rows
end

local function longest(reference, hypothesis, split)
  local a, b = split(reference), split(hypothesis)
  return scores(subsequences(a, b)[#a][#b], #a, #b)
end

-- Marks the places of a sentence's words that are in a longest common subsequence with another one.
local function mark(places, a, b)
  local rows, i, j = subsequences(a, b), #a, #b
  while i > 0 and j > 0 do
    if a[i] == b[j] then
      places[i] = true
      i, j = i - 1, j - 1
    elseif rows[i][j - 1] > rows[i - 1][j] then
      j = j - 1
    else
      i = i - 1
    end
  end
end

local function wordCounts(list)
  local found, total = {}, 0
  for _, sentence in ipairs(list) do
    for _, word in ipairs(sentence) do found[word], total = (found[word] or 0) + 1, total + 1 end
  end
  return found, total
end

-- For each sentence of the reference, its words in the longest common subsequences with all sentences of the summary; no word counts more
-- often than the summary has it.
local function union(reference, hypothesis, split)
  local expected, own = sentences(reference, split), sentences(hypothesis, split)
  local _, length = wordCounts(expected)
  local there, ownLength = wordCounts(own)
  local hits = 0
  for _, sentence in ipairs(expected) do
    local places = {}
    for _, other in ipairs(own) do mark(places, sentence, other) end
    for i, word in ipairs(sentence) do
      if places[i] and (there[word] or 0) > 0 then
        hits, there[word] = hits + 1, there[word] - 1
      end
    end
  end
  return scores(hits, length, ownLength)
end

local kinds = { rouge1 = sequences(1), rouge2 = sequences(2), rougeL = longest, rougeLsum = union }

-- The scores by the reference with the best f1.
local function best(score, hypothesis, references, split)
  local found
  for _, reference in ipairs(references) do
    local each = score(reference, hypothesis, split)
    if not found or each.f1 > found.f1 then found = each end
  end
  return found
end

--- Returns ROUGE of summaries, by kind: `rouge1` and `rouge2` of words and pairs of words, `rougeL` of the longest common subsequence, and
-- `rougeLsum` of that between sentences, which are lines. Words are runs of letters and digits of ASCII, in small letters.
-- @tparam string|{string,...} hypotheses summaries
-- @tparam string|{string|{string,...},...} references one of each summary, or several: that with the best f1 counts
-- @tparam[opt] table options `stem`: whether words of four letters and more lose their English endings, by Porter's rules (false)
-- @treturn table `rouge1`, `rouge2`, `rougeL`, `rougeLsum`: each has `precision`, `recall` and `f1`, from 0 to 1, means over the summaries
-- @raise if lists differ in length, are empty, or contain something else than texts
function rouge.rouge(hypotheses, references, options)
  local where = 'text.rouge'
  if type(hypotheses) == 'string' then hypotheses, references = { hypotheses }, { references } end
  options = check.options(where, options, { 'stem' })
  local split = check.flag(where, 'stem', options.stem) and stems or words
  local summaries, lists = scored(where, hypotheses, references)
  local result = {}
  for kind, score in pairs(kinds) do
    local means = { precision = 0, recall = 0, f1 = 0 }
    for i, hypothesis in ipairs(summaries) do
      for name, value in pairs(best(score, hypothesis, lists[i], split)) do means[name] = means[name] + value / #hypotheses end
    end
    result[kind] = means
  end
  return result
end

return rouge
