--- The samples of a set with given numbers, in any order.
-- @classmod data.SubsetDataset
local torch, check, data = require 'torch', require 'torch.check', require 'data'
local isDataset = require 'data.is_dataset'

local SubsetDataset, parent = torch.class('data.SubsetDataset', 'data.Dataset', data)

local where = 'data.SubsetDataset'

--- @tparam data.Dataset dataset
-- @tparam torch.LongTensor|table indices numbers of its samples
function SubsetDataset:__init(dataset, indices)
  parent.__init(self)
  self.dataset = isDataset.check(where, 'dataset', dataset)
  self:choose(indices)
end

--- Selects other samples.
-- @tparam torch.LongTensor|table indices
function SubsetDataset:choose(indices)
  if type(indices) == 'table' then indices = torch.LongTensor(indices) end
  indices = check.tensor(where, 'indices', indices):long()
  if indices:nElement() > 0 then
    local least, most, size = indices:min(), indices:max(), self.dataset:size()
    if least < 1 or most > size then
      check.raise(('%s: indices: %d, expected numbers from 1 to %d'):format(where, least < 1 and least or most, size))
    end
  end
  self.indices = indices
end

--- The number of selected samples.
function SubsetDataset:size() return self.indices:nElement() end

--- A selected sample.
function SubsetDataset:get(index) return self.dataset:get(self.indices[self:checkIndex(index)]) end

--- Selected samples as a batch, if the underlying set supports batches.
function SubsetDataset:getBatch(indices)
  if self.dataset.getBatch then return self.dataset:getBatch(self.indices:index(1, indices)) end
end

return { SubsetDataset = data.SubsetDataset }
