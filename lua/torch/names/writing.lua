--- PyTorch's functions that return a copy of a tensor with some elements replaced or accumulated. The tape records the ops inside.
-- @module torch.names.writing
local torch, check = require 'torch', require 'torch.check'
local broadcast = require 'torch.names.broadcast'
local dimensions = require 'torch.names.dimensions'
local sizesOf = require('torch.check.message').sizes

local writing = {}

-- Writes a source to a view of the copy y, and returns y.
local function written(where, y, view, source)
  if torch.isTensor(source) then
    if not source:isSameSizeAs(view) then
      check.raise(('%s: source: %s, expected %s'):format(where, sizesOf(source), sizesOf(view)), 'shape')
    end
    view:copy(source)
  else
    view:fill(check.number(where, 'source', source))
  end
  return y
end

--- Returns a copy of x with a slice replaced.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor|number source of the slice's sizes, or a number
-- @int dim
-- @int index position of the slice
-- @treturn torch.Tensor
-- @raise if the source has other sizes
function writing.selectScatter(x, source, dim, index)
  check.tensor('selectScatter', 'x', x)
  dim = check.dim('selectScatter', 'dim', x, dim)
  check.int('selectScatter', 'index', index, { min = -x:size(dim), max = x:size(dim) })
  if index == 0 then check.raise(('selectScatter: index: 0, expected a position from 1 to %d'):format(x:size(dim)), 'range') end
  local y = torch.clone(x)
  local view = torch.narrow(y, dim, index < 0 and index + x:size(dim) + 1 or index, 1)
  if torch.isTensor(source) and x:dim() > 1 and source:dim() == x:dim() - 1 then source = torch.unsqueeze(source, dim) end
  return written('selectScatter', y, view, source)
end

--- Returns a copy of x with slices replaced: those from first to last along a dimension, every step-th one.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor|number source of the slices' sizes, or a number
-- @int[opt=1] dim
-- @int[opt=1] first
-- @int[opt=-1] last included; negative numbers count from the end
-- @int[opt=1] step
-- @treturn torch.Tensor
-- @raise if the source has other sizes
function writing.sliceScatter(x, source, dim, first, last, step)
  check.tensor('sliceScatter', 'x', x)
  dim = check.dim('sliceScatter', 'dim', x, dim or 1)
  local length = x:size(dim)
  first, last = check.int('sliceScatter', 'first', first or 1), check.int('sliceScatter', 'last', last or -1)
  step = check.int('sliceScatter', 'step', step or 1, { min = 1 })
  if first < 0 then first = math.max(1, first + length + 1) end
  if last < 0 then last = last + length + 1 end
  if first == 0 then check.raise(('sliceScatter: first: 0, expected a position from 1 to %d'):format(length), 'range') end
  local count = math.max(0, math.min(last, length) - first + 1)
  local y = torch.clone(x)
  local view = torch.narrow(y, dim, math.min(first, length + 1), count)
  if step > 1 and count > 0 then view = torch.select(torch.unfold(view, dim, 1, step), x:dim() + 1, 1) end
  return written('sliceScatter', y, view, source)
end

--- Returns a copy of x with a diagonal replaced.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor|number source of the sizes of torch.diagonal(x, offset, dim1, dim2), or a number
-- @int[opt=0] offset
-- @int[opt=1] dim1
-- @int[opt=2] dim2
-- @treturn torch.Tensor
-- @raise if the source has other sizes
function writing.diagonalScatter(x, source, offset, dim1, dim2)
  check.tensor('diagonalScatter', 'x', x)
  local y = torch.contiguous(torch.clone(x))
  return written('diagonalScatter', y, check.call(dimensions.diagonal, y, offset, dim1, dim2), source)
end

--- Returns a copy of x with the elements at given strides replaced.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor|number source of these sizes, or a number
-- @tparam {int,...} sizes
-- @tparam {int,...} strides
-- @int[opt=1] offset the first element's position in the copy, whose rows lie one after another
-- @treturn torch.Tensor
-- @raise if the source has other sizes
function writing.asStridedScatter(x, source, sizes, strides, offset)
  check.tensor('asStridedScatter', 'x', x)
  local y = torch.contiguous(torch.clone(x))
  local view = check.call(torch.as_strided, y, torch.LongStorage(check.table('asStridedScatter', 'sizes', sizes)),
    torch.LongStorage(check.table('asStridedScatter', 'strides', strides)), check.int('asStridedScatter', 'offset', offset or 1))
  return written('asStridedScatter', y, view, source)
end

--- Writes a value to the main diagonal of x: with more than two dimensions to the elements with equal positions in all of them.
-- @tparam torch.Tensor x two dimensions, or more of equal sizes
-- @number value
-- @bool[opt=false] wrap whether the diagonal of a tall matrix starts again below its end
-- @treturn torch.Tensor x
function writing.fillDiagonal(x, value, wrap)
  check.tensor('fillDiagonal', 'x', x)
  check.number('fillDiagonal', 'value', value)
  check.flag('fillDiagonal', 'wrap', wrap)
  if x:dim() < 2 then check.raise(('fillDiagonal: x: %s, expected two dimensions or more'):format(sizesOf(x)), 'shape') end
  for d = 3, x:dim() do
    if x:size(d) ~= x:size(1) or x:size(2) ~= x:size(1) then
      check.raise(('fillDiagonal: x: %s, expected equal sizes'):format(sizesOf(x)), 'shape')
    end
  end
  local columns = x:size(2)
  local function fill(rows)
    local stride, count = 0, math.min(rows:size(1), columns)
    for d = 1, rows:dim() do stride = stride + rows:stride(d) end
    if count == 0 then return end
    torch.as_strided(rows, torch.LongStorage { count }, torch.LongStorage { stride }, rows:storageOffset()):fill(value)
  end
  local first = 1
  repeat
    if first <= x:size(1) then fill(first == 1 and x or torch.narrow(x, 1, first, x:size(1) - first + 1)) end
    first = first + columns + 1      -- a row stays free between two diagonals
  until not wrap or x:dim() > 2 or first > x:size(1)
  return x
end

--- Returns a copy of x with the elements at a mask's ones replaced by the elements of a source, in order.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor mask of 0 and 1; sizes broadcast
-- @tparam torch.Tensor source as many elements as ones, or more
-- @treturn torch.Tensor
-- @raise if the source has fewer elements
function writing.maskedScatter(x, mask, source)
  check.tensor('maskedScatter', 'x', x)
  check.tensor('maskedScatter', 'mask', mask)
  check.tensor('maskedScatter', 'source', source)
  local whole, chosen = unpack(check.call(broadcast.list, 'maskedScatter', 'mask', { x, mask }))
  chosen = torch.ne(chosen, 0)
  local count = torch.sum(chosen)
  if source:nElement() < count then
    check.raise(('maskedScatter: source: %d elements, expected %d or more'):format(source:nElement(), count), 'shape')
  end
  if count == 0 then return torch.clone(whole) end
  return torch.maskedCopy(torch.clone(whole), chosen, torch.narrow(torch.reshape(source, source:nElement()), 1, 1, count))
end

-- Whether x broadcasts to sizes.
local function fits(x, sizes)
  for back = 0, x:dim() - 1 do
    local size = x:size(x:dim() - back)
    if size ~= 1 and size ~= sizes[#sizes - back] then return false end
  end
  return x:dim() <= #sizes
end

-- A table of tensors of positions as one vector, for the merged first dimensions of x; and the sizes of the positions.
local function merged(where, x, indices)
  check.table(where, 'indices', indices)
  if #indices == 0 or #indices > x:dim() then
    check.raise(('%s: indices: %d tensors, expected 1 to %d'):format(where, #indices, x:dim()), 'shape')
  end
  for _, index in ipairs(indices) do check.tensor(where, 'indices', index) end
  local all = check.call(broadcast.list, where, 'indices', indices)
  local flat
  for d, index in ipairs(all) do
    local size = x:size(d)
    index = index:contiguous():long()
    if index:nElement() > 0 then
      if index:min() < -size or index:max() > size or torch.any(torch.eq(index, 0)) then
        check.raise(('%s: indices: a position out of range, expected 1 to %d in dimension %d'):format(where, size, d), 'range')
      end
      index = torch.where(torch.lt(index, 0), torch.add(index, size), torch.add(index, -1))
    end
    flat = flat and torch.add(torch.mul(flat, size), index) or index
  end
  return torch.add(torch.reshape(flat, flat:nElement()), 1), all[1]:size():totable()
end

--- Returns a copy of x with elements or slices at positions replaced, or increased.
-- @tparam torch.Tensor x
-- @tparam {torch.Tensor,...} indices positions in the first dimensions, LongTensors whose sizes broadcast
-- @tparam torch.Tensor|number values sizes that broadcast to those of the positions, then of the other dimensions
-- @bool[opt=false] accumulate whether values are added; then equal positions add up
-- @treturn torch.Tensor
-- @raise if a position is out of range
function writing.indexPut(x, indices, values, accumulate)
  check.tensor('indexPut', 'x', x)
  check.flag('indexPut', 'accumulate', accumulate)
  local flat, sizes = merged('indexPut', x, indices)
  local rows, rest = 1, 1
  for d = 1, #indices do rows = rows * x:size(d) end
  for d = #indices + 1, x:dim() do
    rest = rest * x:size(d)
    sizes[#sizes + 1] = x:size(d)
  end
  if not torch.isTensor(values) then values = x.new { check.number('indexPut', 'values', values) } end
  if not fits(values, sizes) then
    local wanted = table.concat(sizes, ', ')
    check.raise(('indexPut: values: %s, expected sizes that broadcast to [%s]'):format(sizesOf(values), wanted), 'shape')
  end
  if x:nElement() == 0 or flat:nElement() == 0 then return torch.clone(x) end
  local spread = torch.reshape(dimensions.broadcastTo(values, sizes), flat:nElement(), rest):typeAs(x)
  local matrix = torch.reshape(torch.clone(x), rows, rest)
  local result = accumulate and torch.indexAdd(matrix, 1, flat, spread) or torch.indexCopy(matrix, 1, flat, spread)
  return torch.reshape(result, x:size())
end

--- Returns a copy of x with elements at positions, counted through all elements, replaced or increased.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor index positions, a LongTensor
-- @tparam torch.Tensor source as many elements
-- @bool[opt=false] accumulate whether elements are added
-- @treturn torch.Tensor
-- @raise if a position is out of range
function writing.put(x, index, source, accumulate)
  check.tensor('put', 'x', x)
  check.tensor('put', 'index', index)
  check.tensor('put', 'source', source)
  check.flag('put', 'accumulate', accumulate)
  if index:nElement() ~= source:nElement() then
    check.raise(('put: source: %d elements, expected %d'):format(source:nElement(), index:nElement()), 'shape')
  end
  if index:nElement() == 0 then return torch.clone(x) end
  local flat = merged('put', torch.reshape(x, x:nElement()), { torch.reshape(index, index:nElement()) })
  local line, values = torch.reshape(torch.clone(x), x:nElement()), torch.reshape(source, source:nElement()):typeAs(x)
  return torch.reshape((accumulate and torch.indexAdd or torch.indexCopy)(line, 1, flat, values), x:size())
end

return writing
