--- Converts words to numbers, and counts pairs of successive words.
-- @module dataload.words
local torch = require 'torch'
local check = require 'torch.check'

local words = {}

local outOfVocabulary = '<OOV>'

--- Splits a text at separators; empty parts are left out.
-- @string text
-- @string[opt=':'] sep the separators: each character is one
-- @treturn {string,...}
function words.splitString(text, sep)
  text = check.text('dataload.splitString', 'text', text)
  sep = check.text('dataload.splitString', 'sep', sep or ':')
  check.that(#sep > 0, 'dataload.splitString: sep: an empty string, expected characters')
  local pieces = {}
  for piece in text:gmatch(('[^%s]+'):format((sep:gsub('%W', '%%%0')))) do pieces[#pieces + 1] = piece end
  return pieces
end

--- Numbers words in alphabetical order.
-- @tparam {string,...} tokens
-- @int[opt] minfreq less frequent words become '<OOV>', the last number
-- @treturn table number by word
-- @treturn {string,...} word by number
-- @treturn table frequency by word
function words.buildVocab(tokens, minfreq)
  check.table('dataload.buildVocab', 'tokens', tokens)
  minfreq = check.number('dataload.buildVocab', 'minfreq', minfreq or -1)
  local counts, kept, rare = {}, {}, 0
  for i = 1, #tokens do counts[tokens[i]] = (counts[tokens[i]] or 0) + 1 end
  for word, count in pairs(counts) do
    if count < minfreq then
      rare, counts[word] = rare + count, nil
    else
      kept[#kept + 1] = word
    end
  end
  table.sort(kept)
  if rare > 0 and not counts[outOfVocabulary] then kept[#kept + 1], counts[outOfVocabulary] = outOfVocabulary, rare end
  local vocab = {}
  for number, word in ipairs(kept) do vocab[word] = number end
  return vocab, kept, counts
end

--- Converts words to their numbers.
-- @tparam {string,...} tokens
-- @tparam table vocab number by word; the number of '<OOV>' is used for unknown words
-- @treturn torch.IntTensor
function words.text2tensor(tokens, vocab)
  check.table('dataload.text2tensor', 'tokens', tokens)
  check.table('dataload.text2tensor', 'vocab', vocab)
  local tensor, other = torch.IntTensor(#tokens), vocab[outOfVocabulary]
  for i = 1, #tokens do
    local number = vocab[tokens[i]] or other
    check.that(number, ('dataload.text2tensor: token %d: %q is not in the vocabulary, which has no %s'):format(i, tokens[i],
      outOfVocabulary))
    tensor[i] = number
  end
  return tensor
end

--- Finds the words that follow each word, and their probabilities.
-- @tparam dl.DataLoader loader of sequences, such as dl.SequenceLoader
-- @treturn table by number: `index`, a LongTensor of the words that follow, and `prob`, a FloatTensor of their probabilities
function words.buildBigrams(loader)
  check.that(type(loader) == 'table' and loader.subiter, 'dataload.buildBigrams: loader: expected a loader of sequences')
  local counts = {}
  for _, inputs, targets in loader:subiter(1, loader:size()) do
    local from, to = inputs:view(-1), targets:contiguous():view(-1)
    for i = 1, from:size(1) do
      local following = counts[from[i]] or {}
      counts[from[i]] = following
      following[to[i]] = (following[to[i]] or 0) + 1
    end
  end
  local bigrams = {}
  for word, following in pairs(counts) do
    local list = {}
    for next in pairs(following) do list[#list + 1] = next end
    table.sort(list)
    local prob = torch.FloatTensor(#list)
    for i, next in ipairs(list) do prob[i] = following[next] end
    bigrams[word] = { index = torch.LongTensor(list), prob = prob:div(prob:sum()) }
  end
  return bigrams
end

return words
