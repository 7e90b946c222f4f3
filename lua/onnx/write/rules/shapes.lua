--- ONNX nodes for views, and for ops that move elements without arithmetic.
-- @module onnx.write.rules.shapes
local torch = require 'torch'
local count = require('onnx.write.emitter').count

local rules = {}

local largest = 2 ^ 31 - 1      -- an end behind every dimension

-- ---- other sizes

local function resized(o, step, list)
  step.results[1].list = list
  return o.reshapeTo(step.x, step.results[1])
end

function rules.view(o, step) return resized(o, step, step.sizes) end
rules.reshape = rules.view
function rules.viewAs(o, step) return resized(o, step, o.sizesOf(step.template)) end

function rules.squeeze(o, step)
  local list = {}
  for d = 1, #step.x.sizes do
    local stays = step.x.sample[d] ~= 1 or step.dim and step:axisOf(step.x, step.dim) ~= d - 1
    if stays then list[#list + 1] = o.size(step.x, d) end
  end
  return resized(o, step, list)
end

function rules.unsqueeze(o, step)
  local list = o.sizesOf(step.x)
  local rank = #step.x.sizes + 1
  table.insert(list, (step.dim < 0 and step.dim + rank or step.dim) + 1, 1)
  return resized(o, step, list)
end

-- Expands a value to the sizes of the result; a dimension that stays is 1 in the new sizes.
local function expanded(o, step, list)
  local result, x = step.results[1], step.x
  local sizes, missing = {}, #result.sizes - #x.sizes
  for d, size in ipairs(result.sizes) do
    local stays = x.sample[d - missing] == result.sample[d]
    sizes[d] = stays and 1 or size or list[d]
  end
  return o.Expand(x, o.shape(sizes))
end

function rules.expand(o, step) return expanded(o, step, step.sizes) end
function rules.expandAs(o, step) return expanded(o, step, o.sizesOf(step.template)) end

-- ---- dimensions in another order

function rules.permute(o, step)
  local dims = {}
  for i, dim in ipairs(step.dims) do dims[i] = step:axisOf(step.x, dim) end
  return o.permute(step.x, dims)
end

local function swapped(o, x, a, b)
  local dims = {}
  for d = 1, #x.sizes do dims[d] = d - 1 end
  dims[a + 1], dims[b + 1] = b, a
  return o.permute(x, dims)
end

function rules.transpose(o, step) return swapped(o, step.x, step:axisOf(step.x, step.dim1), step:axisOf(step.x, step.dim2)) end
function rules.t(o, step) return #step.x.sizes < 2 and step.x or swapped(o, step.x, 0, 1) end

-- ---- parts

function rules.narrow(o, step)
  local dim = step:axisOf(step.x, step.dim)
  local first = o.fromStart(step.first, step.x, dim + 1)
  return o.slice(step.x, dim, first, o.plus(first, step.length))
end

function rules.select(o, step)
  local dim = step:axisOf(step.x, step.dim)
  if #step.x.sizes == 1 then
    local first = o.fromStart(step.index, step.x, 1)
    return o.slice(step.x, 0, first, o.plus(first, 1))
  end
  local index = type(step.index) == 'number' and step.index or o.fromStart(step.index, step.x, dim + 1)
  return o.Gather(step.x, o.scalar(index, 'int64'), { axis = dim })
end

function rules.sub(o, step)
  local x = step.x
  for i = 1, #step.ranges, 2 do
    local dim = (i - 1) / 2
    local last = step.ranges[i + 1]
    local finish = last == -1 and largest or o.plus(o.fromStart(last, step.x, dim + 1), 1)
    x = o.slice(x, dim, o.fromStart(step.ranges[i], step.x, dim + 1), finish)
  end
  return x
end

-- Elements at positions in the order of x, which are the elements of a LongTensor that counts from 0, in sizes.
local function picked(o, x, positions, sizes)
  local flat = o.Gather(o.Reshape(x, o.integers { -1 }), o.constant(positions:reshape(positions:nElement())), { axis = 0 })
  return o.reshape(flat, sizes)
end

local function everyPosition(sizes)
  local n = count(sizes)
  return n == 0 and torch.LongTensor(0) or torch.range(0, n - 1):long():view(torch.LongStorage(sizes))
end

-- The positions that a view of contiguous elements shows.
local function stridedPositions(step, total)
  local sizes, strides = torch.LongStorage(step.sizes), torch.LongStorage(step.strides)
  return torch.range(0, total - 1):long():as_strided(sizes, strides, step.offset + 1)
end

-- Whether a view shows elements one after another; `sizes` are those of one run.
local function isContiguous(step, sizes)
  local stride = 1
  for d = #sizes, 1, -1 do
    local given = step.strides[d]
    if sizes[d] ~= 1 and (type(given) == 'number' and given or given.number) ~= stride then return false end
    stride = stride * sizes[d]
  end
  return true
end

function rules.strided_view(o, step)
  local result = step.results[1]
  if isContiguous(step, result.sample) then
    result.list = step.sizes
    local last = o.plus(step.offset, o.product(step.sizes))
    return o.reshapeTo(o.slice(o.Reshape(step.x, o.integers { -1 }), 0, step.offset, last), result)
  end
  local positions = stridedPositions(step, count(step:fixed(step.x)))
  return picked(o, step.x, positions, step.results[1].sizes)
end
rules.as_strided = rules.strided_view

-- For each of n elements its position, from 0, among these and the new elements behind them, which go to `positions`. Of elements at the
-- same position the last one stays.
local function sourcesOf(n, positions)
  local source = {}
  positions = positions:reshape(positions:nElement())
  for i = 1, n do source[i] = i - 1 end
  for i = 1, positions:nElement() do source[positions[i] + 1] = n + i - 1 end
  return torch.LongTensor(source)
end

-- Of a scatter into the same part of each slice of dimension 1, whose size may differ: the sizes of a slice and its new part, and the
-- positions of the part. Nil for other scatters.
local function partOfSlices(step)
  local x, y = step.x, step.y
  local slice, part, strides = { unpack(x.sizes, 2) }, { unpack(y.sizes, 2) }, { unpack(step.strides, 2) }
  local last = step.offset
  for _, list in ipairs { slice, part, strides, { step.strides[1], last } } do
    for i = 1, #list do
      if type(list[i]) ~= 'number' then return nil end
    end
  end
  if x.sample[1] ~= y.sample[1] or (x.other or x.sample)[1] ~= (y.other or y.sample)[1] then return nil end
  for d, size in ipairs(part) do last = last + (size - 1) * strides[d] end
  local n = count(slice)
  if step.strides[1] ~= n or last >= n then return nil end
  if #part == 0 then return slice, part, torch.LongTensor { step.offset } end
  local positions = torch.range(0, n - 1):long():as_strided(torch.LongStorage(part), torch.LongStorage(strides), step.offset + 1)
  return slice, part, positions
end

function rules.strided_scatter(o, step)
  if isContiguous(step, step.y.sample) then
    local flat, last = o.integers { -1 }, o.plus(step.offset, o.product(o.sizesOf(step.y)))
    local x, part = o.Reshape(step.x, flat), o.Reshape(o.cast(step.y, step.dtype), flat)
    local made = o.Concat(o.slice(x, 0, 0, step.offset), part, o.slice(x, 0, last, largest), { axis = 0 })
    return o.reshape(made, o.sizesOf(step.x))
  end
  local part = o.cast(step.y, step.dtype)
  local sliceSizes, partSizes, inSlice = partOfSlices(step)
  if sliceSizes then
    local n = count(sliceSizes)
    local both = o.Concat(o.Reshape(step.x, o.integers { -1, n }), o.Reshape(part, o.integers { -1, count(partSizes) }), { axis = 1 })
    return o.reshape(o.Gather(both, o.constant(sourcesOf(n, inSlice)), { axis = 1 }), o.sizesOf(step.x))
  end
  local n, flat = count(step:fixed(step.x)), o.integers { -1 }
  local both = o.Concat(o.Reshape(step.x, flat), o.Reshape(part, flat), { axis = 0 })
  return picked(o, both, sourcesOf(n, stridedPositions(step, n)), step.results[1].sizes)
end

function rules.unfold(o, step)
  local x, dim = step.x, step:axisOf(step.x, step.dim)
  local windows = step.results[1].sizes[dim + 1] or step:fixed(x)
  local positions = torch.LongTensor(windows, step.size)
  for i = 1, windows do
    for k = 1, step.size do positions[i][k] = (i - 1) * step.step + k - 1 end
  end
  local made, dims = o.Gather(x, o.constant(positions), { axis = dim }), {}
  for d = 0, #x.sizes do
    if d ~= dim + 1 then dims[#dims + 1] = d end
  end
  dims[#dims + 1] = dim + 1
  return o.permute(made, dims)
end

function rules.diag(o, step)
  local x, k = step.x, step.k
  local sizes = step:fixed(x)
  if #sizes == 2 then return picked(o, x, torch.diag(everyPosition(sizes), k), step.results[1].sizes) end
  local n = step.results[1].sizes[1]
  local padded = o.Pad(x, o.integers { 0, n - sizes[1] })      -- the element of each row, or of each column below the main diagonal
  local positions = torch.diag(torch.ones(sizes[1]), k):type('torch.BoolTensor')
  return o.Where(o.constant(positions), o.reshape(padded, k >= 0 and { n, 1 } or { 1, n }), o.number(0, step.dtype))
end

function rules.tril(o, step) return o.Trilu(step.x, o.number(step.k, 'int64'), { upper = 0 }) end
function rules.triu(o, step) return o.Trilu(step.x, o.number(step.k, 'int64'), { upper = 1 }) end

-- ---- several parts

function rules.cat(o, step)
  local list, result = step.tensors or { step.a, step.b }, step.results[1]
  local dim = step.dim < 0 and step.dim + #result.sizes or step.dim
  local parts = {}
  for _, x in ipairs(list) do
    if count(x.sample) > 0 and #x.sample > 0 then
      local part = o.cast(x, step.dtype)
      if #x.sizes < #result.sizes then
        local sizes = o.sizesOf(x)
        while #sizes < #result.sizes do sizes[#sizes + 1] = 1 end
        part = o.reshape(part, sizes)
      end
      parts[#parts + 1] = part
    end
  end
  if #parts == 0 then return o.full(0, step.dtype, result.sizes) end
  if #parts == 1 then return parts[1] end
  parts[#parts + 1] = { axis = dim }
  return o.Concat(unpack(parts))
end

function rules.repeatTensor(o, step)
  local list = o.sizesOf(step.x)
  while #list < #step.counts do table.insert(list, 1, 1) end
  local x = #list > #step.x.sizes and o.reshape(step.x, list) or step.x
  return o.Tile(x, o.shape(step.counts))
end

function rules.roll(o, step)
  local x, dim = step.x, step.dim and step:axisOf(step.x, step.dim)
  if not dim then x = o.Reshape(x, o.integers { -1 }) end
  local size = dim and step.x.sample[dim + 1] or count(step:fixed(step.x))
  if dim and not step.x.sizes[dim + 1] then step:fixed(step.x) end
  local shift = size > 0 and step.shift % size or 0
  local rolled = x
  if shift > 0 then
    rolled = o.Concat(o.slice(x, dim or 0, size - shift, largest), o.slice(x, dim or 0, 0, size - shift), { axis = dim or 0 })
  end
  return dim and rolled or resized(o, { results = step.results, x = rolled }, o.sizesOf(step.x))
end

function rules.flip(o, step)
  local dims = step.dims or {}
  if not step.dims or #dims == 0 then
    for d = 1, #step.x.sizes do dims[d] = d - 1 end
  end
  local x = step.x
  for _, dim in ipairs(dims) do x = o.slice(x, step:axisOf(step.x, dim), largest, -largest - 1, -1) end
  return x
end

return rules
