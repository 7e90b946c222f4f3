-- Sorting and order statistics: ties, NaN, long slices and Torch7's ways to call them.
local torch = require 'torch'

local nan = 0 / 0
local function list(t)
  local result = {}
  for i = 1, t:size(1) do result[i] = t[i] end
  return result
end

describe('sort', function()
  it('keeps the order of equal elements, both ways', function()
    local x = torch.Tensor { 2, 1, 2, 1 }
    local _, up = x:sort()
    assert.same({ 2, 4, 1, 3 }, list(up))
    local values, down = torch.sort(x, true)
    assert.same({ 2, 2, 1, 1 }, list(values))
    assert.same({ 1, 3, 2, 4 }, list(down))
  end)

  it('takes 0 and -0 for equal', function()
    local values, places = torch.sort(torch.Tensor { 0, -1 / math.huge, 0 })      -- LuaJIT for ARM reads -0.0 as the integer 0
    assert.same({ 1, 2, 3 }, list(places))
    assert.equal(-math.huge, 1 / values[2])
  end)

  it('puts NaN above all', function()
    local values, places = torch.sort(torch.Tensor { nan, 1, math.huge, -1 })
    assert.same({ 4, 2, 3, 1 }, list(places))
    assert.is_true(values[4] ~= values[4])
  end)

  it('is exact for integers that no double holds', function()
    local x = torch.LongTensor { 3, 1, 2 } + torch.LongTensor({ 1, 1, 1 }) * 9007199254740992
    local _, places = x:sort()
    assert.same({ 2, 3, 1 }, list(places))
  end)

  it('orders a million floats on any number of threads alike', function()
    local before, results = torch.getnumthreads(), {}
    torch.manualSeed(1)
    local x = torch.FloatTensor(1000000):uniform(-1, 1)
    for threads = 1, 3 do
      torch.setnumthreads(threads)
      local values, places = x:sort()
      assert.is_true(torch.le(values:narrow(1, 1, 999999), values:narrow(1, 2, 999999)):all())
      assert.equal(0, (x:index(1, places) - values):abs():max())
      results[threads] = places
    end
    torch.setnumthreads(before)
    assert.is_true(torch.eq(results[1], results[2]):all())
    assert.is_true(torch.eq(results[1], results[3]):all())
  end)

  it('sorts nothing', function() assert.equal(0, torch.sort(torch.Tensor()):nElement()) end)
end)

describe('topk', function()
  it('gives the smallest, or the largest, in order', function()
    local x = torch.Tensor { 5, 1, 4, 1, 3 }
    local values, places = x:topk(2)
    assert.same({ 1, 1 }, list(values))
    assert.same({ 2, 4 }, list(places))
    values, places = x:topk(3, 1, true, true)
    assert.same({ 5, 4, 3 }, list(values))
    assert.same({ 1, 3, 5 }, list(places))
  end)

  it('agrees with sort on a long slice', function()
    torch.manualSeed(2)
    local x = torch.FloatTensor(20000):random(1, 5000)
    local values, places = x:topk(100, true)
    local sorted, order = x:sort(true)
    assert.equal(0, (values - sorted:narrow(1, 1, 100)):abs():max())
    assert.is_true(torch.eq(places, order:narrow(1, 1, 100)):all())
  end)

  it('gives the first of equal elements, few or many of them, of every type', function()
    for _, kind in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double', 'Bool' } do
      for _, n in ipairs { 1, 15, 16, 17, 18, 40, 300, 1100 } do
        local keys = {}
        for i = 1, n do keys[i] = (i * i + math.floor(i / 3)) % (kind == 'Bool' and 2 or n % 23 + 2) end
        local x = torch.DoubleTensor(keys):type(('torch.%sTensor'):format(kind))
        for _, largest in ipairs { false, true } do
          local order = {}
          for i = 1, n do order[i] = i end
          table.sort(order, function(a, b)
            if keys[a] == keys[b] then return a < b end
            return (keys[a] < keys[b]) ~= largest
          end)
          local sorted, positions = torch.sort(x, largest)
          assert.same(order, list(positions))
          for _, k in ipairs { 1, 2, 15, 16, 17, 64, n } do
            if k <= n then
              local values, places = torch.topk(x, k, largest)
              assert.same({ unpack(order, 1, k) }, list(places))
              assert.is_true(torch.equal(sorted:narrow(1, 1, k), values))
            end
          end
        end
      end
    end
  end)

  it('names a k that is out of range', function()
    assert.error_matches(function() torch.zeros(3):topk(4) end, 'topk: k: 4 not in range for dimension, expected 0..3')
  end)
end)

describe('order statistics', function()
  it('take the lower one of two medians', function()
    local value, place = torch.median(torch.Tensor { 4, 1, 3, 2 })
    assert.equal(2, value[1])
    assert.equal(4, place[1])
  end)

  it('count k from 1', function()
    assert.equal(3, torch.kthvalue(torch.Tensor { 4, 1, 3, 2 }, 3)[1])
    assert.error_matches(function() torch.kthvalue(torch.zeros(3), 0) end, 'kthvalue: k: 0 selected index out of range 1..3')
  end)

  it('find the smallest of the most frequent values, at its last place', function()
    local value, place = torch.mode(torch.Tensor { 7, 2, 7, 2, 5 })
    assert.equal(2, value[1])
    assert.equal(4, place[1])
  end)
end)

describe('searchsorted', function()
  -- How many of the sorted elements come before v, or with it, where NaN is above all numbers.
  local function before(sorted, v, right)
    local count = 0
    for i = 1, sorted:size(1) do
      local e = sorted[i]
      local less, same = e < v or (v ~= v and e == e), e == v or (e ~= e and v ~= v)
      if less or (right and same) then count = count + 1 end
    end
    return count
  end

  it('finds places in rows of any length, with ties and NaN', function()
    for _, dtype in ipairs { 'torch.DoubleTensor', 'torch.FloatTensor', 'torch.HalfTensor', 'torch.LongTensor', 'torch.ByteTensor' } do
      local values = torch.range(0, 15):type(dtype)
      for n = 0, 33 do
        local sorted = torch.rand(n + 1):mul(12):floor():type(dtype):narrow(1, 1, n):sort()
        if sorted:isFloatingPoint() then
          values[4] = nan
          if n > 2 then sorted[n] = nan end
        end
        for _, right in ipairs { false, true } do
          local places = torch.searchsorted(sorted, values, right)
          for i = 1, 16 do assert.equal(before(sorted, values[i], right) + 1, places[i]) end
        end
      end
    end
  end)

  it('accepts a side and an order, as NumPy and PyTorch do', function()
    local x, values = torch.Tensor { 3, 1, 2, 1 }, torch.Tensor { 0, 1, 2.5, 3 }
    local sorted, order = torch.sort(x)
    for side, right in pairs { left = false, right = true } do
      local expected = torch.searchsorted(sorted, values, right):totable()
      assert.same(expected, torch.searchsorted(sorted, values, side):totable())
      assert.same(expected, torch.searchsorted(sorted, values, { side = side }):totable())
      assert.same(expected, torch.searchsorted(x, values, { side = side, sorter = order }):totable())
      assert.same(expected, torch.searchsorted(x, values, { right = right, sorter = order }):totable())
      assert.same(expected, torch.searchsorted(x, values, side, order):totable())
      assert.same({ expected[2] }, torch.searchsorted(x, 1, side, order):totable())
    end
    local rows = torch.rand(3, 7)
    local ascending, orders = torch.sort(rows, 2)
    local places = torch.rand(3, 4)
    assert.same(torch.searchsorted(ascending, places):totable(), torch.searchsorted(rows, places, { sorter = orders }):totable())
    local function fails(text, ...)
      local arguments = { ... }
      assert.error_matches(function() torch.searchsorted(unpack(arguments)) end, text)
    end
    fails("searchsorted: side: 'middle', expected", x, values, 'middle')
    fails("searchsorted: side: 'left', expected the same as right", x, values, { side = 'left', right = true })
    fails('searchsorted: sorter: sizes %[2%], expected %[4%], those of sorted', x, values, { sorter = torch.LongTensor { 1, 2 } })
    fails('searchsorted: .*order', x, values, { order = order })
  end)
end)
