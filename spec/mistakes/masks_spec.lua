-- x[mask] with a mask of fewer dimensions than x: the slices as in NumPy, or an error.
local torch = require 'torch'
local mistakes = require 'spec.support.mistakes'

describe('a mask of slices', function()
  for _, kind in ipairs { 'Byte', 'Bool' } do
    local function mask(...) return torch.ByteTensor(...):type('torch.' .. kind .. 'Tensor') end

    it('selects rows: ' .. kind, function()
      assert.same({ { 1, 2, 3 }, { 7, 8, 9 } }, torch.range(1, 9):view(3, 3)[mask { 1, 0, 1 }]:totable())
      assert.same({ { 3, 6 } }, torch.range(1, 6):view(2, 3):t()[mask { 0, 0, 1 }]:totable())
    end)

    it('of two dimensions selects in the order of rows: ' .. kind, function()
      local x = torch.range(1, 12):view(2, 2, 3)
      assert.same({ { 4, 5, 6 }, { 7, 8, 9 } }, x[mask { { 0, 1 }, { 1, 0 } }]:totable())
      assert.same({ 0, 3 }, x[mask { { 0, 0 }, { 0, 0 } }]:size():totable())
    end)

    it('writes into them: ' .. kind, function()
      local x = torch.range(1, 9):view(3, 3)
      x[mask { 1, 0, 0 }] = 0
      x[mask { 0, 1, 1 }] = torch.Tensor { 10, 20, 30 }      -- the row, to both
      assert.same({ { 0, 0, 0 }, { 10, 20, 30 }, { 10, 20, 30 } }, x:totable())
      x[mask { 1, 0, 1 }] = torch.range(1, 6)
      assert.same({ { 1, 2, 3 }, { 10, 20, 30 }, { 4, 5, 6 } }, x:totable())
    end)
  end

  it('has derivatives, read and written', function()
    local x, y = torch.range(1, 4):view(2, 2):requiresGrad(), torch.Tensor { 5 }:requiresGrad()
    torch.sum(x[torch.ByteTensor { 0, 1 }]):backward()
    assert.same({ { 0, 0 }, { 1, 1 } }, x.grad:totable())
    local z = x:clone()
    z[torch.ByteTensor { 1, 0 }] = y
    torch.sum(z):backward()
    assert.same({ { 0, 0 }, { 2, 2 } }, x.grad:totable())
    assert.same({ 2 }, y.grad:totable())
  end)

  it('of as many elements as the tensor goes by elements, whatever its shape', function()      -- Torch7's rule
    assert.same({ 1, 4 }, torch.range(1, 4):view(2, 2)[torch.ByteTensor { 1, 0, 0, 1 }]:totable())
    assert.same({ 2 }, torch.range(1, 3):view(3, 1)[torch.ByteTensor { 0, 1, 0 }]:totable())
  end)

  mistakes(it, {
    { 'torch.zeros(2, 3)[torch.ByteTensor { 1, 0, 1 }]', 'index: key: a mask of [3] for [2, 3]: expected its own sizes' },
    { 'torch.zeros(3, 3)[torch.ByteTensor { { 1, 0, 1 } }]', 'index: key: a mask of [1, 3] for [3, 3]' },
    { 'torch.zeros(2)[torch.ByteTensor { 1, 0, 1 }]', 'index: key: a mask of [3] for [2]' },
    { 'local x = torch.zeros(2, 3) x[torch.ByteTensor { 1, 0, 1 }] = 1', 'index: key: a mask of [3] for [2, 3]' },
    { 'local x = torch.zeros(2, 3) x[torch.ByteTensor { 1, 0 }] = torch.ones(2)', 'index: value: [2], expected [1, 3]' },
    { 'torch.zeros(3)[torch.Tensor { 1, 0, 1 }]', 'expected a mask (ByteTensor, BoolTensor) or positions (LongTensor): x:long()' },
  })
end)
