--- PyTorch's functions that reduce elements of a source at positions of a tensor. The tape records the ops inside.
-- @module torch.names.scatter_reductions
local torch, check = require 'torch', require 'torch.check'
local sizesOf = require('torch.check.message').sizes

local reductions = {}

-- By reduction: whether elements are written in descending order, such that of equal positions the last one, which remains, has the
-- extremum; and the function that compares it with x.
local extrema = { amax = { false, 'maximum' }, amin = { true, 'minimum' } }

-- Where no element of x takes part, reductions start from these.
local neutral = { sum = 0, mean = 0, prod = 1 }

local function counts(x, dim, index)
  local ones = x.new():resize(index:size()):fill(1)
  return torch.scatterAdd(x.new():resize(x:size()):zero(), dim, index, ones)
end

-- Checks the arguments of a reduction; returns the dimension from 1.
local function checked(where, x, dim, index, source, reduce, includeSelf, choices)
  check.tensor(where, 'x', x)
  dim = check.dim(where, 'dim', x, dim)
  check.tensor(where, 'index', index)
  check.tensor(where, 'source', source)
  check.choice(where, 'reduce', reduce, choices)
  check.flag(where, 'includeSelf', includeSelf)
  return dim
end

--- Returns a copy of x in which elements of a source are reduced at the positions of an index along a dimension, as in scatterAdd.
-- @tparam torch.Tensor x
-- @int dim
-- @tparam torch.Tensor index positions, a LongTensor of as many dimensions as x
-- @tparam torch.Tensor source of the index's sizes or larger
-- @string reduce 'sum', 'prod', 'mean', 'amax' or 'amin'
-- @bool[opt=true] includeSelf whether the elements of x take part; otherwise those at positions are replaced
-- @treturn torch.Tensor
-- @raise if sizes don't fit or a position is out of range
function reductions.scatterReduce(x, dim, index, source, reduce, includeSelf)
  dim = checked('scatterReduce', x, dim, index, source, reduce, includeSelf, { 'sum', 'prod', 'mean', 'amax', 'amin' })
  if index:dim() ~= x:dim() or source:dim() ~= x:dim() then
    check.raise(('scatterReduce: index: %s, expected as many dimensions as %s'):format(sizesOf(index), sizesOf(x)), 'shape')
  end
  for d = 1, x:dim() do
    if index:size(d) > source:size(d) then
      check.raise(('scatterReduce: source: %s, expected the sizes of the index, %s'):format(sizesOf(source), sizesOf(index)), 'shape')
    end
    source = torch.narrow(source, d, 1, index:size(d))
  end
  if index:nElement() == 0 then return torch.clone(x) end
  check.call(torch.gather, x.new():resize(x:size()):zero(), dim, torch.cmin(index, 0):fill(1))
  source = source:typeAs(x)
  if extrema[reduce] then
    local isDescending, choose = unpack(extrema[reduce])
    local sorted, order = torch.sort(source, dim, isDescending)
    local found = check.call(torch.scatter, torch.clone(x), dim, torch.gather(index, dim, order), sorted)
    return includeSelf == false and found or torch[choose](x, found)
  end
  local start = includeSelf == false and check.call(torch.scatter, torch.clone(x), dim, index, neutral[reduce]) or x
  if reduce == 'sum' or reduce == 'mean' then
    local sum = check.call(torch.scatterAdd, start, dim, index, source)
    if reduce == 'sum' then return sum end
    local number = counts(x, dim, index)
    if includeSelf ~= false then number = torch.add(number, 1) end
    number = torch.cmax(number, 1)
    return x:isFloatingPoint() and torch.cdiv(sum, number) or torch.floorDivide(sum, number)
  end
  local result = start
  for i = 1, index:size(dim) do
    local place, factor = torch.narrow(index, dim, i, 1), torch.narrow(source, dim, i, 1)
    result = torch.scatter(torch.clone(result), dim, place, torch.cmul(torch.gather(result, dim, place), factor))
  end
  return result
end

--- Returns a copy of x in which the slices of a source are reduced at positions of a dimension, as in indexAdd.
-- @tparam torch.Tensor x
-- @int dim
-- @tparam torch.Tensor index positions, a LongTensor
-- @tparam torch.Tensor source as many slices as positions
-- @string reduce 'prod', 'mean', 'amax' or 'amin'
-- @bool[opt=true] includeSelf whether the elements of x take part; otherwise those at positions are replaced
-- @treturn torch.Tensor
-- @raise if sizes don't fit or a position is out of range
function reductions.indexReduce(x, dim, index, source, reduce, includeSelf)
  dim = checked('indexReduce', x, dim, index, source, reduce, includeSelf, { 'prod', 'mean', 'amax', 'amin' })
  local sizes = {}
  for d = 1, x:dim() do sizes[d] = d == dim and index:nElement() or 1 end
  local fits = source:dim() == x:dim()
  for d = 1, x:dim() do fits = fits and source:size(d) == (d == dim and index:nElement() or x:size(d)) end
  if not fits then
    check.raise(('indexReduce: source: %s, expected the sizes %s with %d slices along dimension %d'):format(sizesOf(source), sizesOf(x),
      index:nElement(), dim), 'shape')
  end
  if source:nElement() == 0 then return torch.clone(x) end
  local spread = torch.expand(torch.reshape(index, sizes), source:size()):contiguous()
  return check.call(reductions.scatterReduce, x, dim, spread, source, reduce, includeSelf)
end

return reductions
