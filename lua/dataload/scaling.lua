--- Scaling of data: to bounds, to 0 and 1, to mean 0 and deviation 1.
-- @module dataload.scaling
local torch = require 'torch'
local check = require 'torch.check'
local fetch = require 'dataload.fetch'

local scaling = {}

--- Scales a tensor's values, in place.
-- @tparam torch.Tensor data
-- @number[opt=0] min of the result
-- @number[opt=1] max of the result
-- @number[opt] dmin value that becomes min; default: the data's smallest
-- @number[opt] dmax value that becomes max; default: the data's largest
-- @treturn torch.Tensor data
function scaling.rescale(data, min, max, dmin, dmax)
  check.tensor('dataload.rescale', 'data', data)
  if data:nElement() == 0 then return data end
  min, max, dmin, dmax = min or 0, max or 1, dmin or data:min(), dmax or data:max()
  check.that(dmax ~= dmin, ('dataload.rescale: data: all values are %g, expected a range'):format(dmin))
  return data:add(-dmin):mul((max - min) / (dmax - dmin)):add(min)
end

--- Sets values above a threshold to 1 and others to 0, in place.
-- @tparam torch.Tensor x
-- @number threshold
-- @treturn torch.Tensor x
function scaling.binarize(x, threshold)
  check.tensor('dataload.binarize', 'x', x)
  return x:copy(torch.gt(x, check.number('dataload.binarize', 'threshold', threshold)))
end

-- Means over batches of the mean and the deviation of each slice of a dimension.
local function measure(trainset, nsample, verbose, dim, iterator)
  local mean, deviation, batches
  local loop = trainset[iterator](trainset, 32, nsample)
  if verbose then loop = require('xlua.bar').bar(loop, { total = math.ceil(nsample / 32), description = 'means and deviations' }) end
  for _, inputs in loop do
    local slices = inputs:transpose(1, dim):contiguous():view(inputs:size(dim), -1):double()
    local means, deviations = torch.mean(slices, 2):view(-1), torch.std(slices, 2):view(-1)
    mean, deviation = mean and mean:add(means) or means, deviation and deviation:add(deviations) or deviations
    batches = (batches or 0) + 1
  end
  return { mean = mean:div(batches), std = deviation:div(batches) }
end

--- Finds the mean and the deviation of each channel, over batches of 32.
-- @tparam dl.DataLoader trainset
-- @int[opt=10000] nsample number of samples to use
-- @string[opt] cachepath file for the result, which is read if it exists
-- @bool[opt] verbose whether to show a progress bar
-- @int[opt=2] dim the dimension of channels
-- @string[opt='sampleiter'] iterator the loader's method
-- @treturn function that subtracts the mean of inputs, divides by the deviation, in place, and returns the inputs
function scaling.fitImageNormalize(trainset, nsample, cachepath, verbose, dim, iterator)
  local paths = require 'paths'
  dim = dim or 2
  local found
  if cachepath and paths.filep(cachepath) then
    found = fetch.load(cachepath)
  else
    check.that(type(trainset) == 'table' and trainset[iterator or 'sampleiter'],
      'dataload.fitImageNormalize: trainset: expected a loader with an iterator')
    found = measure(trainset, nsample or 10000, verbose, dim, iterator or 'sampleiter')
    if cachepath then torch.save(cachepath, found) end
  end
  return function(inputs)
    for i = 1, found.mean:size(1) do inputs:select(dim, i):add(-found.mean[i]):div(found.std[i]) end
    return inputs
  end
end

return scaling
