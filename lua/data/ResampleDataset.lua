--- Samples of a set by numbers from a function, which each read calls again.
-- @classmod data.ResampleDataset
local torch, check, data = require 'torch', require 'torch.check', require 'data'
local isDataset = require 'data.is_dataset'

local ResampleDataset, parent = torch.class('data.ResampleDataset', 'data.Dataset', data)

local where = 'data.ResampleDataset'

local function uniform(dataset) return torch.random(1, dataset:size()) end

--- @tparam data.Dataset dataset
-- @tparam[opt] function sampler (dataset, index) -> number of a sample; default: a uniform draw
-- @int[opt] size of the new set; default: the size of `dataset`
function ResampleDataset:__init(dataset, sampler, size)
  parent.__init(self)
  self.dataset = isDataset.check(where, 'dataset', dataset)
  self.sampler = sampler and check.callable(where, 'sampler', sampler) or uniform
  self.count = size and check.int(where, 'size', size, { min = 0 })
end

--- The number of samples.
function ResampleDataset:size() return self.count or self.dataset:size() end

--- The sample that the sampler chooses.
function ResampleDataset:get(index)
  local chosen, size = self.sampler(self.dataset, self:checkIndex(index)), self.dataset:size()
  if type(chosen) ~= 'number' or chosen < 1 or chosen > size or chosen % 1 ~= 0 then
    check.raise(('%s: sampler: index out of range: %s, expected a whole number from 1 to %d'):format(where,
      tostring(chosen), size))
  end
  return self.dataset:get(chosen)
end

return { ResampleDataset = data.ResampleDataset }
