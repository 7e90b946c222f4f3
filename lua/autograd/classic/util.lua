--- Functions that torch-autograd's programs use in addition to those of torch: `autograd.util`.
-- @module autograd.classic.util
local torch, C = require 'torch', require 'libmoontorch'
local trees = require 'autograd.classic.trees'

local isTensor, tracked = torch.isTensor, C.tracked

local util = {}

local function number(x)
  if isTensor(x) and x:nElement() == 1 then return x:item() end
  return x
end

-- Comparisons of tensors return masks; those of numbers, and of tensors that represent numbers, return booleans.
local function comparison(name, ofNumbers)
  return function(a, b)
    local left, right = number(a), number(b)
    if type(left) == 'number' and type(right) == 'number' then return ofNumbers(left, right) end
    if isTensor(a) then return torch[name](a, b) end
    return torch[name](torch.mul(b, -1), -a)
  end
end

util.lt = comparison('lt', function(a, b) return a < b end)
util.le = comparison('le', function(a, b) return a <= b end)
util.gt = comparison('gt', function(a, b) return a > b end)
util.ge = comparison('ge', function(a, b) return a >= b end)
util.eq = comparison('eq', function(a, b) return a == b end)

local typenames = { float = 'torch.FloatTensor', double = 'torch.DoubleTensor', cuda = 'torch.CudaTensor' }

--- Converts parameters to another type; numbers stay as they are.
-- @param parameters a tree of tables, tensors and numbers
-- @tparam string typename 'float', 'double', 'cuda', or a class name
function util.cast(parameters, typename)
  typename = typenames[typename] or typename
  return trees.map(parameters, function(x)
    if not isTensor(x) then return x end
    return tracked(x) and torch.to(x, typename) or x:type(typename)
  end)
end

--- Converts x to a type unless it has this type.
-- @tparam torch.Tensor x
-- @string typename
function util.typeAsIfNeeded(x, typename)
  if type(typename) ~= 'string' then typename = typename:type() end
  return x:type() == typename and x or torch.to(x, typename)
end

--- Returns indicators of classes.
-- @tparam torch.Tensor labels N classes, from 1
-- @tparam[opt] int n number of classes; default: the largest label
-- @treturn torch.Tensor N x n
function util.oneHot(labels, n)
  local flat = labels:_as 'Long':view(-1)
  n = n or flat:max()
  local result = torch.getmetatable(labels:isFloatingPoint() and labels:type() or torch.getdefaulttensortype()).new(flat:size(1), n):zero()
  return result:scatter(2, flat:view(-1, 1), 1)
end

local function overAll(op)
  return function(x)
    local flat = torch.view(torch.contiguous(x), x:nElement())
    return op(flat, x)
  end
end

--- log(sum(exp(x))) over all elements, or over each row of a matrix.
-- @tparam torch.Tensor x 1 or 2 dimensions
function util.logSumExp(x)
  if x:dim() == 2 then return torch.logsumexp(x, 2) end
  return torch.sum(torch.logsumexp(torch.view(torch.contiguous(x), x:nElement()), 1))
end

--- Log-probabilities over the whole tensor.
util.logSoftMax = overAll(function(flat, x) return torch.viewAs(torch.logsoftmax(flat, 1), x) end)

--- 1 / (1 + exp(-x)).
-- @tparam torch.Tensor x
function util.sigmoid(x) return torch.sigmoid(x) end

--- Sets elements to zero with probability p and scales the others by 1 / (1 - p).
-- @tparam torch.Tensor state
-- @number[opt] p
function util.dropout(state, p)
  p = p or 0
  if p <= 0 then return state end
  local keep = state.new():resize(state:size()):bernoulli(1 - p):div(1 - p)
  return torch.cmul(state, keep)
end

--- Returns rows of a table by their numbers, in the shape of the numbers with one more dimension.
-- @tparam torch.Tensor table_ words x features
-- @tparam torch.Tensor indexes 1 or 2 dimensions
function util.lookup(table_, indexes)
  local rows = torch.index(table_, 1, indexes:_as 'Long':contiguous():view(-1))
  local size = indexes:size():totable()
  size[#size + 1] = table_:size(2)
  return torch.view(rows, torch.LongStorage(size))
end

-- Converts numbers to tensors of one element, in a suitable type.
local function asTensors(list)
  local typename = torch.getdefaulttensortype()
  for _, x in ipairs(list) do
    if isTensor(x) then typename = x:type() end
  end
  local tensors = {}
  for i, x in ipairs(list) do tensors[i] = isTensor(x) and x or torch.getmetatable(typename).new { x } end
  return tensors
end

--- Joins tensors, tables of tensors, or numbers: cat(x, y [, dim]) or cat({...} [, dim]); by default along the last dimension.
-- @param x a tensor or a number, or a table of them
-- @param[opt] y
-- @int[opt] dim
function util.cat(x, y, dim)
  local list = { x, y }
  if type(x) == 'table' then list, dim = x, y end
  local tensors = asTensors(list)
  if dim then return torch.cat(tensors, dim) end
  return torch.cat(tensors)
end

--- Returns a tensor of x's type and size, uninitialised.
-- @tparam torch.Tensor x
function util.newTensorLike(x) return x.new():resize(x:size()) end

--- Returns zeros like x; 0 for a number.
-- @tparam torch.Tensor x, or a number
function util.zerosLike(x)
  if type(x) == 'number' then return 0 end
  return x.new():resize(x:size()):zero()
end

--- Returns a tensor of x's type and size, filled with a value, which may be tracked.
-- @tparam torch.Tensor x
-- @param value a number, or a tensor of one element
function util.fill(x, value)
  if not tracked(value) then return x.new():resize(x:size()):fill(number(value)) end
  local ones = {}
  for d = 1, x:dim() do ones[d] = 1 end
  return torch.clone(torch.expand(torch.reshape(torch.to(value, x:type()), torch.LongStorage(ones)), x:size()))
end

util.fillSameSizeAs = util.fill

--- Returns b's elements where x and y differ, else 0.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor y
-- @tparam torch.Tensor b
function util.setNotEqual(x, y, b) return torch.cmul(b, torch.to(torch.ne(x, y), b:type())) end

--- Returns zeros like x with a slice replaced.
-- @tparam torch.Tensor slice
-- @tparam torch.Tensor x
-- @int dim
-- @int index
function util.selectSliceCopy(slice, x, dim, index)
  local result = util.zerosLike(x)
  result:select(dim, index):copy(slice)
  return result
end

--- Returns zeros like x with a range replaced.
-- @tparam torch.Tensor slice
-- @tparam torch.Tensor x
-- @int dim
-- @int first
-- @int length
function util.narrowSliceCopy(slice, x, dim, first, length)
  local result = util.zerosLike(x)
  result:narrow(dim, first, length):copy(slice)
  return result
end

--- Returns zeros like x with slices added at their indices.
-- @tparam torch.Tensor slices
-- @tparam torch.Tensor x
-- @int dim
-- @tparam torch.LongTensor index
function util.indexAdd(slices, x, dim, index)
  return util.zerosLike(x):indexAdd(dim, index:_as 'Long', slices)
end

--- Returns the leaves of a tree in the order of sorted keys.
-- @param tree of tables, tensors and numbers
-- @tparam[opt] table list receives them
function util.sortedFlatten(tree, list)
  list = list or {}
  trees.each(tree, function(x) list[#list + 1] = x end)
  return list
end

--- Returns the paths of a tree's leaves, as lists of keys, in the order of `sortedFlatten`.
-- @param tree
-- @tparam[opt] table list receives them
-- @tparam[opt] table path of the tree itself
function util.sortedFlattenKeys(tree, list, path)
  list, path = list or {}, path or {}
  if type(tree) ~= 'table' or torch.typename(tree) then
    list[#list + 1] = path
    return list
  end
  for _, key in ipairs(trees.keys(tree)) do
    local longer = { unpack(path) }
    longer[#longer + 1] = key
    util.sortedFlattenKeys(tree[key], list, longer)
  end
  return list
end

--- Returns the value at a path of keys, or nil.
-- @tparam table tree
-- @tparam table path keys
function util.nestedGet(tree, path)
  for _, key in ipairs(path) do
    if tree == nil then return nil end
    tree = tree[key]
  end
  return tree
end

--- Sets the value at a path of keys; creates missing tables on the path.
-- @tparam table tree
-- @tparam table path keys
-- @param value
function util.nestedSet(tree, path, value)
  for i = 1, #path - 1 do
    if tree[path[i]] == nil then tree[path[i]] = {} end
    tree = tree[path[i]]
  end
  tree[path[#path]] = value
end

--- Returns a copy of a table that shares its values.
-- @param value
function util.shallowCopy(value)
  if type(value) ~= 'table' then return value end
  local copy = {}
  for key, element in pairs(value) do copy[key] = element end
  return copy
end

--- Returns a copy with tensors and tables copied.
-- @param value
function util.deepCopy(value)
  return trees.map(value, function(x) return isTensor(x) and torch.clone(x) or x end)
end

--- Returns the value, or a default if it is nil.
-- @param value
-- @bool default
function util.defaultBool(value, default)
  if value == nil then return default end
  return value
end

return util
