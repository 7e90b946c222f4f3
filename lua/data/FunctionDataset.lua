--- Samples that a function computes from their numbers.
-- @classmod data.FunctionDataset
-- @usage local noise = data.FunctionDataset(1000, function(i) return { input = torch.randn(10), target = i % 2 + 1 } end)
local torch, check, data = require 'torch', require 'torch.check', require 'data'

local FunctionDataset, parent = torch.class('data.FunctionDataset', 'data.Dataset', data)

--- @int size how many samples there are
-- @tparam function get the sample of a number, 1 to size
-- @tparam[opt] function getBatch the batch of numbers in a LongTensor
function FunctionDataset:__init(size, get, getBatch)
  parent.__init(self)
  self.count = check.int('data.FunctionDataset', 'size', size, { min = 0 })
  self.sampleOf = check.callable('data.FunctionDataset', 'get', get)
  self.batchOf = getBatch and check.callable('data.FunctionDataset', 'getBatch', getBatch)
end

--- How many samples there are.
function FunctionDataset:size() return self.count end

--- What the function makes of a number.
function FunctionDataset:get(index) return self.sampleOf(self:checkIndex(index)) end

--- What the function of batches makes of numbers; nil without one.
function FunctionDataset:getBatch(indices) return self.batchOf and self.batchOf(indices) end

return { FunctionDataset = data.FunctionDataset }
