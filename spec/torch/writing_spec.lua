-- PyTorch's functions that replace, reduce and select elements: in place, gradients, errors; spec/torch/names_spec.lua compares values.
local torch = require 'torch'

describe('a function that replaces elements', function()
  it('leaves its tensor as it is', function()
    local x = torch.zeros(2, 2)
    torch.selectScatter(x, 1, 1, 1)
    torch.diagonalScatter(x, torch.ones(2))
    torch.indexPut(x, { torch.LongTensor { 1 } }, 5, true)
    torch.put(x, torch.LongTensor { 1 }, torch.Tensor { 1 })
    torch.maskedScatter(x, torch.ByteTensor(2, 2):fill(1), torch.ones(4))
    for _, reduce in ipairs { 'sum', 'mean', 'prod', 'amax', 'amin' } do
      for _, includeSelf in ipairs { true, false } do
        torch.scatterReduce(x, 1, torch.LongTensor(1, 2):fill(1), torch.ones(1, 2), reduce, includeSelf)
        if reduce ~= 'sum' then torch.indexReduce(x, 1, torch.LongTensor { 1 }, torch.ones(1, 2), reduce, includeSelf) end
      end
    end
    assert.equal(0, torch.sum(x))
  end)

  it('changes its tensor with an underscore at the end', function()
    local x = torch.zeros(3)
    assert.equal(x, x:index_put_({ torch.LongTensor { 2 } }, 5))
    assert.equal(x, x:put_(torch.LongTensor { -1 }, torch.Tensor { 7 }))
    assert.equal(x, x:masked_scatter_(torch.ByteTensor { 1, 0, 0 }, torch.Tensor { 4 }))
    assert.same({ 4, 5, 7 }, x:totable())
    assert.equal(x, x:scatter_reduce_(1, torch.LongTensor { 1, 1 }, torch.Tensor { 8, 9 }, 'amax'))
    assert.equal(x, x:indexReduce_(1, torch.LongTensor { 3 }, torch.Tensor { 2 }, 'prod'))
    assert.same({ 9, 5, 14 }, x:totable())
  end)

  it('replaces every step-th slice up to the last one, which is included', function()
    local x = torch.zeros(6)
    assert.same({ 0, 1, 0, 1, 0, 0 }, torch.sliceScatter(x, torch.ones(2), 1, 2, 5, 2):totable())
    assert.same({ 0, 0, 0, 0, 3, 3 }, torch.sliceScatter(x, 3, 1, -2):totable())
    assert.same({ 3, 3, 0, 0, 0, 0 }, torch.sliceScatter(x, 3, 1, -9, 2):totable())
    assert.same({ 0, 0, 0, 0, 0, 0 }, torch.sliceScatter(x, torch.Tensor(0), 1, 4, 3):totable())
    local y = torch.zeros(2, 3):requiresGrad()
    local source = torch.ones(2, 2):requiresGrad()
    torch.sum(torch.cmul(torch.sliceScatter(y, source, 2, 1, 3, 2), torch.range(1, 6):view(2, 3))):backward()
    assert.same({ { 0, 2, 0 }, { 0, 5, 0 } }, y.grad:totable())
    assert.same({ { 1, 3 }, { 4, 6 } }, source.grad:totable())
  end)

  it('has the gradient of what it copies', function()
    local x = torch.zeros(2, 3):requiresGrad()
    local y = torch.asStridedScatter(x, torch.ones(2, 2), { 2, 2 }, { 1, 2 }, 2)
    assert.same({ { 0, 1, 1 }, { 1, 1, 0 } }, y:totable())
    torch.sum(torch.cmul(y, torch.range(1, 6):view(2, 3))):backward()
    assert.same({ { 1, 0, 0 }, { 0, 0, 6 } }, x.grad:totable())
  end)

  -- By reduction: gradients by x and by the source, then those without the elements of x.
  local gradients = {
    sum = { { 1, 10, 100 }, { 1, 1, 100 }, { 0, 10, 0 }, { 1, 1, 100 } },
    mean = { { 1 / 3, 10, 50 }, { 1 / 3, 1 / 3, 50 }, { 0, 10, 0 }, { 1 / 2, 1 / 2, 100 } },
    prod = { { 20, 10, 200 }, { 5, 4, 300 }, { 0, 10, 0 }, { 5, 4, 100 } },
    amax = { { 0, 10, 100 }, { 0, 1, 0 }, { 0, 10, 0 }, { 0, 1, 100 } },
    amin = { { 1, 10, 0 }, { 0, 0, 100 }, { 0, 10, 0 }, { 1, 0, 100 } },
  }
  for reduce, expected in pairs(gradients) do
    it(('has the gradient of %s by the elements that it reduces'):format(reduce), function()
      for i, includeSelf in ipairs { true, false } do
        local x, source = torch.Tensor { 1, 2, 3 }:requiresGrad(), torch.Tensor { 4, 5, 2 }:requiresGrad()
        local y = torch.scatterReduce(x, 1, torch.LongTensor { 1, 1, 3 }, source, reduce, includeSelf)
        torch.sum(torch.cmul(y, torch.Tensor { 1, 10, 100 })):backward()
        assert.same({ expected[2 * i - 1], expected[2 * i] }, { x.grad:totable(), source.grad:totable() })
      end
    end)
  end

  it('fills diagonals', function()
    assert.same({ { 1, 0 }, { 0, 1 }, { 0, 0 }, { 1, 0 }, { 0, 1 } }, torch.zeros(5, 2):fill_diagonal_(1, true):totable())
    assert.same({ { 1, 0 }, { 0, 1 }, { 0, 0 } }, torch.zeros(3, 2):fillDiagonal(1):totable())
    assert.same({ { 2, 0, 0 }, { 0, 2, 0 } }, torch.zeros(3, 2):t():fillDiagonal_(2):totable())
    local cube = torch.zeros(2, 2, 2):fillDiagonal(3)
    assert.same({ 3, 3, 6 }, { cube[{ 1, 1, 1 }], cube[{ 2, 2, 2 }], cube:sum() })
  end)
end)

describe('a graph', function()
  it('records functions that select by positions', function()
    local x = torch.range(1, 6):view(2, 3)
    local graph = torch.graph.capture(function(y) return torch.repeatInterleave(y, 2, 1), torch.pdist(y) end, { x })
    local repeated, distances = graph:run(torch.mul(x, 2))
    assert.same(torch.repeatInterleave(torch.mul(x, 2), 2, 1):totable(), repeated:totable())
    assert.same(torch.pdist(torch.mul(x, 2)):totable(), distances:totable())
  end)
end)

describe('uniqueConsecutive', function()
  it('says which value each element is, and how often it comes', function()
    local values, inverse, lengths = torch.uniqueConsecutive(torch.Tensor { { 1, 1 }, { 2, 1 } })
    assert.same({ { 1, 2, 1 }, { { 1, 1 }, { 2, 3 } }, { 2, 1, 1 } }, { values:totable(), inverse:totable(), lengths:totable() })
    local rows, places, counts = torch.uniqueConsecutive(torch.Tensor { { 1, 2 }, { 1, 2 }, { 3, 2 } }, 1)
    assert.same({ { { 1, 2 }, { 3, 2 } }, { 1, 1, 2 }, { 2, 1 } }, { rows:totable(), places:totable(), counts:totable() })
    assert.same({ 1, 2, 3 }, select(2, torch.uniqueConsecutive(torch.Tensor { { 1, 3, 4 } }, 2)):totable())
    assert.equal(0, torch.uniqueConsecutive(torch.Tensor(0)):nElement())
  end)
end)

local cases = {
  { 'torch.selectScatter(x, torch.zeros(2), 1, 1)', 'selectScatter: source: %[1, 2%], expected %[1, 3%]' },
  { 'torch.selectScatter(x, 1, 1, 3)', 'selectScatter: index: 3, expected a whole number from %-2 to 2' },
  { 'torch.selectScatter(x, 1, 1, 0)', 'selectScatter: index: 0, expected a position from 1 to 2' },
  { "torch.sliceScatter(x, 'a')", "sliceScatter: source: 'a', expected a number" },
  { 'torch.sliceScatter(x, 1, 1, 0)', 'sliceScatter: first: 0, expected a position from 1 to 2' },
  { 'torch.sliceScatter(x, 1, 1, 1, 2, 0)', 'sliceScatter: step: 0, expected a whole number, 1 or more' },
  { 'torch.diagonalScatter(x, torch.zeros(3))', 'diagonalScatter: source: %[3%], expected %[2%]' },
  { 'torch.asStridedScatter(x, 1, 2, 3)', 'asStridedScatter: sizes: 2, expected a table' },
  { 'x:fillDiagonal(true)', 'fillDiagonal: value: true, expected a number' },
  { 'torch.zeros(3):fillDiagonal(1)', 'fillDiagonal: x: %[3%], expected two dimensions or more' },
  { 'torch.zeros(2, 2, 3):fillDiagonal(1)', 'fillDiagonal: x: %[2, 2, 3%], expected equal sizes' },
  { 'torch.maskedScatter(x, torch.ByteTensor(2, 3):fill(1), torch.zeros(5))', 'maskedScatter: source: 5 elements, expected 6 or more' },
  { 'torch.maskedScatter(x, torch.ByteTensor(2):fill(1), x)', 'maskedScatter: mask: %[2%], expected sizes that broadcast with %[2, 3%]' },
  { 'torch.indexPut(x, { torch.LongTensor { 3 } }, 1)', 'indexPut: indices: a position out of range, expected 1 to 2 in dimension 1' },
  { 'torch.indexPut(x, { torch.LongTensor { -3 } }, 1)', 'indexPut: indices: a position out of range, expected 1 to 2 in dimension 1' },
  { 'torch.indexPut(x, { torch.LongTensor { 0 } }, 1)', 'indexPut: indices: a position out of range' },
  { 'torch.indexPut(x, {}, 1)', 'indexPut: indices: 0 tensors, expected 1 to 2' },
  { 'torch.indexPut(x, { torch.LongTensor { 1 } }, torch.zeros(2))', 'indexPut: values: %[2%], expected sizes that broadcast to %[1, 3%]' },
  { 'torch.put(x, torch.LongTensor { 7 }, torch.zeros(1))', 'put: indices: a position out of range, expected 1 to 6' },
  { 'torch.put(x, torch.LongTensor { 1 }, torch.zeros(2))', 'put: source: 2 elements, expected 1' },
  { "torch.scatterReduce(x, 1, torch.LongTensor(1, 3):fill(1), x, 'median')", "scatterReduce: reduce: 'median', expected one of 'sum'" },
  { "torch.scatterReduce(x, 1, torch.LongTensor(3, 3):fill(1), x, 'sum')",
    'scatterReduce: source: %[2, 3%], expected the sizes of the index' },
  { "torch.scatterReduce(x, 1, torch.LongTensor(1, 3):fill(3), x, 'sum')", 'index: .*3' },
  { "torch.indexReduce(x, 1, torch.LongTensor { 1 }, x, 'prod')",
    'indexReduce: source: %[2, 3%], expected the sizes %[2, 3%] with 1 slices' },
  { 'torch.takeAlongDim(x, torch.LongTensor { 1 }, 1)', 'takeAlongDim: index: %[1%], expected as many dimensions as %[2, 3%]' },
  { 'torch.takeAlongDim(x, torch.LongTensor(2, 2):fill(1), 1)', 'takeAlongDim: index: %[2, 2%], expected sizes that broadcast' },
  { 'torch.repeatInterleave(x, torch.LongTensor { 1, 2 }, 2)', 'repeatInterleave: repeats: 2 elements, expected 3' },
  { 'torch.repeatInterleave(x, 9e15, 2)', 'out of memory: ' },
  { 'torch.repeatInterleave(x, -1)', 'repeatInterleave: repeats: %-1, expected a whole number, 0 or more' },
  { 'torch.unravelIndex(torch.LongTensor { 7 }, { 2, 3 })', 'unravelIndex: index: a position out of range, expected 1 to 6' },
  { 'x:where(torch.ByteTensor(2):fill(1), x)', 'where: y: %[2%], expected sizes that broadcast' },
  { 'torch.amax(torch.Tensor())', 'amax: x: an empty tensor, expected elements' },
  { 'torch.amax(x, { 1, -2 })', 'amax: dim: dimension 1 is twice in the list' },
  { 'torch.inner(x, torch.zeros(2))', 'inner: y: %[2%], expected a last dimension as of %[2, 3%]' },
  { 'torch.gcd(x, 2)', 'gcd: x: torch.DoubleTensor, expected a tensor of integers' },
  { 'torch.gcd(torch.LongTensor { 2 }, x)', 'gcd: y: torch.DoubleTensor, expected a tensor of integers' },
  { 'torch.pdist(torch.zeros(2))', 'pdist: x: %[2%], expected a matrix' },
  { 'torch.prelu(x, torch.zeros(2))', 'prelu: weight: 2 elements, expected one, or as many as the second dimension of %[2, 3%]' },
  { 'torch.diagEmbed(x, 0, 1, 1)', 'diagEmbed: dim2: dimension 1, expected another than dim1' },
  { 'torch.cumulativeTrapezoid(x, torch.zeros(2))', 'cumulativeTrapezoid: x: ' },
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
