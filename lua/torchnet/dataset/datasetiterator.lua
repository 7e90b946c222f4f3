--- Iterates over a set.
-- @module torchnet.dataset.datasetiterator
local torch, argcheck, tnt = require 'torch', require 'argcheck', require 'torchnet.env'

--- `for sample in iterator() do ... end`, or `for sample in iterator:run() do ... end`.
-- @type tnt.DatasetIterator
local Iterator = torch.class('tnt.DatasetIterator', tnt)

--- @function __init
-- @tparam tnt.Dataset dataset
-- @tparam[opt] function perm (idx, size) -> number of a sample
-- @tparam[opt] function filter of a transformed sample: returns whether to include it
-- @tparam[opt] function transform of a sample
Iterator.__init = argcheck {
  help = 'Goes through a set.',
  { name = 'self', type = 'tnt.DatasetIterator' }, { name = 'dataset', type = 'tnt.Dataset' },
  { name = 'perm', type = 'function', opt = true, help = '(idx, size) -> number of a sample' },
  { name = 'filter', type = 'function', opt = true, help = 'whether a sample comes, as transform made it' },
  { name = 'transform', type = 'function', opt = true, help = 'changes a sample' },
  call = function(self, dataset, perm, filter, transform)
    self.dataset, self.perm, self.filter, self.transform = dataset, perm, filter, transform
  end,
}

--- Begins a pass.
-- @treturn function iterator
function Iterator:run()
  local size, index = self.dataset:size(), 0
  return function()
    while index < size do
      index = index + 1
      local sample = self.dataset:get(self.perm and self.perm(index, size) or index)
      if self.transform then sample = self.transform(sample) end
      if not self.filter or self.filter(sample) then return sample end
    end
  end
end

function Iterator:__call__() return self:run() end

--- Calls a method of the set, or of the sets that it wraps.
-- @string name
-- @param ... arguments
function Iterator:exec(name, ...) return tnt.Dataset.exec(self.dataset, name, ...) end

return { DatasetIterator = tnt.DatasetIterator }
