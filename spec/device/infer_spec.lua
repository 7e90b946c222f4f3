-- torch.infer: the sizes and types of results, compared with the ops' results.
local torch = require 'torch'

local function described(x)
  if not torch.isTensor(x) then return x end
  return ('%s %s'):format(x:type(), table.concat(x:size():totable(), 'x'))
end

describe('torch.infer', function()
  it('tells sizes, as the op would give them', function()
    local y = torch.infer('conv2d', torch.FloatTensor(8, 3, 32, 32), torch.FloatTensor(16, 3, 5, 5))
    assert.equal('torch.FloatTensor 8x16x28x28', described(y))
    assert.equal('meta', y:device())
    assert.equal('torch.DoubleTensor 2x4', described(torch.infer('mm', torch.Tensor(2, 3), torch.Tensor(3, 4))))
    assert.equal('torch.DoubleTensor 4x3', described(torch.infer('cat', { torch.Tensor(1, 3), torch.Tensor(3, 3) }, 1)))
    local values, positions = torch.infer('max', torch.FloatTensor(5, 6), 2)
    assert.same({ 'torch.FloatTensor 5x1', 'torch.LongTensor 5x1' }, { described(values), described(positions) })
  end)

  it('does no work', function()
    local large = torch.FloatTensor():to('meta'):resize(1e6, 1e6)      -- 4 TB
    assert.equal('torch.FloatTensor 1000000x1000000', described(torch.infer('mm', large, large)))
    torch.manualSeed(7)
    local first = torch.uniform()
    torch.manualSeed(7)
    torch.infer('randn', 3, 4)
    assert.equal(first, torch.uniform())
  end)

  it('has a tensor in the place of a number', function()
    assert.equal('torch.DoubleTensor 1', described(torch.infer('sum', torch.Tensor(2, 3))))
  end)

  it('makes new tensors on meta, whatever is asked for', function()
    assert.equal('meta', torch.infer('zeros', 2, 3):device())
    assert.equal('meta', torch.infer('zeros', 2, 3, 'float on cpu'):device())
    assert.equal('torch.IntTensor 2', described(torch.infer('to', torch.Tensor(2), 'int on cpu')))
    assert.equal('cpu', torch.getDefaultDevice())
    assert.equal('cpu', torch.zeros(2, 'cpu'):device())
  end)

  it('knows composed ops', function()
    assert.equal('torch.DoubleTensor 6x20', described(torch.infer('kron', torch.Tensor(2, 4), torch.Tensor(3, 5))))
  end)

  it('leaves its arguments and the tape alone', function()
    local w = torch.ones(2):requiresGrad()
    assert.is_false(torch.infer('add', w, w):isTracked())
    assert.is_true(torch.add(w, w):isTracked())
    assert.same({ 1, 1 }, w:totable())
  end)

  it('raises what the op raises, and where the sizes depend on elements', function()
    local function errorOf(...)
      local good, message = pcall(torch.infer, ...)
      assert.is_false(good)
      return (message:gsub('^.-:%d+: ', ''))
    end
    assert.equal('mm: b: [2, 3], expected size 3 of dimension 1 (size mismatch)',
      errorOf('mm', torch.Tensor(2, 3), torch.Tensor(2, 3)))
    assert.equal('nonzero: sizes: they depend on elements, of which a tensor on meta has none', errorOf('nonzero', torch.Tensor(3)))
    assert.equal('infer: op: nothing, expected the name of an op', errorOf 'nothing')
    assert.equal('infer: op: nil, expected the name of an op', errorOf(nil))
    assert.equal('cpu', torch.getDefaultDevice())
    assert.equal('cpu', torch.zeros(2, 'cpu'):device())
  end)

  it('is impossible where the declaration says so', function()
    assert.is_true(torch.ops.nonzero.dataDependent)
    assert.is_false(torch.ops.add.dataDependent)
  end)
end)
