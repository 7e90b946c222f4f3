--- PyTorch's functions that select, repeat and count elements, and convert positions. The tape records the ops inside.
-- @module torch.names.picking
local torch, check = require 'torch', require 'torch.check'
local broadcast = require 'torch.names.broadcast'
local positionsOf = require 'torch.names.positions'
local sizesOf = require('torch.check.message').sizes

local picking = {}

--- Returns the elements of x at positions along a dimension, like gather; other sizes broadcast. Without dim: of all elements.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor index positions, a LongTensor
-- @int[opt] dim
-- @treturn torch.Tensor of the index's sizes; without dim a vector
function picking.takeAlongDim(x, index, dim)
  check.tensor('takeAlongDim', 'x', x)
  check.tensor('takeAlongDim', 'index', index)
  if dim == nil then return check.call(torch.take, x, torch.reshape(index, index:nElement())) end
  dim = check.dim('takeAlongDim', 'dim', x, dim)
  if index:dim() ~= x:dim() then
    check.raise(('takeAlongDim: index: %s, expected as many dimensions as %s'):format(sizesOf(index), sizesOf(x)), 'shape')
  end
  local ofX, ofIndex = {}, {}
  for d = 1, x:dim() do
    local m, n = x:size(d), index:size(d)
    if d == dim then ofX[d], ofIndex[d] = m, n else
      if m ~= n and m ~= 1 and n ~= 1 then
        check.raise(('takeAlongDim: index: %s, expected sizes that broadcast with %s'):format(sizesOf(index), sizesOf(x)), 'shape')
      end
      ofX[d] = m == 1 and n or m
      ofIndex[d] = ofX[d]
    end
  end
  local places = torch.expand(index, torch.LongStorage(ofIndex)):contiguous()
  return check.call(torch.gather, torch.expand(x, torch.LongStorage(ofX)), dim, places)
end

--- Returns x with each slice of a dimension repeated, one copy next to the other; without dim each element, in one dimension.
-- @tparam torch.Tensor x
-- @tparam int|torch.Tensor repeats a number, or a LongTensor with one for each slice
-- @int[opt] dim
-- @treturn torch.Tensor
-- @raise if the number of repeats differs from that of slices
function picking.repeatInterleave(x, repeats, dim)
  check.tensor('repeatInterleave', 'x', x)
  if dim == nil then x, dim = torch.reshape(x, x:nElement()), 1 end
  dim = check.dim('repeatInterleave', 'dim', x, dim)
  local n, counts, total = x:size(dim), {}, 0
  local list = torch.isTensor(repeats) and repeats:totable()
  if not list then check.int('repeatInterleave', 'repeats', repeats, { min = 0 }) end
  if list and #list ~= n and #list ~= 1 then
    check.raise(('repeatInterleave: repeats: %d elements, expected %d'):format(#list, n), 'shape')
  end
  for i = 1, n do
    counts[i] = list and check.int('repeatInterleave', 'repeats', tonumber(list[#list == 1 and 1 or i]), { min = 0 }) or repeats
    total = total + counts[i]
  end
  if total == 0 then return torch.clone(torch.narrow(x, dim, 1, 0)) end
  local places, first = check.call(torch.LongTensor, total), 1
  for i, count in ipairs(counts) do
    if count > 0 then places:narrow(1, first, count):fill(i) end
    first = first + count
  end
  return torch.index(x, dim, positionsOf(places, x))
end

--- Returns x without consecutive equal elements, or slices along a dimension; for each element the position of its value; and the lengths
-- of the runs.
-- @tparam torch.Tensor x
-- @int[opt] dim default: all elements, in one dimension
-- @treturn torch.Tensor
-- @treturn torch.LongTensor positions in the result, of x's sizes, or a vector along dim
-- @treturn torch.LongTensor lengths
function picking.uniqueConsecutive(x, dim)
  check.tensor('uniqueConsecutive', 'x', x)
  local sizes = dim == nil and x:size()
  if dim == nil then x, dim = torch.reshape(x, x:nElement()), 1 end
  dim = check.dim('uniqueConsecutive', 'dim', x, dim)
  local n = x:size(dim)
  if n == 0 then return torch.clone(x), torch.LongTensor():resize(sizes or 0), torch.LongTensor():resize(0) end
  local places, inverse, lengths, before = {}, {}, {}, nil
  local rows = torch.reshape(torch.transpose(x, 1, dim), n, x:nElement() / n)
  local changes = {}
  if n > 1 and rows:nElement() > 0 then
    local isOther = torch.ne(torch.narrow(rows, 1, 2, n - 1), torch.narrow(rows, 1, 1, n - 1))
    changes = isOther:long():sum(2):view(-1):totable()
  end
  for i = 1, n do
    if i == 1 or (changes[i - 1] or 0) ~= 0 then
      if before then lengths[#lengths + 1] = i - before end
      places[#places + 1], before = i, i
    end
    inverse[i] = #places
  end
  lengths[#lengths + 1] = n + 1 - before
  local found = torch.LongTensor(inverse)
  return torch.index(x, dim, positionsOf(places, x)), sizes and found:resize(sizes) or found, torch.LongTensor(lengths)
end

--- Returns the positions before which the elements of x would be inserted in ascending boundaries: searchsorted with its arguments swapped.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor boundaries vector in ascending order
-- @bool[opt=false] right whether equal boundaries are before the element
-- @treturn torch.LongTensor of x's sizes, from 1
function picking.bucketize(x, boundaries, right)
  check.tensor('bucketize', 'x', x)
  check.tensor('bucketize', 'boundaries', boundaries)
  check.flag('bucketize', 'right', right)
  return check.call(torch.searchsorted, boundaries, x, right or false)
end

--- Returns the positions in each dimension of positions through all elements.
-- @tparam torch.Tensor index a LongTensor, from 1
-- @tparam {int,...} sizes of the tensor
-- @treturn {torch.LongTensor,...} a tensor for each dimension, of the index's sizes
-- @raise if a position is out of range
function picking.unravelIndex(index, sizes)
  check.tensor('unravelIndex', 'index', index)
  check.table('unravelIndex', 'sizes', sizes)
  local total = 1
  for _, size in ipairs(sizes) do total = total * check.int('unravelIndex', 'sizes', size, { min = 1 }) end
  local rest, places = torch.add(index:long(), -1), {}
  if index:nElement() > 0 and (rest:min() < 0 or rest:max() >= total) then
    check.raise(('unravelIndex: index: a position out of range, expected 1 to %d'):format(total), 'range')
  end
  for d = #sizes, 1, -1 do
    places[d] = torch.add(torch.remainder(rest, sizes[d]), 1)
    rest = torch.cdiv(torch.csub(rest, torch.add(places[d], -1)), sizes[d])
  end
  return places
end

--- Returns x where a mask has ones, and y elsewhere; sizes broadcast.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor mask
-- @tparam torch.Tensor|number y
-- @treturn torch.Tensor
function picking.where(x, mask, y)
  check.tensor('where', 'x', x)
  check.tensor('where', 'mask', mask)
  if not torch.isTensor(y) then
    local a, m = unpack(check.call(broadcast.list, 'where', 'mask', { x, mask }))
    return torch.where(m, a, check.number('where', 'y', y))
  end
  local a, m, b = unpack(check.call(broadcast.list, 'where', 'y', { x, mask, y }))
  return torch.where(m, a, b)
end

return picking
