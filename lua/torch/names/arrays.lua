--- NumPy's functions that create arrays: grids of positions, triangles, blocks, values of functions.
-- @module torch.names.arrays
local torch, check = require 'torch', require 'torch.check'
local positionsOf = require 'torch.names.positions'
local sizesOf = require('torch.check.message').sizes

local arrays = {}

--- Returns a matrix with ones on and below a diagonal, and zeros above.
-- @int n rows
-- @int[opt=n] m columns
-- @int[opt=0] k the diagonal: 0 is the main one, positive ones are above
-- @treturn torch.Tensor of the default type
function arrays.tri(n, m, k)
  check.int('tri', 'n', n, { min = 0 })
  m, k = check.int('tri', 'm', m or n, { min = 0 }), check.int('tri', 'k', k or 0)
  return torch.tril(torch.ones(n, m), k)
end

--- Returns the identity matrix: torch.eye with one size.
-- @int n rows and columns
-- @treturn torch.Tensor of the default type
function arrays.identity(n) return torch.eye(check.int('identity', 'n', n, { min = 0 })) end

-- A list of sizes.
local function sizeList(where, sizes)
  if torch.isStorage(sizes) then sizes = sizes:totable() end
  check.table(where, 'sizes', sizes)
  if #sizes == 0 then check.raise(where .. ': sizes: an empty list, expected one size or more') end
  for _, size in ipairs(sizes) do check.int(where, 'sizes', size, { min = 0 }) end
  return sizes
end

--- Returns the positions of all elements of a tensor: those along dimension d in slice d.
-- @tparam {int,...}|torch.LongStorage sizes of the tensor
-- @treturn torch.LongTensor (dimensions, sizes...), from 1
function arrays.indices(sizes)
  sizes = sizeList('indices', sizes)
  local result = torch.zeros(torch.LongStorage { #sizes, unpack(sizes) }, 'int64')
  for d, size in ipairs(sizes) do
    local own = torch.LongStorage(#sizes):fill(1)
    own[d] = size
    if result:nElement() > 0 then result[d]:copy(torch.range(1, size):long():view(own):expand(torch.LongStorage(sizes))) end
  end
  return result
end

--- Returns vectors in shapes that broadcast to their grid: vector d varies along dimension d, and the others have size 1. Keys of brackets
-- combine positions so by themselves: x[{ a, b }].
-- @tparam torch.Tensor|{int,...} ... vectors of positions, or masks, of which the positions of the ones are taken
-- @treturn torch.Tensor... one for each
function arrays.ix_(...)
  local list, count = {}, select('#', ...)
  for d = 1, count do
    local v = select(d, ...)
    if type(v) == 'table' then v = check.call(torch.LongTensor, v) end
    check.tensor('ix_', 'vectors', v)
    if v:dim() ~= 1 then check.raise(('ix_: vectors: %s as number %d, expected a vector'):format(sizesOf(v), d), 'shape') end
    local kind = v:type()
    if kind:find 'ByteTensor$' or kind:find 'BoolTensor$' then v = torch.nonzero(v):view(-1) end
    local own = {}
    for i = 1, count do own[i] = i == d and v:size(1) or 1 end
    list[d] = torch.reshape(v, own)
  end
  return unpack(list)
end

--- Returns the values of a function of the positions of all elements. It is called once, with a tensor of positions for each dimension.
-- @tparam function f (i, j, ...) -> tensor or number
-- @tparam {int,...}|torch.LongStorage sizes
-- @return what f returns
-- @usage torch.fromfunction(function(i, j) return torch.cmul(i, j) end, { 3, 3 })
function arrays.fromfunction(f, sizes)
  check.callable('fromfunction', 'f', f)
  local grid, places = arrays.indices(sizeList('fromfunction', sizes)), {}
  for d = 1, grid:size(1) do places[d] = grid:narrow(1, d, 1):double():view(torch.LongStorage(sizes)) end
  return f(unpack(places))
end

--- Returns a vector of the numbers that an iterator yields until nil.
-- @tparam function iterator called without arguments
-- @int[opt] count at most so many
-- @treturn torch.Tensor of the default type
-- @usage torch.fromiter(('1 2 3'):gmatch '%d+')
function arrays.fromiter(iterator, count)
  check.callable('fromiter', 'iterator', iterator)
  if count ~= nil then check.int('fromiter', 'count', count, { min = 0 }) end
  local list = {}
  while not count or #list < count do
    local value = iterator()
    if value == nil then break end
    list[#list + 1] = check.number('fromiter', 'iterator: number ' .. #list + 1, tonumber(value) or value)
  end
  return #list > 0 and torch.Tensor(list) or torch.Tensor(0)
end

--- Returns numbers from first to last with equal quotients; both have the same sign.
-- @number first not 0
-- @number last not 0
-- @int[opt=50] n how many
-- @treturn torch.Tensor of the default type
-- @raise if one is 0, or the signs differ
function arrays.geomspace(first, last, n)
  check.number('geomspace', 'first', first)
  check.number('geomspace', 'last', last)
  n = check.int('geomspace', 'n', n or 50, { min = 0 })
  if first * last <= 0 then
    check.raise(('geomspace: last: %g, expected a number of the sign of %g, not 0'):format(last, first), 'range')
  end
  local sign = first < 0 and -1 or 1
  local x = torch.pow(10, torch.linspace(math.log10(math.abs(first)), math.log10(math.abs(last)), math.max(n, 1))) * sign
  if n == 0 then return torch.Tensor(0) end
  x[1] = first
  if n > 1 then x[n] = last end
  return x
end

--- Returns the positions of the main diagonal of a tensor with equal sizes.
-- @int n size of each dimension
-- @int[opt=2] dims number of dimensions
-- @treturn torch.LongTensor... a vector for each dimension, for torch.indexPut and take
function arrays.diagIndices(n, dims)
  check.int('diagIndices', 'n', n, { min = 0 })
  local list = {}
  for d = 1, check.int('diagIndices', 'dims', dims or 2, { min = 1 }) do
    list[d] = n > 0 and torch.range(1, n):long() or torch.LongTensor(0)
  end
  return unpack(list)
end

--- Does the same for a tensor.
-- @tparam torch.Tensor x two dimensions or more of one size
-- @treturn torch.LongTensor...
-- @raise if the sizes differ
function arrays.diagIndicesFrom(x)
  check.tensor('diagIndicesFrom', 'x', x)
  for d = 2, x:dim() do
    if x:size(d) ~= x:size(1) then check.raise(('diagIndicesFrom: x: %s, expected equal sizes'):format(sizesOf(x)), 'shape') end
  end
  if x:dim() < 2 then check.raise(('diagIndicesFrom: x: %s, expected two dimensions or more'):format(sizesOf(x)), 'shape') end
  return arrays.diagIndices(x:size(1), x:dim())
end

local function matrixSizes(where, x)
  check.tensor(where, 'x', x)
  if x:dim() ~= 2 then check.raise(('%s: x: %s, expected a matrix'):format(where, sizesOf(x)), 'shape') end
  return x:size(1), x:size(2)
end

--- Returns the positions on and below a diagonal of a matrix.
-- @tparam torch.Tensor x matrix
-- @int[opt=0] k the diagonal
-- @treturn torch.LongTensor rows and columns: (2, positions)
function arrays.trilIndicesFrom(x, k)
  local n, m = matrixSizes('trilIndicesFrom', x)
  return torch.trilIndices(n, m, check.int('trilIndicesFrom', 'k', k or 0))
end

--- Returns the positions on and above a diagonal of a matrix.
-- @tparam torch.Tensor x matrix
-- @int[opt=0] k the diagonal
-- @treturn torch.LongTensor rows and columns: (2, positions)
function arrays.triuIndicesFrom(x, k)
  local n, m = matrixSizes('triuIndicesFrom', x)
  return torch.triuIndices(n, m, check.int('triuIndicesFrom', 'k', k or 0))
end

--- Returns the positions in an n x n matrix where a function of a matrix of ones leaves something.
-- @int n rows and columns
-- @tparam function f such as torch.triu: (matrix, k) -> matrix
-- @int[opt=0] k
-- @treturn torch.LongTensor rows and columns: (2, positions)
function arrays.maskIndices(n, f, k)
  check.int('maskIndices', 'n', n, { min = 1 })
  check.callable('maskIndices', 'f', f)
  local left = check.tensor('maskIndices', 'f: its result', (f(torch.ones(n, n), k or 0)))
  return torch.nonzero(left):t():contiguous()
end

-- Returns the depth of nested lists.
local function depthOf(parts) return type(parts) == 'table' and not torch.isTensor(parts) and 1 + depthOf(parts[1]) or 0 end

-- Returns x with at least `rank` dimensions; new ones are the first.
local function raised(x, rank)
  if type(x) == 'number' then x = torch.Tensor { x } end
  check.tensor('block', 'parts', x)
  for _ = x:dim() + 1, rank do x = torch.unsqueeze(x, 1) end
  return x
end

--- Assembles a tensor of parts: the innermost lists are joined along the last dimension, those around them along the one before, and so on.
-- @tparam table parts nested lists of tensors and numbers, all at one depth
-- @treturn torch.Tensor
-- @raise if sizes don't fit or the depths differ
-- @usage torch.block { { a, b }, { c, d } }
function arrays.block(parts)
  check.table('block', 'parts', parts)
  local depth, rank = depthOf(parts), 0
  local function measure(list, level)
    local isTensor = torch.isTensor(list)
    if (isTensor or type(list) ~= 'table') ~= (level == depth) or type(list) == 'table' and #list == 0 then
      check.raise(('block: parts: lists of different depths, expected %d everywhere, none of them empty'):format(depth))
    end
    if isTensor then rank = math.max(rank, list:dim()) end
    if level < depth then for _, each in ipairs(list) do measure(each, level + 1) end end
  end
  measure(parts, 0)
  rank = math.max(rank, depth)
  local function joined(list, level)
    if level == depth then return raised(list, rank) end
    local own = {}
    for i, each in ipairs(list) do own[i] = joined(each, level + 1) end
    return check.call(torch.cat, own, rank - depth + level + 1)
  end
  return joined(parts, 0)
end

-- Names in NumPy of windows whose both ends are alike: torch's without the period.
local function symmetric(where, ofTorch)
  return function(n, beta)
    check.int(where, 'n', n)
    if n < 1 then return torch.Tensor(0) end
    if where ~= 'kaiser' then return torch[ofTorch](n, false) end
    return torch[ofTorch](n, false, check.number(where, 'beta', beta))
  end
end

--- Returns a symmetric Hann window: (1 - cos(2 pi i / (n - 1))) / 2.
-- @function hanning
-- @int n number of points; none below 1
-- @treturn torch.Tensor of the default type
arrays.hanning = symmetric('hanning', 'hannWindow')

--- Returns a symmetric Hamming window: 0.54 - 0.46 cos(2 pi i / (n - 1)).
-- @function hamming
-- @int n number of points; none below 1
-- @treturn torch.Tensor of the default type
arrays.hamming = symmetric('hamming', 'hammingWindow')

--- Returns a symmetric triangular window, whose ends are 0.
-- @function bartlett
-- @int n number of points; none below 1
-- @treturn torch.Tensor of the default type
arrays.bartlett = symmetric('bartlett', 'bartlettWindow')

--- Returns a symmetric Blackman window: 0.42 - 0.5 cos(2 pi i / (n - 1)) + 0.08 cos(4 pi i / (n - 1)).
-- @function blackman
-- @int n number of points; none below 1
-- @treturn torch.Tensor of the default type
arrays.blackman = symmetric('blackman', 'blackmanWindow')

--- Returns a symmetric Kaiser window of n points.
-- @function kaiser
-- @int n
-- @number beta 0 is a rectangle
-- @treturn torch.Tensor of the default type
arrays.kaiser = symmetric('kaiser', 'kaiserWindow')

--- Returns positions through all elements from those in each dimension: the inverse of unravelIndex.
-- @tparam {torch.LongTensor|int,...} places for each dimension, of equal sizes
-- @tparam {int,...}|torch.LongStorage sizes of the tensor
-- @string[opt='raise'] mode of positions out of range: 'raise' an error, 'wrap' around, 'clip' to the end
-- @treturn torch.LongTensor|int from 1; a number of numbers
-- @raise if a position is out of range, or there is not one for each dimension
function arrays.ravelMultiIndex(places, sizes, mode)
  check.table('ravelMultiIndex', 'places', places)
  sizes = sizeList('ravelMultiIndex', sizes)
  mode = check.choice('ravelMultiIndex', 'mode', mode or 'raise', { 'raise', 'wrap', 'clip' })
  if #places ~= #sizes then
    check.raise(('ravelMultiIndex: places: %d, expected one for each of %d dimensions'):format(#places, #sizes), 'shape')
  end
  local numbers, result = 0, nil
  for d, own in ipairs(places) do
    if not torch.isTensor(own) then
      own, numbers = torch.LongTensor { check.int('ravelMultiIndex', 'places', own) }, numbers + 1
    end
    local from0 = torch.add(own:long(), -1)
    if mode == 'wrap' then
      from0 = torch.remainder(from0, sizes[d])
    elseif mode == 'clip' then
      from0 = torch.clamp(from0, 0, sizes[d] - 1)
    elseif from0:nElement() > 0 and (from0:min() < 0 or from0:max() >= sizes[d]) then
      check.raise(('ravelMultiIndex: places: a position out of range in dimension %d, expected 1 to %d'):format(d, sizes[d]), 'range')
    end
    result = result and check.call(torch.add, torch.mul(result, sizes[d]), positionsOf(from0, result)) or from0
  end
  result = torch.add(result, 1)
  return numbers == #places and tonumber(result[1]) or result
end

return arrays
