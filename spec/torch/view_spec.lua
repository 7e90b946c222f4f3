-- Views and rearranging copies: shared memory, results that are numbers, and errors with the actual value.
local torch = require 'torch'

local function counted(...) return torch.range(1, torch.zeros(...):nElement()):view(...) end

describe('a view', function()
  local x
  before_each(function() x = counted(3, 4) end)

  it('shares its elements', function()
    for _, view in ipairs { x:narrow(1, 2, 1), x:select(2, 1), x:t(), x:view(-1), x:sub(2, 3), x:unfold(2, 2, 2), x:permute(2, 1),
                            x:unsqueeze(2), x:expand(3, 4), x:contiguous() } do
      view:fill(0)
      assert.is_true(x:totable()[2][1] == 0)
      x:copy(counted(3, 4))
    end
  end)

  it('of a range counts both ends', function()
    assert.same({ { 7, 8 }, { 11, 12 } }, x:sub(2, 3, -2, -1):totable())
    assert.same({ { 2, 3 }, { 6, 7 }, { 10, 11 } }, x:narrow(2, 2, 2):totable())
    assert.same({ { 9, 10, 11, 12 } }, x:narrow(1, -1, 1):totable())
    assert.same({ 0, 4 }, x:narrow(1, 4, 0):size():totable())
  end)

  it('of windows repeats shared elements', function()
    assert.same({ { 1, 2, 3 }, { 3, 4, 5 }, { 5, 6, 7 } }, torch.range(1, 7):unfold(1, 3, 2):totable())
    assert.same({ 3, 2, 3 }, x:unfold(2, 3, 1):size():totable())
    assert.same({ { 1 }, { 3 }, { 5 } }, torch.range(1, 5):unfold(1, 1, 2):totable())
  end)

  it('with sizes computes the one that is -1', function()
    assert.same({ 2, 3, 2 }, x:view(2, -1, 2):size():totable())
    assert.same({ 12 }, x:view(torch.LongStorage { -1 }):size():totable())
    assert.same({ 4, 3 }, x:viewAs(torch.zeros(4, 3)):size():totable())
  end)

  it('can be given a tensor that becomes it', function()
    local y = torch.Tensor()
    assert.is_true(rawequal(y, y:view(x, 4, 3)))
    y:fill(5)
    assert.equal(5, x[3][4])
    assert.is_true(rawequal(y, torch.select(y, x, 1, 2)))
    assert.same({ 4 }, y:size():totable())
    assert.is_true(rawequal(y, y:expand(torch.ones(1), 6)))
  end)

  it('sums a gradient whose elements are repeated, too', function()
    local g = torch.DoubleTensor { { 1, 5 } }:expand(3, 2)
    assert.same({ { 3, 15 } }, torch.expand_grad(g, torch.LongStorage { 1, 2 }):totable())
    assert.same({ { 6 }, { 6 }, { 6 } }, torch.expand_grad(g, torch.LongStorage { 3, 1 }):totable())
    assert.same({ 18 }, torch.expand_grad(g, torch.LongStorage { 1 }):totable())
  end)

  it('repeats dimensions of size 1 without copying', function()
    local row = torch.ones(1, 3):expand(2, 3)
    assert.same({ 0, 1 }, row:stride():totable())
    row:add(1)
    assert.same({ { 3, 3, 3 }, { 3, 3, 3 } }, row:totable())       -- each of two indices is visited
    assert.same({ 2, 5, 3 }, torch.ones(2, 1, 3):expand(-1, 5, -1):size():totable())
    assert.same({ 4, 3 }, torch.ones(3):expandAs(torch.ones(4, 3)):size():totable())
  end)
end)

describe('a table of views', function()
  local x = torch.range(1, 5)

  it('has parts of one length, the last shorter', function()
    local parts = x:split(2)
    assert.equal(3, #parts)
    assert.same({ 5 }, parts[3]:totable())
    assert.same({ 2, 2 }, torch.split(torch.zeros(2, 4), 2, 2)[2]:size():totable())
  end)

  it('may have fewer parts than asked for', function()
    assert.equal(3, #x:chunk(4))
    assert.equal(5, #torch.chunk(x, 9))
  end)

  it('goes into a table given first', function()
    local given = { 1, 2, 3, 4 }
    assert.is_true(rawequal(given, torch.chunk(given, x, 1)))
    assert.equal(1, #given)
    assert.error_matches(function() x:split(0) end, 'split: size: 0')
  end)
end)

describe('one element', function()
  it('of a vector is a number', function()
    assert.equal(3, torch.range(1, 5):select(1, 3))
    assert.equal(5, torch.range(1, 5):select(1, -1))
    assert.is_true(torch.isTensor(torch.ones(3, 1):select(1, 2)))
  end)

  it('is what squeeze leaves as a number', function()
    assert.equal(1, torch.ones(1, 1):squeeze())
    assert.equal(1, torch.ones(1):squeeze(1))
    assert.same({ 1 }, torch.ones(1, 1):squeeze(1):size():totable())
    assert.same({ 2, 3 }, torch.ones(2, 1, 3, 1):squeeze():size():totable())
    assert.same({ 2, 1, 3 }, torch.ones(2, 1, 3, 1):squeeze(4):size():totable())
    assert.is_true(torch.isTensor(torch.squeeze(torch.Tensor(), torch.ones(1, 1))))
  end)
end)

describe('a copy', function()
  it('that reshapes does not share', function()
    local x = counted(2, 3)
    local y = x:reshape(3, 2)
    y:zero()
    assert.equal(6, x[2][3])
    assert.same({ 1, 4, 2, 5, 3, 6 }, x:t():reshape(6):totable())
  end)

  it('joins tensors along the last dimension unless told', function()
    local x, y = counted(2, 2), torch.zeros(2, 1)
    assert.same({ { 1, 2, 0 }, { 3, 4, 0 } }, torch.cat(x, y):totable())
    assert.same({ { 1, 2, 0 }, { 3, 4, 0 } }, x:cat(y, 2):totable())
    assert.same({ 4, 2 }, torch.cat({ x, x }, 1):size():totable())
    assert.same({ 2, 2, 2 }, torch.cat({ x, x }, 3):size():totable())
    assert.same({ { 1, 2, 7 }, { 3, 4, 8 } }, torch.cat(x, torch.Tensor { 7, 8 }, 2):totable())
    assert.same({ 1, 2 }, torch.cat({ torch.Tensor(), torch.range(1, 2) }):totable())
    assert.equal(0, torch.cat(torch.Tensor(), torch.Tensor()):dim())
    local res = torch.Tensor()
    assert.is_true(rawequal(res, torch.cat(res, x, y, 2)))
    assert.same({ 2, 3 }, res:size():totable())
  end)

  it('tiles, along new leading dimensions too', function()
    assert.same({ { 1, 2, 1, 2 }, { 1, 2, 1, 2 } }, torch.range(1, 2):repeatTensor(2, 2):totable())
    assert.same({ 3, 2, 8 }, counted(2, 4):repeatTensor(3, 1, 2):size():totable())
  end)

  it('of a diagonal goes both ways', function()
    local x = counted(2, 3)
    assert.same({ 2, 6 }, x:diag(1):totable())
    assert.same({ 4 }, x:diag(-1):totable())
    assert.same({ { 0, 1, 0 }, { 0, 0, 2 }, { 0, 0, 0 } }, torch.diag(torch.range(1, 2), 1):totable())
  end)

  it('may overlap what it writes', function()
    local x = torch.range(1, 5)
    x:narrow(1, 2, 4):copy(x:narrow(1, 1, 4))
    assert.same({ 1, 1, 2, 3, 4 }, x:totable())
    local square = counted(2, 2)
    square:copy(square:t())
    assert.same({ { 1, 3 }, { 2, 4 } }, square:totable())
  end)

  it('is one element of an argument that the op still reads', function()
    local row = torch.range(1, 4):view(1, 4)
    torch.addmm(row:narrow(2, 2, 1), torch.Tensor { { 5 } }, row, torch.range(1, 4):view(4, 1))
    assert.same({ { 1, 5 + 1 + 4 + 9 + 16, 3, 4 } }, row:totable())
  end)

  it('pairs elements by row-major order, or broadcasts', function()
    assert.same({ { 1, 2 }, { 3, 4 } }, torch.zeros(2, 2):copy(torch.range(1, 4)):totable())
    assert.same({ { 1, 2 }, { 1, 2 } }, torch.zeros(2, 2):copy(torch.range(1, 2)):totable())
    assert.same({ 2, -2 }, torch.IntTensor(2):copy(torch.Tensor { 2.7, -2.7 }):totable())
    assert.error_matches(function() torch.zeros(2, 3):copy(torch.zeros(7)) end, 'copy: source: %[7%], expected .*%[2, 3%]')
  end)
end)

describe('view of a tensor that is not contiguous', function()
  -- Returns whether each element of `y` is that of `x` at the same place in row-major order, in the same memory.
  local function shares(x, y)
    local flat = x:clone():view(-1)
    for i = 1, flat:nElement() do flat[i] = i end
    x:copy(flat:view(x:size()))
    return torch.equal(y:clone():view(-1), flat)
  end

  it('splits dimensions, and joins those whose elements are equally far apart', function()
    local x = torch.zeros(4, 6, 8)
    local function part() return x:narrow(3, 3, 4) end
    local cases = {
      { part(), { 4, 6, 2, 2 } }, { part(), { 24, 4 } }, { part(), { 2, 12, 1, 4, 1 } }, { part(), { 1, 8, 3, 2, 2 } },
      { part():transpose(1, 3), { 2, 2, 3, 2, 2, 2 } }, { part():select(1, 2), { 2, 3, 4 } }, { x:narrow(2, 2, 3), { 4, 24 } },
      { x:narrow(1, 2, 2):transpose(1, 2), { 3, 2, 2, 8 } }, { x:select(3, 2), { 24 } }, { x:select(3, 2), { 1, 3, 8, 1 } },
      { torch.zeros(7, 5, 4, 3):narrow(2, 2, 1):narrow(3, 1, 2):transpose(2, 3), { 7, 6 } },
      { torch.zeros(1, 7):t():narrow(1, 2, 6), { 2, 3 } }, { torch.zeros(5, 3):narrow(2, 1, 1), { 5 } },
    }
    for i, case in ipairs(cases) do
      local from, sizes = unpack(case)
      local y = from:view(unpack(sizes))
      assert.same(sizes, y:size():totable())
      assert.is_true(shares(from, y), 'case ' .. i)
      assert.is_true(y:storage():size() == from:storage():size())
    end
    assert.same({ 192, 48, 24, 8, 1 }, part():view(1, 4, 2, 3, 4):stride():totable())
    assert.same({ 0, 4 }, torch.zeros(4, 6):narrow(2, 2, 0):view(0, 4):size():totable())
    local row = torch.range(1, 3):view(1, 3):expand(4, 3)
    assert.same({ 0, 0, 1 }, row:view(2, 2, 3):stride():totable())
  end)

  it('refuses sizes that would need a copy', function()
    local x = torch.zeros(4, 6, 8)
    for _, case in ipairs {
      { x:narrow(3, 3, 4), { 4, 24 } }, { x:narrow(3, 3, 4), { 96 } }, { x:narrow(3, 3, 4), { 12, 8 } }, { x:transpose(1, 2), { 24, 8 } },
      { x:transpose(2, 3), { 4, 3, 16 } }, { torch.zeros(2):view(1, 2):expand(3, 2), { 6 } },
    } do
      assert.error_matches(function() case[1]:view(unpack(case[2])) end, 'view: x: a tensor with strides .*, expecting a contiguous tensor')
    end
  end)

  it('has the gradient of its elements', function()
    local x = torch.randn(3, 8):requiresGrad()
    local weights = torch.randn(3, 2, 2)
    torch.sum(torch.cmul(x:narrow(2, 3, 4):view(3, 2, 2), weights)):backward()
    local expected = torch.zeros(3, 8)
    expected:narrow(2, 3, 4):copy(weights:view(3, 4))
    assert.is_true(torch.equal(expected, x.grad))
  end)

  it('is written in place and captured like others', function()
    local function f(x)
      local y = torch.mul(x, 2)
      y:narrow(2, 2, 4):view(3, 2, 2):add(1)
      return torch.cmul(y, x)
    end
    local x = torch.randn(3, 6)
    local expected = torch.cmul(torch.mul(x, 2), x)
    expected:narrow(2, 2, 4):add(x:narrow(2, 2, 4))
    assert.is_true((f(x) - expected):abs():max() < 1e-14)
    assert.is_true((torch.graph.capture(f, { torch.randn(3, 6) }):run(x) - expected):abs():max() < 1e-14)
    assert.is_true((torch.lazy(f, x) - expected):abs():max() < 1e-14)
    local leaf = x:clone():requiresGrad()
    torch.sum(f(leaf)):backward()
    local slope = torch.mul(x, 4)
    slope:narrow(2, 2, 4):add(1)
    assert.is_true((leaf.grad - slope):abs():max() < 1e-14)
  end)
end)

describe('an error', function()
  local x = counted(3, 4)
  local cases = {
    { function() x:narrow(1, 3, 2) end, 'narrow: length: 2 slices from 3 .*dimension 1 of %[3, 4%]' },
    { function() x:narrow(3, 1, 1) end, 'narrow: dim: dimension 3 out of range 1..2' },
    { function() x:narrow(0, 1, 1) end, 'narrow: dim: 0, expected' },
    { function() x:narrow(1, 2, 2 ^ 62) end, 'narrow: length' },
    { function() x:select(1, 4) end, 'select: index: 4 is out of range' },
    { function() x:select(1, 0) end, 'select: index: 0 is out of range' },
    { function() x:view(5, 5) end, 'view: sizes: Wrong size for view. Input size: 3x4. Output size: 5x5' },
    { function() x:view(-1, -1) end, 'Only one of torch.view dimensions can be %-1' },
    { function() x:view(5, -1) end, 'not a multiple of all' },
    { function() x:t():view(12) end, 'expecting a contiguous tensor' },
    { function() x:view(2 ^ 40, 2 ^ 40) end, 'view: sizes' },
    { function() x:reshape(5) end, 'reshape: sizes: Wrong size for reshape. Input size: 3x4. Output size: 5' },
    { function() torch.ones(2):t() end, 't: x: Tensor must have 2 dimensions: %[2%]' },
    { function() x:permute(1, 1) end, 'permute: dims: Invalid permutation: %[1, 1%]' },
    { function() x:expand(3, 8) end, 'expand: sizes: %[3, 8%] for %[3, 4%]' },
    { function() x:expand(12) end, 'the number of dimensions provided must equal tensor:dim' },
    { function() x:unfold(1, 4, 1) end, 'unfold: size: 4' },
    { function() x:unfold(1, 0, 1) end, 'unfold: size: 0, expected 1 to ' },
    { function() x:unfold(1, 2, 0) end, 'unfold: step: 0' },
    { function() x:sub(2, 1) end, 'end smaller than beginning' },
    { function() x:sub(1, 4) end, 'sub: ranges: 1..4 is out of range' },
    { function() x:repeatTensor(2) end, 'at least 2 counts' },
    { function() torch.cat({ x, torch.ones(2, 2) }, 1) end, 'cat: tensors: %[2, 2%] beside %[3, 4%]: inconsistent tensor sizes' },
    { function() torch.cat({}) end, 'cat: tensors' },
    { function() torch.as_strided(x, { 13 }, { 1 }) end, 'passes the end' },
    { function() torch.as_strided(x, { 2 ^ 32, 2 ^ 32 }, { 2 ^ 32, 1 }) end, '64 bits' },
  }
  for i, case in ipairs(cases) do
    it(('names the value (%d)'):format(i), function() assert.error_matches(case[1], case[2]) end)
  end
end)
