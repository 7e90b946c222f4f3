-- Philox4x32-10: random numbers from a generator's seed, the count of its earlier draws, and an element's position.
local torch = require 'torch'

local floats = { 'Half', 'BFloat16', 'Float', 'Double' }

local function philox(seed)
  local generator = torch.Generator('philox')
  torch.manualSeed(generator, seed or 1)
  return generator
end

-- The words of the next block: of 64 bits, random returns the higher half, and uniform uses the highest 52.
local function words(generator)
  local state = torch.getRNGState(generator)
  local high = torch.LongTensor(2):random(generator, 0, 2 ^ 32 - 1)
  torch.setRNGState(generator, state)
  local whole = torch.DoubleTensor(2):uniform(generator)
  return { whole[1] * 2 ^ 32 % 1 * 2 ^ 20, high[1], whole[2] * 2 ^ 32 % 1 * 2 ^ 20, high[2] }
end

local function top20(word) return math.floor(word / 2 ^ 12) end

describe('a Philox generator', function()
  it("gives Random123's words for a counter and a key of 0", function()
    assert.same({ top20(0x6627e8d5), 0xe169c58d, top20(0xbc57ac4c), 0x9b00dbd8 }, words(philox(0)))
  end)

  it('draws one stream, whatever sizes it is asked for', function()
    for _, kind in ipairs { 'Float', 'Double' } do
      for _, draw in ipairs { 'uniform', 'normal', 'cauchy', 'logNormal', 'geometric', 'bernoulli', 'random' } do
        local whole, parts = torch[kind .. 'Tensor'](20000), torch[kind .. 'Tensor'](20000)
        local p = draw == 'geometric' and 0.25 or nil
        whole[draw](whole, philox(), p)
        local generator, first = philox(), 1
        for _, n in ipairs { 4, 8, 256, 4096, 1028, 14608 } do      -- of whole blocks
          local part = parts:narrow(1, first, n)
          part[draw](part, generator, p)
          first = first + n
        end
        assert.same(whole:totable(), parts:totable())
      end
    end
  end)

  it('gives the first n elements of more than n, and skips the rest of a block', function()
    for _, draw in ipairs { 'uniform', 'normal' } do
      local many = torch.FloatTensor(5000)
      many[draw](many, philox())
      for _, n in ipairs { 1, 2, 3, 5, 63, 1023, 1025, 4999 } do
        local few = torch.FloatTensor(n)
        few[draw](few, philox())
        assert.same(many:narrow(1, 1, n):totable(), few:totable())
      end
    end
    local generator, x = philox(), torch.FloatTensor(12)
    x:uniform(philox())
    torch.FloatTensor(5):uniform(generator)
    assert.equal(x[9], torch.FloatTensor(1):uniform(generator)[1])
  end)

  it('gives the same numbers for any number of threads', function()
    local threads = torch.getnumthreads()
    local function all(count)
      torch.setnumthreads(count)
      local generator, list = philox(), {}
      for _, kind in ipairs(floats) do
        local x = torch[kind .. 'Tensor'](70001)
        for _, draw in ipairs { 'uniform', 'normal', 'cauchy', 'logNormal' } do list[#list + 1] = x[draw](x, generator):clone() end
        list[#list + 1] = x:exponential(generator, 2):clone()
      end
      for _, kind in ipairs { 'Byte', 'Long', 'Double' } do
        local x = torch[kind .. 'Tensor'](70001)
        list[#list + 1] = x:geometric(generator, 0.25):clone()
        list[#list + 1] = x:bernoulli(generator, 0.25):clone()
        list[#list + 1] = x:random(generator, 100):clone()
      end
      list[#list + 1] = torch.randperm(generator, 70001)
      list[#list + 1] = torch.multinomial(generator, torch.range(1, 200):view(10, 20), 5)
      return list
    end
    local one, three = all(1), all(3)
    torch.setnumthreads(threads)
    for i, x in ipairs(one) do assert.is_true(torch.equal(x, three[i])) end
  end)

  it('is in row-major order, whatever the layout', function()
    local x, y = torch.rand(philox(), 3, 4), torch.DoubleTensor(4, 3):t()
    y:uniform(philox())
    assert.same(x:totable(), y:totable())
  end)

  it('fills and returns numbers alike', function()
    local generator = philox()
    local x = torch.DoubleTensor(1):normal(philox())[1]
    assert.equal(x, torch.normal(generator))
    assert.not_equal(x, torch.normal(generator))
  end)
end)

-- The largest distance between the values' distribution and F.
local function distance(x, F)
  local sorted, n, most = torch.sort(x:double()), x:nElement(), 0
  for i = 1, n do
    local f = F(sorted[i])
    most = math.max(most, i / n - f, f - (i - 1) / n)
  end
  return most
end

local function erf(x) return torch.erf(torch.DoubleTensor { x })[1] end
local function normal(x) return (1 + erf(x / math.sqrt(2))) / 2 end

describe("a Philox generator's values follow the distribution", function()
  -- Kolmogorov & Smirnov: above this with probability 1e-6.
  local n = 20000
  local limit = math.sqrt(math.log(2 / 1e-6) / (2 * n))
  local cases = {
    { 'uniform', { -1, 3 }, function(x) return math.min(math.max((x + 1) / 4, 0), 1) end },
    { 'normal', { 2, 0.5 }, function(x) return normal((x - 2) / 0.5) end },
    { 'logNormal', { 0.5, 0.75 }, function(x) return normal((math.log(x) - 0.5) / 0.75) end },
    { 'exponential', { 3 }, function(x) return 1 - math.exp(-3 * x) end },
    { 'cauchy', { 1, 2 }, function(x) return 0.5 + math.atan((x - 1) / 2) / math.pi end },
  }
  for _, case in ipairs(cases) do
    local name, parameters, F = unpack(case)
    it('of ' .. name, function()
      for k, kind in ipairs(floats) do
        local x = torch[kind .. 'Tensor'](n)
        x[name](x, philox(k), unpack(parameters))
        local rounding = kind == 'BFloat16' and 2 ^ -7 or kind == 'Half' and 2 ^ -10 or 0
        assert.is_true(distance(x, F) < limit + rounding)
      end
    end)
  end

  it('of pairs of normal values, which do not depend on each other', function()
    for _, kind in ipairs(floats) do
      local x = torch[kind .. 'Tensor'](2 * n):normal(philox(5)):double():view(n, 2)
      local a, b = x:select(2, 1), x:select(2, 2)
      assert.is_true(math.abs(a:dot(b)) / n < 5 / math.sqrt(n))
      assert.is_true(math.abs(torch.dot(torch.cmul(a, a), torch.cmul(b, b)) / n - 1) < 5 * math.sqrt(8 / n))
    end
  end)

  it('of geometric, bernoulli and random', function()
    for _, kind in ipairs { 'Int', 'Long', 'Half', 'Float', 'Double' } do
      local x = torch[kind .. 'Tensor'](n)
      -- Torch7's geometric: 1 + floor(log(1 - u) / log(p)), so that P(x > k) = p^k.
      x:geometric(philox(6), 0.75)
      for k = 1, 5 do assert.is_true(math.abs(x:gt(k):double():mean() - 0.75 ^ k) < 5 * math.sqrt(0.25 / n)) end
      for _, p in ipairs { 0, 1e-3, 0.3, 1 } do
        x:bernoulli(philox(7), p)
        assert.is_true(math.abs(x:double():mean() - p) <= 5 * math.sqrt(p * (1 - p) / n))
      end
      x:random(philox(8), -3, 2)
      for k = -3, 2 do assert.is_true(math.abs(x:eq(k):double():mean() - 1 / 6) < 5 * math.sqrt(5 / 36 / n)) end
    end
    local chances = torch.rand(philox(9), n)
    local x = torch.FloatTensor(n):bernoulli(philox(10), chances):double()
    assert.is_true(math.abs(x:dot(chances) / n - 1 / 3) < 5 / math.sqrt(n))
    assert.is_true(math.abs(x:mean() - 0.5) < 5 * 0.5 / math.sqrt(n))
  end)

  it('of randperm', function()
    for _, size in ipairs { 1, 2, 100, 5000 } do
      local order = torch.randperm(philox(size), size)
      assert.same(torch.range(1, size):totable(), torch.sort(order):totable())
    end
    local generator, counts = philox(11), {}
    for _ = 1, 6000 do
      local key = table.concat(torch.randperm(generator, 3):totable())
      counts[key] = (counts[key] or 0) + 1
    end
    for _, key in ipairs { '123', '132', '213', '231', '312', '321' } do assert.is_true(math.abs(counts[key] - 1000) < 5 * 29) end
  end)

  it('of multinomial', function()
    local weights = torch.DoubleTensor { 1, 0, 3, 4 }
    local drawn = torch.multinomial(philox(12), weights, n, true)
    for c = 1, 4 do assert.is_true(math.abs(drawn:eq(c):double():mean() - weights[c] / 8) < 5 * math.sqrt(0.25 / n)) end
    -- Without replacement the second is drawn by the weights that are left: P(3, 4) = 3/8 * 4/5.
    local pairs_ = torch.multinomial(philox(13), weights:view(1, 4):expand(n, 4), 2)
    local both = torch.cmul(pairs_:select(2, 1):eq(3):double(), pairs_:select(2, 2):eq(4):double()):mean()
    assert.is_true(math.abs(both - 0.3) < 5 * math.sqrt(0.25 / n))
    assert.same({ 1, 3, 4 }, torch.sort(torch.multinomial(philox(14), weights, 3)):totable())
    assert.error_matches(function() torch.multinomial(philox(), weights, 4) end, 'multinomial: n: 4')
  end)
end)

describe("a Philox generator's values", function()
  it('of uniform stay below 1, of 16-bit floats, too', function()
    for _, kind in ipairs(floats) do
      local x = torch[kind .. 'Tensor'](2 ^ 20):uniform(philox(15)):double()
      assert.is_true(x:max() < 1)
      assert.is_true(x:min() >= 0)
    end
  end)

  it('of random reach beyond 32 bits', function()
    local x = torch.LongTensor(1000):random(philox(16), 2 ^ 53):double()
    assert.is_true(x:max() > 2 ^ 52)
    assert.is_true(math.abs(x:mean() / 2 ^ 53 - 0.5) < 0.05)
  end)

  it('of a Mersenne twister are as they were', function()
    local generator = torch.Generator('mersenne')
    torch.manualSeed(generator, 123)
    assert.equal(2991312382, torch.random(generator))
  end)
end)

describe("a Philox generator's state", function()
  it('goes on where it was saved', function()
    local generator = philox(3)
    torch.rand(generator, 7)
    local state = torch.getRNGState(generator)
    assert.equal(24, state:nElement())
    local x = torch.rand(generator, 5)
    torch.setRNGState(generator, state)
    assert.same(x:totable(), torch.rand(generator, 5):totable())
    assert.equal(3, torch.initialSeed(generator))
  end)

  it('brings its kind', function()
    local generator = torch.Generator()
    local before = torch.getRNGState(generator)
    torch.setRNGState(generator, torch.getRNGState(philox(3)))
    assert.same(torch.rand(philox(3), 5):totable(), torch.rand(generator, 5):totable())
    torch.setRNGState(generator, before)
    assert.equal(5048, torch.getRNGState(generator):nElement())
  end)

  it('is what files have', function()
    local generator = philox(4)
    torch.rand(generator, 3)
    for _, mode in ipairs { 'binary', 'ascii' } do
      local file = torch.MemoryFile()
      file[mode](file)
      file:writeObject { generator, torch.Generator(), 'end' }
      file:seek(1)
      local back = file:readObject()
      assert.same(torch.getRNGState(generator):totable(), torch.getRNGState(back[1]):totable())
      assert.equal(5048, torch.getRNGState(back[2]):nElement())
      assert.equal('end', back[3])
    end
  end)

  it('is seeded by the system, and by hand', function()
    assert.not_equal(torch.initialSeed(torch.Generator('philox')), torch.initialSeed(torch.Generator('philox')))
    local generator = philox(5)
    local seed = torch.seed(generator)
    assert.equal(seed, torch.initialSeed(generator))
    assert.not_equal(5, seed)
  end)

  it('may be the state of torch itself', function()
    local before = torch._gen
    torch._gen = philox(21)
    local x = torch.rand(4)
    torch.manualSeed(21)
    assert.same(x:totable(), torch.rand(4):totable())
    assert.same(x:totable(), torch.rand(philox(21), 4):totable())
    torch._gen = before
  end)

  it('must be one', function()
    local generator = philox()
    assert.error_matches(function() torch.setRNGState(generator, torch.ByteTensor(24):fill(3)) end, 'setRNGState: state: these bytes')
    assert.error_matches(function() torch.setRNGState(generator, torch.ByteTensor(23)) end,
      'setRNGState: state: RNG state is wrong size: 23 bytes, expected 5048 of a Mersenne twister or 24 of a Philox')
    assert.error_matches(function() torch.Generator('xorshift') end, "Generator: kind: xorshift, expected 'mersenne' or 'philox'")
    assert.error_matches(function() torch.Generator({}) end, "Generator: kind: table, expected 'mersenne' or 'philox'")
  end)
end)
