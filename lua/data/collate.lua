--- Builds a batch from a list of samples: combines corresponding values, to any depth of tables.
-- Tensors of equal sizes are stacked along a new first dimension, numbers become a tensor of the default type, booleans a BoolTensor.
-- Tables become a table of their combined entries. Anything else (strings, objects) becomes a list.
-- @module data.collate
-- @usage data.collate { { input = torch.zeros(3), target = 1 }, { input = torch.ones(3), target = 2 } }
--   --> { input = a 2x3 tensor, target = a tensor of 1 and 2 }
local torch, check, message = require 'torch', require 'torch.check', require 'torch.check.message'
local isTensor, typename = require('libmoontorch').isTensor, torch.typename

local getmetatable, next, type, unpack = getmetatable, next, type, unpack

local function fail(path, k, actual, expected)
  check.raise(('data.collate: %s: %s in sample %d of the batch, expected %s'):format(path == '' and 'sample' or path, actual, k,
    expected))
end

local function kindOf(value)
  if isTensor(value) then return 'tensor' end
  return type(value) == 'table' and getmetatable(value) and typename(value) and 'object' or type(value)
end

-- Stacks tensors of equal sizes: concatenation along the first dimension has the memory layout of a new first dimension.
local function stack(column, path, count)
  local first = column[1]
  for k = 2, count do
    if not column[k]:isSameSizeAs(first) then
      fail(path, k, ('a tensor of size %s'):format(message.sizes(column[k])), ('%s as in the first, or a collate of your own')
        :format(message.sizes(first)))
    end
  end
  if first:dim() == 0 then fail(path, 1, 'an empty tensor', 'a tensor with elements') end
  local joined = torch.cat(column, 1)
  return joined:contiguous():view(count, unpack(first:size():totable()))
end

local collate

-- Combines the samples' values for each key.
local function fields(column, path, count)
  local batch, first = {}, column[1]
  for key in next, first do
    local entries = {}
    for k = 1, count do entries[k] = column[k][key] end
    batch[key] = collate(entries, ('%s%s%s'):format(path, path == '' and '' or '.', tostring(key)), count)
  end
  for k = 2, count do
    for key in next, column[k] do
      if first[key] == nil then fail(path, k, ('a field %s'):format(tostring(key)), 'none, as in the first,') end
    end
  end
  return batch
end

-- Whether all entries have the kind of the first one.
local function checkKinds(column, path, count, kind)
  local first = type(column[1])
  for k = 2, count do
    local other = column[k]
    if type(other) ~= first or kind ~= first and kindOf(other) ~= kind then
      local actual = kindOf(other)
      fail(path, k, actual == 'nil' and 'nothing' or 'a ' .. actual, ('a %s as in the first'):format(kind))
    end
  end
end

function collate(column, path, count)
  local kind = kindOf(column[1])
  checkKinds(column, path, count, kind)
  if kind == 'tensor' then return stack(column, path, count) end
  if kind == 'number' then return torch.Tensor(column) end
  if kind == 'boolean' then return torch.BoolTensor(column) end
  if kind == 'table' then return fields(column, path, count) end
  return column
end

--- Builds a batch from a list of samples.
-- @tparam table samples
-- @return the batch; an empty table for no samples
return function(samples)
  check.table('data.collate', 'samples', samples)
  if #samples == 0 then return {} end
  return collate(samples, '', #samples)
end
