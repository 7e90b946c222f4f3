-- Arguments of ops by name, in a table at the end.
local torch = require 'torch'

local x = torch.Tensor { { 3, 1, 2 }, { 6, 5, 4 } }

describe('arguments by name', function()
  it('are the arguments at their places', function()
    assert.same(torch.std(x, 1, true):totable(), torch.std(x, { dim = 1, biased = true }):totable())
    assert.same(torch.std(x, nil, true), x:std { biased = true })
    assert.same({ { 1, 0, 1 }, { 3, 2, 2 } }, torch.divide(x, 2, { roundingMode = 'floor' }):totable())
    assert.same({ 7, 9 }, torch.nanToNum(torch.Tensor { 0 / 0, math.huge }, { posinf = 9, nan = 7 }):totable())
    local values, places = torch.sort(x, { descending = true, dim = 1 })
    assert.same({ { { 6, 5, 4 }, { 3, 1, 2 } }, { { 2, 2, 2 }, { 1, 1, 1 } } }, { values:totable(), places:totable() })
    assert.same({ { 21 } }, torch.sum(x, { dim = { 1, 2 } }):totable())
    assert.same(torch.quantile(x, 0.25, 2, 'lower'):totable(), torch.quantile(x, { q = 0.25, dim = 2, method = 'lower' }):totable())
  end)

  it('are on the tape', function()
    local y = torch.Tensor { 1, -2 }:requiresGrad()
    torch.sum(torch.celu(y, { alpha = 2 })):backward()
    assert.equal(1, y.grad[1])
    assert.is_true(math.abs(y.grad[2] - math.exp(-1)) < 1e-15)
  end)

  it('must be those of the op, and given once', function()
    local cases = {
      { 'torch.divide(x, 2, { y = 3 })', 'divide: y: by position and by name, expected it once' },
      { 'torch.divide(x, 2, { mode = 3 })', 'divide: arguments: %(torch.DoubleTensor %[2, 3%], 2, table%), expected' },
      { 'torch.celu(x, { alpha = {} })', 'celu: arguments: ' },
      { 'torch.celu(x, {})', 'celu: arguments: ' },
      { 'x:clamp { min = 2 }', 'clamp: arguments: ' },
      { 'torch.sum(x, { axis = 1 })', 'sum: dim: an empty list' },
      { 'torch.sum(x, { x })', 'sum: dim: number 1 of the list is torch.DoubleTensor, expected a dimension from 1 to 2' },
    }
    for _, case in ipairs(cases) do
      assert.error_matches(function() assert(loadstring('local torch, x = ... return ' .. case[1]))(torch, x) end, case[2])
    end
    assert.same({ { 3, 1, 2 }, { 6, 5, 4 } }, x:totable())
  end)
end)
