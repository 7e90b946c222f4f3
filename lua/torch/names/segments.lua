--- Reductions of groups of slices: segmentSum, segmentMean, segmentProd, segmentMax, segmentMin. The tape records the ops inside.
-- @module torch.names.segments
local torch, check = require 'torch', require 'torch.check'
local sizesOf = require('torch.check.message').sizes

local segments = {}

-- Returns the positions of the groups, and a tensor for the results, of zeros; checks the arguments.
local function start(where, x, groups, count)
  check.tensor(where, 'x', x)
  check.tensor(where, 'groups', groups)
  if x:dim() == 0 or groups:dim() ~= 1 or groups:size(1) ~= x:size(1) then
    check.raise(('%s: groups: %s, expected a vector with a group for each slice of %s'):format(where, sizesOf(groups), sizesOf(x)), 'shape')
  end
  groups = groups:long()
  local most = groups:nElement() > 0 and tonumber(groups:max()) or 0
  if groups:nElement() > 0 and groups:min() < 1 then
    check.raise(('%s: groups: %s, expected numbers from 1'):format(where, tostring(groups:min())), 'range')
  end
  count = check.int(where, 'count', count or most, { min = most })
  local sizes = x:size()
  sizes[1] = count
  return groups, torch.zeros(sizes, x:type())
end

local function spread(counts, x)
  local sizes = {}
  for d = 1, x:dim() do sizes[d] = d == 1 and x:size(1) or 1 end
  return torch.expand(torch.reshape(counts, sizes), x:size())
end

--- Returns the sum of the slices of each group.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor groups a number from 1 for each slice of the first dimension, in any order
-- @int[opt] count of groups, by default the largest number
-- @treturn torch.Tensor (count, x's other sizes); 0 for groups without slices
-- @raise if groups has another length or a number below 1
function segments.segmentSum(x, groups, count)
  local places, zeros = start('segmentSum', x, groups, count)
  return x:nElement() > 0 and torch.indexAdd(zeros, 1, places, x) or zeros
end

--- Returns the mean of the slices of each group; 0 for groups without slices.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor groups a number from 1 for each slice
-- @int[opt] count of groups
-- @treturn torch.Tensor (count, x's other sizes); integers are taken as floats
function segments.segmentMean(x, groups, count)
  x = require 'torch.names.as_floats'(check.tensor('segmentMean', 'x', x))
  local places, zeros = start('segmentMean', x, groups, count)
  if x:nElement() == 0 then return zeros end
  local counts = torch.clamp(torch.bincount(places, zeros:size(1)):narrow(1, 1, zeros:size(1)), 1, math.huge)
  return torch.cdiv(torch.indexAdd(zeros, 1, places, x), spread(counts:typeAs(x), zeros))
end

-- A reduction of indexReduce with its value for groups without slices.
local function reducing(where, reduce, empty)
  return function(x, groups, count)
    local places, zeros = start(where, x, groups, count)
    if x:nElement() == 0 then return torch.add(zeros, empty) end
    return torch.indexReduce(torch.add(zeros, empty), 1, places, x, reduce, false)
  end
end

--- Returns the product of the slices of each group; 1 for groups without slices.
-- @function segmentProd
-- @tparam torch.Tensor x
-- @tparam torch.Tensor groups a number from 1 for each slice
-- @int[opt] count of groups
-- @treturn torch.Tensor (count, x's other sizes)
segments.segmentProd = reducing('segmentProd', 'prod', 1)

--- Returns the largest elements of the slices of each group; 0 for groups without slices.
-- @function segmentMax
-- @tparam torch.Tensor x
-- @tparam torch.Tensor groups a number from 1 for each slice
-- @int[opt] count of groups
-- @treturn torch.Tensor (count, x's other sizes)
segments.segmentMax = reducing('segmentMax', 'amax', 0)

--- Returns the smallest elements of the slices of each group; 0 for groups without slices.
-- @function segmentMin
-- @tparam torch.Tensor x
-- @tparam torch.Tensor groups a number from 1 for each slice
-- @int[opt] count of groups
-- @treturn torch.Tensor (count, x's other sizes)
segments.segmentMin = reducing('segmentMin', 'amin', 0)

return segments
