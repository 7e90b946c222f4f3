--- Words as numbers, and how often one follows another.
-- @module dataload.words
local torch = require 'torch'
local check = require 'torch.check'

local words = {}

local outOfVocabulary = '<OOV>'

--- The pieces of a text between separators, without empty ones.
-- @string text
-- @string[opt=':'] sep characters, each of which separates
-- @treturn {string,...}
function words.splitString(text, sep)
  text = check.text('dataload.splitString', 'text', text)
  sep = check.text('dataload.splitString', 'sep', sep or ':')
  check.that(#sep > 0, 'dataload.splitString: sep: an empty string, expected characters')
  local pieces = {}
  for piece in text:gmatch(('[^%s]+'):format((sep:gsub('%W', '%%%0')))) do pieces[#pieces + 1] = piece end
  return pieces
end

--- Numbers words by the alphabet.
-- @tparam {string,...} tokens
-- @int[opt] minfreq words that come less often become '<OOV>', the last number
-- @treturn table number by word
-- @treturn {string,...} word by number
-- @treturn table how often each comes, by word
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

--- Numbers of words.
-- @tparam {string,...} tokens
-- @tparam table vocab number by word; its '<OOV>' stands for words that it has not
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

--- How likely one word is to follow another.
-- @tparam dl.DataLoader loader of sequences, such as dl.SequenceLoader
-- @treturn table by number: `index`, a LongTensor of the words that follow, and `prob`, a FloatTensor of how likely
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
