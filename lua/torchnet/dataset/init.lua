--- The base class of torchnet's data sets, a class of `data` with shortcuts that create derived sets through torchnet's calls.
-- @module torchnet.dataset
local torch, argcheck, data, tnt = require 'torch', require 'argcheck', require 'data', require 'torchnet.env'

--- A data set: `size()` and `get(idx)`.
-- @type tnt.Dataset
local Dataset = torch.class('tnt.Dataset', 'data.Dataset', tnt)

function Dataset:__init() end

Dataset.isBase = true                                              -- for the exec of data.Dataset

-- Shortcut -> its class, the names of the arguments after the data set, and those of which one is required.
local shortcuts = {
  batch = { 'BatchDataset', 'batchsize perm merge policy filter', 'batchsize' },
  coroutinebatch = { 'CoroutineBatchDataset', 'batchsize perm merge policy filter', 'batchsize' },
  transform = { 'TransformDataset', 'transform transforms key', 'transform transforms' },
  resample = { 'ResampleDataset', 'sampler size' }, shuffle = { 'ShuffleDataset', 'size replacement' },
  split = { 'SplitDataset', 'partitions initialpartition', 'partitions' }, iterator = { 'DatasetIterator', 'perm filter transform' },
}

local function contains(names, name) return (' ' .. names .. ' '):find((' %s '):format(tostring(name)), 1, true) ~= nil end

-- Whether a call has named arguments: one table, whose keys are all names of arguments. Any other table is an argument itself, such as
-- the functions by field in `transform { input = f, target = g }`.
local function isNamed(names, needed, count, first)
  if count ~= 1 or type(first) ~= 'table' or getmetatable(first) ~= nil or next(first) == nil then return false end
  local isComplete = needed == nil
  for key in pairs(first) do
    if not contains(names, key) then return false end
    isComplete = isComplete or contains(needed, key)
  end
  return isComplete
end

for name, shortcut in pairs(shortcuts) do
  local class, names, needed = unpack(shortcut)
  Dataset[name] = function(self, ...)
    if not isNamed(names, needed, select('#', ...), (...)) then return tnt[class](self, ...) end
    local named = { dataset = self }
    for key, value in pairs((...)) do named[key] = value end
    return tnt[class](named)
  end
end

--- This set's samples followed by those of others.
-- @tparam tnt.Dataset ...
-- @treturn tnt.ConcatDataset
function Dataset:concat(...) return tnt.ConcatDataset { self, ... } end

-- A class with the methods of a class of data and its parents; its constructor checks arguments by a declaration.
local function derive(name, source, declaration)
  local class = torch.class('tnt.' .. name, 'tnt.Dataset', tnt)
  local base, from = getmetatable(data.Dataset), getmetatable(data[source])
  while from ~= base do
    for key, method in pairs(from) do
      if type(method) == 'function' and not key:find '^__' and key ~= 'new' and rawget(class, key) == nil then class[key] = method end
    end
    from = getmetatable(from)
  end
  table.insert(declaration, 1, { name = 'self', type = 'tnt.' .. name })
  class.__init = argcheck(declaration)
  return class
end

return { Dataset = tnt.Dataset, derive = derive }
