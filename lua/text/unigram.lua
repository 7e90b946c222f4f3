--- Unigram: the tokens of a word that have the largest sum of logarithms of probabilities, by Viterbi's algorithm.
-- Source: Kudo (2018), "Subword Regularization", ACL, section 3.1; ties and unknown characters as in the package tokenizers.
-- @module text.unigram
local check = require 'torch.check'
local unicode = require 'text.unicode'

local penalty = 10             -- by which an unknown character is less likely than the rarest token
local remembered = 50000       -- words whose tokens are kept

-- Scores by token, and the bytes of the longest token that begins with a byte.
local function readVocabulary(where, vocab)
  local ids, scores, longest, least = {}, {}, {}, math.huge
  for i, entry in ipairs(vocab) do
    local token, score = entry[1], entry[2]
    check.that(type(token) == 'string' and type(score) == 'number',
      ('%s: vocab: entry %d, expected a token and the logarithm of its probability'):format(where, i))
    ids[token], scores[token] = i - 1, score
    local first = token:byte() or 0
    longest[first] = math.max(longest[first] or 0, #token)
    least = math.min(least, score)
  end
  return ids, scores, longest, least
end

--- Returns a function of words, each a list of ids from 0.
-- @string where the start of messages
-- @tparam table model of tokenizer.json: `vocab`, a list of tokens and scores; `unk_id`, `byte_fallback`
return function(where, model)
  local ids, scores, longest, least = readVocabulary(where, model.vocab)
  local unknown = model.unk_id
  check.that(unknown == nil or type(unknown) == 'number' and model.vocab[unknown + 1],
    ('%s: unk_id: %s, expected the id of a token'):format(where, tostring(unknown)))
  local unknownScore = least - penalty

  -- For each place behind a character: where the last token of the best path begins, and whether it is unknown.
  local function bestPath(word)
    local sums, begins, isUnknown = { [0] = 0 }, {}, {}
    for after, _, place in unicode.each(word) do
      local sum, isSingle = sums[place - 1], false
      for stop = place, math.min(#word, place - 1 + (longest[word:byte(place)] or 0)) do
        local score = scores[word:sub(place, stop)]
        if score then
          local candidate = sum + score
          if not begins[stop] or candidate > sums[stop] then
            sums[stop], begins[stop], isUnknown[stop] = candidate, place, false
          end
          isSingle = isSingle or stop == after - 1
        end
      end
      local candidate, stop = sum + unknownScore, after - 1
      if not isSingle and (not begins[stop] or candidate > sums[stop]) then
        check.that(unknown, ("%s: unk_id: none, expected one for the text '%s', of which there is no token"):format(where, word))
        sums[stop], begins[stop], isUnknown[stop] = candidate, place, true
      end
    end
    return begins, isUnknown
  end

  -- Adds ids of an unknown part, the last first.
  local function addUnknown(list, part)
    local bytes = {}
    for i = 1, model.byte_fallback and #part or 0 do bytes[i] = ids[('<0x%02X>'):format(part:byte(i))] or nil end
    if #bytes < #part then bytes = { ids[part] or unknown } end
    for i = #bytes, 1, -1 do list[#list + 1] = bytes[i] end
  end

  local function tokenize(word)
    local begins, isUnknown = bestPath(word)
    local list, stop, unknownEnd = {}, #word, nil
    while stop > 0 do
      local begin = begins[stop]
      if isUnknown[stop] then
        unknownEnd = unknownEnd or stop
      else
        if unknownEnd then addUnknown(list, word:sub(stop + 1, unknownEnd)) end
        unknownEnd = nil
        list[#list + 1] = ids[word:sub(begin, stop)]
      end
      stop = begin - 1
    end
    if unknownEnd then addUnknown(list, word:sub(1, unknownEnd)) end
    for i = 1, math.floor(#list / 2) do list[i], list[#list + 1 - i] = list[#list + 1 - i], list[i] end
    return list
  end

  local known, knownCount = {}, 0
  return function(word)
    local list = known[word]
    if list then return list end
    list = tokenize(word)
    if knownCount >= remembered then known, knownCount = {}, 0 end
    known[word], knownCount = list, knownCount + 1
    return list
  end
end
