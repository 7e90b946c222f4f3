--- PyTorch's functions that join tensors: side by side, above each other, all combinations. The tape records the ops inside.
-- @module torch.names.joining
local torch, check = require 'torch', require 'torch.check'
local dimensions = require 'torch.names.dimensions'
local positionsOf = require 'torch.names.positions'
local sizesOf = require('torch.check.message').sizes

local joining = {}

local function listOf(where, tensors)
  if type(tensors) ~= 'table' or torch.isTensor(tensors) or #tensors == 0 then
    check.raise(('%s: tensors: %s, expected a table of one tensor or more'):format(where, torch.type(tensors)))
  end
  for _, x in ipairs(tensors) do check.tensor(where, 'tensors', x) end
  return tensors
end

-- The tensors, after a change of each.
local function each(tensors, change)
  local list = {}
  for i, x in ipairs(tensors) do list[i] = change(x) end
  return list
end

--- Joins tensors along the second dimension; vectors along their only one.
-- @tparam {torch.Tensor,...} tensors
-- @treturn torch.Tensor
function joining.hstack(tensors)
  return check.call(torch.cat, tensors, listOf('hstack', tensors)[1]:dim() <= 1 and 1 or 2)
end

--- Joins tensors along the first dimension; vectors are rows. `rowStack` is the same.
-- @tparam {torch.Tensor,...} tensors
-- @treturn torch.Tensor
function joining.vstack(tensors) return check.call(torch.cat, each(listOf('vstack', tensors), dimensions.atleast2d), 1) end
joining.rowStack = joining.vstack

--- Joins tensors along the third dimension; vectors become 1 x n x 1, matrices m x n x 1.
-- @tparam {torch.Tensor,...} tensors
-- @treturn torch.Tensor
function joining.dstack(tensors) return check.call(torch.cat, each(listOf('dstack', tensors), dimensions.atleast3d), 3) end

--- Joins tensors along the second dimension; vectors are columns.
-- @tparam {torch.Tensor,...} tensors
-- @treturn torch.Tensor
function joining.columnStack(tensors)
  local function column(x) return x:dim() == 1 and torch.unsqueeze(x, 2) or x end
  return check.call(torch.cat, each(listOf('columnStack', tensors), column), 2)
end

--- Returns a matrix with matrices along its diagonal and 0 elsewhere; vectors are rows.
-- @param ... matrices or vectors
-- @treturn torch.Tensor
-- @raise if one has more than two dimensions
function joining.blockDiag(...)
  local blocks, columns = {}, 0
  for i, x in ipairs(listOf('blockDiag', { ... })) do
    if x:dim() == 0 or x:dim() > 2 then
      check.raise(('blockDiag: tensors: %s, expected matrices or vectors'):format(sizesOf(x)), 'shape')
    end
    blocks[i] = dimensions.atleast2d(x)
    columns = columns + blocks[i]:size(2)
  end
  local rows, before = {}, 0
  for i, x in ipairs(blocks) do
    local parts, after = {}, columns - before - x:size(2)
    if before > 0 then parts[1] = x.new():resize(x:size(1), before):zero() end
    parts[#parts + 1] = x
    if after > 0 then parts[#parts + 1] = x.new():resize(x:size(1), after):zero() end
    rows[i], before = torch.cat(parts, 2), before + x:size(2)
  end
  return torch.cat(rows, 1)
end

--- Returns all combinations of an element of each vector, as rows; of one vector the vector itself.
-- @param ... vectors
-- @treturn torch.Tensor
-- @raise if one is no vector
function joining.cartesianProd(...)
  local vectors = listOf('cartesianProd', { ... })
  for _, x in ipairs(vectors) do
    if x:dim() ~= 1 then check.raise(('cartesianProd: tensors: %s, expected vectors'):format(sizesOf(x)), 'shape') end
  end
  if #vectors == 1 then return vectors[1] end
  local sizes, columns = {}, {}
  for i, x in ipairs(vectors) do sizes[i] = x:size(1) end
  for i, x in ipairs(vectors) do
    local own = {}
    for d = 1, #vectors do own[d] = d == i and sizes[i] or 1 end
    local spread = torch.expand(torch.reshape(x, own), torch.LongStorage(sizes))
    columns[i] = torch.reshape(spread, spread:nElement(), 1)
  end
  return torch.cat(columns, 2)
end

--- Returns all combinations of r elements of a vector, as rows, in the order of their positions.
-- @tparam torch.Tensor x vector
-- @int[opt=2] r
-- @bool[opt=false] withReplacement whether an element may occur several times
-- @treturn torch.Tensor
-- @raise if x is no vector, or r negative
function joining.combinations(x, r, withReplacement)
  check.tensor('combinations', 'x', x)
  r = check.int('combinations', 'r', r or 2, { min = 0 })
  check.flag('combinations', 'withReplacement', withReplacement)
  if x:dim() ~= 1 then check.raise(('combinations: x: %s, expected a vector'):format(sizesOf(x)), 'shape') end
  if r == 0 then return x.new() end
  local positions, place, n = {}, {}, x:size(1)
  local function extend(depth, first)
    if depth > r then
      for i = 1, r do positions[#positions + 1] = place[i] end
      return
    end
    for i = first, n do
      place[depth] = i
      extend(depth + 1, withReplacement and i or i + 1)
    end
  end
  extend(1, 1)
  if #positions == 0 then return x.new():resize(0, r) end
  return torch.reshape(torch.index(x, 1, positionsOf(positions, x)), #positions / r, r)
end

return joining
