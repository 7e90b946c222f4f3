--- torch.pad: adds elements around a tensor.
-- @module torch.names.pad
local torch, check = require 'torch', require 'torch.check'
local asFloats = require 'torch.names.as_floats'
local messages = require 'torch.check.message'

local function refuse(argument, actual, expected)
  check.raise(('pad: %s: %s, expected %s'):format(argument, actual, expected))
end

local function count(value, name)
  return check.int('pad', name, value, { min = 0 })
end

-- Returns {before, after} by dimension: from one number for all, from pairs in the order of the dimensions, or from a flat list that begins
-- with the last dimension.
local function widthsOf(x, widths)
  local list = {}
  for d = 1, x:dim() do list[d] = { 0, 0 } end
  if type(widths) == 'number' then
    for d = 1, x:dim() do list[d] = { count(widths, 'widths'), widths } end
    return list
  end
  if type(widths) ~= 'table' then refuse('widths', messages.value(widths), 'a number or a list of widths') end
  if type(widths[1]) == 'table' then
    if #widths ~= x:dim() then refuse('widths', ('%d pairs'):format(#widths), ('a pair for each of %d dimensions'):format(x:dim())) end
    for d, pair in ipairs(widths) do
      if type(pair) ~= 'table' or #pair ~= 2 then refuse('widths', messages.value(pair), ('{before, after} for dimension %d'):format(d)) end
      list[d] = { count(pair[1], 'widths'), count(pair[2], 'widths') }
    end
    return list
  end
  if #widths % 2 == 1 or #widths > 2 * x:dim() or #widths == 0 then
    refuse('widths', ('%d numbers'):format(#widths), ('two for each of at most %d dimensions'):format(x:dim()))
  end
  for k = 1, #widths / 2 do
    list[x:dim() + 1 - k] = { count(widths[2 * k - 1], 'widths'), count(widths[2 * k], 'widths') }
  end
  return list
end

-- Functions from the positions 1 - before .. n + after along a dimension to positions of their elements in x.
local places = {
  replicate = function(i, n) return math.min(math.max(i, 1), n) end,
  reflect = function(i, n)                                         -- without repeating the border
    if n == 1 then return 1 end
    local k = (i - 1) % (2 * n - 2)
    return k < n and k + 1 or 2 * n - 1 - k
  end,
  symmetric = function(i, n)                                       -- with the border repeated
    local k = (i - 1) % (2 * n)
    return k < n and k + 1 or 2 * n - k
  end,
  circular = function(i, n) return (i - 1) % n + 1 end,
}
places.edge, places.wrap = places.replicate, places.circular

-- Functions from the slices of a dimension at one of its ends to one slice that is repeated around it.
local statistics = {
  maximum = function(part, dim) return (torch.max(part, dim)) end,
  minimum = function(part, dim) return (torch.min(part, dim)) end,
  mean = function(part, dim) return torch.mean(asFloats(part), dim) end,
  median = function(part, dim) return torch.quantile(asFloats(part), 0.5, dim) end,
}
for mode in pairs(statistics) do places[mode] = true end
places.constant, places.empty, places.linear_ramp = true, true, true

-- Returns sizes of x with another one along a dimension.
local function resized(x, dim, size)
  local sizes = x:size()
  sizes[dim] = size
  return sizes
end

-- Returns numbers as x's type, rounded to the nearest even whole number for integers.
local function asType(value, x) return x:isFloatingPoint() and value or torch.rint(value):typeAs(x) end

-- Returns the `width` slices beside one end of x: of a statistic of the `count` slices there, or on the line to a value.
local function beside(x, dim, width, atFront, mode, options)
  local n = x:size(dim)
  if mode == 'linear_ramp' then
    local edge = asFloats(torch.narrow(x, dim, atFront and 1 or n, 1))
    local weights = torch.div(torch.range(0, width - 1):typeAs(edge), width)
    if not atFront then weights = torch.flip(weights, 1) end
    local own = torch.LongStorage(x:dim()):fill(1)
    own[dim] = width
    local sizes = resized(x, dim, width)
    local ramp = torch.cmul(torch.add(torch.expand(edge, sizes), -options.value), torch.expand(weights:view(own), sizes))
    ramp = torch.add(ramp, options.value)
    return x:isFloatingPoint() and ramp or torch.floor(ramp):typeAs(x)
  end
  local length = math.min(options.statLength or n, n)
  local part = torch.narrow(x, dim, atFront and 1 or n - length + 1, length)
  return torch.expand(asType(statistics[mode](part, dim), x), resized(x, dim, width))
end

local function padded(x, dim, before, after, mode, value, statLength)
  local n = x:size(dim)
  if mode == 'constant' then
    local parts = {}
    local function filled(width)
      local sizes = x:size()
      sizes[dim] = width
      return x.new():resize(sizes):fill(value)
    end
    if before > 0 then parts[1] = filled(before) end
    parts[#parts + 1] = x
    if after > 0 then parts[#parts + 1] = filled(after) end
    return torch.cat(parts, dim)
  end
  if mode == 'empty' then
    local parts = { x }
    if before > 0 then table.insert(parts, 1, x.new(resized(x, dim, before))) end
    if after > 0 then parts[#parts + 1] = x.new(resized(x, dim, after)) end
    return torch.cat(parts, dim)
  end
  if n == 0 then refuse('x', messages.sizes(x), ('an element at least along dimension %d'):format(dim)) end
  if statistics[mode] or mode == 'linear_ramp' then
    local parts, options = { x }, { value = value, statLength = statLength }
    if before > 0 then table.insert(parts, 1, beside(x, dim, before, true, mode, options)) end
    if after > 0 then parts[#parts + 1] = beside(x, dim, after, false, mode, options) end
    return torch.cat(parts, dim)
  end
  local index = torch.LongTensor(before + n + after)
  for i = 1 - before, n + after do index[i + before] = places[mode](i, n) end
  return torch.index(x, dim, index:to(x:device()))
end

local pad = {}

--- Returns a copy of x with elements around it.
-- @tparam torch.Tensor x
-- @param widths number of elements: a number, for all sides; a list of pairs {before, after}, one for each dimension in order, as in NumPy;
--   or a flat list {left, right, top, bottom, ...} that begins with the last dimension, as in PyTorch
-- @string[opt='constant'] mode 'constant'; 'replicate' or 'edge', the element at the border; 'reflect', mirrored without it; 'symmetric',
--   mirrored with it; 'circular' or 'wrap', from the opposite side; 'linear_ramp', on the line from the border to a value; 'maximum',
--   'minimum', 'mean' or 'median' of the slices at each side; 'empty', undefined
-- @number[opt=0] value of 'constant', and at the end of 'linear_ramp'
-- @int[opt] statLength number of slices at each side of which the maximum and its like are taken, by default all
-- @treturn torch.Tensor of x's type; tracked if x is
-- @raise if widths don't match the dimensions or are negative, or the mode is unknown
-- @usage torch.pad(torch.ones(2, 2), { { 0, 0 }, { 1, 2 } })
function pad.pad(x, widths, mode, value, statLength)
  check.tensor('pad', 'x', x)
  mode, value = mode or 'constant', value or 0
  if not places[mode] then
    refuse('mode', messages.value(mode), 'constant, replicate (edge), reflect, symmetric, circular (wrap), linear_ramp, maximum, minimum, '
      .. 'mean, median or empty')
  end
  check.number('pad', 'value', value)
  if statLength ~= nil then check.int('pad', 'statLength', statLength, { min = 1 }) end
  local result = x
  for dim, width in ipairs(widthsOf(x, widths)) do
    if width[1] + width[2] > 0 then result = padded(result, dim, width[1], width[2], mode, value, statLength) end
  end
  return rawequal(result, x) and torch.clone(x) or result
end

return pad
