--- Splits a tensor along a dimension, into tables of views.
-- @module torch.names.split
local torch, check = require 'torch', require 'torch.check'
local type, tonumber, tostring = type, tonumber, tostring

local parts = {}

-- A table as the first argument is emptied, and then receives the views.
local function arguments(name, first, x, ...)
  if type(first) ~= 'table' then return arguments(name, {}, first, x, ...) end
  check.tensor(name, 'x', x)
  for key in pairs(first) do first[key] = nil end
  return first, x, ...
end

-- Describes numbers and strings by their values, anything else by its type.
local function describe(value) return (type(value) == 'number' or type(value) == 'string') and tostring(value) or torch.type(value) end

local function countOf(name, argument, value)
  local count = type(value) ~= 'table' and tonumber(value)
  if not (count and count >= 1) then check.raise(('%s: %s: %s, expected 1 or more'):format(name, argument, describe(value))) end
  return check.whole(name, argument, count)
end

local function cut(result, x, size, dim)
  local length = x:size(dim)
  for first = 1, length, size do result[#result + 1] = torch.narrow(x, dim, first, math.min(size, length - first + 1)) end
  return result
end

--- Returns views of `size` slices each along a dimension; the last one may be shorter. With a list of sizes views of these.
-- @tparam[opt] table result is emptied, and receives the views
-- @tparam torch.Tensor x
-- @tparam int|{int,...} size 1 or more; or a list of sizes, whose sum is the size of the dimension
-- @tparam[opt=1] int dim
-- @treturn {torch.Tensor,...}
function parts.split(...)
  local result, x, size, dim = arguments('split', ...)
  if type(size) == 'table' then
    for i, part in ipairs(check.call(parts.splitWithSizes, x, size, dim)) do result[i] = part end
    return result
  end
  size, dim = countOf('split', 'size', size), check.dim('split', 'dim', x, dim or 1, true)
  return cut(result, x, size, dim)
end

--- Returns at most `n` views of equal length; the last one may be shorter, and there may be fewer.
-- @tparam[opt] table result is emptied, and receives the views
-- @tparam torch.Tensor x
-- @tparam int n 1 or more
-- @tparam[opt=1] int dim
-- @treturn {torch.Tensor,...}
function parts.chunk(...)
  local result, x, n, dim = arguments('chunk', ...)
  n, dim = countOf('chunk', 'n', n), check.dim('chunk', 'dim', x, dim or 1, true)
  return cut(result, x, math.max(1, math.ceil(x:size(dim) / n)), dim)
end

-- Views between positions after which x is cut.
local function between(x, dim, ends)
  local result, start = {}, 0
  local length = x:size(dim)
  for i = 1, #ends + 1 do
    local last = ends[i] or length
    if last < 0 then last = math.max(0, last + length) end
    last = math.min(last, length)
    result[i] = torch.narrow(x, dim, math.min(start, length) + 1, math.max(0, last - start))
    start = last
  end
  return result
end

local mostParts = 2 ^ 20

-- The numbers of slices before each cut: of n parts, the first of which are longer by one, or a list.
local function cuts(name, length, sections)
  if torch.isTensor(sections) then sections = sections:totable() end
  if type(sections) == 'table' then
    for _, last in ipairs(sections) do check.int(name, 'sections', last) end
    return sections
  end
  local n, ends = check.int(name, 'sections', sections, { min = 1, max = mostParts }), {}
  local size, longer = math.floor(length / n), length % n
  for i = 1, n - 1 do ends[i] = i * size + math.min(i, longer) end
  return ends
end

--- Returns views of n parts along a dimension, the first of which are longer by one slice where the length is no multiple of n; or the
-- parts between the cuts of a list.
-- @tparam torch.Tensor x
-- @tparam int|table sections n, or the numbers of slices before each cut, also as a LongTensor
-- @int[opt=1] dim
-- @treturn {torch.Tensor,...}
function parts.tensorSplit(x, sections, dim)
  check.tensor('tensorSplit', 'x', x)
  dim = check.dim('tensorSplit', 'dim', x, dim or 1)
  return between(x, dim, cuts('tensorSplit', x:size(dim), sections))
end

-- A function that splits along a dimension into equal parts, or by a list.
local function splitAlong(name, least, dimOf)
  return function(x, sections)
    check.tensor(name, 'x', x)
    if x:dim() < least then
      check.raise(('%s: x: %d dimensions, expected %d or more'):format(name, x:dim(), least), 'shape')
    end
    local dim = dimOf(x)
    local ends = cuts(name, x:size(dim), sections)
    if type(sections) == 'number' and x:size(dim) % sections ~= 0 then
      check.raise(('%s: sections: %d, expected a divisor of %d'):format(name, sections, x:size(dim)), 'range')
    end
    return between(x, dim, ends)
  end
end

--- Returns views of equal parts along the second dimension, of vectors along the first.
-- @function hsplit
-- @tparam torch.Tensor x
-- @tparam int|table sections the number of parts, or the numbers of slices before each cut
-- @treturn {torch.Tensor,...}
-- @raise if the size is no multiple of the number
parts.hsplit = splitAlong('hsplit', 1, function(x) return x:dim() == 1 and 1 or 2 end)

--- Returns views of equal parts along the first dimension of a tensor with two or more.
-- @function vsplit
-- @tparam torch.Tensor x
-- @tparam int|table sections the number of parts, or the numbers of slices before each cut
-- @treturn {torch.Tensor,...}
-- @raise if the size is no multiple of the number
parts.vsplit = splitAlong('vsplit', 2, function() return 1 end)

--- Returns views of equal parts along the third dimension.
-- @function dsplit
-- @tparam torch.Tensor x
-- @tparam int|table sections the number of parts, or the numbers of slices before each cut
-- @treturn {torch.Tensor,...}
-- @raise if the size is no multiple of the number
parts.dsplit = splitAlong('dsplit', 3, function() return 3 end)

--- Returns views of parts with given sizes along a dimension.
-- @tparam torch.Tensor x
-- @tparam {int,...} sizes whose sum is the size of the dimension
-- @int[opt=1] dim
-- @treturn {torch.Tensor,...}
-- @raise if the sum differs
function parts.splitWithSizes(x, sizes, dim)
  check.tensor('splitWithSizes', 'x', x)
  dim = check.dim('splitWithSizes', 'dim', x, dim or 1)
  local result, first = {}, 1
  for i, size in ipairs(check.table('splitWithSizes', 'sizes', sizes)) do
    check.int('splitWithSizes', 'sizes', size, { min = 0 })
    if first + size - 1 <= x:size(dim) then result[i] = torch.narrow(x, dim, first, size) end
    first = first + size
  end
  if first - 1 ~= x:size(dim) then
    check.raise(('splitWithSizes: sizes: a sum of %d, expected %d'):format(first - 1, x:size(dim)), 'shape')
  end
  return result
end

return parts
