-- Random numbers on an emulated GPU: those of a Philox generator of the same seed on the CPU, bit for bit where whole numbers and exact
-- ones make them, and up to the rounding of log, cos and their likes elsewhere.
local torch = require 'torch'
local cuda = require('spec.support.emulated_cuda').cuda

local function philox(seed)
  local generator = torch.Generator('philox')
  torch.manualSeed(generator, seed)
  return generator
end

local floats = { 'Half', 'BFloat16', 'Float', 'Double' }
local all = { 'Bool', 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' }
-- Enough that threads make several elements, and few enough that the last block of four is not whole.
local sizes = { 1, 7, 300003 }

-- Returns the results of an op on the CPU and on the GPU.
local function both(kind, n, op, ...)
  local here = torch[kind .. 'Tensor'](n)
  local there = here:to 'cuda:1'
  here[op](here, philox(n), ...)
  torch.manualSeed('cuda:1', n)
  there[op](there, ...)
  return here, there:to 'cpu'
end

describe('random numbers on a GPU', function()
  it('are the same bits where no function rounds', function()
    for _, n in ipairs(sizes) do
      for _, kind in ipairs(floats) do assert.is_true(torch.equal(both(kind, n, 'uniform'))) end
      for _, kind in ipairs(all) do
        assert.is_true(torch.equal(both(kind, n, 'bernoulli', 0.3)))
        assert.is_true(torch.equal(both(kind, n, 'random')))
        if kind ~= 'Bool' then assert.is_true(torch.equal(both(kind, n, 'random', 3, 90))) end
      end
      assert.is_true(torch.equal(both('Long', n, 'random', -2 ^ 40, 2 ^ 50)))
    end
  end)

  it('differ by roundings of log, cos, tan and exp', function()
    local digits = { Half = 2 ^ -10, BFloat16 = 2 ^ -7, Float = 2 ^ -23, Double = 2 ^ -52 }
    for _, n in ipairs(sizes) do
      for _, kind in ipairs(floats) do
        for _, case in ipairs { { 'normal', 0, 1 }, { 'normal', 3, 2 }, { 'uniform', -3, 2 }, { 'exponential', 2 }, { 'logNormal', 0, 0.5 },
          { 'cauchy', 0, 1 } } do
          local here, there = both(kind, n, unpack(case))
          local x, y = here:double():clamp(-6e4, 6e4), there:double():clamp(-6e4, 6e4)
          local off = torch.cdiv(torch.abs(x - y), torch.abs(x) + 1)
          assert.is_true(off:max() <= 8 * digits[kind])
        end
      end
    end
  end)

  it('are as many trials of geometric', function()
    for _, kind in ipairs { 'Byte', 'Long', 'Half', 'Float', 'Double' } do
      for _, n in ipairs(sizes) do
        local here, there = both(kind, n, 'geometric', 0.3)
        assert.is_true(here:ne(there):sum() <= n * 1e-6)      -- where log rounds to a whole number
      end
    end
  end)

  it('do not depend on how many are drawn at once', function()
    for _, kind in ipairs(floats) do
      local _, many = both(kind, sizes[3], 'normal')
      torch.manualSeed('cuda:1', sizes[3])
      local few = torch[kind .. 'Tensor'](501):to('cuda:1'):normal():to 'cpu'
      assert.is_true(torch.equal(few, many:narrow(1, 1, 501)))
    end
  end)

  it('fill what is not aligned to 16 bytes', function()
    for _, kind in ipairs(floats) do
      local here, there = torch[kind .. 'Tensor'](41):zero(), torch[kind .. 'Tensor'](41):zero():to 'cuda:1'
      here:narrow(1, 2, 38):uniform(philox(3))
      torch.manualSeed('cuda:1', 3)
      there:narrow(1, 2, 38):uniform()
      assert.is_true(torch.equal(here, there:to 'cpu'))
      here:narrow(1, 2, 40):view(5, 8):t():uniform(philox(4))
      torch.manualSeed('cuda:1', 4)
      there:narrow(1, 2, 40):view(5, 8):t():uniform()
      assert.is_true(torch.equal(here, there:to 'cpu'))
    end
  end)

  it('take chances from a tensor, which are looked at first', function()
    local chances = torch.rand(philox(1), 1001)
    for _, kind in ipairs(all) do
      local here, there = torch[kind .. 'Tensor'](1001), torch[kind .. 'Tensor'](1001):to 'cuda:1'
      here:bernoulli(philox(2), chances)
      torch.manualSeed('cuda:1', 2)
      there:bernoulli(chances:to 'cuda:1')
      assert.is_true(torch.equal(here, there:to 'cpu'))
    end
    local x = torch.FloatTensor(1001):fill(7):to 'cuda:1'
    chances[1001] = 1.5
    assert.error_matches(function() x:bernoulli(chances:to 'cuda:1') end, 'bernoulli: p: its elements must be from 0 to 1')
    chances[1001] = 0 / 0
    assert.error_matches(function() x:bernoulli(chances:to 'cuda:1') end, 'bernoulli: p: its elements must be from 0 to 1')
    assert.equal(7, x:to('cpu'):max())
  end)

  it('permute', function()
    for _, n in ipairs { 1, 2, 3, 100, 5001, 70001 } do
      torch.manualSeed('cuda:1', n)
      local order = torch.randperm(n, 'int64 on cuda:1')
      assert.equal('cuda:1', order:device())
      assert.is_true(torch.equal(order:to 'cpu', torch.randperm(philox(n), n, 'int64')))
    end
  end)

  it('choose categories', function()
    local function choose(weights, n, replacement)
      local here = torch.multinomial(philox(n), weights, n, replacement)
      torch.manualSeed('cuda:1', n)
      local there = torch.multinomial(weights:to 'cuda:1', n, replacement)
      assert.is_true(torch.equal(here, there:to 'cpu'))
    end
    local weights = torch.rand(philox(9), 40, 333)
    weights[weights:lt(0.2)] = 0
    for _, n in ipairs { 1, 2, 50, 200 } do
      choose(weights, n, true)
      choose(weights, n, false)
      choose(weights[3], n, true)
      choose(weights[3]:float(), n, false)
    end
    choose(weights[1], 5000, true)
    choose(torch.DoubleTensor { 0, 2, 0 }, 9, true)
    choose(torch.DoubleTensor { 0, 2, 0 }, 1, false)
  end)

  it('name what is wrong with weights', function()
    local function refused(weights, n, message)
      local w = torch.DoubleTensor(weights):to 'cuda:1'
      assert.error_matches(function() torch.multinomial(w, n) end, message)
    end
    refused({ { 1, 2 }, { 1, -3 }, { -1, 2 } }, 1, 'weight %-3')
    refused({ { 1, 2 }, { math.huge, 1 } }, 1, 'weight inf')
    refused({ { 1, 0 / 0 } }, 1, 'weight %-?nan')
    refused({ { 1, 2 }, { 0, 0 } }, 1, 'the weights of row 2 sum to 0')
    refused({ { 1, 2 }, { 1, 0 } }, 2, 'n: 2, expected at most 1')
  end)
end)

describe('seeds of a GPU', function()
  it("are torch.manualSeed's, and those of its name", function()
    torch.manualSeed(11)
    local first = torch.rand(5, 'float32 on cuda:1'):to 'cpu'
    assert.is_true(torch.equal(first, torch.rand(philox(11), 5, 'float32')))
    local state = torch.getRNGState 'cuda:1'
    local second = torch.rand(5, 'float32 on cuda:1'):to 'cpu'
    torch.setRNGState('cuda:1', state)
    assert.is_true(torch.equal(second, torch.rand(5, 'float32 on cuda:1'):to 'cpu'))
    torch.manualSeed('cuda', 11)      -- the current device's
    assert.is_true(torch.equal(first, torch.rand(5, 'float32 on cuda:1'):to 'cpu'))
  end)

  it('come from a Mersenne twister where that is given', function()
    local twister = torch.Generator()
    torch.manualSeed(twister, 5)
    local one = torch.FloatTensor(9):to('cuda:1'):normal(twister):to 'cpu'
    local two = torch.FloatTensor(9):to('cuda:1'):normal(twister):to 'cpu'
    torch.manualSeed(twister, 5)
    assert.is_false(torch.equal(one, two))
    assert.is_true(torch.equal(one, torch.FloatTensor(9):to('cuda:1'):normal(twister):to 'cpu'))
  end)
end)

describe('random numbers in a graph', function()
  it('are new ones in each replay, the first of which draws what the call would have drawn', function()
    local x = torch.FloatTensor(1000):to 'cuda:1'
    torch.manualSeed('cuda:1', 8)
    local graph = cuda.Graph 'cuda:1'
    graph:capture(function() x:normal() end)
    local drawn = {}
    for i = 1, 3 do
      graph:replay()
      cuda.synchronize()
      drawn[i] = x:to 'cpu'
    end
    torch.manualSeed('cuda:1', 8)
    x:normal()
    assert.is_true(torch.equal(drawn[1], x:to 'cpu'))
    for i = 2, 3 do
      assert.is_false(torch.equal(drawn[i], drawn[i - 1]))
      assert.is_true(math.abs(torch.cmul(drawn[i], drawn[i - 1]):mean()) < 0.16)
    end
  end)
end)

describe('an op that draws', function()
  it('is one launch', function()
    local x = torch.FloatTensor(300003):to 'cuda:1'
    for _, draw in ipairs { 'uniform', 'normal', 'bernoulli', 'random', 'cauchy' } do
      local before = cuda.counters()
      x[draw](x)
      local after = cuda.counters()
      assert.equal(before.launches + 1, after.launches)
      assert.equal(before.synchronizations, after.synchronizations)
    end
  end)
end)
