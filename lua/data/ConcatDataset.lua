--- The samples of several sets, one set after the other.
-- @classmod data.ConcatDataset
local torch, check, data = require 'torch', require 'torch.check', require 'data'
local isDataset = require 'data.is_dataset'

local ConcatDataset, parent = torch.class('data.ConcatDataset', 'data.Dataset', data)

--- @tparam {data.Dataset,...} datasets a list, or the sets as arguments
-- @param[opt] ... more sets
function ConcatDataset:__init(datasets, ...)
  parent.__init(self)
  if isDataset.is(datasets) then datasets = { datasets, ... } end
  check.table('data.ConcatDataset', 'datasets', datasets)
  self.datasets, self.ends = {}, {}
  local total = 0
  for i, dataset in ipairs(datasets) do
    self.datasets[i] = isDataset.check('data.ConcatDataset', ('datasets[%d]'):format(i), dataset)
    total = total + dataset:size()
    self.ends[i] = total
  end
end

--- The total number of samples.
function ConcatDataset:size() return self.ends[#self.ends] or 0 end

--- A sample, from the set that contains it.
function ConcatDataset:get(index)
  self:checkIndex(index)
  local ends, low, high = self.ends, 1, #self.ends
  while low < high do
    local middle = math.floor((low + high) / 2)
    if index <= ends[middle] then high = middle else low = middle + 1 end
  end
  return self.datasets[low]:get(index - (ends[low - 1] or 0))
end

return { ConcatDataset = data.ConcatDataset }
