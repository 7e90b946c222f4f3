--- PyTorch's functions that create tensors: like another tensor, with given strides, windows, positions of triangles.
-- @module torch.names.creation
local torch, check = require 'torch', require 'torch.check'
local numpy = require 'torch.names.numpy'

local creation = {}

local function typed(where, x, typeName)
  if typeName == nil then return x end
  if type(typeName) ~= 'string' then
    check.raise(("%s: typeName: %s, expected a name such as 'float'"):format(where, torch.type(typeName)))
  end
  if x:type() == require 'torch.class.type_name'(typeName) then return x end
  return check.call(x.type, x, typeName)
end

-- An empty tensor of x's type and device.
local function like(where, x, typeName) return typed(where, check.tensor(where, 'x', x).new(), typeName) end

-- The arguments: sizes as numbers, a table or a LongStorage; then optionally a type.
local function sizesAndType(where, ...)
  local list, typeName = { ... }, nil
  if type(list[#list]) == 'string' then typeName = table.remove(list) end
  if #list == 1 and torch.isStorage(list[1]) then return list[1], typeName end
  local numbers = #list == 1 and type(list[1]) == 'table' and list[1] or list
  for _, size in ipairs(numbers) do check.int(where, 'sizes', size, { min = 0 }) end
  return torch.LongStorage(numbers), typeName
end

--- Returns a tensor of x's type and sizes with any elements.
-- @tparam torch.Tensor x
-- @string[opt] typeName of the result, such as 'float'
-- @treturn torch.Tensor
function creation.emptyLike(x, typeName) return like('emptyLike', x, typeName):resize(x:size()) end

--- Returns a tensor of x's sizes with integers drawn uniformly from low up to, but excluding, high.
-- @tparam torch.Tensor x
-- @int[opt=0] low
-- @int high
-- @treturn torch.Tensor of x's type
function creation.randintLike(x, low, high)
  check.tensor('randintLike', 'x', x)
  if high == nil then low, high = 0, low end
  check.int('randintLike', 'low', low)
  check.int('randintLike', 'high', high, { min = low + 1 })
  local result = x.new():resize(x:size())
  return result:nElement() > 0 and result:random(low, high - 1) or result
end

--- Returns a tensor with one element.
-- @number value
-- @string[opt] typeName such as 'float'
-- @treturn torch.Tensor
function creation.scalarTensor(value, typeName)
  check.number('scalarTensor', 'value', value)
  return numpy.tensor(value, typeName)
end

--- Returns a tensor itself, converted if it has another type; otherwise a new tensor with the numbers of a table. `asarray` is the same.
-- @tparam torch.Tensor|table|number values
-- @string[opt] typeName such as 'float'
-- @treturn torch.Tensor
function creation.asTensor(values, typeName)
  if torch.isTensor(values) then return typed('asTensor', values, typeName) end
  return check.call(numpy.tensor, values, typeName)
end
creation.asarray = creation.asTensor

-- The number of elements in memory of sizes and strides, from the first to the last.
local function extent(where, sizes, strides)
  local last = 1
  for d, size in ipairs(sizes) do
    check.int(where, 'sizes', size, { min = 0 })
    check.int(where, 'strides', strides[d] or false, { min = 0 })
    last = size == 0 and 0 or last + (size - 1) * strides[d]
    if last == 0 then return 0 end
  end
  return last
end

local function strided(where, x, sizes, strides)
  check.table(where, 'sizes', sizes)
  check.table(where, 'strides', strides)
  local length = extent(where, sizes, strides)
  if length == 0 then return x:resize(torch.LongStorage(sizes)) end
  return torch.as_strided(x:resize(length), torch.LongStorage(sizes), torch.LongStorage(strides), 1)
end

--- Returns a tensor with given sizes and strides and any elements.
-- @tparam {int,...} sizes
-- @tparam {int,...} strides
-- @string[opt] typeName such as 'float'
-- @treturn torch.Tensor
function creation.emptyStrided(sizes, strides, typeName)
  return strided('emptyStrided', typed('emptyStrided', torch.Tensor(), typeName), sizes, strides)
end

--- Returns a tensor with given sizes whose dimensions lie in memory in a given order, and any elements.
-- @tparam {int,...} sizes
-- @tparam {int,...} order its dimensions, from the one with the largest stride on
-- @string[opt] typeName such as 'float'
-- @treturn torch.Tensor
-- @raise if the order lacks a dimension
function creation.emptyPermuted(sizes, order, typeName)
  check.table('emptyPermuted', 'sizes', sizes)
  check.table('emptyPermuted', 'order', order)
  local strides, step = {}, 1
  for i = #order, 1, -1 do
    local dim = check.int('emptyPermuted', 'order', order[i], { min = 1, max = #sizes })
    strides[dim], step = step, step * math.max(1, sizes[dim])
  end
  for d = 1, #sizes do
    if not strides[d] or #order ~= #sizes then
      check.raise(('emptyPermuted: order: [%s], expected each of %d dimensions once'):format(table.concat(order, ', '), #sizes))
    end
  end
  return strided('emptyPermuted', typed('emptyPermuted', torch.Tensor(), typeName), sizes, strides)
end

local function filled(name, fill)
  return function(x, ...)
    check.tensor(name, 'x', x)
    local sizes, typeName = sizesAndType(name, ...)
    return fill(like(name, x, typeName):resize(sizes))
  end
end

--- Returns a tensor of x's type with any elements.
-- @function newEmpty
-- @tparam torch.Tensor x
-- @param ... sizes: numbers, a table or a LongStorage; then optionally a type
-- @treturn torch.Tensor
creation.newEmpty = filled('newEmpty', function(y) return y end)

--- Returns a tensor of x's type filled with zeros.
-- @function newZeros
-- @tparam torch.Tensor x
-- @param ... sizes: numbers, a table or a LongStorage; then optionally a type
-- @treturn torch.Tensor
creation.newZeros = filled('newZeros', function(y) return y:zero() end)

--- Returns a tensor of x's type filled with ones.
-- @function newOnes
-- @tparam torch.Tensor x
-- @param ... sizes: numbers, a table or a LongStorage; then optionally a type
-- @treturn torch.Tensor
creation.newOnes = filled('newOnes', function(y) return y:fill(1) end)

--- Returns a tensor of x's type filled with a value.
-- @tparam torch.Tensor x
-- @tparam {int,...} sizes
-- @number value
-- @string[opt] typeName of the result, such as 'float'
-- @treturn torch.Tensor
function creation.newFull(x, sizes, value, typeName)
  check.tensor('newFull', 'x', x)
  check.number('newFull', 'value', value)
  return like('newFull', x, typeName):resize((sizesAndType('newFull', sizes))):fill(value)
end

--- Returns a new tensor of x's type with the numbers of a table.
-- @tparam torch.Tensor x
-- @tparam table|number values
-- @string[opt] typeName of the result, such as 'float'
-- @treturn torch.Tensor
function creation.newTensor(x, values, typeName)
  check.tensor('newTensor', 'x', x)
  return check.call(numpy.tensor, values, typeName or x:type())
end

--- Returns a tensor of x's type with given sizes and strides and any elements.
-- @tparam torch.Tensor x
-- @tparam {int,...} sizes
-- @tparam {int,...} strides
-- @string[opt] typeName of the result, such as 'float'
-- @treturn torch.Tensor
function creation.newEmptyStrided(x, sizes, strides, typeName)
  return strided('newEmptyStrided', like('newEmptyStrided', x, typeName), sizes, strides)
end

local function triangle(where, isInside)
  return function(rows, columns, offset)
    check.int(where, 'rows', rows, { min = 0 })
    check.int(where, 'columns', columns, { min = 0 })
    offset = check.int(where, 'offset', offset or 0)
    local places = { {}, {} }
    for i = 1, rows do
      for j = 1, columns do
        if isInside(j - i, offset) then
          places[1][#places[1] + 1], places[2][#places[2] + 1] = i, j
        end
      end
    end
    if #places[1] == 0 then return torch.LongTensor():resize(2, 0) end
    return torch.LongTensor(places)
  end
end

--- Returns the positions in a matrix that are on and below a diagonal, row by row: a row of rows and a row of columns.
-- @function trilIndices
-- @int rows
-- @int columns
-- @int[opt=0] offset of the diagonal, above the main one
-- @treturn torch.LongTensor (2, n), from 1
creation.trilIndices = triangle('trilIndices', function(distance, offset) return distance <= offset end)

--- Returns the positions in a matrix that are on and above a diagonal, row by row: a row of rows and a row of columns.
-- @function triuIndices
-- @int rows
-- @int columns
-- @int[opt=0] offset of the diagonal, above the main one
-- @treturn torch.LongTensor (2, n), from 1
creation.triuIndices = triangle('triuIndices', function(distance, offset) return distance >= offset end)

-- A function that creates a window of n points, from the weight at a fraction 0..1 of its length.
local function window(where, weight)
  return function(n, periodic, ...)
    check.int(where, 'n', n, { min = 0 })
    check.flag(where, 'periodic', periodic)
    for i = 1, select('#', ...) do
      local parameter = select(i, ...)
      if parameter ~= nil then check.number(where, 'parameter ' .. i, parameter) end
    end
    local values, last = torch.Tensor(n), periodic == false and n - 1 or n
    for i = 0, n - 1 do values[i + 1] = n == 1 and 1 or weight(i / last, ...) end
    return values
  end
end

local turn = 2 * math.pi

--- Returns a Hann window of n points: (1 - cos(2 pi i / n)) / 2.
-- @function hannWindow
-- @int n
-- @bool[opt=true] periodic whether it is the first n points of a window with n + 1
-- @treturn torch.Tensor of the default type
creation.hannWindow = window('hannWindow', function(t) return 0.5 - 0.5 * math.cos(turn * t) end)

--- Returns a Hamming window of n points: alpha - beta cos(2 pi i / n).
-- @function hammingWindow
-- @int n
-- @bool[opt=true] periodic whether it is the first n points of a window with n + 1
-- @number[opt=0.54] alpha
-- @number[opt=0.46] beta
-- @treturn torch.Tensor of the default type
creation.hammingWindow = window('hammingWindow', function(t, alpha, beta)
  return (alpha or 0.54) - (beta or 0.46) * math.cos(turn * t)
end)

--- Returns a Blackman window of n points: 0.42 - 0.5 cos(2 pi i / n) + 0.08 cos(4 pi i / n).
-- @function blackmanWindow
-- @int n
-- @bool[opt=true] periodic whether it is the first n points of a window with n + 1
-- @treturn torch.Tensor of the default type
creation.blackmanWindow = window('blackmanWindow', function(t) return 0.42 - 0.5 * math.cos(turn * t) + 0.08 * math.cos(2 * turn * t) end)

--- Returns a triangular window of n points: 1 - |2 i / n - 1|.
-- @function bartlettWindow
-- @int n
-- @bool[opt=true] periodic whether it is the first n points of a window with n + 1
-- @treturn torch.Tensor of the default type
creation.bartlettWindow = window('bartlettWindow', function(t) return 1 - math.abs(2 * t - 1) end)

-- The modified Bessel function of order 0, by its power series.
local function besselI0(x)
  local sum, term, k = 1, 1, 0
  while term > 1e-17 * sum do
    k = k + 1
    term = term * (x / 2 / k) ^ 2
    sum = sum + term
  end
  return sum
end

--- Returns a Kaiser window of n points.
-- @function kaiserWindow
-- @int n
-- @bool[opt=true] periodic whether it is the first n points of a window with n + 1
-- @number[opt=12] beta
-- @treturn torch.Tensor of the default type
creation.kaiserWindow = window('kaiserWindow', function(t, beta)
  beta = beta or 12
  return besselI0(beta * math.sqrt(math.max(0, 1 - (2 * t - 1) ^ 2))) / besselI0(beta)
end)

--- Returns the powers of the elements of a vector, as rows: from x^(n - 1) to 1, or from 1 to x^(n - 1) if increasing.
-- @tparam torch.Tensor x vector
-- @int[opt] n the number of columns, by default the number of elements; at most this, or 32768
-- @bool[opt=false] increasing
-- @treturn torch.Tensor
-- @raise if x is no vector
function creation.vander(x, n, increasing)
  check.tensor('vander', 'x', x)
  if x:dim() ~= 1 then check.raise(('vander: x: %d dimensions, expected a vector'):format(x:dim()), 'shape') end
  n = check.int('vander', 'n', n or x:size(1), { min = 0, max = math.max(2 ^ 15, x:size(1)) })
  check.flag('vander', 'increasing', increasing)
  if n == 0 then return x.new():resize(x:size(1), 0) end
  local columns = { torch.add(torch.mul(x, 0), 1) }
  for k = 2, n do columns[k] = torch.cmul(columns[k - 1], x) end
  if not increasing then
    for k = 1, math.floor(n / 2) do columns[k], columns[n - k + 1] = columns[n - k + 1], columns[k] end
  end
  for k, column in ipairs(columns) do columns[k] = torch.reshape(column, x:size(1), 1) end
  return torch.cat(columns, 2)
end

--- Returns a tensor as a matrix: a vector becomes a row.
-- @tparam torch.Tensor|table|number x
-- @treturn torch.Tensor of 2 dimensions
function creation.asmatrix(x)
  if type(x) == 'number' then x = { x } end
  if type(x) == 'table' and not torch.typename(x) then x = check.call(torch.Tensor, x) end
  check.tensor('asmatrix', 'x', x)
  if x:dim() == 2 then return x end
  if x:dim() > 2 then check.raise(('asmatrix: x: %d dimensions, expected at most 2'):format(x:dim()), 'shape') end
  return torch.view(torch.contiguous(x), 1, -1)
end

return creation
