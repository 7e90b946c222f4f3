-- Assignments to parts of tensors, and lookups of parts, as the tape sees them.
local torch = require 'torch'
local nn, warned = require 'nn', require 'spec.support.warnings'

describe('x[key] = tracked value', function()
  local x
  before_each(function() x = torch.Tensor{1, 2, 3}:requiresGrad() end)

  it('is followed into a tensor that was not tracked before', function()
    local b = torch.ones(2, 3)
    b[2] = x * 2
    b[1][2] = 7
    local y = torch.sum(torch.cmul(b, b))                 -- 51 + 4 |x|^2
    assert.equal(107, y:item())
    y:backward()
    assert.same({ 8, 16, 24 }, x.grad:totable())
  end)

  it('is followed for single elements and ranges', function()
    local c = torch.zeros(3)
    c[2] = torch.sum(x)
    c[{ { 3, 3 } }] = x[{ { 1, 1 } }] * 5
    torch.sum(torch.cmul(c, torch.Tensor{1, 10, 100})):backward()
    assert.same({ 510, 10, 10 }, x.grad:totable())
  end)

  it('is followed through masks', function()
    local d = torch.zeros(3)
    d[torch.gt(torch.Tensor{1, 0, 1}, 0)] = x[{ { 1, 2 } }]
    torch.sum(torch.cmul(d, d)):backward()
    assert.same({ 2, 4, 0 }, x.grad:totable())
  end)

  it('is followed through steps and positions', function()
    local d = torch.zeros(4)
    d[{ { 1, 4, 3 } }] = x[{ { 1, 3, 2 } }] * 2
    d[torch.LongTensor { 2 }] = x[{ { 2, 2 } }]
    torch.sum(torch.cmul(d, d)):backward()
    assert.same({ 2, 2, 0, 6 }, d:totable())
    assert.same({ 8, 4, 24 }, x.grad:totable())
  end)

  it('truncates fractions in positions, as without a tape', function()
    local tracked = torch.range(1, 4):requiresGrad()
    for _, keys in ipairs { { { { 1.5, 3 } }, { { 1, 3 } } }, { { { 1.9, 3.2 } }, { { 1, 3 } } }, { { { -3.5, -1 } }, { { -3, -1 } } },
                            { 2.7, 2 } } do
      local _, slice = warned(function() return tracked[keys[1]] end)
      assert.same(tracked[keys[2]]:totable(), slice:totable())
    end
  end)

  it('is followed where one tracked number goes to all that a mask or positions name', function()
    local d = torch.zeros(2, 3)
    d[torch.ByteTensor { { 1, 0, 1 }, { 0, 0, 1 } }] = torch.sum(x)
    assert.same({ { 6, 0, 6 }, { 0, 0, 6 } }, d:totable())
    torch.sum(d):backward()
    assert.same({ 3, 3, 3 }, x.grad:totable())
    x.grad:zero()
    d = x * 1
    d[torch.BoolTensor { true, true, false }] = torch.max(x)
    assert.same({ 3, 3, 3 }, d:totable())
    torch.sum(torch.cmul(d, d)):backward()
    assert.same({ 0, 0, 18 }, x.grad:totable())
    x.grad:zero()
    d = torch.zeros(3, 2)
    d[torch.LongTensor { 3, 1 }] = torch.sum(x)
    assert.same({ { 6, 6 }, { 0, 0 }, { 6, 6 } }, d:totable())
    torch.sum(d):backward()
    assert.same({ 4, 4, 4 }, x.grad:totable())
    d = torch.zeros(3)
    d[torch.ByteTensor { 0, 0, 0 }] = torch.sum(x)
    assert.same({ 0, 0, 0 }, d:totable())
  end)

  it('takes the gradient from what it overwrites', function()
    local y = x * 3
    y[2] = 0
    torch.sum(y):backward()
    assert.same({ 3, 0, 3 }, x.grad:totable())
  end)
end)

-- The gradient of each lookup is added at its position, to a gradient that may come from any other op.
describe('lookups in one tensor', function()
  local autograd = require 'autograd'
  local rows, columns = 6, 4
  local positions = torch.LongTensor { 2, 5, 2, 6 }
  local wide = torch.LongTensor { { 1, 3, 3, 6 }, { 1, 2, 3, 4 } }
  local lookups = {
    index = function(x) return torch.index(x, 1, positions) end,
    ['index of columns'] = function(x) return torch.index(x, -1, torch.LongTensor { 4, 1, 4 }) end,
    ['index of what was transposed'] = function(x) return torch.index(torch.t(x), 2, positions) end,
    ['index of a vector'] = function(x) return torch.index(torch.select(x, 2, 3), 1, positions) end,
    gather = function(x) return torch.gather(x, 1, wide) end,
    ['gather along -1'] = function(x) return torch.gather(torch.narrow(x, 1, 2, 2), -1, torch.LongTensor { { 4, 4, 1 }, { 2, 1, 1 } }) end,
    select = function(x) return torch.select(x, 1, -2) end,
    narrow = function(x) return torch.narrow(x, 2, 2, 2) end,
    sub = function(x) return torch.sub(x, 2, -2, 3, 3) end,
    ['x[{...}]'] = function(x) return x[{ { 1, 2 }, { -2, -1 } }] end,
    ['x[{...}] with a step'] = function(x) return x[{ { 1, -1, 2 }, { 2, 4, 2 } }] end,
    ['x[positions]'] = function(x) return x[positions] end,
    ['x[i]'] = function(x) return x[4] end,
    LookupTable = function(x)
      local table = nn.LookupTable(rows, columns):double()
      table.weight = x
      return table(positions)
    end,
  }
  local x = torch.range(1, rows * columns):double():div(10):view(rows, columns)

  for name, lookup in pairs(lookups) do
    it('add up: ' .. name, function()
      -- How often each element is seen, found by looking up numbers of elements.
      local counts = torch.zeros(rows, columns)
      local seen = torch.noGrad(lookup, torch.range(1, rows * columns):double():view(rows, columns)):contiguous()
      for i = 1, seen:nElement() do
        local n = seen:view(-1)[i] - 1
        local row, column = math.floor(n / columns) + 1, n % columns + 1
        counts[row][column] = counts[row][column] + 1
      end
      local function cubes(w)
        local total = torch.sum(w)
        for _ = 1, 3 do total = total + torch.sum(torch.pow(lookup(w), 3)) end
        return total + torch.sum(torch.mul(w, 2))
      end
      local first = torch.cmul(torch.pow(x, 2), counts) * 9 + 3
      local w = x:clone():requiresGrad()
      cubes(w):backward()
      cubes(w):backward { retainGraph = true }
      assert.near(0, (w.grad - first * 2):abs():max(), 1e-12)
      assert.near(0, (autograd(cubes)(x) - first):abs():max(), 1e-12)
      local g = autograd.grad(cubes(w), w, { createGraph = true })
      local second = autograd.grad(torch.sum(torch.pow(g, 2)), w)
      local expected = torch.cmul(torch.cmul(first, counts), x) * 36
      assert.near(0, (second - expected):abs():max(), 1e-10)
    end)
  end
end)
