--- Products of tensors with any number of dimensions: tensordot and kron.
-- @module torch.ops.tensor_products
local torch = require 'torch'
local op = require 'torch.op'
local expect = require 'torch.check.expect'
local reshape, elements = require 'torch.names.reshape', require 'torch.names.element_count'
local sizesOf = require('torch.check.message').sizes

-- Returns the dimensions in `list`, from 1, and the others, in order.
local function divided(x, list, argument)
  local chosen, taken, others = {}, {}, {}
  for i, dim in ipairs(list) do
    local d = dim < 0 and dim + x:dim() + 1 or dim
    if not (d >= 1 and d <= x:dim() and d % 1 == 0) or taken[d] then
      expect.range('tensordot', argument, 'dimension %g, expected each of 1..%d at most once', dim, x:dim())
    end
    chosen[i], taken[d] = d, true
  end
  for d = 1, x:dim() do
    if not taken[d] then others[#others + 1] = d end
  end
  return chosen, others
end

local function joined(a, b)
  local all = {}
  for _, v in ipairs(a) do all[#all + 1] = v end
  for _, v in ipairs(b) do all[#all + 1] = v end
  return all
end

local function sizesAlong(x, dims)
  local sizes = {}
  for i, d in ipairs(dims) do sizes[i] = x:size(d) end
  return sizes
end

local function range(first, last)
  local list = {}
  for i = first, last do list[#list + 1] = i end
  return list
end

op.declare {
  name = 'tensordot',
  signature = '[res] a:tensor b:tensor dims:int=2 dimsA:dims? dimsB:dims?',
  forms = 'a b dims | a b dimsA dimsB',
  result = 'same', ulp = 32,
  precision = 'low',
  doc = [[
The sum of products of a and b over the last `dims` dimensions of a and the first of b, or, with two tables, over those of a in dimsA and
those of b in dimsB, in that order. The result has the other dimensions of a, then those of b; if none is left, it is a number. Errors:
dimensions that don't exist or occur twice, different sizes.]],
  samples = '{randn(2, 3, 4), randn(3, 4, 2)}, {randn(2, 3), randn(3, 4), 1}, {randn(2), randn(3), 0}, {randn(2, 3), randn(2, 3)}, '
    .. '{randn(2, 3, 4), randn(4, 2), {1, 3}, {2, 1}}, {randn(2, 3), randn(3, 2), {-1}, {1}}',
  forward = function(a, b, dims, dimsA, dimsB)
    expect.numbers('tensordot', 'a', a)
    expect.numbers('tensordot', 'b', b)
    if not dimsA then
      local most = math.min(a:dim(), b:dim())
      if dims % 1 ~= 0 or dims < 0 or dims > most then
        expect.range('tensordot', 'dims', '%g, expected a whole number from 0 to %d', dims, most)
      end
      dimsA, dimsB = range(a:dim() - dims + 1, a:dim()), range(1, dims)
    end
    if not dimsB or #dimsA ~= #dimsB then
      expect.shape('tensordot', 'dimsB', '%d dimensions, expected %d as in dimsA', dimsB and #dimsB or 0, #dimsA)
    end
    local sharedA, freeA = divided(a, dimsA, 'dimsA')
    local sharedB, freeB = divided(b, dimsB, 'dimsB')
    for i, d in ipairs(sharedA) do
      if a:size(d) ~= b:size(sharedB[i]) then
        expect.shape('tensordot', 'b', '%s, expected size %d of dimension %d', sizesOf(b), a:size(d), sharedB[i])
      end
    end
    if a:dim() == 0 or b:dim() == 0 then expect.shape('tensordot', 'a', 'an empty tensor, expected 1 dimension or more') end
    local sizesA, sizesB, k = sizesAlong(a, freeA), sizesAlong(b, freeB), elements(sizesAlong(a, sharedA))
    local left = reshape(torch.permute(a, joined(freeA, sharedA)), { elements(sizesA), k })
    local right = reshape(torch.permute(b, joined(sharedB, freeB)), { k, elements(sizesB) })
    local y = torch.mm(left, right)
    local sizes = joined(sizesA, sizesB)
    if #sizes == 0 then return torch.sum(y) end
    return reshape(y, sizes)
  end,
}

op.declare {
  name = 'kron',
  signature = '[res] a:tensor b:tensor',
  result = 'same',
  doc = [[
Kronecker's product: each element of a, replaced by itself times b. Sizes (m, n) and (p, q) result in (m p, n q); any number of dimensions:
the tensor with fewer gets leading dimensions of size 1.]],
  samples = '{randn(2, 3), randn(2, 2)}, {randn(3), randn(2)}, {randn(2), randn(2, 3)}, {randn(2, 2), randn(2, 2)}, '
    .. '{randn(2, 1, 2), randn(3, 2)}',
  forward = function(a, b)
    expect.numbers('kron', 'a', a)
    expect.numbers('kron', 'b', b)
    local rank = math.max(a:dim(), b:dim())
    if math.min(a:dim(), b:dim()) == 0 then expect.shape('kron', 'a', 'an empty tensor, expected 1 dimension or more') end
    local ofA, ofB, both, sizes = {}, {}, {}, {}
    for d = 1, rank do
      local m, n = a:dim() - rank + d, b:dim() - rank + d
      local p, q = m > 0 and a:size(m) or 1, n > 0 and b:size(n) or 1
      ofA[2 * d - 1], ofA[2 * d] = p, 1
      ofB[2 * d - 1], ofB[2 * d] = 1, q
      both[2 * d - 1], both[2 * d], sizes[d] = p, q, p * q
    end
    return reshape(torch.cmul(torch.expand(reshape(a, ofA), both), torch.expand(reshape(b, ofB), both)), sizes)
  end,
}
