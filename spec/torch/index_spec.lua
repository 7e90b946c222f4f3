-- Index tensors and masks: positions count from 1, duplicates are defined, nothing is written if a position is invalid.
local torch = require 'torch'
local long = torch.LongTensor

describe('index', function()
  local x = torch.range(1, 6):view(3, 2)

  it('picks slices in the order given', function()
    assert.same({ { 5, 6 }, { 1, 2 }, { 5, 6 } }, x:index(1, long { 3, 1, 3 }):totable())
    assert.same({ { 2 }, { 4 }, { 6 } }, x:index(2, long { 2 }):totable())
    assert.same({ { 2, 4 }, { 1, 3 } }, x:t():index(1, long { 2, 1 }):index(2, long { 1, 2 }):totable())
    assert.same({ { 1, 2 } }, torch.indexSelect(x, 1, long { 1 }):totable())
    assert.same({ 0, 2 }, x:index(1, long()):size():totable())
    assert.same({ { 5, 6 } }, x:index(1, torch.IntTensor { 3 }):totable())
  end)

  it('can write elements that it reads', function()
    local y = x:clone()
    assert.is_true(rawequal(y, y:index(y, 1, long { 2, 2, 1 })))
    assert.same({ { 3, 4 }, { 3, 4 }, { 1, 2 } }, y:totable())
  end)

  -- Positions in runs, along rows of which there are many, are copied and added together.
  it('takes and adds runs, with duplicates and jumps, as it does single slices', function()
    local list = { 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 4, 5, 6, 7, 8, 9, 4, 5, 6, 7, 8, 9 }
    for _, inner in ipairs { 1, 3, 40 } do
      for _, type in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor', 'torch.IntTensor', 'torch.ByteTensor' } do
        local many = torch.range(0, 70 * 9 * inner - 1):remainder(101):view(70, 9, inner):type(type)
        local taken, sums = many:index(2, long(list)), torch.zeros(70, 9, inner):type(type)
        sums:indexAdd(2, long(list), taken)
        local times = {}
        for k, at in ipairs(list) do
          times[at] = (times[at] or 0) + 1
          assert.is_true(torch.equal(many:select(2, at), taken:select(2, k)))
        end
        for at = 1, 9 do assert.is_true(torch.equal(torch.mul(many:select(2, at):contiguous(), times[at]), sums:select(2, at))) end
      end
    end
  end)

  it('refuses positions outside', function()
    assert.error_matches(function() x:index(1, long { 1, 4 }) end, 'index: index: index out of range: position 4, expected 1..3')
    assert.error_matches(function() x:index(1, long { 0 }) end, 'index out of range: position 0')
    assert.error_matches(function() x:index(1, long { { 1 } }) end, 'supposed to be a vector')
    assert.error_matches(function() x:index(1, torch.ones(1)) end, 'expected torch.LongTensor')
  end)
end)

describe('writing slices', function()
  it('adds each of several for one place', function()
    assert.same({ { 4, 6 }, { 0, 0 }, { 5, 6 } }, torch.zeros(3, 2):indexAdd(1, long { 1, 1, 3 }, torch.range(1, 6):view(3, 2)):totable())
    assert.same({ { 3, 0 }, { 7, 0 } }, torch.zeros(2, 2):indexAdd(2, long { 1, 1 }, torch.range(1, 4):view(2, 2)):totable())
  end)

  it('works on tensors that are not contiguous', function()
    local x = torch.zeros(2, 3)
    x:t():indexAdd(1, long { 1, 1, 3 }, torch.range(1, 6):view(3, 2))
    assert.same({ { 4, 0, 5 }, { 6, 0, 6 } }, x:totable())
    x:t():indexCopy(1, long { 2 }, torch.ones(1, 2))
    assert.same({ { 4, 1, 5 }, { 6, 1, 6 } }, x:totable())
    x:t():indexFill(1, long { 1, 3 }, 0)
    assert.same({ { 0, 1, 0 }, { 0, 1, 0 } }, x:totable())
  end)

  it('returns the tensor, and keeps the last of several', function()
    local x = torch.zeros(2, 2)
    assert.is_true(rawequal(x, x:indexCopy(1, long { 2, 2 }, torch.range(1, 4):view(2, 2))))
    assert.same({ { 0, 0 }, { 3, 4 } }, x:totable())
    assert.is_true(rawequal(x, x:indexFill(2, long { 1 }, 9)))
    assert.same({ { 9, 0 }, { 9, 4 } }, x:totable())
  end)

  it('gives the same bits for any number of threads', function()
    torch.manualSeed(1)
    local places = torch.randperm(20000, 'torch.LongTensor'):remainder(50):add(1)
    local source, threads, sums = torch.randn(20000, 8), torch.getnumthreads(), {}
    for n = 1, 2 do
      torch.setnumthreads(n)
      sums[n] = torch.zeros(50, 8):indexAdd(1, places, source):totable()
    end
    torch.setnumthreads(threads)
    assert.same(sums[1], sums[2])
  end)

  it('changes nothing when a position is wrong', function()
    local x = torch.zeros(3)
    for _, op in ipairs { 'indexAdd', 'indexCopy' } do
      assert.error_matches(function() x[op](x, 1, long { 1, 9 }, torch.ones(2)) end, 'position 9')
      assert.error_matches(function() x[op](x, 1, long { 1, 2 }, torch.ones(3)) end, 'number of indices')
    end
    assert.error_matches(function() x:indexFill(1, long { 1, 9 }, 1) end, 'position 9')
    assert.error_matches(function() x:scatter(1, long { 1, 9 }, 1) end, 'position 9')
    assert.same({ 0, 0, 0 }, x:totable())
  end)
end)

describe('gather and scatter', function()
  local x = torch.range(1, 6):view(2, 3)

  it('read one element per position', function()
    assert.same({ { 1, 5, 3 } }, x:gather(1, long { { 1, 2, 1 } }):totable())
    assert.same({ { 3, 3, 1, 2 }, { 4, 5, 6, 6 } }, x:gather(2, long { { 3, 3, 1, 2 }, { 1, 2, 3, 3 } }):totable())
    assert.same({ 6, 1 }, x:take(long { 6, 1 }):totable())
  end)

  it('write in place, as a function too', function()
    local y = torch.zeros(2, 3)
    assert.is_true(rawequal(y, torch.scatter(y, 2, long { { 3 }, { 1 } }, 8)))
    assert.same({ { 0, 0, 8 }, { 8, 0, 0 } }, y:totable())
    y:scatter(1, long { { 1, 1, 2 }, { 1, 2, 2 } }, x)
    assert.same({ { 4, 2, 8 }, { 8, 5, 6 } }, y:totable())            -- of two for one place the last stays
    assert.same({ { 5, 2, 0 }, { 0, 5, 9 } }, torch.zeros(2, 3):scatterAdd(1, long { { 1, 1, 2 }, { 1, 2, 2 } }, x):totable())
  end)

  it('undo each other', function()
    torch.manualSeed(2)
    local order = long(40, 30)
    for i = 1, 40 do order[i]:randperm(30) end
    local y = torch.randn(40, 30)
    assert.same(y:totable(), torch.zeros(40, 30):scatter(2, order, y:gather(2, order)):totable())
    local down, turned = order:t(), y:t()
    assert.same(turned:totable(), torch.zeros(30, 40):scatter(1, down, turned:gather(1, down)):totable())
  end)

  it('name sizes that do not fit', function()
    assert.error_matches(function() x:gather(1, long { 1 }) end, 'gather: index: %[1%], expected sizes like %[2, 3%]')
    assert.error_matches(function() x:gather(2, long { { 1 }, { 1 }, { 1 } }) end, 'gather: index')
    assert.error_matches(function() x:scatter(1, long { { 1, 1 } }, torch.ones(1, 1)) end, 'scatter: source: %[1, 1%]')
  end)
end)

describe('a mask', function()
  local x = torch.range(1, 4):view(2, 2)

  it('selects in row-major order', function()
    assert.same({ 2, 4 }, x:maskedSelect(torch.ByteTensor { { 0, 1 }, { 0, 1 } }):totable())
    assert.same({ 3, 4 }, x:t():maskedSelect(x:t():gt(2)):totable())
    assert.equal(0, x:maskedSelect(x:gt(9)):dim())
    assert.same({ 1, 3 }, x:maskedSelect(torch.ByteTensor { 1, 0 }):totable())          -- broadcast
  end)

  it('fills and copies', function()
    assert.same({ { 1, 2 }, { 0, 0 } }, x:clone():maskedFill(x:gt(2), 0):totable())
    assert.same({ { 7, 2 }, { 8, 4 } }, x:clone():maskedCopy(torch.ByteTensor { 1, 0, 1, 0 }, torch.Tensor { 7, 8, 9 }):totable())
    local y = x:clone()
    y:t():maskedCopy(torch.ByteTensor { { 0, 1 }, { 1, 0 } }, torch.Tensor { 7, 8 })
    assert.same({ { 1, 8 }, { 7, 4 } }, y:totable())
  end)

  it('is long enough to be split among threads', function()
    local n = 100003
    local long_x = torch.range(1, n)
    local odd = torch.remainder(long_x, 2):byte()
    local picked = long_x:maskedSelect(odd)
    assert.equal((n + 1) / 2, picked:nElement())
    assert.equal(n, picked[picked:nElement()])
    assert.equal(50001, picked[25001])
    assert.equal(n, torch.nonzero(odd)[picked:nElement()][1])
    long_x:maskedCopy(odd, torch.zeros(picked:nElement()))
    assert.equal((n - 1) / 2, torch.nonzero(long_x):size(1))
  end)

  it('is bytes of 0 and 1, enough of them', function()
    assert.error_matches(function() x:maskedFill(torch.ByteTensor { 0, 1, 2, 0 }, 1) end, '0 and 1 values only')
    assert.error_matches(function() x:maskedSelect(torch.ByteTensor(3):zero()) end, 'mask: %[3%]')
    assert.error_matches(function() x:maskedSelect(x) end, 'expected torch.ByteTensor')
    assert.error_matches(function() x:maskedCopy(x:gt(0), torch.ones(3)) end, '3 elements, the mask has 4 ones')
  end)

  it('lists the positions of nonzero elements', function()
    assert.same({ { 1, 2 }, { 2, 1 } }, torch.nonzero(torch.ByteTensor { { 0, 1 }, { 1, 0 } }):totable())
    assert.equal('torch.LongTensor', torch.nonzero(x):type())
    assert.equal(0, torch.nonzero(torch.zeros(3)):dim())
  end)

  it('selects from tensors with one element and with none', function()
    local one = torch.Tensor { 5 }
    assert.same({ 5 }, one:maskedSelect(torch.ByteTensor { 1 }):totable())
    assert.equal(0, one:maskedSelect(torch.ByteTensor { 0 }):dim())
    assert.same({ { 1 } }, torch.nonzero(one):totable())
    assert.same({ { 1, 1, 1 } }, torch.nonzero(torch.ones(1, 1, 1)):totable())
    assert.equal(0, torch.Tensor():maskedSelect(torch.ByteTensor()):dim())
    assert.equal(0, torch.nonzero(torch.Tensor()):dim())
  end)

  it('selects into its own argument, which then counts as changed', function()
    local y = torch.range(1, 4)
    y.maskedSelect(y, y, torch.ByteTensor { 0, 1, 1, 0 })
    assert.same({ 2, 3 }, y:totable())
    local positions = torch.LongTensor { 0, 5, 6 }
    torch.nonzero(positions, positions)
    assert.same({ { 2 }, { 3 } }, positions:totable())

    local leaf, factor = torch.ones(2):requiresGrad(), torch.range(1, 2)
    local loss = torch.sum(torch.cmul(leaf, factor))
    factor.maskedSelect(factor, torch.range(3, 6), torch.ByteTensor { 1, 1, 0, 0 })
    assert.error_matches(function() loss:backward() end, 'changed')
  end)
end)
