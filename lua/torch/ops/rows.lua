-- PyTorch's functions of rows: inner products, distances, similarities, sorting, bounds, running integrals.
local torch = require 'torch'
local declare = require('torch.op').declare
local broadcast = require 'torch.names.broadcast'
local expect = require 'torch.check.expect'
local reduced = require 'torch.names.reduced'
local positionsOf = require 'torch.names.positions'
local sizesOf = require('torch.check.message').sizes

declare {
  name = 'inner', signature = '[res] x:tensor y:tensor', result = 'same', ulp = 32, precision = 'low',
  doc = 'The sums of products over the last dimensions of x and y: of vectors a number, otherwise the other dimensions of x and of y.',
  samples = '{randn(4), randn(4)}, {randn(2, 3), randn(4, 3)}, {randn(2, 3), randn(3)}, {randn(2, 2, 3), randn(2, 3)}',
  forward = function(x, y)
    if x:dim() == 0 or y:dim() == 0 or x:size(-1) ~= y:size(-1) then
      expect.shape('inner', 'y', '%s, expected a last dimension as of %s', sizesOf(y), sizesOf(x))
    end
    return torch.tensordot(x, y, { -1 }, { -1 })
  end,
}

declare {
  name = 'pdist', signature = '[res] x:tensor p:number=2', result = 'float', ulp = 16, precision = 'float32',
  doc = [[
The p-norms of the differences of each pair of rows of a matrix with n rows, a vector of n (n - 1) / 2 in the order (1, 2), (1, 3), ...,
(2, 3), ...]],
  samples = '{nonzero(3, 4)}, {nonzero(4, 3), 1}, {nonzero(3, 2), 3}, {randn(3, 2), inf}, {nonzero(1, 3)}',
  forward = function(x, p)
    expect.dim('pdist', 'x', x, 2, 'a matrix')
    local first, second = {}, {}
    for i = 1, x:size(1) do
      for j = i + 1, x:size(1) do first[#first + 1], second[#second + 1] = i, j end
    end
    if #first == 0 then return torch.reshape(torch.narrow(x, 1, 1, 0), 0) end
    local function rows(list) return torch.index(x, 1, positionsOf(list, x)) end
    return torch.squeeze(torch.norm(torch.csub(rows(first), rows(second)), p, 2), 2)
  end,
}

local function alike(name, x, y) return unpack(broadcast.list(name, 'y', { x, y })) end

declare {
  name = 'cosineSimilarity', signature = '[res] x:tensor y:tensor dim:dim=1 eps:number=1e-8', result = 'float', ulp = 32,
  precision = 'float32',
  doc = [[
The cosine of the angle between slices of x and y along dim, by default the second, which is dropped. Sizes broadcast. Norms below eps
count as eps.]],
  samples = '{nonzero(3, 4), nonzero(3, 4)}, {nonzero(3, 4), nonzero(3, 4), 1}, {nonzero(2, 3, 4), nonzero(4), -1}',
  forward = function(x, y, dim, eps)
    x, y = alike('cosineSimilarity', x, y)
    dim = expect.whichDim('cosineSimilarity', 'dim', x, dim)
    local function unit(z) return torch.cdiv(z, torch.expand(torch.cmax(torch.norm(z, 2, dim), eps), z:size())) end
    return reduced.result(torch.sum(torch.cmul(unit(x), unit(y)), dim), { dim }, false)
  end,
}

declare {
  name = 'pairwiseDistance', signature = '[res] x:tensor y:tensor p:number=2 eps:number=1e-6 keepdim:boolean=false', result = 'float',
  ulp = 32, precision = 'float32',
  doc = [[
The p-norm of x - y + eps along the last dimension, which is dropped, or with keepdim keeps size 1. Sizes broadcast.]],
  samples = '{nonzero(3, 4), range(4)}, {randn(3, 4), nonzero(3, 4), 1, 0.5}, {nonzero(2, 3, 4), unit(3, 4), 3, 1e-6, true}',
  forward = function(x, y, p, eps, keepdim)
    x, y = alike('pairwiseDistance', x, y)
    local dim = x:dim()
    return reduced.result(torch.norm(torch.add(torch.csub(x, y), eps), p, dim), { dim }, keepdim)
  end,
}

declare {
  name = 'msort', signature = '[res] x:tensor', result = 'same',
  doc = 'x sorted along the first dimension, in ascending order; NaN are last.',
  samples = '{randn(5)}, {randn(3, 4)}, {randn(2, 3, 4)}, {full(nan, 2, 3)}',
  forward = function(x) return (torch.sort(x, 1)) end,
}

for name, words in pairs { clampMin = { 'below', 'cmax' }, clampMax = { 'above', 'cmin' } } do
  local isMin = name == 'clampMin'
  declare {
    name = name, signature = '[res] x:tensor bound:tensor|number', result = 'same',
    doc = ('x with the bound in place of elements %s it, elementwise. Sizes broadcast; NaN remain.'):format(words[1]),
    samples = '{randn(3, 4), 0.5}, {randn(3, 4), randn(3, 4)}, {randn(3, 4), randn(4)}, {full(nan), 0}, {randn(0), 1}',
    forward = function(x, bound)
      if not torch.isTensor(bound) then return torch.clamp(x, isMin and bound or nil, not isMin and bound or nil) end
      x, bound = broadcast.pair(name, 'bound', x, bound)
      return torch.where(torch.isnan(x), x, torch[words[2]](x, bound))
    end,
  }
end

declare {
  name = 'prelu', signature = '[res] x:tensor weight:tensor', result = 'float',
  doc = [[
x for positive x, otherwise weight * x, elementwise. The weight has one element, or as many as x's second dimension.]],
  samples = '{randn(3, 4), positive(4)}, {randn(2, 3, 4), positive(3)}, {randn(5), constant(0.25, 1)}',
  forward = function(x, weight)
    local count = weight:nElement()
    local sizes = {}
    for d = 1, math.max(x:dim(), 1) do sizes[d] = 1 end
    if count ~= 1 then
      if x:dim() < 2 or x:size(2) ~= count then
        expect.shape('prelu', 'weight', '%d elements, expected one, or as many as the second dimension of %s', count, sizesOf(x))
      end
      sizes[2] = count
    end
    local factor = torch.expand(torch.reshape(weight, sizes), x:size())
    return torch.where(torch.gt(x, 0), x, torch.cmul(x, factor))
  end,
}

declare {
  name = 'cumulativeTrapezoid', signature = '[res] y:tensor x:tensor|number=1 dim:dim=last', result = 'float', ulp = 16,
  precision = 'float32',
  doc = [[
The running integral of y by the trapezoidal rule along dim: n values have n - 1. x: the distance between neighbours, or the points of y's
values, a vector or a tensor of y's sizes.]],
  samples = '{randn(7)}, {randn(3, 4), 0.5}, {randn(3, 4), positive(3), 1}, {randn(2, 3), randn(2, 3), 2}, {randn(2, 3, 4), 2, -2}',
  forward = function(y, x, dim)
    dim = expect.whichDim('cumulativeTrapezoid', 'dim', y, dim)
    local count = math.max(y:size(dim) - 1, 0)
    local function at(t, first) return torch.narrow(t, dim, math.min(first, t:size(dim) + 1), count) end
    local height = torch.mul(torch.add(at(y, 1), at(y, 2)), 0.5)
    if count == 0 then return torch.clone(height) end
    if not torch.isTensor(x) then return torch.cumsum(torch.mul(height, x), dim) end
    if x:dim() == 1 and y:dim() > 1 then
      local sizes = {}
      for d = 1, y:dim() do sizes[d] = d == dim and x:nElement() or 1 end
      x = torch.reshape(x, sizes)
      if x:size(dim) == y:size(dim) then x = torch.expand(x, y:size()) end
    end
    if not x:isSameSizeAs(y) then
      expect.shape('cumulativeTrapezoid', 'x', '%s, expected %d points, a number or the sizes of y', sizesOf(x), y:size(dim))
    end
    return torch.cumsum(torch.cmul(height, torch.csub(at(x, 2), at(x, 1))), dim)
  end,
}

declare {
  name = 'diagEmbed', signature = '[res] x:tensor offset:int=0 dim1:int=-2 dim2:int=-1', result = 'same',
  doc = [[
Matrices with the last dimension of x on a diagonal and 0 elsewhere: (..., n) returns (..., n + |offset|, n + |offset|), the matrices in
dimensions dim1 and dim2 of the result. The diagonal is above the main one by offset, below it if negative.]],
  samples = '{randn(3)}, {randn(2, 3), 1}, {randn(2, 3), -2}, {randn(2, 3), 0, 1, 3}, {randn(2, 2, 2), 1, -1, 1}',
  forward = function(x, offset, dim1, dim2)
    if x:dim() == 0 then expect.shape('diagEmbed', 'x', 'an empty tensor, expected one dimension or more') end
    if math.abs(offset) > 2 ^ 20 then expect.range('diagEmbed', 'offset', '%g, expected %d at most', offset, 2 ^ 20) end
    local rank, n = x:dim() + 1, x:size(-1)
    local wide = torch.unsqueeze(x, 1)      -- has as many dimensions as the result
    dim1, dim2 = expect.whichDim('diagEmbed', 'dim1', wide, dim1), expect.whichDim('diagEmbed', 'dim2', wide, dim2)
    if dim1 == dim2 then expect.range('diagEmbed', 'dim2', 'dimension %d, expected another than dim1', dim2) end
    local size, sizes, rest = n + math.abs(offset), {}, 1
    for d = 1, x:dim() - 1 do sizes[d], rest = x:size(d), rest * x:size(d) end
    local function zeros(...) return x.new():resize(...):zero() end
    if rest * size == 0 or n == 0 then
      sizes[#sizes + 1], sizes[#sizes + 2] = size, size
      return torch.movedim(zeros(torch.LongStorage(sizes)), { -2, -1 }, { dim1, dim2 })
    end
    -- Each element is followed by as many zeros as a row has, so that the next one lies on the diagonal of the next row.
    local flat = torch.reshape(torch.cat({ torch.reshape(x, rest, n, 1), zeros(rest, n, size) }, 3), rest, n * (size + 1))
    local before = offset >= 0 and offset or -offset * size
    if before > 0 then flat = torch.cat({ zeros(rest, before), flat }, 2) end
    local missing = size * size - flat:size(2)
    if missing > 0 then flat = torch.cat({ flat, zeros(rest, missing) }, 2) end
    sizes[#sizes + 1], sizes[#sizes + 2] = size, size
    local matrices = torch.reshape(torch.narrow(flat, 2, 1, size * size), sizes)
    if dim1 == rank - 1 and dim2 == rank then return matrices end
    return torch.contiguous(torch.movedim(matrices, { -2, -1 }, { dim1, dim2 }))
  end,
}

declare {
  name = 'diagflat', signature = '[res] x:tensor offset:int=0', result = 'same',
  doc = 'The matrix with all elements of x on a diagonal and 0 elsewhere: above the main diagonal by offset, below it if negative.',
  samples = '{randn(3)}, {randn(2, 2), 1}, {randn(2, 2), -2}, {randn(1)}',
  forward = function(x, offset) return torch.diagEmbed(torch.reshape(x, x:nElement()), offset) end,
}
