-- Bags of rows: long bags, threads, arguments that don't fit, uses of one row, and derivatives of the factors.
local torch, nn = require 'torch', require 'nn'
local F = nn.functional
local raises = assert.error_matches

-- The rows of a bag, as a matrix.
local function rowsOf(weight, list) return weight:index(1, torch.LongTensor(list)) end

describe('bags of rows:', function()
  it('sums of many rows are as exact as their parts', function()
    local count = 100000                                          -- in float32 one after another: the error grows to 1e-3 of the sum
    local weight, index = torch.FloatTensor { { 0.1 }, { 1 } }, torch.LongTensor(1, count):fill(1)
    local sum = torch.bagSum(weight, index, false)[1][1]
    assert.is_true(math.abs(sum / (weight[1][1] * count) - 1) < 1e-6)
    assert.is_true(math.abs(torch.bagSum(weight, index, true)[1][1] / weight[1][1] - 1) < 1e-6)
  end)

  for _, size in ipairs { 1, 3, 8, 70, 300 } do                   -- parts of a vector, vectors, several at a time
    for _, kind in ipairs { 'float', 'double', 'half' } do
      it(('%d columns of %s have the sums and maxima of their rows'):format(size, kind), function()
        local weight = torch.randn(50, size)[kind](torch.randn(50, size))
        local bags = { {}, {} }
        for i = 1, 130 do bags[1][i] = torch.random(50) end        -- more than two blocks
        for i = 1, 5 do bags[2][i] = torch.random(50) end
        local all = {}
        for _, bag in ipairs(bags) do for _, row in ipairs(bag) do all[#all + 1] = row end end
        local index, offsets = torch.LongTensor(all), torch.LongTensor { 1, 131, 131, 136 }     -- the second and the last are empty
        local order = { bags[1], {}, bags[2], {} }
        local sums, means = torch.bagSum(weight, index, false, 0, offsets), torch.bagSum(weight, index, true, 0, offsets)
        local most, from = torch.bagMax(weight, index, 0, offsets)
        for b, bag in ipairs(order) do
          if #bag == 0 then
            assert.equal(0, sums[b]:double():abs():max() + means[b]:double():abs():max() + most[b]:double():abs():max() + from[b]:max())
          else
            local rows = rowsOf(weight, bag):double()
            local tolerance = kind == 'double' and 1e-12 or kind == 'float' and 1e-5 or 2e-2
            assert.is_true((rows:sum(1):view(-1) - sums[b]:double()):abs():max() < tolerance * 10)
            assert.is_true((rows:mean(1):view(-1) - means[b]:double()):abs():max() < tolerance)
            assert.same(rows:max(1):view(-1):totable(), most[b]:double():totable())
            for c = 1, size do assert.equal(most[b]:double()[c], weight:double()[from[b][c]][c]) end
          end
        end
      end)
    end
  end

  it('results do not depend on the number of threads', function()
    local weight, index, g = torch.randn(300, 40):float(), torch.LongTensor(64, 20):random(300), torch.randn(64, 40):float()
    local function run()
      local most, rows = torch.bagMax(weight, index)
      return { torch.bagSum(weight, index, true), torch.bagSum_grad(g, { 300, 40 }, index, true, 7), most, rows }
    end
    local threads, list = torch.getnumthreads(), {}
    for n = 1, 3 do
      torch.setnumthreads(n)
      list[n] = run()
    end
    torch.setnumthreads(threads)
    for i = 1, 4 do
      assert.is_true(torch.equal(list[1][i], list[2][i]))
      assert.is_true(torch.equal(list[1][i], list[3][i]))
    end
    assert.equal(0, list[1][2][7]:abs():max())
  end)

  it('gradients of 16-bit floats are summed in float32', function()
    local g = torch.randn(4096, 1):fill(1):half()
    local gradient = torch.bagSum_grad(g, { 2, 1 }, torch.LongTensor(4096, 1):fill(2), false)
    assert.same({ { 0 }, { 4096 } }, gradient:double():totable())  -- float16 has no 2049
  end)

  it('refuses what does not fit, and writes nothing', function()
    local weight, index, out = torch.ones(3, 2), torch.LongTensor { { 1, 4 } }, torch.Tensor(1, 2):fill(7)
    local function sum(...) return torch.bagSum(...) end
    raises(function() sum(out, weight, index, false) end, 'bagSum: index: index out of range: position 4, expected 1%.%.3')
    raises(function() sum(out, weight, torch.LongTensor { { 0 } }, false) end,
      'bagSum: index: index out of range: position 0, expected 1%.%.3')
    assert.same({ { 7, 7 } }, out:totable())
    index = torch.LongTensor { 1, 2, 3 }
    raises(function() sum(weight, index, false) end, 'bagSum: index: %[3%], expected %(bags, length%) without offsets')
    raises(function() sum(weight, index:view(1, 3), false, 0, index) end, 'bagSum: index: %[1, 3%], expected a vector with offsets')
    raises(function() sum(weight, index, false, 0, torch.LongTensor { 1, 5 }) end, 'bagSum: offsets: 5 at place 2, expected 1%.%.4')
    raises(function() sum(weight, index, false, 0, torch.LongTensor { 0 }) end, 'bagSum: offsets: 0 at place 1, expected 1%.%.4')
    raises(function() sum(weight, index, false, 0, torch.LongTensor { { 1 } }) end, 'bagSum: offsets: %[1, 1%], expected a vector')
    raises(function() sum(weight, index, false, 0, torch.Tensor { 1 }) end,
      'bagSum: offsets: torch.DoubleTensor, expected torch.LongTensor')
    raises(function() sum(weight, index, false, 4, torch.LongTensor { 1 }) end, 'bagSum: padding: 4, expected a row from 1 to 3, or 0')
    raises(function() sum(weight, index, false, -1, torch.LongTensor { 1 }) end, 'bagSum: padding: %-1, expected a row from 1 to 3, or 0')
    raises(function() sum(weight, index:view(1, 3), false, 0, nil, torch.ones(2)) end, 'bagSum: factors: %[2%], expected %[3%]')
    raises(function() sum(weight, index:view(1, 3), true, 0, nil, torch.ones(3)) end,
      'bagSum: factors: a tensor, expected none with average')
    raises(function() sum(torch.ones(3), index:view(1, 3), false) end, 'bagSum: weight: %[3%], expected a matrix')
    raises(function() torch.bagSum_grad(torch.ones(1, 2), { 3, 2, 1 }, index:view(1, 3), false) end,
      'bagSum_grad: size: %[3, 2, 1%], expected the size of a matrix')
    raises(function() torch.bagSum_grad(torch.ones(2, 2), { 3, 2 }, index:view(1, 3), false) end,
      'bagSum_grad: g: %[2, 2%], expected %[1, 2%]')
  end)

  it('the last bag ends where the last offset says', function()
    local weight = torch.Tensor { { 1 }, { 10 }, { 100 } }
    local y = F.embeddingBag(torch.LongTensor { 1, 2, 3, 3 }, weight, torch.LongTensor { 1, 2, 4 },
      { mode = 'sum', includeLastOffset = true })
    assert.same({ { 1 }, { 110 } }, y:totable())
    y = F.embeddingBag(torch.LongTensor { 1, 2, 3 }, weight, torch.LongTensor { 1, 3 },
      { mode = 'sum', includeLastOffset = true, perSampleWeights = torch.Tensor { 2, 3, 5 } })
    assert.same({ { 32 } }, y:totable())
    y = F.embeddingBag(torch.LongTensor(0), weight, torch.LongTensor { 1 }, { includeLastOffset = true })
    assert.same({ 0, 1 }, y:size():totable())
  end)

  it('says in its own words which position is out of range', function()
    for mode in ('sum mean max'):gmatch '%a+' do
      raises(function() F.embeddingBag(torch.LongTensor { { 1, 1 }, { 3, 1 } }, torch.ones(2, 2), { mode = mode }) end,
        'nn%.functional%.embeddingBag: input: position out of range: 3 at place 3, expected 1%.%.2')
    end
    raises(function() F.embeddingBag(torch.LongTensor { { 1 } }, torch.ones(2, 2), { paddingIdx = 3 }) end,
      'padding: 3, expected a row from 1 to 2')
  end)

  for mode in ('sum mean max'):gmatch '%a+' do
    it('divides gradients of rows by the number of their uses, and leaves those of padding out: ' .. mode, function()
      local weight = torch.Tensor { { 1 }, { 2 }, { 4 } }:requiresGrad()
      local index = torch.LongTensor { { 1, 2, 2 }, { 3, 2, 3 } }
      F.embeddingBag(index, weight, { mode = mode, scaleGradByFreq = true, paddingIdx = 3 }):sum():backward()
      -- Row 2 has three uses; the first bag has three rows, the second has one, and the maxima are two uses of row 2.
      local expected = { sum = { 1, 1, 0 }, mean = { 1 / 3, 5 / 9, 0 }, max = { 0, 2 / 3, 0 } }
      for i = 1, 3 do assert.is_true(math.abs(weight.grad[i][1] - expected[mode][i]) < 1e-12) end
    end)
  end

  it('maxNorm limits the used rows only', function()
    local weight = torch.Tensor { { 3, 4 }, { 0.3, 0.4 }, { 6, 8 } }
    F.embeddingBag(torch.LongTensor { { 1, 2 } }, weight, { maxNorm = 1 })
    assert.is_true(math.abs(weight[1]:norm() - 1) < 1e-6)
    assert.same({ { 0.3, 0.4 }, { 6, 8 } }, weight:narrow(1, 2, 2):totable())
  end)

  it('positions before the first offset have no bag, in derivatives by factors either', function()
    local weight, index, offsets = torch.Tensor { { 1 }, { 10 } }, torch.LongTensor { 2, 1, 2, 2 }, torch.LongTensor { 2, 4 }
    local factors = torch.Tensor { 5, 1, 2, 3 }:requiresGrad()
    local y = torch.bagSum(weight, index, false, 0, offsets, factors)
    assert.same({ { 21 }, { 30 } }, y:totable())
    y:backward(torch.Tensor { { 1 }, { 2 } })
    assert.same({ 0, 1, 10, 20 }, factors.grad:totable())
  end)

  it('a network without positions has a gradient of zeros', function()
    for mode in ('sum mean max'):gmatch '%a+' do
      local bag = nn.EmbeddingBag(3, 2, { mode = mode })
      bag.weight:requiresGrad()
      local y = bag(torch.LongTensor(2, 0))
      assert.same({ { 0, 0 }, { 0, 0 } }, y:totable())
      y:sum():backward()
      assert.equal(0, bag.weight.grad:abs():max())
    end
  end)
end)

describe('nn.EmbeddingBag with sparse gradients', function()
  local inputs = {
    torch.LongTensor { { 1, 3, 3 }, { 7, 1, 2 } }, { torch.LongTensor { 1, 3, 7, 3, 1 }, torch.LongTensor { 1, 3, 3 } },
    { torch.LongTensor { 3, 3 }, torch.LongTensor { 1 } }, torch.LongTensor(0, 3),
  }
  for _, mode in ipairs { 'sum', 'mean' } do
    it('has the rows that were used, as the dense ones: ' .. mode, function()
      local all = { paddingIdx = 1, scaleGradByFreq = true, maxNorm = 1 }
      for _, options in ipairs { {}, { paddingIdx = 3 }, { scaleGradByFreq = true }, all } do
        options.mode = mode
        options.sparse = false
        local dense = nn.EmbeddingBag(10, 4, options)
        options.sparse = true
        local rows = nn.EmbeddingBag(10, 4, options)
        rows.weight:copy(dense.weight)
        for i, input in ipairs(inputs) do
          for _, net in ipairs { dense, rows } do
            net:requiresGrad()
            net.weight.grad = nil
            torch.sum(torch.pow(net(input), 2)):backward()
          end
          if i < 4 then assert.equal('torch.RowGradient', torch.typename(rows.weight.grad)) end
          local expected, actual = dense.weight.grad, rows.weight.grad
          actual = actual and torch.typename(actual) == 'torch.RowGradient' and actual:toDense() or actual
          if expected and actual then assert.is_true((expected - actual):abs():max() < 1e-13) end
          assert.is_true(torch.equal(dense(input):detach(), rows(input):detach()))
        end
      end
    end)
  end

  it('has factors of samples with gradients, and refuses mode max', function()
    local weight, factors = torch.randn(5, 2):requiresGrad(), torch.rand(2, 3):requiresGrad()
    local input = torch.LongTensor { { 1, 2, 5 }, { 5, 5, 3 } }
    local function pass(sparse)
      weight.grad, factors.grad = nil, nil
      local bags = nn.functional.embeddingBag(input, weight, { mode = 'sum', perSampleWeights = factors, sparse = sparse })
      torch.sum(torch.pow(bags, 2)):backward()
      local g = weight.grad
      return torch.typename(g) == 'torch.RowGradient' and g:toDense() or g, factors.grad
    end
    local w, f = pass(false)
    local rows, own = pass(true)
    assert.is_true((w - rows):abs():max() < 1e-13 and (f - own):abs():max() < 1e-13)
    assert.error_matches(function() nn.functional.embeddingBag(input, weight, { mode = 'max', sparse = true }) end,
      "sparse: true, expected false with mode 'max'")
  end)
end)
