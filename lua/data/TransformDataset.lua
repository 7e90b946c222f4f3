--- The samples of a set, transformed by functions when they are read.
-- @classmod data.TransformDataset
-- @usage set:transform(function(sample, i) return { input = sample, target = i } end)
-- @usage set:transform({ input = crop, target = toClass })
local torch, check, data = require 'torch', require 'torch.check', require 'data'
local isDataset = require 'data.is_dataset'

local TransformDataset, parent = torch.class('data.TransformDataset', 'data.Dataset', data)

local where = 'data.TransformDataset'

local function ofField(transform, key)
  return function(sample, index)
    sample[key] = transform(sample[key], index)
    return sample
  end
end

local function ofFields(transforms)
  return function(sample, index)
    for key, transform in pairs(transforms) do sample[key] = transform(sample[key], index) end
    return sample
  end
end

--- @tparam data.Dataset dataset
-- @tparam function|table transform (sample, number) -> sample; or functions by the fields of samples that they change
-- @param[opt] key the field that the function changes
function TransformDataset:__init(dataset, transform, key)
  parent.__init(self)
  self.dataset = isDataset.check(where, 'dataset', dataset)
  if type(transform) == 'table' and not (getmetatable(transform) or {}).__call then
    for field, f in pairs(transform) do check.callable(where, ('transform.%s'):format(tostring(field)), f) end
    self.change = ofFields(transform)
  else
    check.callable(where, 'transform', transform)
    self.change = key ~= nil and ofField(transform, key) or transform
  end
end

--- The number of samples.
function TransformDataset:size() return self.dataset:size() end

--- A transformed sample.
function TransformDataset:get(index) return self.change(self.dataset:get(self:checkIndex(index)), index) end

return { TransformDataset = data.TransformDataset }
