--- Words of texts, how often each occurs, and draws of them.
-- @module zoo.word_counts
local torch, check = require 'torch', require 'torch.check'

local counting = {}

--- Returns a function that draws numbers from 0 to 1, from torch's generator.
-- @treturn function
function counting.uniforms()
  local buffer, count = torch.DoubleTensor(4096), 4096
  local values, used = buffer:data(), count
  return function()
    if used == count then
      buffer:uniform()
      used = 0
    end
    used = used + 1
    return values[used - 1]
  end
end

--- Returns sentences as lists of words.
-- @string where for messages
-- @tparam string|table source a text, or lists of words
-- @treturn {{string,...},...}
function counting.sentences(where, source)
  if type(source) == 'table' then return source end
  local sentences = {}
  for line in check.text(where, 'sentences', source):gmatch '[^\n]+' do
    local words = {}
    for word in line:gmatch '%S+' do words[#words + 1] = word end
    sentences[#sentences + 1] = words
  end
  return sentences
end

--- Returns the words that occur often enough, the most frequent first, and how often each does.
-- @string where for messages
-- @tparam {{string,...},...} sentences
-- @int least
-- @treturn {string,...}
-- @treturn {[string]=int}
function counting.words(where, sentences, least)
  local counts, words = {}, {}
  for i, sentence in ipairs(sentences) do
    for _, word in ipairs(check.table(where, ('sentences[%d]'):format(i), sentence)) do
      if type(word) ~= 'string' then
        check.raise(('%s: sentences[%d]: a %s, expected words'):format(where, i, torch.type(word)))
      end
      counts[word] = (counts[word] or 0) + 1
    end
  end
  for word, count in pairs(counts) do
    if count >= least then words[#words + 1] = word end
  end
  table.sort(words, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a < b
  end)
  return words, counts
end

--- Returns a function that draws words from 0 on, with probabilities proportional to counts ^ 0.75.
-- @tparam {string,...} words
-- @tparam {[string]=int} counts
-- @func draw numbers from 0 to 1
-- @treturn function
-- @treturn torch.IntTensor which the function reads, and must be kept
function counting.noise(words, counts, draw)
  local sums, total = {}, 0
  for i, word in ipairs(words) do
    total = total + counts[word] ^ 0.75
    sums[i] = total
  end
  local table, word = torch.IntTensor(math.max(100000, 20 * #words)), 1
  local size = table:nElement()
  local places = table:data()
  for i = 0, size - 1 do
    while sums[word] < (i + 0.5) / size * total do word = word + 1 end
    places[i] = word - 1
  end
  return function() return places[math.floor(draw() * size)] end, table
end

return counting
