--- Word2vec: vectors of words from the words around them, by skip-grams or by bags of words, with negative samples.
-- Source: Mikolov et al. (2013), "Efficient Estimation of Word Representations in Vector Space", ICLR workshop, sections 3.1 and 3.2;
-- Mikolov et al. (2013), "Distributed Representations of Words and Phrases and their Compositionality", NIPS, sections 2.2 (equation 4)
-- and 2.3.
-- Steps are those of gradient descent on single examples, in loops over elements, since each touches only a few rows.
-- @module zoo.word2vec
local torch, check = require 'torch', require 'torch.check'
local vectors, counting = require 'zoo.word_vectors', require 'zoo.word_counts'

local word2vec = {}
local where = 'zoo.trainWords'
local names = { 'model', 'size', 'window', 'negative', 'minCount', 'epochs', 'learningRate', 'sample', 'callback' }

--- Makes a step for one example: the product of `hidden` and the rows of outputs is large for the first row, small for the others.
-- @tparam cdata hidden (size) numbers
-- @tparam cdata outputs matrix with rows of `size` numbers
-- @tparam {int,...} rows places in outputs, from 0
-- @int size
-- @number rate of learning
-- @tparam cdata change where the step of hidden is added
function word2vec.step(hidden, outputs, rows, size, rate, change)
  for k = 1, #rows do
    local row, product = outputs + rows[k] * size, 0
    for d = 0, size - 1 do product = product + hidden[d] * row[d] end
    local g = rate * ((k == 1 and 1 or 0) - 1 / (1 + math.exp(-product)))
    for d = 0, size - 1 do
      change[d] = change[d] + g * row[d]
      row[d] = row[d] + g * hidden[d]
    end
  end
end

-- Trains on one sentence, a list of words from 0 on. `places` are the words that the hidden vector is the mean of.
local function learn(state, sentence, rate)
  local size, inputs, hidden, change = state.size, state.inputs, state.hidden, state.change
  local function example(places, word)
    local rows, count = { word }, #places
    for _ = 1, state.negative do
      local other = state.noise()
      if other ~= word then rows[#rows + 1] = other end
    end
    for d = 0, size - 1 do hidden[d], change[d] = 0, 0 end
    for i = 1, count do
      local row = inputs + places[i] * size
      for d = 0, size - 1 do hidden[d] = hidden[d] + row[d] / count end
    end
    word2vec.step(hidden, state.outputs, rows, size, rate, change)
    for i = 1, count do      -- each gets the whole step, as in the authors' program
      local row = inputs + places[i] * size
      for d = 0, size - 1 do row[d] = row[d] + change[d] end
    end
  end
  for i, word in ipairs(sentence) do
    local reach, around = 1 + math.floor(state.draw() * state.window), {}
    for j = math.max(1, i - reach), math.min(#sentence, i + reach) do
      if j ~= i then around[#around + 1] = sentence[j] end
    end
    if state.isBag then
      if #around > 0 then example(around, word) end
    else
      for _, other in ipairs(around) do example({ other }, word) end
    end
  end
end

local function optionsOf(given)
  local o = {}
  for key, value in pairs(check.options(where, given, names)) do o[key] = value end
  o.model = check.choice(where, 'model', o.model or 'skipgram', { 'skipgram', 'cbow' })
  for name, default in pairs { size = 100, window = 5, negative = 5, minCount = 5, epochs = 5 } do
    o[name] = check.int(where, name, o[name] or default, { min = 1 })
  end
  o.learningRate = check.number(where, 'learningRate', o.learningRate or (o.model == 'cbow' and 0.05 or 0.025), { min = 0 })
  o.sample = check.number(where, 'sample', o.sample or 1e-3, { min = 0 })
  if o.callback then check.callable(where, 'callback', o.callback) end
  return o
end

--- Learns vectors of words from texts.
-- @tparam string|{{string,...},...} sentences lists of words; or a text, of which each line is a sentence, and blanks separate words
-- @tparam[opt] table options `model`: 'skipgram' or 'cbow' ('skipgram'); `size` of vectors (100); `window`: words on each side (5);
-- `negative` samples for each example (5); `minCount`: rarer words are left out (5); `epochs` (5); `learningRate` (0.025, or 0.05 for
-- 'cbow'), which falls to 0; `sample`: words more frequent than this are left out at random (1e-3; 0: none); `callback(epoch)`
-- @treturn zoo.WordVectors the most frequent word first
-- @raise if options are out of range, or no word occurs often enough
-- @usage local words = zoo.trainWords(text, { size = 50, model = 'cbow' })
function word2vec.trainWords(sentences, options)
  local o = optionsOf(options)
  sentences = counting.sentences(where, sentences)
  local words, counts = counting.words(where, sentences, o.minCount)
  check.that(#words > 1, ('%s: sentences: %d words that occur %d times, expected two or more'):format(where, #words, o.minCount))
  local draw, places, total = counting.uniforms(), {}, 0
  for i, word in ipairs(words) do places[word], total = i - 1, total + counts[word] end
  local weight = torch.FloatTensor(#words, o.size):uniform(-0.5 / o.size, 0.5 / o.size)
  local outputs, hidden, change = torch.FloatTensor(#words, o.size):zero(), torch.DoubleTensor(o.size), torch.DoubleTensor(o.size)
  local noise, noiseTable = counting.noise(words, counts, draw)
  local state = {
    size = o.size, window = o.window, negative = o.negative, isBag = o.model == 'cbow', draw = draw, noise = noise, table = noiseTable,
    inputs = weight:data(), outputs = outputs:data(), hidden = hidden:data(), change = change:data(),
  }
  local done = 0
  for epoch = 1, o.epochs do
    for _, sentence in ipairs(sentences) do
      local kept = {}
      for _, word in ipairs(sentence) do
        if places[word] then
          local share = o.sample > 0 and o.sample * total / counts[word] or 1
          if share >= 1 or draw() < math.sqrt(share) + share then kept[#kept + 1] = places[word] end
          done = done + 1
        end
      end
      learn(state, kept, o.learningRate * math.max(1e-4, 1 - done / (o.epochs * total)))
    end
    if o.callback then o.callback(epoch) end
  end
  return vectors.of(words, weight)
end

return word2vec
