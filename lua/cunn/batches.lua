--- Batches in parts on several devices: tensors, or tables of them, split along a dimension and joined.
-- @module cunn.batches
local torch, check = require 'torch', require 'torch.check'
local nested = require 'nn.nested'

local batches = {}

-- The size of the first tensor in that dimension.
local function sizeOf(value, dimension)
  if torch.isTensor(value) then
    if value:dim() >= dimension then return value:size(dimension) end
    check.raise(('nn.DataParallelTable: input: a tensor of %d dimensions, expected one with the dimension %d'):format(
      value:dim(), dimension))
  end
  if type(value) ~= 'table' then return nil end
  for _, element in pairs(value) do
    local size = sizeOf(element, dimension)
    if size then return size end
  end
end

local function moved(x, device) return x:device() == device and x or torch.to(x, device) end

local function partOf(value, dimension, part)
  return nested.map(value, function(x)
    if x:dim() < dimension or x:size(dimension) ~= part.of then
      check.raise(('nn.DataParallelTable: a tensor of sizes %s, expected %d in dimension %d'):format(
        table.concat(x:size():totable(), 'x'), part.of, dimension))
    end
    return moved(x:narrow(dimension, part.first, part.count), part.device)
  end)
end

--- Splits a batch over devices; a small batch uses fewer of them.
-- @param input tensor, or tables of them
-- @int dimension
-- @tparam {int,...} gpus
-- @treturn {table,...} for each device in use: `value`, on the device `device`, has `count` of the batch's `of` samples, from `first`
function batches.split(input, dimension, gpus)
  local size = sizeOf(input, dimension)
  if not size then check.raise 'nn.DataParallelTable: input: no tensor, expected a batch' end
  local each, parts = math.max(math.ceil(size / #gpus), 1), {}
  for i = 1, math.max(math.ceil(size / each), 1) do
    local first = (i - 1) * each + 1
    parts[i] = { device = 'cuda:' .. gpus[i], first = first, count = math.min(each, size - first + 1), of = size }
    parts[i].value = partOf(input, dimension, parts[i])
  end
  return parts
end

--- Splits another value like given parts, for example the gradient by the output.
function batches.alongside(value, dimension, parts)
  local list = {}
  for i, part in ipairs(parts) do list[i] = partOf(value, dimension, part) end
  return list
end

--- Joins parts on one device.
-- @tparam table values tensors, or tables of them
-- @int dimension
-- @string device
-- @param held the former result, whose tensor is reused
function batches.join(values, dimension, device, held)
  if torch.isTensor(values[1]) then
    local list = {}
    for i, value in ipairs(values) do list[i] = moved(value, device) end
    local joined = #list == 1 and list[1]:clone() or torch.cat(list, dimension)
    local serves = torch.isTensor(held) and held:type() == joined:type()
    return serves and held:set(joined) or joined
  end
  if type(values[1]) ~= 'table' then return values[1] end
  local joined = {}
  for key in pairs(values[1]) do
    local column = {}
    for i, value in ipairs(values) do column[i] = value[key] end
    joined[key] = batches.join(column, dimension, device, type(held) == 'table' and held[key] or nil)
  end
  return joined
end

return batches
