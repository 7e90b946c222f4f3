-- Runs first: it takes long.
-- Sorting, selecting and counting on an emulated GPU: rows longer than a block sorts, of which the sweeps' small samples have none.
local torch = require 'torch'


describe('sorting and counting on an emulated GPU:', function()
  local cuda = 'cuda:1'
  torch.loadDevice(require('spec.support.gpu').path)

  local generator = torch.Generator()
  before_each(function() torch.manualSeed(generator, 7) end)
  local function whole(n, ...) return torch.rand(generator, ...):mul(n):floor() end

  -- Checks that the op's results on the CPU and on the device are equal, bit by bit except for NaN.
  local function same(op, x, ...)
    local there = { ... }
    for i, value in ipairs(there) do there[i] = torch.isTensor(value) and value:to(cuda) or value end
    local expected, found = { torch[op](x, ...) }, { torch[op](x:to(cuda), unpack(there)) }
    for i, result in ipairs(expected) do
      there = found[i]:to 'cpu'
      if result:type() ~= 'torch.LongTensor' then
        result, there = result:double(), there:double()
        local nans = result:ne(result)
        assert.is_true(torch.equal(nans, there:ne(there)), op .. ': NaN')
        result:maskedFill(nans, 0)
        there:maskedFill(nans, 0)
        assert.is_true(torch.equal(torch.cdiv(torch.ones(1), result), torch.cdiv(torch.ones(1), there)), op .. ': signs of 0')
      end
      assert.is_true(torch.equal(result, there), ('%s: result %d'):format(op, i))
    end
  end
  local isFloat = { Double = true, Float = true, Half = true, BFloat16 = true }

  local function rows(n)  -- equal elements, NaN, zeros of both signs, infinities
    local x = whole(n / 4, 3, n):add(-n / 8)
    x[1][2], x[1][n], x[2][1], x[2][n - 1], x[3][3], x[3][n] = 0 / 0, 0 / 0, -0.0, 0, 1 / 0, -1 / 0
    return x
  end

  for _, dtype in ipairs { 'Double', 'Float', 'Half', 'BFloat16', 'Long', 'Short', 'Byte', 'Bool' } do
    it('long rows of ' .. dtype, function()
      local x = rows(2500)
      if not isFloat[dtype] then x[1][2], x[1][2500], x[3][3], x[3][2500] = 1, 1, 2, 3 end
      x = x:type(('torch.%sTensor'):format(dtype))
      same('sort', x, 2)
      same('sort', x, 2, true)
      same('topk', x, 7, 2, true)
      same('topk', x, 300, 2, false)
      same('kthvalue', x, 1234, 2)
      same('median', x, 2)
      same('mode', x, 2)
    end)
  end

  it('long columns, and rows of any length', function()
    for _, n in ipairs { 2, 33, 600, 2048, 2049, 4500 } do
      local x = whole(n, n, 2)
      same('sort', x, 1)
      same('topk', x, math.min(n, 40), 1, true)
      same('kthvalue', x, n, 1)
      same('mode', x, 1)
    end
    local short = whole(9, 700, 5)
    same('sort', short, 2, true)
    same('median', short, 2)
  end)

  it('keys of 64 bits differ in any digit', function()
    local x = torch.LongTensor(3000)
    for i = 1, 3000 do x[i] = (i * 7919 % 3001 - 1500) * 2LL ^ (i % 50) end
    same('sort', x)
    same('topk', x, 50, 1, true)
  end)

  it('histograms of few and of many bins', function()
    local x = torch.randn(generator, 20000)
    for _, bins in ipairs { 1, 10, 9000, 30000 } do
      same('histc', x, bins)
      same('histc', x, bins, -1, 1)
    end
    same('bhistc', x:view(4, 5000), 12)
    same('bhistc', x:view(2000, 10), 3)
  end)

  it('counts, and sums of weights in order', function()
    for _, n in ipairs { 5, 20000 } do
      local x = whole(n, 6000):add(1):long()
      same('bincount', x)
      same('bincount', x, 25000, torch.randn(generator, 6000))
    end
  end)
end)
