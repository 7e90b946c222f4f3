--- What all data sets of torchnet have: those of `data` beneath, and shortcuts that make sets of sets by torchnet's own calls.
-- @module torchnet.dataset
local torch, argcheck, data, tnt = require 'torch', require 'argcheck', require 'data', require 'torchnet.env'

--- A data set: `size()` and `get(idx)`.
-- @type tnt.Dataset
local Dataset = torch.class('tnt.Dataset', 'data.Dataset', tnt)

function Dataset:__init() end

-- Shortcut -> class.
local shortcuts = {
  batch = 'BatchDataset', coroutinebatch = 'CoroutineBatchDataset', transform = 'TransformDataset', resample = 'ResampleDataset',
  shuffle = 'ShuffleDataset', split = 'SplitDataset', iterator = 'DatasetIterator',
}
for name, class in pairs(shortcuts) do
  Dataset[name] = function(self, ...)
    local first = ...
    if select('#', ...) == 1 and type(first) == 'table' and getmetatable(first) == nil and type(next(first)) == 'string'
      and class ~= 'SplitDataset' then
      local named = { dataset = self }
      for key, value in pairs(first) do named[key] = value end
      return tnt[class](named)
    end
    return tnt[class](self, ...)
  end
end

--- This set's samples, then those of others.
-- @tparam tnt.Dataset ...
-- @treturn tnt.ConcatDataset
function Dataset:concat(...) return tnt.ConcatDataset { self, ... } end

-- A class with the methods of one of data's and its parents, whose constructor checks its arguments by a declaration.
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
