--- PyTorch's functions that arrange dimensions: views, and copies where the strides allow no view. The tape records the ops inside.
-- @module torch.names.dimensions
local C, torch = require 'libmoontorch', require 'torch'
local check = require 'torch.check'
local broadcast = require 'torch.names.broadcast'
local reshaped = require 'torch.names.reshape'
local sizesOf = require('torch.check.message').sizes

local dimensions = {}

-- A list of dimensions of x, from 1, from a number or a table; each once.
local function listOf(where, name, x, dims)
  local list, met = {}, {}
  for i, dim in ipairs(type(dims) == 'table' and dims or { dims }) do
    list[i] = check.dim(where, name, x, dim)
    if met[list[i]] then check.raise(('%s: %s: dimension %d is twice in the list'):format(where, name, list[i]), 'range') end
    met[list[i]] = true
  end
  return list, met
end

local function moved(where)
  return function(x, source, destination)
    check.tensor(where, 'x', x)
    local from, taken = listOf(where, 'source', x, source)
    local to = listOf(where, 'destination', x, destination)
    if #from ~= #to then
      check.raise(('%s: destination: %d dimensions, expected %d as in source'):format(where, #to, #from), 'shape')
    end
    local order, rest = {}, 1
    for i, dim in ipairs(to) do order[dim] = from[i] end
    for d = 1, x:dim() do
      if not order[d] then
        while taken[rest] do rest = rest + 1 end
        order[d], rest = rest, rest + 1
      end
    end
    return x:dim() == 0 and x or torch.permute(x, order)
  end
end

--- Moves dimensions to other positions; the others keep their order. `moveaxis` is the same.
-- @function movedim
-- @tparam torch.Tensor x
-- @tparam int|table source dimensions
-- @tparam int|table destination as many dimensions of the result
-- @treturn torch.Tensor a view
-- @raise if a dimension occurs twice, or the numbers of dimensions differ
dimensions.movedim = moved 'movedim'

--- Moves dimensions to other positions: movedim.
-- @function moveaxis
-- @tparam torch.Tensor x
-- @tparam int|table source dimensions
-- @tparam int|table destination as many dimensions of the result
-- @treturn torch.Tensor a view
dimensions.moveaxis = moved 'moveaxis'

--- Exchanges two dimensions: transpose. `swapdims` is the same.
-- @tparam torch.Tensor x
-- @int dim1
-- @int dim2
-- @treturn torch.Tensor a view
function dimensions.swapaxes(x, dim1, dim2)
  check.tensor('swapaxes', 'x', x)
  return torch.transpose(x, check.dim('swapaxes', 'dim1', x, dim1), check.dim('swapaxes', 'dim2', x, dim2))
end
dimensions.swapdims = dimensions.swapaxes

--- Returns the elements in one dimension.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor a view if the strides allow it, else a copy
function dimensions.ravel(x)
  check.tensor('ravel', 'x', x)
  return reshaped(x, { x:nElement() })
end

-- The numbers of sizes that are a table, a LongStorage or numbers.
local function numbersOf(where, ...)
  local first = ...
  local list = type(first) == 'table' and first or torch.isStorage(first) and first:totable() or { ... }
  local copy = {}
  for i, size in ipairs(list) do copy[i] = check.int(where, 'sizes', size, { min = -1 }) end
  return copy
end

--- Replaces a dimension by several, whose sizes have its product; one of them may be -1, and is computed.
-- @tparam torch.Tensor x
-- @int dim
-- @tparam table|torch.LongStorage sizes
-- @treturn torch.Tensor a view if the strides allow it, else a copy
-- @raise if the sizes don't fit
function dimensions.unflatten(x, dim, sizes)
  check.tensor('unflatten', 'x', x)
  dim = check.dim('unflatten', 'dim', x, dim)
  local parts, product, open = numbersOf('unflatten', sizes), 1, nil
  for i, size in ipairs(parts) do
    if size == -1 then
      if open then check.raise('unflatten: sizes: -1 twice, expected it once at most') end
      open = i
    else
      product = product * size
    end
  end
  if open and product > 0 then parts[open], product = math.floor(x:size(dim) / product), x:size(dim) - x:size(dim) % product end
  if #parts == 0 or product ~= x:size(dim) then
    check.raise(('unflatten: sizes: [%s], expected a product of %d'):format(table.concat(numbersOf('unflatten', sizes), ', '), x:size(dim)),
      'shape')
  end
  local all = {}
  for d = 1, x:dim() do
    for _, size in ipairs(d == dim and parts or { x:size(d) }) do all[#all + 1] = size end
  end
  return reshaped(x, all)
end

--- Repeats x along dimensions of size 1, and new dimensions before the first, without copying; -1 keeps a size.
-- @tparam torch.Tensor x
-- @param ... sizes: a table, a LongStorage or numbers
-- @treturn torch.Tensor a view
-- @raise if sizes don't fit
function dimensions.broadcastTo(x, ...)
  check.tensor('broadcastTo', 'x', x)
  local sizes = numbersOf('broadcastTo', ...)
  local missing = #sizes - x:dim()
  if missing < 0 then
    check.raise(('broadcastTo: sizes: [%s], expected %d or more for %s'):format(table.concat(sizes, ', '), x:dim(), sizesOf(x)), 'shape')
  end
  local own = {}
  for d = 1, #sizes do
    own[d] = d > missing and x:size(d - missing) or 1
    if sizes[d] == -1 and d > missing then sizes[d] = own[d] end
    if own[d] ~= 1 and own[d] ~= sizes[d] or sizes[d] < 0 then
      local wanted = table.concat(sizes, ', ')
      check.raise(('broadcastTo: sizes: [%s], expected sizes to which %s broadcasts'):format(wanted, sizesOf(x)), 'shape')
    end
  end
  return torch.expand(reshaped(x, own), torch.LongStorage(sizes))
end

-- Tensors that are arguments, or in a table.
local function tensorsOf(where, first, ...)
  local list = type(first) == 'table' and not torch.isTensor(first) and first or { first, ... }
  for _, x in ipairs(list) do check.tensor(where, 'tensors', x) end
  if #list == 0 then check.raise(where .. ': tensors: none, expected a tensor or more') end
  return list
end

--- Returns tensors in their common sizes, as views.
-- @param ... tensors, or a table of them
-- @treturn {torch.Tensor,...}
-- @raise if their sizes don't broadcast
function dimensions.broadcastTensors(...)
  return check.call(broadcast.list, 'broadcastTensors', 'tensors', tensorsOf('broadcastTensors', ...))
end

-- Returns a function that adds dimensions of size 1 by `add`, of one tensor or of several.
local function atLeast(where, add)
  return function(...)
    local list = tensorsOf(where, ...)
    local results = {}
    for i, x in ipairs(list) do results[i] = add(x) end
    if select('#', ...) == 1 and torch.isTensor((...)) then return results[1] end
    return results
  end
end

--- Returns tensors with at least one dimension, which all tensors with elements have.
-- @function atleast1d
-- @param ... a tensor, several, or a table of them
-- @return the tensor, a view; of several a table
dimensions.atleast1d = atLeast('atleast1d', function(x) return x end)

--- Returns tensors with at least two dimensions: a vector becomes a row.
-- @function atleast2d
-- @param ... a tensor, several, or a table of them
-- @return the tensor, a view; of several a table
dimensions.atleast2d = atLeast('atleast2d', function(x) return x:dim() == 1 and torch.unsqueeze(x, 1) or x end)

--- Returns tensors with at least three dimensions: a vector becomes 1 x n x 1, and a matrix m x n x 1.
-- @function atleast3d
-- @param ... a tensor, several, or a table of them
-- @return the tensor, a view; of several a table
dimensions.atleast3d = atLeast('atleast3d', function(x)
  if x:dim() == 1 then x = torch.unsqueeze(x, 1) end
  return x:dim() == 2 and torch.unsqueeze(x, 3) or x
end)

local function flipped(where, dim)
  return function(x)
    check.tensor(where, 'x', x)
    if x:dim() < dim then check.raise(('%s: x: %s, expected %d dimensions or more'):format(where, sizesOf(x), dim), 'shape') end
    return torch.flip(x, dim)
  end
end

--- Returns a copy with the columns in reverse order: flipped along the second dimension.
-- @function fliplr
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
dimensions.fliplr = flipped('fliplr', 2)

--- Returns a copy with the rows in reverse order: flipped along the first dimension.
-- @function flipud
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
dimensions.flipud = flipped('flipud', 1)

--- Returns x in the sizes of another tensor.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor other with as many elements
-- @treturn torch.Tensor a view if the strides allow it, else a copy
function dimensions.reshapeAs(x, other)
  check.tensor('reshapeAs', 'x', x)
  check.tensor('reshapeAs', 'other', other)
  if x:nElement() ~= other:nElement() then
    check.raise(('reshapeAs: other: %s, expected as many elements as %s'):format(sizesOf(other), sizesOf(x)), 'shape')
  end
  return reshaped(x, other:size():totable())
end

--- Returns a diagonal of the matrices in two dimensions of x, as the last dimension.
-- @tparam torch.Tensor x two dimensions or more
-- @int[opt=0] offset above the main diagonal; below it if negative
-- @int[opt=1] dim1
-- @int[opt=2] dim2
-- @treturn torch.Tensor a view; on the tape of a copy, if x is not contiguous. Without elements if the diagonal is outside
-- @raise if dim1 and dim2 are the same
function dimensions.diagonal(x, offset, dim1, dim2)
  check.tensor('diagonal', 'x', x)
  offset = check.int('diagonal', 'offset', offset or 0)
  dim1, dim2 = check.dim('diagonal', 'dim1', x, dim1 or 1), check.dim('diagonal', 'dim2', x, dim2 or 2)
  if dim1 == dim2 then check.raise(('diagonal: dim2: dimension %d, expected another than dim1'):format(dim2), 'range') end
  local rows, columns = x:size(dim1), x:size(dim2)
  local count = math.max(0, offset >= 0 and math.min(rows, columns - offset) or math.min(rows + offset, columns))
  if C.tracked(x) then x = torch.contiguous(x) end      -- the tape follows strides only inside of x's elements
  local start = x:storageOffset()
  if count > 0 then start = start + (offset >= 0 and offset * x:stride(dim2) or -offset * x:stride(dim1)) end
  local sizes, strides = {}, {}
  for d = 1, x:dim() do
    if d ~= dim1 and d ~= dim2 then sizes[#sizes + 1], strides[#strides + 1] = x:size(d), x:stride(d) end
  end
  sizes[#sizes + 1], strides[#strides + 1] = count, x:stride(dim1) + x:stride(dim2)
  return torch.as_strided(x, torch.LongStorage(sizes), torch.LongStorage(strides), start)
end

--- Returns the sum over the dimensions that broadcasting from the sizes to x would repeat.
-- @tparam torch.Tensor x
-- @param ... sizes: a table, a LongStorage or numbers
-- @treturn torch.Tensor
-- @raise if the sizes don't broadcast to those of x
function dimensions.sumToSize(x, ...)
  check.tensor('sumToSize', 'x', x)
  local sizes = numbersOf('sumToSize', ...)
  local extra = x:dim() - #sizes
  local result = x
  for d = x:dim(), 1, -1 do
    local size = d > extra and sizes[d - extra] or nil
    if extra < 0 or size and size ~= 1 and size ~= x:size(d) then
      check.raise(('sumToSize: sizes: [%s], expected sizes that broadcast to %s'):format(table.concat(sizes, ', '), sizesOf(x)), 'shape')
    end
    if (size or 1) ~= x:size(d) or not size then result = torch.sum(result, d) end
  end
  return reshaped(result, #sizes > 0 and sizes or { 1 })
end

--- Repeats x along its dimensions; missing counts are 1, and further ones add dimensions before the first.
-- @tparam torch.Tensor x
-- @param ... counts: a table, a LongStorage or numbers
-- @treturn torch.Tensor
function dimensions.tile(x, ...)
  if check.tensor('tile', 'x', x):dim() == 0 then return torch.clone(x) end
  local counts = numbersOf('tile', ...)
  while #counts < x:dim() do table.insert(counts, 1, 1) end
  for _, count in ipairs(counts) do
    if count < 0 then check.raise(('tile: counts: %d, expected 0 or more'):format(count), 'range') end
  end
  return torch.repeatTensor(x, torch.LongStorage(counts))
end

return dimensions
