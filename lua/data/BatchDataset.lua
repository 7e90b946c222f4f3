--- A set whose samples are batches of consecutive samples of another set.
-- @classmod data.BatchDataset
local torch, check, data = require 'torch', require 'torch.check', require 'data'
local isDataset = require 'data.is_dataset'

local BatchDataset, parent = torch.class('data.BatchDataset', 'data.Dataset', data)

local where = 'data.BatchDataset'

-- Policy -> number of batches.
local counts = {
  ['include-last'] = function(size, batchSize) return math.ceil(size / batchSize) end,
  ['skip-last'] = function(size, batchSize) return math.floor(size / batchSize) end,
  ['divisible-only'] = function(size, batchSize)
    check.that(size % batchSize == 0, ('%s: policy: %d samples in batches of %d, dataset size is not divisible by batch size')
      :format(where, size, batchSize))
    return size / batchSize
  end,
}

--- @tparam data.Dataset dataset
-- @int batchSize samples per batch
-- @tparam[opt] table options `policy` for an incomplete last batch: 'include-last' (default), 'skip-last', 'divisible-only' (an error);
-- `order`, a function (i, number of samples) -> number, of the i-th sample to read; `filter`, a function that returns whether a batch
-- includes a sample; `collate`, a function that builds a batch from a list of samples (default data.collate)
function BatchDataset:__init(dataset, batchSize, options)
  parent.__init(self)
  options = check.options(where, options, { 'policy', 'order', 'filter', 'collate' })
  self.dataset = isDataset.check(where, 'dataset', dataset)
  self.batchSize = check.int(where, 'batchSize', batchSize, { min = 1 })
  self.policy = options.policy or 'include-last'
  check.that(counts[self.policy], ("%s: policy: '%s', expected 'include-last', 'skip-last' or 'divisible-only'"):format(where,
    tostring(self.policy)))
  self.order, self.accepts, self.collate = options.order, options.filter, options.collate
  self:size()
end

--- The number of batches.
function BatchDataset:size() return counts[self.policy](self.dataset:size(), self.batchSize) end

--- The numbers of a batch's samples.
-- @int index the batch's number
-- @treturn {int,...}
function BatchDataset:indicesOf(index)
  self:checkIndex(index)
  local size, indices = self.dataset:size(), {}
  for i = (index - 1) * self.batchSize + 1, math.min(index * self.batchSize, size) do
    indices[#indices + 1] = self.order and self.order(i, size) or i
  end
  return indices
end

--- Builds a batch from a list of samples, without those that the filter rejects.
-- @tparam table samples
function BatchDataset:merge(samples)
  if self.accepts then
    local kept = {}
    for _, sample in ipairs(samples) do
      if self.accepts(sample) then kept[#kept + 1] = sample end
    end
    samples = kept
  end
  return (self.collate or data.collate)(samples)
end

--- A batch.
function BatchDataset:get(index)
  local indices, samples = self:indicesOf(index), {}
  if not self.accepts and not self.collate and self.dataset.getBatch then
    local batch = self.dataset:getBatch(torch.LongTensor(indices))
    if batch ~= nil then return batch end
  end
  for k, i in ipairs(indices) do samples[k] = self.dataset:get(i) end
  return self:merge(samples)
end

return { BatchDataset = data.BatchDataset }
