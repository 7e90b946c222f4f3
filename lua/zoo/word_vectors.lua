--- Vectors of words: similarities, neighbours, and the files of word2vec.
-- @module zoo.word_vectors
local torch, check = require 'torch', require 'torch.check'

local vectors = {}
local WordVectors = torch.class('zoo.WordVectors', {})

function WordVectors:__init(words, weight)
  self.words, self.weight, self.places = words, weight, {}
  for i, word in ipairs(words) do self.places[word] = i end
end

--- Returns the number of a word, from 1, or nil for an unknown one.
-- @string word
-- @treturn ?int
function WordVectors:place(word) return self.places[check.text('zoo.WordVectors: place', 'word', word)] end

--- Returns the vector of a word.
-- @string word
-- @treturn torch.FloatTensor (size), a part of `weight`
-- @raise if the word is unknown
function WordVectors:vector(word)
  local place = self:place(word)
  if not place then check.raise(('zoo.WordVectors: vector: word: %q, expected one of %d known words'):format(word, #self.words)) end
  return self.weight[place]
end

-- Returns the vectors with norm 1.
function WordVectors:directions()
  if not self.normal then self.normal = require('nn').functional.normalize(self.weight, { dim = 2 }) end
  return self.normal
end

--- Returns the cosine of two words' vectors, from -1 to 1.
-- @string a
-- @string b
-- @treturn number
function WordVectors:similarity(a, b)
  local x, y = self:vector(a), self:vector(b)
  return x:dot(y) / math.max(x:norm() * y:norm(), 1e-300)
end

--- Returns the words whose vectors have the smallest angles to another.
-- @tparam string|{string,...} words a word, or words whose directions are added up; a minus in front subtracts one:
-- {'king', '-man', 'woman'}
-- @int[opt=10] count
-- @treturn {{word=string, similarity=number},...} the closest first, without the given words
-- @raise if a word is unknown
function WordVectors:nearest(words, count)
  local where, sum, given = 'zoo.WordVectors: nearest', nil, {}
  count = check.int(where, 'count', count or 10, { min = 1 })
  for _, each in ipairs(type(words) == 'table' and words or { check.text(where, 'words', words) }) do
    local sign, word = 1, check.text(where, 'words', each)
    if not self.places[word] and word:sub(1, 1) == '-' then sign, word = -1, word:sub(2) end
    local x = self:vector(word)
    x = x / math.max(x:norm(), 1e-300) * sign
    sum, given[self.places[word]] = sum and sum + x or x, true
  end
  if not sum then check.raise(where .. ': words: none, expected one or more') end
  local similarities = torch.mv(self:directions(), sum / math.max(sum:norm(), 1e-300))
  local sorted, order = torch.sort(similarities, 1, true)
  local list = {}
  for i = 1, #self.words do
    if #list == count then break end
    if not given[order[i]] then list[#list + 1] = { word = self.words[order[i]], similarity = sorted[i] } end
  end
  return list
end

--- Writes a file of word2vec: a line with the number of words and the size, then each word and its numbers.
-- @string name
-- @tparam[opt] table options `binary`: numbers as 32-bit floats instead of text (true if the name ends in .bin)
-- @raise if the file can't be written
function WordVectors:save(name, options)
  require('zoo.word_files').save(name, self.words, self.weight, options)
end

function WordVectors:__tostring__() return ('zoo.WordVectors(%d words, %d numbers each)'):format(#self.words, self.weight:size(2)) end

--- Reads a file of word2vec or GloVe.
-- @string name
-- @tparam[opt] table options `binary` (true if the name ends in .bin); `limit`: only so many of the first words, which are the most
-- frequent ones
-- @treturn zoo.WordVectors
-- @raise if the file is damaged
-- @usage local words = zoo.loadWords 'GoogleNews-vectors-negative300.bin'
-- print(words:nearest({ 'king', '-man', 'woman' }, 1)[1].word)
function vectors.loadWords(name, options)
  local words, weight = require('zoo.word_files').load(name, options)
  return WordVectors.new(words, weight)
end

--- Makes an object of words and vectors.
-- @tparam {string,...} words
-- @tparam torch.FloatTensor weight (#words, size)
-- @treturn zoo.WordVectors
function vectors.of(words, weight) return WordVectors.new(words, weight) end

return vectors
