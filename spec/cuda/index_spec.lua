-- Indices and masks on an emulated GPU, for cases that the small samples of the sweeps don't cover. Sums are compared bit by bit with the
-- CPU's, which adds in the order of the index.
local torch = require 'torch'


describe('indices and masks on an emulated GPU:', function()
  local cuda = 'cuda:1'
  torch.loadDevice(require('spec.support.gpu').path)

  local generator = torch.Generator()
  before_each(function() torch.manualSeed(generator, 7) end)
  local function positions(n, ...) return torch.rand(generator, ...):mul(n):floor():add(1):clamp(1, n):long() end

  -- Checks that the op's results on the CPU and on the device are equal, bit by bit.
  local function same(op, ...)
    local there = { ... }
    for i, value in ipairs(there) do
      if torch.isTensor(value) then there[i] = value:clone():to(cuda) end
    end
    local expected, found = torch[op](...), torch[op](unpack(there)):to 'cpu'
    assert.is_true(torch.equal(expected, found), op)
  end
  local function pair(op, x, ...)  -- of an op that changes x
    same(op, x:clone(), ...)
  end

  for _, size in ipairs { 40, 300, 5000 } do  -- of the index: within a block, several digits, several tiles
    it(size .. ' slices, many of them to one place', function()
      for _, places in ipairs { 3, 700 } do
        local index = positions(places, size)
        for _, columns in ipairs { 1, 6 } do
          local x, source = torch.randn(generator, places, columns), torch.randn(generator, size, columns)
          pair('indexAdd', x, 1, index, source)
          pair('indexCopy', x, 1, index, source)
          pair('indexAdd', x:t(), 2, index, source:t())
          pair('indexCopy', x:t():contiguous(), 2, index, source:t())
          pair('indexFill', x, 1, index, 2)
          same('index', x, 1, index)
          same('index', x:t(), 2, index)
        end
        pair('indexAdd', torch.zeros(places):float(), 1, index, torch.randn(generator, size):float())
        pair('indexAdd', torch.zeros(places):byte(), 1, index, positions(200, size):byte())
        pair('indexAdd', torch.zeros(places):bool(), 1, index, positions(2, size):eq(1):bool())
      end
    end)

    it(size .. ' elements a line, many of them to one place', function()
      for _, places in ipairs { 3, 700 } do
        local x, index, source = torch.randn(generator, 2, places), positions(places, 2, size), torch.randn(generator, 2, size)
        pair('scatter', x, 2, index, source)
        pair('scatter', x:t(), 1, index:t(), source:t())
        pair('scatter', x, 2, index, 2.5)
        pair('scatterAdd', x, 2, index, source)
        pair('scatterAdd', x:t(), 1, index:t(), source:t())
        same('gather', x, 2, index)
        same('gather', x:t(), 1, index:t())
      end
    end)
  end

  it('16-bit sums are rounded once', function()
    for _, dtype in ipairs { 'torch.HalfTensor', 'torch.BFloat16Tensor' } do
      local sum = torch.zeros(1):type(dtype):to(cuda):indexAdd(1, torch.ones(4096):long():to(cuda), torch.ones(4096):type(dtype):to(cuda))
      assert.equal(4096, sum:to('cpu'):double()[1])
    end
  end)

  it('masks of several tiles', function()
    for _, n in ipairs { 1, 31, 4096, 9001 } do
      local x = torch.randn(generator, n)
      for _, mask in ipairs { torch.zeros(n):byte(), torch.ones(n):byte(), x:gt(0.5) } do
        if mask:sum() > 0 then
          same('maskedSelect', x, mask)
          same('nonzero', mask)
        end
        pair('maskedCopy', x, mask, torch.randn(generator, n))
        pair('maskedFill', x, mask, 3)
      end
    end
    same('nonzero', positions(2, 7, 50, 30):eq(1))
    same('nonzero', torch.Tensor { 0, -0.0, 0 / 0, 1e-320, -1 })
  end)
end)
