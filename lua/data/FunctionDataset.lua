--- Samples that a function computes from their numbers.
-- @classmod data.FunctionDataset
-- @usage local noise = data.FunctionDataset(1000, function(i) return { input = torch.randn(10), target = i % 2 + 1 } end)
local torch, check, data = require 'torch', require 'torch.check', require 'data'

local FunctionDataset, parent = torch.class('data.FunctionDataset', 'data.Dataset', data)

--- @int size number of samples
-- @tparam function get returns the sample with a number from 1 to size
-- @tparam[opt] function getBatch returns the batch for the numbers in a LongTensor
function FunctionDataset:__init(size, get, getBatch)
  parent.__init(self)
  self.count = check.int('data.FunctionDataset', 'size', size, { min = 0 })
  self.sampleOf = check.callable('data.FunctionDataset', 'get', get)
  self.batchOf = getBatch and check.callable('data.FunctionDataset', 'getBatch', getBatch)
end

--- The number of samples.
function FunctionDataset:size() return self.count end

--- The function's sample for a number.
function FunctionDataset:get(index) return self.sampleOf(self:checkIndex(index)) end

--- The batch from `getBatch` for numbers; nil without that function.
function FunctionDataset:getBatch(indices) return self.batchOf and self.batchOf(indices) end

return { FunctionDataset = data.FunctionDataset }
