--- Samples that are slices of tensors along the first dimension.
-- For one tensor a sample is a slice; for several, a table of slices. A slice of a vector is a number.
-- @classmod data.TensorDataset
-- @usage local set = data.TensorDataset { input = torch.randn(100, 3), target = torch.ones(100) }
-- print(set:size(), set:get(1).target)   --> 100  1
local torch, check, data = require 'torch', require 'torch.check', require 'data'
local C = require 'libmoontorch'

-- x[i] as a plain call: next to calls that LuaJIT does not compile, the path for loops over elements is slower.
local isTensor, entry = C.isTensor, C.index

local TensorDataset, parent = torch.class('data.TensorDataset', 'data.Dataset', data)

local where = 'data.TensorDataset'

local function checkTensor(self, name, x)
  check.tensor(where, name, x)
  check.that(x:dim() > 0, ('%s: %s: an empty tensor, expected samples along the first dimension'):format(where, name))
  self.count = self.count or x:size(1)
  if x:size(1) ~= self.count then
    check.raise(('%s: %s: %d samples, expected %d as in the first tensor'):format(where, name, x:size(1), self.count))
  end
end

--- @tparam torch.Tensor|table tensors a tensor, or several, listed or by name, with equal first sizes. They are not copied
-- @param[opt] ... more tensors, as a list
function TensorDataset:__init(tensors, ...)
  parent.__init(self)
  if isTensor(tensors) and select('#', ...) > 0 then tensors = { tensors, ... } end
  self.tensors = tensors
  if isTensor(tensors) then
    checkTensor(self, 'tensors', tensors)
    return
  end
  check.table(where, 'tensors', tensors)
  self.keys = {}
  for key in pairs(tensors) do self.keys[#self.keys + 1] = key end
  table.sort(self.keys, function(a, b) return tostring(a) < tostring(b) end)
  for _, key in ipairs(self.keys) do checkTensor(self, tostring(key), tensors[key]) end
  check.that(self.count, where .. ': tensors: an empty table, expected at least one tensor')
end

--- The number of samples: the tensors' first size.
function TensorDataset:size() return self.count end

--- A sample; its tensors are views.
function TensorDataset:get(index)
  self:checkIndex(index)
  local tensors, keys = self.tensors, self.keys
  if not keys then return entry(tensors, index) end
  local sample = {}
  for k = 1, #keys do
    local key = keys[k]
    sample[key] = entry(tensors[key], index)
  end
  return sample
end

--- Samples by their numbers, copied into a batch.
function TensorDataset:getBatch(indices)
  local tensors, keys = self.tensors, self.keys
  if not keys then return tensors:index(1, indices) end
  local batch = {}
  for k = 1, #keys do
    local key = keys[k]
    batch[key] = tensors[key]:index(1, indices)
  end
  return batch
end

return { TensorDataset = data.TensorDataset }
