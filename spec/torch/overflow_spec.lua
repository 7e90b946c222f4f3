-- Integers wrap where results don't fit, and sizes whose product doesn't fit are allowed beside a size of 0. Under the sanitizers
-- (MT_PRESET=asan bin/test overflow) any overflow without a meaning ends the run.
local torch = require 'torch'

local least, most = -0x7fffffffffffffffLL - 1LL, 0x7fffffffffffffffLL
local function longs(...) return torch.LongTensor { ... } end

describe('integers of 64 bits wrap', function()
  local one = longs(1)
  local cases = {
    indexAdd = { 0LL, function() return longs(least):indexAdd(1, one, longs(least)) end },
    ['indexAdd across a stride'] = { 0LL, function()
      return torch.LongTensor(2, 2):fill(least):t():indexAdd(1, one, torch.LongTensor(2, 2):fill(least):t():narrow(1, 1, 1)):select(1, 1)
    end },
    scatterAdd = { -2LL, function() return longs(most):scatterAdd(1, one, longs(most)) end },
    add = { least, function() return longs(most) + 1 end },
    ['add with a factor'] = { -2LL, function() return longs(0):add(2, longs(most)) end },
    sub = { most, function() return longs(least) - longs(1) end },
    cmul = { 1LL, function() return torch.cmul(longs(most), longs(most)) end },
    neg = { least, function() return -longs(least) end },
    abs = { least, function() return torch.abs(longs(least)) end },
    cumsum = { -2LL, function() return torch.cumsum(longs(most, most)):narrow(1, 2, 1) end },
    cumprod = { 1LL, function() return torch.cumprod(longs(most, most)):narrow(1, 2, 1) end },
    dot = { 1LL, function() return longs(0):fill(longs(most):dot(longs(most))) end },
    addcmul = { 0LL, function() return longs(-1):addcmul(1, longs(most), longs(most)) end },
    mm = { 2LL, function() return torch.mm(longs(most, most):view(1, 2), longs(most, most):view(2, 1)):view(1) end },
    diff = { -1LL, function() return longs(least) - longs(most) - 2 end },
  }
  for name, case in pairs(cases) do
    it(name, function()
      local y = case[2]()
      assert.is_true(y[1] == case[1], ('%s, expected %s'):format(tostring(y[1]), tostring(case[1])))
    end)
  end
end)

describe('a tensor without elements has any other sizes', function()
  local shapes = { { 0, 2 ^ 62 }, { 2 ^ 62, 8, 0 }, { 2 ^ 40, 0, 2 ^ 40 }, { 0, 2 ^ 62, 2 ^ 62 } }
  local calls = {
    norm = function(x) return x:norm() end, sum = function(x) return x:sum() end, exp = function(x) return torch.exp(x) end,
    add = function(x) return x + x end, clone = function(x) return x:clone() end,
    copy = function(x) return torch.zeros(x:size()):copy(x) end,
    transposed = function(x) return torch.exp(x:transpose(1, x:dim())) end, all = function(x) return x:eq(x):all() end,
    double = function(x) return x:float():double() end, cumsum = function(x) return torch.cumsum(x, 1) end,
    softmax = function(x) return torch.softmax(x, 1) end,
  }
  for name, call in pairs(calls) do
    it('for ' .. name, function()
      for _, sizes in ipairs(shapes) do
        assert.has_no_error(function() call(torch.zeros(torch.LongStorage(sizes))) end)
      end
    end)
  end

  it('for cross', function()
    local x = torch.zeros(torch.LongStorage { 0, 3, 2 ^ 62, 2 ^ 62 })
    assert.same(x:size():totable(), torch.cross(x, x, 2):size():totable())
  end)

  it('for norm, beside a size of 2^63 - 1', function()
    local x = torch.DoubleTensor(torch.LongStorage { 0, most })
    assert.equal(0, x:norm())
  end)
end)
