--- torch.pad: adds elements around a tensor.
-- @module torch.names.pad
local torch, check = require 'torch', require 'torch.check'
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
places.constant = true

local function padded(x, dim, before, after, mode, value)
  local n = x:size(dim)
  if mode == 'constant' then
    local parts = {}
    local function filled(width)
      local sizes = x:size()
      sizes[dim] = width
      return x.new(sizes):fill(value)
    end
    if before > 0 then parts[1] = filled(before) end
    parts[#parts + 1] = x
    if after > 0 then parts[#parts + 1] = filled(after) end
    return torch.cat(parts, dim)
  end
  if n == 0 then refuse('x', messages.sizes(x), ('an element at least along dimension %d'):format(dim)) end
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
--   mirrored with it; 'circular' or 'wrap', from the opposite side
-- @number[opt=0] value of 'constant'
-- @treturn torch.Tensor of x's type; tracked if x is
-- @raise if widths don't match the dimensions or are negative, or the mode is unknown
-- @usage torch.pad(torch.ones(2, 2), { { 0, 0 }, { 1, 2 } })
function pad.pad(x, widths, mode, value)
  check.tensor('pad', 'x', x)
  mode, value = mode or 'constant', value or 0
  if not places[mode] then
    refuse('mode', messages.value(mode), 'constant, replicate (edge), reflect, symmetric or circular (wrap)')
  end
  check.number('pad', 'value', value)
  local result = x
  for dim, width in ipairs(widthsOf(x, widths)) do
    if width[1] + width[2] > 0 then result = padded(result, dim, width[1], width[2], mode, value) end
  end
  return rawequal(result, x) and torch.clone(x) or result
end

return pad
