--- Samples of several sets side by side.
-- @classmod data.ZipDataset
-- @usage local pairs = data.ZipDataset { input = images, target = labels }   -- samples are { input =, target = }
local torch, check, data = require 'torch', require 'torch.check', require 'data'
local isDataset = require 'data.is_dataset'

local ZipDataset, parent = torch.class('data.ZipDataset', 'data.Dataset', data)

--- @tparam table datasets a list (or arguments), or by name; all with the same size
-- @param[opt] ... more sets
function ZipDataset:__init(datasets, ...)
  parent.__init(self)
  if isDataset.is(datasets) then datasets = { datasets, ... } end
  self.sets = check.table('data.ZipDataset', 'datasets', datasets)
  self.datasets = {}
  for key, dataset in pairs(datasets) do
    isDataset.check('data.ZipDataset', tostring(key), dataset)
    self.datasets[#self.datasets + 1] = dataset
    self.count = self.count or dataset:size()
    if dataset:size() ~= self.count then
      check.raise(('data.ZipDataset: %s: %d samples, expected %d as in the first set'):format(tostring(key), dataset:size(), self.count))
    end
  end
  check.that(self.count, 'data.ZipDataset: datasets: an empty table, expected at least one dataset')
end

--- The number of samples in each set.
function ZipDataset:size() return self.count end

--- A table of the sets' samples with this number.
function ZipDataset:get(index)
  self:checkIndex(index)
  local sample = {}
  for key, dataset in pairs(self.sets) do sample[key] = dataset:get(index) end
  return sample
end

--- A table of the sets' batches, if all sets support batches.
function ZipDataset:getBatch(indices)
  local batch = {}
  for key, dataset in pairs(self.sets) do
    batch[key] = dataset.getBatch and dataset:getBatch(indices)
    if batch[key] == nil then return nil end
  end
  return batch
end

return { ZipDataset = data.ZipDataset }
