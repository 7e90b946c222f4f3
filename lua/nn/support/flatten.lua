--- Collects tensors in one storage, of which they become views: the implementation of Module:getParameters.
-- The used ranges of each storage follow one another, in the order in which the storages first occur. Thus tensors that share memory still
-- share it, and gaps between views disappear.
-- @module nn.support.flatten
local torch, check = require 'torch', require 'torch.check'
local sink = require 'autograd.sink'

local flatten = {}

-- Whether the elements occupy a range of storage without gaps, in any order of dimensions.
local function isCompact(tensor)
  local dims = {}
  for d = 1, tensor:dim() do
    if tensor:size(d) ~= 1 then dims[#dims + 1] = { size = tensor:size(d), stride = tensor:stride(d) } end
  end
  table.sort(dims, function(a, b) return a.stride < b.stride end)
  local expected = 1
  for _, dim in ipairs(dims) do
    if dim.stride ~= expected then return false end
    expected = expected * dim.size
  end
  return true
end

-- Returns the ranges {first, last} of used elements by storage, and the storages in order of first use.
local function usedStretches(tensors)
  local byStorage, order = {}, {}
  for _, tensor in ipairs(tensors) do
    if not isCompact(tensor) then check.raise 'getParameters: parameters: Cannot gather tensors that are not compact' end
    local key = torch.pointer(tensor:storage())
    local used = byStorage[key]
    if not used then
      used = { storage = tensor:storage() }
      byStorage[key], order[#order + 1] = used, used
    end
    local first = tensor:storageOffset()
    used[#used + 1] = { first = first, last = first + tensor:nElement() - 1 }
  end
  return byStorage, order
end

-- Merges overlapping ranges and sets their destinations; returns the sum of their lengths.
local function place(order)
  local total = 0
  for _, used in ipairs(order) do
    table.sort(used, function(a, b) return a.first < b.first end)
    local merged = {}
    for _, stretch in ipairs(used) do
      local last = merged[#merged]
      if last and stretch.first <= last.last then
        last.last = math.max(last.last, stretch.last)
      else
        merged[#merged + 1] = { first = stretch.first, last = stretch.last }
      end
    end
    for _, stretch in ipairs(merged) do
      stretch.target = total + 1
      total = total + stretch.last - stretch.first + 1
    end
    used.merged = merged
  end
  return total
end

local function targetOf(tensor, used)
  local first = tensor:storageOffset()
  for _, stretch in ipairs(used.merged) do
    if first >= stretch.first and first <= stretch.last then return stretch.target + first - stretch.first end
  end
end

-- Copies the ranges into `flat` and makes the tensors views of it.
local function move(tensors, flat, byStorage, order)
  for _, used in ipairs(order) do
    for _, stretch in ipairs(used.merged) do
      local length = stretch.last - stretch.first + 1
      flat:narrow(1, stretch.target, length):copy(flat.new(used.storage, stretch.first, torch.LongStorage { length }))
    end
  end
  local targets = {}                                               -- computed before any tensor moves: one may occur twice
  for i, tensor in ipairs(tensors) do targets[i] = targetOf(tensor, byStorage[torch.pointer(tensor:storage())]) end
  for i, tensor in ipairs(tensors) do tensor:set(flat:storage(), targets[i], tensor:size(), tensor:stride()) end
end

--- Makes the tensors, all of one type, views of one new storage.
-- @tparam ?{torch.Tensor,...} tensors
-- @treturn torch.Tensor all elements, 1 dimension
-- @raise if a tensor has gaps between its elements
function flatten.list(tensors)
  if not tensors or #tensors == 0 then return torch.Tensor() end
  for i = 2, #tensors do
    if tensors[i]:type() ~= tensors[1]:type() then
      check.raise(('getParameters: parameters: tensor %d is a %s, expected a %s as the first'):format(i, tensors[i]:type(),
        tensors[1]:type()))
    end
  end
  local byStorage, order = usedStretches(tensors)
  local flat = tensors[1].new(place(order))
  torch.noGrad(move, tensors, flat, byStorage, order)
  return flat
end

--- Flattens parameters and their gradients in the same layout. The tape also adds gradients to these.
-- @treturn torch.Tensor flat parameters
-- @treturn torch.Tensor flat gradients
-- @raise if their numbers of elements differ, or they share memory differently
function flatten.pair(parameters, gradients)
  local flatParameters, flatGradients = flatten.list(parameters), flatten.list(gradients)
  check.that(flatParameters:nElement() == flatGradients:nElement(), ('getParameters: %d parameters with %d gradients: '
    .. 'check that you are sharing parameters and gradParameters'):format(flatParameters:nElement(), flatGradients:nElement()))
  for i, parameter in ipairs(parameters) do
    check.that(parameter:storageOffset() == gradients[i]:storageOffset(), 'misaligned parameter at ' .. i)
  end
  for i, parameter in ipairs(parameters) do sink.set(parameter, gradients[i]) end
  return flatParameters, flatGradients
end

return flatten
