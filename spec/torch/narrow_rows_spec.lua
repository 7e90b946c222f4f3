-- Pointwise ops over rows that are so short that kernels process several at once.
local torch = require 'torch'

describe('operands of narrow tensors', function()
  -- x + 2 y, element by element, where y is a row, a column, one value or a part of a wider tensor.
  local function check(kind, rows, n)
    local x = torch.range(1, rows * n):fmod(50):type(kind):view(rows, n)
    local wide = torch.range(1, rows * (n + 3)):fmod(30):type(kind):view(rows, n + 3)
    local row = wide:narrow(1, 1, 1)
    for _, y in ipairs { wide:narrow(2, 2, n), row:narrow(2, 1, n), wide:narrow(2, 1, 1), row:narrow(2, 3, 1) } do
      local full = torch.expand(y, rows, n):double():clone()
      local sum = torch.add(x, 2, y)
      assert.equal(0, torch.dist(sum:double(), x:double() + full * 2))
      assert.is_true(torch.equal(torch.gt(x, y), torch.gt(x:double(), full)))
      assert.is_true(torch.equal(torch.add(x:clone(), 2, y), x:clone():add(2, y)))
    end
  end

  it('pair up in rows of every length', function()
    for _, kind in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor', 'torch.ShortTensor', 'torch.LongTensor', 'torch.HalfTensor' } do
      for n = 1, 70 do check(kind, 60 % n + 7, n) end
      for _, n in ipairs { 2, 5, 16, 17, 63 } do check(kind, 700, n) end
    end
  end)
end)
