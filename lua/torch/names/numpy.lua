--- Names from NumPy and PyTorch that Torch7 lacks, implemented with ops; the tape records these.
-- @module torch.names.numpy
local ffi = require 'ffi'
local torch = require 'torch'
local class = require 'torch.class'
local check = require 'torch.check'
local sizesOf = require('torch.check.message').sizes

local error, tonumber, type, unpack = error, tonumber, type, unpack

local familiar = {}

--- Stacks tensors of equal sizes along a new dimension.
-- @tparam {torch.Tensor,...} tensors one or more
-- @int[opt=1] dim position of the new dimension in the result
-- @treturn torch.Tensor
function familiar.stack(tensors, dim)
  if type(tensors) ~= 'table' or not tensors[1] then
    error('stack: tensors: ' .. class.type(tensors) .. ', expected a table of one tensor or more', 2)
  end
  -- Counted in the result, which has one more dimension.
  local first = check.tensor('stack', 'x', tensors[1])
  if first:dim() == 0 then error('stack: tensors: a tensor without dimension, expected one at least', 2) end
  dim = check.dim('stack', 'dim', torch.unsqueeze(first, 1), dim or 1)
  for i = 2, #tensors do
    local x = check.tensor('stack', 'x', tensors[i])
    if not x:isSameSizeAs(first) then error(('stack: tensors: %s, expected %s as the first'):format(sizesOf(x), sizesOf(first)), 2) end
  end
  -- Concatenated along an existing dimension, or a new last one: the memory is the same.
  local sizes = first:size():totable()
  table.insert(sizes, dim, #tensors)
  return torch.cat(tensors, dim):contiguous():view(torch.LongStorage(sizes))
end

--- Returns the slices along a dimension, as views (numbers if x is a vector).
-- @tparam torch.Tensor x
-- @int[opt=1] dim
-- @treturn table
function familiar.unbind(x, dim)
  local slices = {}
  dim = check.dim('unbind', 'dim', check.tensor('unbind', 'x', x), dim or 1)
  for i = 1, x:size(dim) do slices[i] = torch.select(x, dim, i) end
  return slices
end

--- Merges dimensions first to last: a view if the strides allow it.
-- @tparam torch.Tensor x
-- @int[opt=1] first
-- @int[opt=-1] last
-- @treturn torch.Tensor
function familiar.flatten(x, first, last)
  if check.tensor('flatten', 'x', x):dim() == 0 then return x end
  first, last = check.dim('flatten', 'first', x, first or 1), check.dim('flatten', 'last', x, last or -1)
  local sizes = {}
  for d = 1, x:dim() do
    if d > first and d <= last then sizes[first] = sizes[first] * x:size(d) else sizes[#sizes + 1] = x:size(d) end
  end
  return require 'torch.names.reshape'(x, sizes)
end

--- Returns the indices that would sort x: the second result of sort.
-- @tparam torch.Tensor x
-- @int[opt] dim default: the last
-- @bool[opt=false] descending
-- @treturn torch.LongTensor
function familiar.argsort(x, dim, descending)
  check.tensor('argsort', 'x', x)
  if dim ~= nil then dim = check.dim('argsort', 'dim', x, dim) end
  return (select(2, torch.sort(x, dim or -1, descending or false)))
end

local isSizes = { number = true, table = true, ['torch.LongStorage'] = true }

--- Returns integers drawn uniformly from low up to, but excluding, high: `randint(10, 3)`, `randint(5, 10, { 2, 3 })`.
-- @tparam[opt] torch.Generator generator
-- @int[opt=0] low needs sizes as a table or LongStorage
-- @int high
-- @param ... sizes: a table, a LongStorage or numbers; then optionally a type, such as 'int', of the result
-- @treturn torch.LongTensor
function familiar.randint(...)
  local arguments, generator, typeName = { ... }, nil, nil
  if type(arguments[#arguments]) == 'string' and not tonumber(arguments[#arguments]) then typeName = table.remove(arguments) end
  if class.type(arguments[1]) == 'torch.Generator' then generator = table.remove(arguments, 1) end
  local low, high, sizes = 0, unpack(arguments)
  if type(arguments[3]) == 'table' or torch.isStorage(arguments[3]) then low, high, sizes = unpack(arguments) end
  if type(arguments[2]) == 'table' and #arguments > 2 or type(arguments[3]) == 'table' and #arguments > 3 then
    error('randint: arguments: sizes before the last argument, expected ([low,] high, sizes[, type])', 2)
  end
  local first, second, third = unpack(arguments)
  if #arguments == 3 and type(third) == 'number' and type(second) == 'number' and tonumber(first) and tonumber(first) < second then
    error(('randint: arguments: (%s, %s, %s) may mean (low, high, size) or (high, sizes): torch.randint(%s, %s, { %s }) draws from low on, '
      .. 'torch.randint(%s, { %s, %s }) from 0'):format(first, second, third, first, second, third, first, second, third), 2)
  end
  low, high = tonumber(low), tonumber(high)
  if not low or not high or not isSizes[class.type(sizes)] or high <= low then
    error('randint: arguments: expected ([low,] high, sizes) with low below high, sizes as a table where low is given', 2)
  end
  if type(sizes) == 'number' then sizes = { unpack(arguments, 2) } end
  if type(sizes) == 'table' then
    for i, size in ipairs(sizes) do check.int('randint', 'sizes: number ' .. i, size, { min = 0 }) end
    for name in pairs(sizes) do
      if type(name) == 'string' and name ~= 'n' then
        error(('randint: sizes: the field %s, expected whole numbers alone'):format(name), 2)
      end
    end
    sizes = torch.LongStorage(sizes)
  end
  local result = torch.LongTensor():resize(sizes)
  if result:nElement() > 0 then
    if generator then result:random(generator, low, high - 1) else result:random(low, high - 1) end
  end
  return typeName and check.call(result.type, result, typeName) or result
end

-- Returns whether a table, or a list in it, has a complex number.
local function hasComplex(values)
  for _, value in ipairs(values) do
    if ffi.istype('complex', value) or type(value) == 'table' and hasComplex(value) then return true end
  end
  return false
end

--- Returns a new tensor with the numbers of a table, or with one number. With a complex number among them it is complex.
-- @tparam table|number values
-- @string[opt] typeName such as 'torch.FloatTensor' or 'float'
-- @treturn torch.Tensor
function familiar.tensor(values, typeName)
  if typeName ~= nil and type(typeName) ~= 'string' then
    error('tensor: typeName: ' .. class.type(typeName) .. ", expected a name such as 'torch.FloatTensor'", 2)
  end
  if torch.isTensor(values) then return typeName and check.call(values.type, values, typeName):clone() or values:clone() end
  if tonumber(values) or ffi.istype('complex', values) then values = { values } end
  if type(values) ~= 'table' then
    error('tensor: values: ' .. class.type(values) .. ', expected a table of numbers or a number', 2)
  end
  local isComplex = hasComplex(values)
  if not typeName and not isComplex then return torch.Tensor(values) end      -- a tail call: errors report the caller's line
  local x = check.call(isComplex and torch.ComplexDoubleTensor or torch.Tensor, values)
  typeName = typeName or (torch.getdefaulttensortype() == 'torch.FloatTensor' and 'complex64' or 'complex128')
  return check.call(x.type, x, typeName)
end

-- PyTorch's dtype names, for functions that accept the name of a type: x:to(torch.float32), torch.zeros(2, torch.int64). They don't name a
-- class, so that a tensor stays on its device.
for _, info in ipairs(require('libmoontorch').dtypes) do
  if info.name ~= 'bool' then familiar[info.name] = info.name end
end

-- NumPy's names of types beside these.
for name, own in pairs {
  csingle = 'complex64', cdouble = 'complex128',
  single = 'float32', ubyte = 'uint8', ushort = 'uint16', uintc = 'uint32', uint = 'uint64', uintp = 'uint64', ulong = 'uint64',
  ulonglong = 'uint64', intc = 'int32', intp = 'int64', longlong = 'int64',
} do familiar[name] = own end

--- Return a tensor of x's type and sizes filled with zeros, ones, a value, or random numbers: zerosLike, onesLike, fullLike, randLike,
-- randnLike.
-- @function zerosLike
-- @tparam torch.Tensor x
-- @string[opt] typeName of the result, such as 'float'; after the value of fullLike
-- @treturn torch.Tensor
local fills = {
  zerosLike = function(y) return y:zero() end,
  onesLike = function(y) return y:fill(1) end,
  fullLike = function(y, value)
    if not tonumber(value) then check.raise('fullLike: value: ' .. class.type(value) .. ', expected a number') end
    return y:fill(value)
  end,
  randLike = function(y) return y:uniform() end,
  randnLike = function(y) return y:normal() end,
}
for name, fill in pairs(fills) do
  familiar[name] = function(x, value, typeName)
    check.tensor(name, 'x', x)
    if name ~= 'fullLike' then value, typeName = nil, value end
    if typeName ~= nil and type(typeName) ~= 'string' then
      check.raise(("%s: typeName: %s, expected a name such as 'float'"):format(name, class.type(typeName)))
    end
    local like = typeName and check.call(x.type, x.new(), typeName) or x.new()
    -- The op, unlike the method, needs not write zeros into memory that the system has just given.
    if name == 'zerosLike' and x:dim() > 0 and like:device() == 'cpu' then return torch.zeros(x:size(), like:type()) end
    return fill(like:resize(x:size()), value)
  end
end

return familiar
