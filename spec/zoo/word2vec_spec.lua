-- Vectors of words: steps against the tape, what training finds, files of known bytes.
local torch, nn = require 'torch', require 'nn'
local zoo, word2vec, counting = require 'zoo', require 'zoo.word2vec', require 'zoo.word_counts'
local files = require 'spec.support.files'
local assertClose, relative = require('spec.support.close').assertClose, require('spec.support.close').relative

describe('a step of word2vec', function()
  it('follows the gradient of the logistic loss', function()
    local size, rate = 5, 0.1
    local hidden, outputs, change = torch.randn(size), torch.randn(4, size), torch.zeros(size)
    local x, w = hidden:clone():requiresGrad(), outputs:clone():requiresGrad()
    local products = torch.mv(w:index(1, torch.LongTensor { 3, 1, 4 }), x)
    local loss = nn.functional.binaryCrossEntropyWithLogits(products, torch.Tensor { 1, 0, 0 }, { reduction = 'sum' })
    loss:backward()
    local floats = outputs:float()
    word2vec.step(hidden:data(), floats:data(), { 2, 0, 3 }, size, rate, change:data())
    assertClose(x.grad * -rate, change, relative(1e-6))
    assertClose(w:detach() - w.grad * rate, floats:double(), { atol = 1e-6 })
  end)
end)

describe('zoo.trainWords', function()
  -- Each sentence has words of one group.
  local function groups(count)
    local sentences = {}
    for i = 1, count do
      local group, words = torch.random(0, 3), {}
      for j = 1, 8 do words[j] = ('w%d_%d'):format(group, torch.random(6)) end
      sentences[i] = words
    end
    return sentences
  end

  for _, model in ipairs { 'skipgram', 'cbow' } do
    it('finds words that occur together: ' .. model, function()
      local epochs = {}
      local words = zoo.trainWords(groups(800), {
        model = model, size = 10, sample = 0, epochs = 6, callback = function(epoch) epochs[#epochs + 1] = epoch end,
      })
      assert.same({ 1, 2, 3, 4, 5, 6 }, epochs)
      assert.same({ 24, 10 }, words.weight:size():totable())
      for _, word in ipairs(words.words) do
        for _, near in ipairs(words:nearest(word, 5)) do assert.equal(word:sub(1, 2), near.word:sub(1, 2)) end
      end
      assert.is_true(words:similarity('w1_1', 'w1_2') > 0.7 and words:similarity('w1_1', 'w2_2') < 0.7)
      assertClose(words:similarity('w1_1', 'w1_2'), words:similarity('w1_2', 'w1_1'), 1e-12)
    end)
  end

  it('is the same for the same seed, reads lines, leaves out rare words', function()
    local text = ('a b c a d\n\nb a c\n'):rep(3) .. 'rare a\n'
    local function weights()
      torch.manualSeed(3)
      return zoo.trainWords(text, { size = 3, minCount = 3, epochs = 1 })
    end
    local words = weights()
    assert.same({ 'a', 'b', 'c', 'd' }, words.words)
    assert.is_true(torch.equal(words.weight, weights().weight))
    assert.is_nil(words:place 'rare')
    assert.equal(2, words:place 'b')
  end)

  it('draws negative samples by counts ^ 0.75', function()
    local draw, shares = counting.uniforms(), { 16, 81, 1 }
    local sample = counting.noise({ 'a', 'b', 'c' }, { a = shares[1], b = shares[2], c = shares[3] }, draw)
    local counts = torch.zeros(3)
    for _ = 1, 20000 do
      local place = sample() + 1
      counts[place] = counts[place] + 1
    end
    assertClose(torch.Tensor { 8, 27, 1 } / 36, counts / 20000, { atol = 0.015 })
  end)

  it('says what is wrong with a call', function()
    for _, case in ipairs {
      { { 'a b a b' }, '0 words that occur 5 times, expected two or more' }, { { true }, 'sentences: true, expected a string' },
      { { { 'a' } }, "sentences%[1%]: 'a', expected a table" }, { { { { 1 } } }, 'sentences%[1%]: a number, expected words' },
      { { 'a', { model = 'glove' } }, 'model: ' }, { { 'a', { size = 0 } }, 'size: 0, expected' },
      { { 'a', { width = 3 } }, 'options: width, expected one of' },
    } do
      assert.error_matches(function() zoo.trainWords(unpack(case[1])) end, case[2])
    end
  end)
end)

describe('files of word vectors', function()
  local name, binary = os.tmpname(), os.tmpname() .. '.bin'
  teardown(function()
    os.remove(name)
    os.remove(binary)
  end)
  local expected = torch.FloatTensor { { 1, -2.5, 0 }, { 0.25, 1e-3, 7 } }

  local function check(words)
    assert.same({ 'the', 'Straße' }, words.words)
    assertClose(expected, words.weight, 0)
  end

  it('are read: text of word2vec and of GloVe, binary with and without ends of lines', function()
    for _, text in ipairs { '2 3\nthe 1 -2.5 0\nStraße 0.25 0.001 7\n', 'the 1 -2.5 0 \nStraße 0.25 1e-3 7' } do
      files.write(name, text)
      check(zoo.loadWords(name))
    end
    for _, stop in ipairs { '\n', '' } do
      files.write(binary, '2 3\nthe \0\0\128\63\0\0\32\192\0\0\0\0' .. stop .. 'Straße \0\0\128\62\111\18\131\58\0\0\224\64' .. stop)
      check(zoo.loadWords(binary))
      os.rename(binary, name)
      check(zoo.loadWords(name, { binary = true }))
    end
    files.write(name, 'a 1 2\nb 3 4\nc 5 6\n')
    assert.same({ 'a', 'b' }, zoo.loadWords(name, { limit = 2 }).words)
  end)

  it('have the numbers that were written', function()
    local words = zoo.trainWords(('a b c d\n'):rep(40), { size = 700 })
    for _, file in ipairs { name, binary } do
      words:save(file)
      local again = zoo.loadWords(file)
      assert.same(words.words, again.words)
      assert.is_true(torch.equal(words.weight, again.weight))
    end
  end)

  it('may be damaged', function()
    for _, case in ipairs {
      { name, 'a 1 2\nb 3\n', 'line 2: 1 numbers, expected 2' }, { name, '3 1\na 1\n', '1 words, expected 3' },
      { name, '', '0 words, expected one or more' }, { name, 'a 1 2\nb x y\n', 'line 2: 0 numbers, expected 2' },
      { binary, 'nothing', 'the first line, expected the numbers' },
      { binary, '2 3\nthe 123456789012', '2 words of 3 numbers in 20 bytes' },
      { binary, '1 1\n' .. ('x'):rep(5000) .. '   ', 'the end of the file in word 1 of 1' },
      { binary, '99999999999 99999999999\n', 'expected a longer file' },
    } do
      files.write(case[1], case[2])
      assert.error_matches(function() zoo.loadWords(case[1]) end, case[3])
    end
    assert.error_matches(function() zoo.loadWords '/no/such' end, 'zoo.loadWords: /no/such: No such file')
    files.write(name, 'a 1 2\n')
    local words = zoo.loadWords(name)
    assert.error_matches(function() words:save '/no/such/file' end, 'zoo.WordVectors: save: /no/such/file')
    assert.error_matches(function() words:vector 'x' end, 'vector: word: "x", expected one of 1 known words')
    assert.error_matches(function() words:nearest {} end, 'words: none')
  end)

  it('hold vectors whose directions are added and subtracted', function()
    files.write(name, 'king 1 1 0\nman 0 1 0\nwoman 0 0 1\nqueen 1 0 1\napple -1 0 0\n-x 0 1 1\n')
    local words = zoo.loadWords(name)
    assert.equal('queen', words:nearest({ 'king', '-man', 'woman' }, 1)[1].word)
    assert.equal('queen', words:nearest({ '-x', '-man' }, 3)[2].word)
    assert.equal(5, #words:nearest('king', 50))
    assertClose(math.sqrt(0.5), words:nearest('man', 1)[1].similarity, 1e-6)
  end)
end)
