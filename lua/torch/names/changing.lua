--- NumPy's functions that insert, delete and rearrange slices. The tape records the ops inside.
-- @module torch.names.changing
local torch, check = require 'torch', require 'torch.check'
local positionsOf = require 'torch.names.positions'
local messages = require 'torch.check.message'

local sizesOf = messages.sizes
local changing = {}

-- Returns x as a vector if there is no dimension, and the dimension.
local function along(where, x, dim)
  check.tensor(where, 'x', x)
  if dim == nil then return torch.reshape(x, x:nElement()), 1 end
  return x, check.dim(where, 'dim', x, dim)
end

-- Returns a list of whole positions of n, ascending order not required; negative ones count from the end.
local function listOf(where, places, n, most)
  if type(places) == 'number' then places = { places } end
  if torch.isTensor(places) then
    local kind = places:type()
    local isMask = kind:find 'ByteTensor$' or kind:find 'BoolTensor$'
    if isMask and (places:dim() ~= 1 or places:size(1) ~= n) then
      check.raise(('%s: places: a mask of %s, expected [%d]'):format(where, sizesOf(places), n), 'shape')
    end
    places = isMask and torch.nonzero(places):view(-1):totable() or places:contiguous():view(-1):totable()
  end
  check.table(where, 'places', places)
  local list = {}
  for i, place in ipairs(places) do
    place = check.int(where, 'places', tonumber(place))
    if place < 0 then place = place + n + 1 end
    if place < 1 or place > most then
      check.raise(('%s: places: %s, expected a position from 1 to %d'):format(where, tostring(places[i]), most), 'range')
    end
    list[i] = place
  end
  return list
end

--- Returns x with values behind it; without dim both as vectors.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor|number values
-- @int[opt] dim
-- @treturn torch.Tensor
-- @raise if sizes don't fit
function changing.append(x, values, dim)
  local a, d = along('append', x, dim)
  if type(values) == 'number' then values = a.new(1):fill(values) end
  check.tensor('append', 'values', values)
  if dim == nil then values = torch.reshape(values, values:nElement()) end
  return check.call(torch.cat, a, values, d)
end

--- Returns x with values inserted before positions of a dimension; without dim in x as a vector.
-- @tparam torch.Tensor x
-- @tparam int|{int,...}|torch.LongTensor places positions in x; one behind the last slice appends
-- @tparam number|torch.Tensor values a slice for each position, or sizes that broadcast; at a single position as many slices as there are
-- @int[opt] dim
-- @treturn torch.Tensor of x's type
-- @raise if a position is out of range, or sizes don't fit
function changing.insert(x, places, values, dim)
  local a, d = along('insert', x, dim)
  local n = a:size(d)
  local list = listOf('insert', places, n, n + 1)
  local sizes = a:size()
  if type(values) == 'number' then
    sizes[d] = #list
    values = a.new():resize(sizes):fill(values)
  else
    check.tensor('insert', 'values', values)
    local isOne = type(places) == 'number'
    if isOne and values:dim() == a:dim() - 1 then values = torch.unsqueeze(values, d) end
    sizes[d] = isOne and values:dim() == a:dim() and values:size(d) or #list
    local good, spread = pcall(torch.expand, values, sizes)
    if not good then check.raise(('insert: values: %s, expected %s'):format(sizesOf(values), messages.listed(sizes)), 'shape') end
    values = spread:typeAs(a)
    for _ = #list + 1, sizes[d] do list[#list + 1] = list[1] end
  end
  local order, byPlace = {}, {}
  for i, place in ipairs(list) do
    byPlace[place] = byPlace[place] or {}
    table.insert(byPlace[place], n + i)
  end
  for i = 1, n + 1 do
    for _, from in ipairs(byPlace[i] or {}) do order[#order + 1] = from end
    if i <= n then order[#order + 1] = i end
  end
  if #list == 0 then return torch.clone(a) end
  return torch.index(torch.cat(a, values, d), d, positionsOf(order, a))
end

--- Returns x without slices of a dimension; without dim of x as a vector.
-- @tparam torch.Tensor x
-- @tparam int|{int,...}|torch.LongTensor|torch.ByteTensor places positions, or a mask of the dimension
-- @int[opt] dim
-- @treturn torch.Tensor
-- @raise if a position is out of range
function changing.delete(x, places, dim)
  local a, d = along('delete', x, dim)
  local n, gone, kept = a:size(d), {}, {}
  for _, place in ipairs(listOf('delete', places, n, n)) do gone[place] = true end
  for i = 1, n do
    if not gone[i] then kept[#kept + 1] = i end
  end
  if #kept == 0 then return torch.clone(torch.narrow(a, d, 1, 0)) end
  return torch.index(a, d, positionsOf(kept, a))
end

--- Returns a vector without the zeros at its ends, as a view.
-- @tparam torch.Tensor x vector
-- @string[opt='fb'] trim 'f' at the front, 'b' at the back, 'fb' both
-- @treturn torch.Tensor
-- @raise if x is no vector
function changing.trimZeros(x, trim)
  check.tensor('trimZeros', 'x', x)
  trim = check.choice('trimZeros', 'trim', trim or 'fb', { 'f', 'b', 'fb', 'bf' })
  if x:dim() ~= 1 then check.raise(('trimZeros: x: %s, expected a vector'):format(sizesOf(x)), 'shape') end
  local places = x:nElement() > 0 and torch.nonzero(x:detach()) or torch.LongTensor(0)
  if places:nElement() == 0 then return torch.narrow(x, 1, 1, 0) end
  places = places:view(-1)
  local first = trim:find 'f' and tonumber(places[1]) or 1
  local last = trim:find 'b' and tonumber(places[places:size(1)]) or x:size(1)
  return torch.narrow(x, 1, first, last - first + 1)
end

--- Moves a dimension back until it is before another one, as a view.
-- @tparam torch.Tensor x
-- @int dim
-- @int[opt=1] start it comes before this one; one more than there are dimensions moves it to the end
-- @treturn torch.Tensor
function changing.rollaxis(x, dim, start)
  check.tensor('rollaxis', 'x', x)
  dim = check.dim('rollaxis', 'dim', x, dim)
  start = check.int('rollaxis', 'start', start or 1, { min = -x:dim(), max = x:dim() + 1 })
  if start < 0 then start = start + x:dim() + 1 end
  if start == 0 then check.raise(('rollaxis: start: 0, expected 1 to %d'):format(x:dim() + 1), 'range') end
  return torch.movedim(x, dim, dim < start and start - 1 or start)
end

--- Returns the sizes to which sizes broadcast.
-- @tparam {int,...}|torch.LongStorage ... sizes
-- @treturn torch.LongStorage
-- @raise if they don't fit
function changing.broadcastShapes(...)
  local result = {}
  for i = 1, select('#', ...) do
    local sizes = select(i, ...)
    if torch.isStorage(sizes) then sizes = sizes:totable() end
    check.table('broadcastShapes', 'sizes', sizes)
    local rank, merged = math.max(#result, #sizes), {}
    for back = 0, rank - 1 do
      local m, n = result[#result - back] or 1, sizes[#sizes - back] or 1
      check.int('broadcastShapes', 'sizes', n, { min = 0 })
      if m ~= n and m ~= 1 and n ~= 1 then
        check.raise(('broadcastShapes: sizes: [%s], expected sizes that broadcast with [%s]'):format(
          table.concat(sizes, ', '), table.concat(result, ', ')), 'shape')
      end
      merged[rank - back] = m == 1 and n or m
    end
    result = merged
  end
  return torch.LongStorage(result)
end

--- Returns all windows of given sizes, as a view: unfold along several dimensions, step by step (NumPy's sliding_window_view).
-- @tparam torch.Tensor x
-- @tparam int|{int,...} sizes of the window, one for each of dims
-- @tparam[opt] int|{int,...} dims default: all
-- @treturn torch.Tensor x's dimensions with the numbers of windows, then the windows' dimensions
-- @raise if a size is larger than x, or there is not one for each dimension
function changing.slidingWindowView(x, sizes, dims)
  check.tensor('slidingWindowView', 'x', x)
  if type(sizes) == 'number' then sizes = { sizes } end
  check.table('slidingWindowView', 'sizes', sizes)
  if dims == nil then
    dims = {}
    for d = 1, x:dim() do dims[d] = d end
  elseif type(dims) == 'number' then
    dims = { dims }
  end
  if #dims ~= #sizes then
    check.raise(('slidingWindowView: sizes: %d, expected one for each of %d dimensions'):format(#sizes, #dims), 'shape')
  end
  local own = {}
  for i, dim in ipairs(dims) do own[i] = check.dim('slidingWindowView', 'dims', x, dim) end
  for i, dim in ipairs(own) do
    check.int('slidingWindowView', 'sizes', sizes[i], { min = 1, max = x:size(dim) })
    x = x:unfold(dim, sizes[i], 1)
  end
  return x
end

--- Returns x with new dimensions of size 1, as a view.
-- @tparam torch.Tensor x
-- @tparam int|{int,...} dims their positions in the result
-- @treturn torch.Tensor
function changing.expandDims(x, dims)
  check.tensor('expandDims', 'x', x)
  if type(dims) == 'number' then dims = { dims } end
  check.table('expandDims', 'dims', dims)
  local list, rank = {}, x:dim() + #dims
  for i, dim in ipairs(dims) do
    check.int('expandDims', 'dims', dim, { min = -rank, max = rank })
    list[i] = dim < 0 and dim + rank + 1 or dim
    if dim == 0 then check.raise(('expandDims: dims: 0, expected 1 to %d'):format(rank), 'range') end
  end
  table.sort(list)
  for i, dim in ipairs(list) do
    if dim == list[i - 1] then check.raise(('expandDims: dims: dimension %d is twice in the list'):format(dim), 'range') end
    x = torch.unsqueeze(x, dim)
  end
  return x
end

return changing
