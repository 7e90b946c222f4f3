-- Normalisation by its definition, in plain Lua float64. A tensor is { sizes = {...}, data = {...} }, its elements in row-major order.
local tensor = require('spec.reference.view').tensor

local reference = {}

-- The channel of the k-th element of x (n, c, ...), counted from 1.
local function channelOf(x, k)
  local points = 1
  for d = 3, #x.sizes do points = points * x.sizes[d] end
  return math.floor((k - 1) / points) % x.sizes[2] + 1
end

-- The mean over each channel of value(k), k numbering the elements of x.
local function channelMeans(x, value)
  local sums = tensor.build({ x.sizes[2] }, function() return 0 end)
  for k = 1, #x.data do
    local c = channelOf(x, k)
    sums.data[c] = sums.data[c] + value(k)
  end
  for c = 1, x.sizes[2] do sums.data[c] = sums.data[c] * x.sizes[2] / #x.data end
  return sums
end

-- Tensors, booleans and numbers of an argument list, apart.
local function sorted(...)
  local tensors, flag, numbers = {}, false, {}
  for i = 1, select('#', ...) do
    local value = select(i, ...)
    if type(value) == 'table' then tensors[#tensors + 1] = value
    elseif type(value) == 'boolean' then flag = value
    elseif type(value) == 'number' then numbers[#numbers + 1] = value end
  end
  return tensors, flag, numbers
end

-- Tensors are weight and bias, both or none, then the running statistics.
function reference.batchNorm(x, ...)
  local tensors, training, numbers = sorted(...)
  local weight, bias, mean, variance = tensors[1], tensors[2], tensors[3], tensors[4]
  if training then
    mean = channelMeans(x, function(k) return x.data[k] end)
    variance = channelMeans(x, function(k) return (x.data[k] - mean.data[channelOf(x, k)]) ^ 2 end)
  end
  local invstd = { sizes = mean.sizes, data = {} }
  for c = 1, x.sizes[2] do invstd.data[c] = 1 / math.sqrt(variance.data[c] + (numbers[2] or 1e-5)) end
  local y = { sizes = x.sizes, data = {} }
  for k = 1, #x.data do
    local c = channelOf(x, k)
    y.data[k] = (x.data[k] - mean.data[c]) * invstd.data[c] * (weight and weight.data[c] or 1) + (bias and bias.data[c] or 0)
  end
  return y, mean, invstd
end

-- Tensors after g and x are weight or none, then the mean and 1 / standard deviation that batchNorm used.
function reference.batchNorm_grad(g, x, ...)
  local tensors, training = sorted(...)
  local weight = #tensors == 3 and table.remove(tensors, 1) or nil
  local mean, invstd = tensors[1], tensors[2]
  local function normal(k) return (x.data[k] - mean.data[channelOf(x, k)]) * invstd.data[channelOf(x, k)] end
  local bias, slope = channelMeans(x, function(k) return g.data[k] end), channelMeans(x, function(k) return g.data[k] * normal(k) end)
  local result, count = { sizes = x.sizes, data = {} }, #x.data / x.sizes[2]
  for k = 1, #x.data do
    local c = channelOf(x, k)
    local off = training and bias.data[c] + normal(k) * slope.data[c] or 0
    result.data[k] = (g.data[k] - off) * invstd.data[c] * (weight and weight.data[c] or 1)
  end
  for c = 1, x.sizes[2] do bias.data[c], slope.data[c] = bias.data[c] * count, slope.data[c] * count end
  return result, slope, bias
end

return reference
