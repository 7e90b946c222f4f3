--- Batches of tensors in memory, by their first dimension.
-- @classmod dl.TensorLoader
local torch = require 'torch'
local check = require 'torch.check'
local dl = require 'dataload'
local nested = require 'dataload.nested'

local TensorLoader, parent = torch.class('dl.TensorLoader', 'dl.DataLoader', dl)

--- @tparam torch.Tensor|table inputs a tensor, or tables of them to any depth; they are not copied
-- @tparam[opt] torch.Tensor|table targets with the same number of samples
function TensorLoader:__init(inputs, targets)
  parent.__init(self)
  nested.count('dl.TensorLoader', inputs, targets)
  self.inputs, self.targets = inputs, targets
end

function TensorLoader:index(indices, inputs, targets)
  check.tensor('dl.TensorLoader', 'indices', indices)
  inputs = nested.index(inputs, self.inputs, indices)
  if self.targets ~= nil then targets = nested.index(targets, self.targets, indices) else targets = nil end
  return inputs, targets
end

function TensorLoader:size() return nested.first(self.inputs):size(1) end
function TensorLoader:isize(excludedim) return nested.size(self.inputs, excludedim or 1) end
function TensorLoader:tsize(excludedim) return self.targets and nested.size(self.targets, excludedim or 1) end

--- Shuffles the samples.
-- @treturn dl.TensorLoader this one
-- @treturn torch.LongTensor the former numbers of the samples
function TensorLoader:shuffle()
  local order = torch.randperm(self:size()):long()
  self.inputs, self.targets = self:index(order)
  return self, order
end

--- Splits the samples into two loaders, the first part and the rest, which share memory with this one.
-- @number ratio between 0 and 1
function TensorLoader:split(ratio)
  check.that(type(ratio) == 'number' and ratio > 0 and ratio < 1,
    ('dl.TensorLoader: split: ratio: %s: Expecting 0 < arg < 1'):format(tostring(ratio)))
  local size = self:size()
  local count = math.floor(size * ratio)
  check.that(count > 0, ('dl.TensorLoader: split: %g of %d samples is none'):format(ratio, size))
  local function part(start, stop)
    return dl.TensorLoader(nested.sub(self.inputs, start, stop), self.targets and nested.sub(self.targets, start, stop))
  end
  return part(1, count), part(count + 1, size)
end

return TensorLoader
