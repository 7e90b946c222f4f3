--- Tensors and nested tables of them, the inputs and targets of loaders.
-- @module dataload.nested
local torch = require 'torch'
local check = require 'torch.check'

local isTensor = torch.isTensor

local nested = {}

--- Calls a function with each tensor and the corresponding ones of other tables; returns its results in the same structure.
-- @tparam function f
-- @param x tensor or table
-- @param ... tensors or tables; nil passes nil for all
function nested.map(f, x, ...)
  if isTensor(x) or type(x) ~= 'table' then return f(x, ...) end
  local result = {}
  for key, inner in pairs(x) do
    local others, count = {}, select('#', ...)
    for i = 1, count do
      local other = select(i, ...)
      if type(other) == 'table' and not isTensor(other) then others[i] = other[key] end
    end
    result[key] = nested.map(f, inner, unpack(others, 1, count))
  end
  return result
end

--- The first tensor.
function nested.first(x)
  if isTensor(x) then return x end
  if type(x) ~= 'table' then return nil end
  for _, inner in pairs(x) do
    local found = nested.first(inner)
    if found then return found end
  end
end

--- The samples with these numbers, written to a buffer if there is one.
-- @tparam ?torch.Tensor|table buffer
-- @param x
-- @tparam torch.LongTensor indices
function nested.index(buffer, x, indices)
  return nested.map(function(from, to)
    if not isTensor(to) or to:type() ~= from:type() then to = from.new() end
    return torch.index(to, from, 1, indices)
  end, x, buffer)
end

--- Views of the samples from `start` to `stop`.
function nested.sub(x, start, stop)
  return nested.map(function(from) return from:narrow(1, start, stop - start + 1) end, x)
end

--- A buffer with the type of x, resized.
function nested.buffer(buffer, x, ...)
  local sizes = { ... }
  if not isTensor(buffer) or buffer:type() ~= x:type() then buffer = x.new() end
  return buffer:resize(torch.LongStorage(sizes))
end

--- Sizes without a dimension, as lists.
-- @param x
-- @int excluded
function nested.size(x, excluded)
  return nested.map(function(each)
    local sizes = each:size():totable()
    table.remove(sizes, excluded)
    return sizes
  end, x)
end

--- Checks that all tensors have the same number of samples.
-- @string where
-- @treturn int the number
function nested.count(where, ...)
  local count
  local function look(x)
    check.tensor(where, 'inputs and targets', x)
    check.that(x:dim() > 0, where .. ': an empty tensor, expected samples along the first dimension')
    count = count or x:size(1)
    check.that(x:size(1) == count, ('%s: %d samples, expected %d as in the first'):format(where, x:size(1), count))
  end
  for i = 1, select('#', ...) do
    local each = select(i, ...)
    if each ~= nil then nested.map(look, each) end
  end
  return check.that(count, where .. ': no tensor, expected inputs')
end

return nested
