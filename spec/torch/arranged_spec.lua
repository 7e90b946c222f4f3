-- PyTorch's functions that arrange and create tensors: memory, types and errors; spec/torch/names_spec.lua compares values and gradients.
local torch = require 'torch'

local function shares(x, y)
  local before = y:clone()
  x:add(1)
  return not torch.equal(before, y)
end

describe('a view by a name of PyTorch', function()
  it('has the memory of its tensor', function()
    local x = torch.range(1, 24):view(2, 3, 4)
    for _, view in ipairs { torch.movedim(x, 1, 3), torch.swapaxes(x, 1, 2), torch.ravel(x), torch.unflatten(x, 3, { 2, 2 }),
      torch.broadcastTo(x, 2, 2, 3, 4), torch.broadcastTensors(x, x)[2], torch.atleast3d(x), torch.diagonal(x, 1, 2, 3),
      torch.tensorSplit(x, 2, 3)[1], torch.hsplit(x, { 1 })[2], torch.vsplit(x, 2)[2], torch.dsplit(x, 2)[1],
      torch.splitWithSizes(x, { 1, 1 })[2], x:reshapeAs(torch.zeros(4, 6)), torch.detach(x), torch.positive(x) } do
      assert.is_true(shares(x, view))
    end
  end)
  it('is no view where it says that it copies', function()
    local x = torch.range(1, 6):view(2, 3)
    assert.same({ 1, 2, 1, 2 }, torch.tile(torch.range(1, 2):view(1, 1, 1, 1, 2), 2):view(-1):totable())
    for _, copy in ipairs { torch.tile(x, 2, 1), torch.fliplr(x), torch.flipud(x), torch.hstack { x, x } } do
      assert.is_false(shares(x, copy))
    end
  end)
  it('has the elements of a diagonal below the main one, within the shorter side', function()
    local x = torch.range(1, 12):view(3, 4)
    assert.same({ { 5, 10 }, { 9 }, { 3, 8 } },
      { torch.diagonal(x, -1):totable(), torch.diagonal(x, -2):totable(), torch.diagonal(x, 2):totable() })
    assert.same({ { 5, 10 }, { 5, 10 } }, { torch.diagonal(x:t(), 1):totable(), torch.diagonal(x:t(), -1, 2, 1):totable() })
  end)
  it('ends where a cut before the first slice says so', function()
    local parts = torch.tensorSplit(torch.range(1, 3), { -9, -1 })
    assert.same({ {}, { 1, 2 }, { 3 } }, { parts[1]:totable(), parts[2]:totable(), parts[3]:totable() })
  end)
  it('swaps in place', function()
    local x = torch.zeros(2, 3)
    assert.equal(x, x:swapaxes_(1, 2))
    assert.same({ 3, 2 }, x:size():totable())
  end)
end)

describe('a tensor of another one', function()
  it('has its type, or the one asked for', function()
    local x = torch.FloatTensor(2, 3)
    assert.equal('torch.FloatTensor', torch.emptyLike(x):type())
    assert.equal('torch.IntTensor', torch.emptyLike(x, 'int'):type())
    assert.same({ 2, 3 }, torch.emptyLike(x):size():totable())
    assert.equal('torch.FloatTensor', x:newEmpty(2):type())
    assert.same({ 0, 0 }, x:newZeros({ 2 }, 'long'):totable())
    assert.equal('torch.LongTensor', x:newZeros({ 2 }, 'long'):type())
    assert.equal('torch.LongTensor', x:newFull({ 2 }, 7, 'long'):type())
    assert.same({ 1, 2 }, x:newTensor { 1, 2 }:totable())
    assert.same({ 2, 1 }, x:newOnes(torch.LongStorage { 2, 1 }):size():totable())
    local draws = torch.randintLike(torch.IntTensor(1000), -2, 3)
    assert.same({ -2, 2, 'torch.IntTensor' }, { draws:min(), draws:max(), draws:type() })
    assert.equal(0, torch.randintLike(x, 1):max())
  end)
  it('has the strides asked for', function()
    local y = torch.emptyStrided({ 2, 3 }, { 1, 2 }, 'float')
    assert.same({ { 2, 3 }, { 1, 2 }, 'torch.FloatTensor' }, { y:size():totable(), y:stride():totable(), y:type() })
    assert.equal(6, y:storage():size())
    assert.same({ 12, 1, 3 }, torch.emptyPermuted({ 2, 3, 4 }, { 1, 3, 2 }):stride():totable())
    assert.same({ 0, 2 }, torch.emptyStrided({ 0, 2 }, { 2, 1 }):size():totable())
    assert.same({ 5, 1 }, torch.IntTensor():newEmptyStrided({ 2, 2 }, { 5, 1 }):stride():totable())
  end)
  it('is the tensor itself where nothing changes', function()
    local x = torch.Tensor { 1, 2 }
    assert.equal(x, torch.asTensor(x))
    assert.equal(x, torch.asarray(x, 'double'))
    assert.same({ 1, 2 }, torch.asTensor({ 1, 2 }, 'int'):totable())
    assert.equal('torch.IntTensor', torch.scalarTensor(2, 'int'):type())
  end)
end)

describe('a question about types', function()
  it('has the answer of the ops', function()
    assert.equal('torch.FloatTensor', torch.promoteTypes('byte', 'float'))
    assert.equal('torch.ShortTensor', torch.promoteTypes(torch.int8, torch.uint8))
    assert.equal('torch.LongTensor', torch.resultType(torch.LongTensor { 1 }, 2))
    assert.equal('torch.DoubleTensor', torch.resultType(torch.LongTensor { 1 }, torch.DoubleTensor { 1 }))
    assert.equal(torch.getdefaulttensortype(), torch.resultType(1, 2))
    assert.same({ false, true, true, false }, { torch.canCast('float', 'int'), torch.canCast('int', 'half'), torch.canCast('long', 'byte'),
      torch.canCast('byte', 'bool') })
    assert.same({ true, false, false }, { torch.isSigned(torch.CharTensor()), torch.isSigned(torch.ByteTensor()),
      torch.isSigned(torch.BoolTensor()) })
    assert.same({ true, false }, { torch.isNonzero(torch.Tensor { -2 }), torch.Tensor { 0 }:isNonzero() })
    assert.is_true(torch.isGradEnabled())
    torch.noGrad(function() assert.is_false(torch.isGradEnabled()) end)
  end)
  it('about limits has the numbers of IEEE 754 and two\'s complement', function()
    local half, float = torch.finfo 'half', torch.finfo(torch.FloatTensor())
    assert.same({ 16, 2 ^ -10, 65504, -65504, 2 ^ -14, 0.001 }, { half.bits, half.eps, half.max, half.min, half.tiny, half.resolution })
    assert.same({ 32, 2 ^ -23, 1e-6 }, { float.bits, float.eps, float.resolution })
    assert.equal(2 ^ -52, torch.finfo().eps)
    assert.equal(3.3895313892515355e38, torch.finfo('bfloat16').max)
    assert.same({ 8, -128, 127 }, { torch.iinfo('char').bits, torch.iinfo('char').min, torch.iinfo('char').max })
    assert.is_true(torch.iinfo('long').min + 1 == -torch.iinfo('long').max)
  end)
end)

local cases = {
  { 'torch.movedim(x, 1, { 1, 2 })', 'movedim: destination: 2 dimensions, expected 1 as in source' },
  { 'torch.movedim(x, { 1, -2 }, { 1, 2 })', 'movedim: source: dimension 1 is twice in the list' },
  { 'torch.moveaxis(x, 4, 1)', 'moveaxis: source: dimension 4 out of range 1%.%.2' },
  { 'torch.swapaxes(x, 1, 3)', 'swapaxes: dim2: dimension 3 out of range 1%.%.2' },
  { 'torch.ravel(3)', 'ravel: x: number, expected a tensor' },
  { 'torch.unflatten(x, 2, { 2, 2 })', 'unflatten: sizes: %[2, 2%], expected a product of 3' },
  { 'torch.unflatten(x, 2, { -1, -1 })', 'unflatten: sizes: %-1 twice' },
  { 'torch.unflatten(x, 2, { 2, -1 })', 'unflatten: sizes: %[2, %-1%], expected a product of 3' },
  { 'torch.broadcastTo(x, 2, 4)', 'broadcastTo: sizes: %[2, 4%], expected sizes to which %[2, 3%] broadcasts' },
  { 'torch.broadcastTo(x, 3)', 'broadcastTo: sizes: %[3%], expected 2 or more for %[2, 3%]' },
  { 'torch.broadcastTensors(x, torch.zeros(2))', 'broadcastTensors: tensors: %[2%], expected sizes that broadcast with %[2, 3%]' },
  { 'torch.broadcastTensors()', 'broadcastTensors: tensors: none' },
  { 'torch.atleast2d(x, 1)', 'atleast2d: tensors: number, expected a tensor' },
  { 'torch.fliplr(torch.zeros(2))', 'fliplr: x: %[2%], expected 2 dimensions or more' },
  { 'x:reshapeAs(torch.zeros(5))', 'reshapeAs: other: %[5%], expected as many elements as %[2, 3%]' },
  { 'torch.diagonal(x, 0, 1, -2)', 'diagonal: dim2: dimension 1, expected another than dim1' },
  { 'torch.diagonal(x, 0.5)', 'diagonal: offset: 0%.5, expected a whole number' },
  { 'x:sumToSize(2, 2)', 'sumToSize: sizes: %[2, 2%], expected sizes that broadcast to %[2, 3%]' },
  { 'torch.tile(x, -1)', 'tile: counts: %-1, expected 0 or more' },
  { 'torch.hstack(x)', 'hstack: tensors: torch.DoubleTensor, expected a table of one tensor or more' },
  { 'torch.vstack {}', 'vstack: tensors: table, expected a table of one tensor or more' },
  { 'torch.blockDiag(torch.zeros(1, 1, 1))', 'blockDiag: tensors: %[1, 1, 1%], expected matrices or vectors' },
  { 'torch.cartesianProd(x)', 'cartesianProd: tensors: %[2, 3%], expected vectors' },
  { 'torch.combinations(x)', 'combinations: x: %[2, 3%], expected a vector' },
  { 'torch.combinations(torch.zeros(2), -1)', 'combinations: r: %-1, expected a whole number, 0 or more' },
  { 'torch.tensorSplit(x, 0)', 'tensorSplit: sections: 0, expected a whole number from 1 to' },
  { 'torch.hsplit(x, 2)', 'hsplit: sections: 2, expected a divisor of 3' },
  { 'torch.vsplit(torch.zeros(2), 2)', 'vsplit: x: 1 dimensions, expected 2 or more' },
  { 'torch.splitWithSizes(x, { 1, 2 })', 'splitWithSizes: sizes: a sum of 3, expected 2' },
  { 'torch.splitWithSizes(x, { -1, 3 })', 'splitWithSizes: sizes: %-1, expected a whole number, 0 or more' },
  { 'torch.emptyLike(x, 5)', "emptyLike: typeName: number, expected a name such as 'float'" },
  { 'torch.randintLike(x, 5, 5)', 'randintLike: high: 5, expected a whole number, 6 or more' },
  { 'torch.emptyStrided({ 2 }, {})', 'emptyStrided: strides: false, expected a whole number, 0 or more' },
  { 'torch.emptyPermuted({ 2, -1 }, { 1, 2 })', 'emptyPermuted: sizes: %-1, expected a whole number, 0 or more' },
  { 'torch.emptyPermuted({ 2, 3 }, { 1, 1 })', 'emptyPermuted: order: %[1, 1%], expected each of 2 dimensions once' },
  { 'x:newZeros(-1)', 'newZeros: sizes: %-1, expected a whole number, 0 or more' },
  { "x:newFull({ 2 }, 'a')", "newFull: value: 'a', expected a number" },
  { 'torch.scalarTensor {}', 'scalarTensor: value: .*, expected a number' },
  { 'torch.trilIndices(-1, 2)', 'trilIndices: rows: %-1, expected a whole number, 0 or more' },
  { 'torch.hannWindow(-1)', 'hannWindow: n: %-1, expected a whole number, 0 or more' },
  { 'torch.vander(x)', 'vander: x: 2 dimensions, expected a vector' },
  { "torch.promoteTypes('float', 'nothing')", "promoteTypes: second: nothing, expected the name of a type, such as 'float'" },
  { "torch.resultType('a', x)", "resultType: x: 'a', expected a number" },
  { 'torch.isNonzero(x)', 'isNonzero: x: 6 elements, expected one' },
  { "torch.finfo 'int'", 'finfo: typeName: torch.IntTensor, expected a type of floats' },
  { "torch.iinfo 'float'", 'iinfo: typeName: torch.FloatTensor, expected a type of integers' },
  { 'torch.iinfo()', "iinfo: typeName: nil, expected the name of a type, such as 'float'" },
}

describe('a wrong argument', function()
  for _, case in ipairs(cases) do
    it('is named by the error of ' .. case[1], function()
      local x = torch.range(1, 6):view(2, 3)
      assert.error_matches(function() assert(loadstring('local torch, x = ... return ' .. case[1]))(torch, x) end, case[2])
      assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, x:totable())
    end)
  end
end)
