-- Random numbers: Torch7's streams, to the bit.
local torch = require 'torch'

local function list(t)
  local values, flat = {}, t:view(-1)
  for i = 1, t:nElement() do values[i] = flat[i] end
  return values
end

-- The values in a comment of Torch7's documents are printed with 17 digits: they name one double.
local function after(seed, f)
  torch.manualSeed(seed)
  return f()
end

describe('seed', function()
  it('takes no seed of the caller, who means manualSeed', function()
    assert.error_matches(function() torch.seed(3) end, 'seed: arguments: number, expected none: manualSeed takes a seed')
    assert.equal('number', type(torch.seed(torch.Generator())))
  end)
end)

describe('the generator after manualSeed(123) gives what Torch7 gave', function()
  before_each(function() torch.manualSeed(123) end)

  it('for random', function()
    assert.same({ 2991312382, 3062119789, 1228959102 }, { torch.random(), torch.random(), torch.random() })
    torch.manualSeed(123)
    assert.same({ 3, 10, 3 }, { torch.random(10), torch.random(10), torch.random(10) })
    torch.manualSeed(123)
    assert.same({ 7, 6, 7 }, { torch.random(5, 8), torch.random(5, 8), torch.random(5, 8) })
  end)

  it('for uniform', function()
    assert.same({ 0.69646918727084994, 0.42591064283624291 }, { torch.uniform(), torch.uniform(-1, 1) })
  end)

  it('for normal, whose second value of a pair is kept', function()
    assert.same({ -0.52144306271244167, -2.4742583079446225, -0.23812953316813365 }, { torch.normal(), torch.normal(2, 3), torch.normal() })
  end)

  it('for rand and randn', function()
    assert.same({ -0.52144306271244167, -1.4914194359815409, -0.23812953316813365, 1.0306183433272835 }, list(torch.randn(4)))
    torch.manualSeed(123)
    assert.same({ 0.69646918727084994, 0.71295532141812146, 0.28613933874294162 }, list(torch.rand(3)))
  end)

  it('for exponential, cauchy, logNormal and geometric', function()
    assert.equal(0.59613607449643169, torch.exponential(2))
    assert.equal(0.70972969302555899, after(123, torch.cauchy))
    assert.equal(0.95802047803062884, after(123, torch.logNormal))
    torch.manualSeed(123)
    assert.same({ 2, 2, 4 }, { torch.geometric(.5), torch.geometric(.5), torch.geometric(.9) })
  end)

  it('for randperm and multinomial', function()
    assert.same({ 7, 3, 2, 4, 5, 8, 1, 6 }, list(torch.randperm(8)))
    torch.manualSeed(123)
    local p = torch.DoubleTensor { 1, 2, 3, 4 }
    assert.same({ 4, 3, 1 }, list(torch.multinomial(p, 3)))
    assert.same({ 3, 2, 4, 3, 4 }, list(torch.multinomial(p, 5, true)))
  end)

  it('for tensors of integers and floats', function()
    assert.same({ 5, 4, 3, 8, 6 }, list(torch.IntTensor(5):random(3, 9)))
    torch.manualSeed(123)
    assert.same({ 254, 109, 126, 66 }, list(torch.ByteTensor(4):random()))
    torch.manualSeed(123)
    assert.same({ 4967756, 8666295, 4222261, 11551957 }, list(torch.FloatTensor(4):random()))
  end)
end)

describe('filling a tensor', function()
  it('draws as single calls do, whatever its size', function()
    for _, n in ipairs { 1, 2, 3, 624, 625, 70001 } do
      local values = after(7, function() return torch.randn(n) end)
      local same = after(7, function()
        for i = 1, n do
          if values[i] ~= torch.normal() then return false end
        end
        return true
      end)
      assert.is_true(same)
      assert.equal(torch.uniform(), after(7, function()
        torch.randn(n)
        return torch.uniform()
      end))
    end
  end)

  it('takes remainders of draws by any count, and compares draws with any chance', function()
    local n = 1000
    local draws = after(5, function() return torch.LongTensor(n):random(0, 2 ^ 32 - 1) end)
    for _, count in ipairs { 1, 2, 3, 10, 255, 65537, 2 ^ 31 - 1, 2 ^ 31, 2 ^ 31 + 1, 2 ^ 32 - 1, 2 ^ 32 } do
      local values = after(5, function() return torch.LongTensor(n):random(-7, count - 8) end)
      for i = 1, n do assert.equal(draws[i] % count - 7, values[i]) end
    end
    local median = torch.median(draws)[1]
    for _, chance in ipairs { 0, 2 ^ -40, 0.25, median * 2 ^ -32, (median - 0.5) * 2 ^ -32, 1 - 2 ^ -40, 1 } do
      local values = after(5, function() return torch.FloatTensor(n):bernoulli(chance) end)
      for i = 1, n do assert.equal(draws[i] * 2 ^ -32 <= chance and 1 or 0, values[i]) end
    end
  end)

  it('goes on with the kept value of a pair', function()
    local expected = after(3, function() return list(torch.randn(6)) end)
    local values = after(3, function()
      local first = torch.normal()
      local rest = list(torch.randn(5))
      table.insert(rest, 1, first)
      return rest
    end)
    assert.same(expected, values)
  end)

  it('is in row-major order, whatever the layout', function()
    local x = after(5, function() return torch.rand(3, 4) end)
    local y = torch.DoubleTensor(4, 3):t()
    after(5, function() y:uniform() end)
    assert.same(list(x), list(y:contiguous()))
  end)

  it('rounds doubles for other floats', function()
    local x = after(5, function() return torch.randn(1001) end)
    local y = after(5, function() return torch.randn(1001, 'torch.FloatTensor') end)
    assert.same(list(x:float()), list(y))
  end)

  it('gives the same values for any number of threads', function()
    local threads = torch.getnumthreads()
    local one = after(5, function() torch.setnumthreads(1) return torch.randn(140001) end)
    local two = after(5, function() torch.setnumthreads(2) return torch.randn(140001) end)
    torch.setnumthreads(threads)
    assert.same(list(one), list(two))
  end)

  it('takes probabilities from a tensor', function()
    assert.same({ 1, 0, 1 }, list(torch.ByteTensor(3):bernoulli(torch.DoubleTensor { 1, 0, 1 })))
    assert.has_error(function() torch.ByteTensor(3):bernoulli(torch.DoubleTensor { 1, 0 }) end)
    assert.has_error(function() torch.ByteTensor(3):bernoulli(2) end)
  end)

  it('of one element returns the tensor', function() assert.is_true(torch.isTensor(torch.DoubleTensor(1):uniform())) end)
end)

describe('a generator of its own', function()
  it('comes first, and leaves the shared one alone', function()
    local own = torch.Generator()
    torch.manualSeed(own, 123)
    torch.manualSeed(1)
    local shared = torch.uniform()
    torch.manualSeed(1)
    assert.equal(0.69646918727084994, torch.uniform(own, 0, 1))
    assert.equal(shared, torch.uniform())
    torch.manualSeed(own, 123)
    assert.same({ 0.69646918727084994, 0.71295532141812146 }, list(torch.rand(own, 2)))
    assert.same({ 3, 1 }, (function()
      torch.manualSeed(own, 123)
      return { torch.random(own, 10), torch.multinomial(own, torch.DoubleTensor { 1, 0 }, 1)[1] }
    end)())
  end)
end)

describe('multinomial', function()
  it('gives each row its own draws', function()
    local p = torch.DoubleTensor { { 0, 1, 0 }, { 1, 0, 0 } }
    local drawn = torch.multinomial(p, 4, true)
    assert.equal('torch.LongTensor', drawn:type())
    assert.same({ 2, 2, 2, 2, 1, 1, 1, 1 }, list(drawn))
  end)

  -- 90 categories, a third of them of weight 0: their chances, and those of the second draw without replacement.
  local weights, chances, seconds = torch.DoubleTensor(90), {}, {}
  for c = 1, 90 do weights[c] = c % 3 == 0 and 0 or 1 + c % 7 end
  for c = 1, 90 do chances[c] = weights[c] / weights:sum() end
  for c = 1, 90 do
    seconds[c] = 0
    for first = 1, 90 do
      if first ~= c then seconds[c] = seconds[c] + chances[first] * chances[c] / (1 - chances[first]) end
    end
  end

  -- Pearson's statistic of some draws: of mean `free` and variance 2 free where the chances are right.
  local function agrees(draws, expected)
    local counts, statistic, free = torch.histc(draws:double(), 90, 0.5, 90.5), 0, -1
    for c = 1, 90 do
      if expected[c] == 0 then
        assert.equal(0, counts[c])
      else
        local mean = expected[c] * draws:nElement()
        statistic, free = statistic + (counts[c] - mean) ^ 2 / mean, free + 1
      end
    end
    assert.is_true(math.abs(statistic - free) < 5 * math.sqrt(2 * free))
  end

  it('draws many rows by their weights, with replacement and without', function()
    local rows = torch.expand(weights:view(1, 90), 3000, 90)
    agrees(torch.multinomial(rows, 8, true), chances)
    agrees(torch.multinomial(rows, 1), chances)
    local drawn = torch.multinomial(rows, 5)
    agrees(drawn[{ {}, 1 }], chances)
    agrees(drawn[{ {}, 2 }], seconds)
    local sorted = torch.sort(drawn, 2)
    assert.equal(0, torch.eq(sorted[{ {}, { 1, 4 } }], sorted[{ {}, { 2, 5 } }]):sum())
  end)

  it('draws all categories that have a weight', function()
    local drawn = torch.sort(torch.multinomial(torch.expand(weights:view(1, 90), 20, 90), 60), 2)
    for i = 1, 60 do assert.equal(0, torch.ne(drawn[{ {}, i }], i + math.floor((i - 1) / 2)):sum()) end
  end)

  it("has Torch7's stream, whatever the number of threads", function()
    local rows, n, threads = torch.rand(50, 90), 20, torch.getnumthreads()
    local function by(count)
      torch.setnumthreads(count)
      local drawn = after(11, function() return torch.multinomial(rows, n) end)
      torch.setnumthreads(threads)
      return drawn
    end
    local drawn = by(1)
    assert.same(list(drawn), list(by(3)))
    torch.manualSeed(11)
    for row = 1, 50 do
      local left = rows[row]:clone()
      for k = 1, n do
        local at, sums, c = torch.uniform(), torch.cumsum(left:div(left:sum())), 1
        while sums[c] < at do c = c + 1 end
        assert.equal(c, drawn[row][k])
        left[c] = 0
      end
    end
  end)

  it('refuses weights that name too few categories', function()
    assert.error_matches(function() torch.multinomial(torch.DoubleTensor { 1, 2 }, 3) end, 'multinomial: n: 3')
    assert.error_matches(function() torch.multinomial(torch.zeros(3), 1) end, 'sum to 0')
    assert.error_matches(function() torch.multinomial(torch.DoubleTensor { 1, -1 }, 1, true) end, 'weight %-1')
  end)
end)

describe('whole numbers of more than 32 bits', function()
  -- Of n draws from a range each eighth has n / 8, with a standard deviation of sqrt(7 n) / 8.
  local function isUniform(x, low, high)
    local counts = torch.histc(torch.mul(torch.add(x:double(), -low), 1 / (high - low)), 8, 0, 1)
    local n = x:nElement()
    for i = 1, 8 do assert.is_true(math.abs(counts[i] - n / 8) < 5 * math.sqrt(7 * n) / 8) end
    assert.is_true(torch.min(x:double()) >= low and torch.max(x:double()) <= high)
  end

  it('are drawn from all of their range', function()
    isUniform(torch.randint(1, 2 ^ 53, { 8000 }), 1, 2 ^ 53)
    isUniform(torch.LongTensor(8000):random(-2 ^ 40, 2 ^ 40), -2 ^ 40, 2 ^ 40)
    isUniform(torch.DoubleTensor(8000):random(2 ^ 52, 2 ^ 53), 2 ^ 52, 2 ^ 53)
    isUniform(torch.LongTensor(8000):random(-2 ^ 63, 2 ^ 62 + (2 ^ 62 - 1024)), -2 ^ 63, 2 ^ 63)
    local low, high = math.huge, 0
    for _ = 1, 200 do
      local v = torch.random(1, 2 ^ 53)
      low, high = math.min(low, v), math.max(high, v)
    end
    assert.is_true(low < 2 ^ 52 and high > 2 ^ 52 and low > 2 ^ 32)
  end)
  it('use 32 bits where these are enough, as Torch7', function()
    local function drawn(last)
      torch.manualSeed(7)
      return torch.random(0, last)
    end
    assert.equal(drawn(2 ^ 32 - 1) % 2 ^ 31, drawn(2 ^ 31 - 1))
  end)
end)

describe('manualSeed', function()
  it('takes numbers of 64 bits, and no others', function()
    for _, seed in ipairs { 0 / 0, math.huge, -math.huge, 2 ^ 64, 1e300, -2 ^ 64 } do
      assert.error_matches(function() torch.manualSeed(seed) end, 'manualSeed: seed: .*, expected a number of 64 bits')
      assert.error_matches(function() torch.manualSeed(torch.Generator(), seed) end, 'manualSeed: seed: .*')
    end
    torch.manualSeed(3)
    local expected = torch.random()
    torch.manualSeed(3)
    pcall(torch.manualSeed, 0 / 0)
    assert.equal(expected, torch.random())                            -- nothing has changed
    for _, seed in ipairs { -1, 2 ^ 63, 2 ^ 64 - 2048, -2 ^ 63, 1.5 } do torch.manualSeed(seed) end
  end)
end)
