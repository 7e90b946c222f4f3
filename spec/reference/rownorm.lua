-- Normalisation of rows by its definition, in plain Lua float64. A tensor is { sizes = {...}, data = {...} }, row-major.
local reference = {}

local function length(x) return x.sizes[#x.sizes] end

-- Calls fn(row, first) for each row, `first` being the place before its first element.
local function eachRow(x, fn)
  for row = 1, #x.data / length(x) do fn(row, (row - 1) * length(x)) end
end

local function vector(n) return { sizes = { n }, data = {} } end

-- Tensors and numbers of an argument list, apart.
local function sorted(...)
  local tensors, number = {}, nil
  for i = 1, select('#', ...) do
    local value = select(i, ...)
    if type(value) == 'table' then tensors[#tensors + 1] = value elseif type(value) == 'number' then number = value end
  end
  return tensors, number
end

local function forward(x, weight, bias, eps, centred)
  local n, y = length(x), { sizes = x.sizes, data = {} }
  local means, factors = vector(#x.data / n), vector(#x.data / n)
  eachRow(x, function(row, first)
    local mean, square = 0, 0
    for i = 1, n do mean = mean + (centred and x.data[first + i] / n or 0) end
    for i = 1, n do square = square + (x.data[first + i] - mean) ^ 2 / n end
    local factor = 1 / math.sqrt(square + eps)
    means.data[row], factors.data[row] = mean, factor
    for i = 1, n do
      y.data[first + i] = (x.data[first + i] - mean) * factor * (weight and weight.data[i] or 1) + (bias and bias.data[i] or 0)
    end
  end)
  return y, means, factors
end

function reference.layerNorm(x, ...)
  local tensors, eps = sorted(...)
  return forward(x, tensors[1], tensors[2], eps or 1e-5, true)
end

function reference.rmsNorm(x, ...)
  local tensors, eps = sorted(...)
  local y, _, factors = forward(x, tensors[1], nil, eps or 1e-6, false)
  return y, factors
end

-- The elements of an (n, c, …) tensor as rows, one per group of channels, and the channel of each element.
local function grouped(x, groups)
  local samples, channels = x.sizes[1], x.sizes[2]
  local points = #x.data / (samples * channels)
  local rows = { sizes = { samples * groups, channels / groups * points }, data = x.data }
  return rows, function(at) return math.floor((at - 1) / points) % channels + 1 end
end

function reference.groupNorm(x, groups, ...)
  local tensors, eps = sorted(...)
  local rows, channelOf = grouped(x, groups)
  local y, means, factors = forward(rows, nil, nil, eps or 1e-5, true)
  for at = 1, #y.data do
    local c = channelOf(at)
    y.data[at] = y.data[at] * (tensors[1] and tensors[1].data[c] or 1) + (tensors[2] and tensors[2].data[c] or 0)
  end
  return { sizes = x.sizes, data = y.data }, means, factors
end

local function backward(g, x, weight, means, factors)
  local n, gx = length(x), { sizes = x.sizes, data = {} }
  local gWeight, gBias = vector(n), vector(n)
  for i = 1, n do gWeight.data[i], gBias.data[i] = 0, 0 end
  eachRow(x, function(row, first)
    local factor, mean, sum, dot = factors.data[row], means and means.data[row] or 0, 0, 0
    local function incoming(i) return g.data[first + i] * (weight and weight.data[i] or 1) end
    local function normal(i) return (x.data[first + i] - mean) * factor end
    for i = 1, n do
      sum, dot = sum + (means and incoming(i) / n or 0), dot + incoming(i) * normal(i) / n
      gWeight.data[i], gBias.data[i] = gWeight.data[i] + g.data[first + i] * normal(i), gBias.data[i] + g.data[first + i]
    end
    for i = 1, n do gx.data[first + i] = (incoming(i) - sum - normal(i) * dot) * factor end
  end)
  return gx, gWeight, gBias
end

function reference.layerNorm_grad(g, x, ...)
  local tensors = sorted(...)
  local weight = #tensors == 3 and table.remove(tensors, 1) or nil
  return backward(g, x, weight, tensors[1], tensors[2])
end

function reference.groupNorm_grad(g, x, groups, ...)
  local tensors = sorted(...)
  local weight = #tensors == 3 and table.remove(tensors, 1) or nil
  local rows, channelOf = grouped(x, groups)
  local incoming = { sizes = rows.sizes, data = {} }
  local gWeight, gBias = vector(x.sizes[2]), vector(x.sizes[2])
  for c = 1, x.sizes[2] do gWeight.data[c], gBias.data[c] = 0, 0 end
  for at = 1, #g.data do
    local c, row = channelOf(at), math.floor((at - 1) / rows.sizes[2]) + 1
    local normal = (x.data[at] - tensors[1].data[row]) * tensors[2].data[row]
    incoming.data[at] = g.data[at] * (weight and weight.data[c] or 1)
    gWeight.data[c], gBias.data[c] = gWeight.data[c] + g.data[at] * normal, gBias.data[c] + g.data[at]
  end
  local gx = backward(incoming, rows, nil, tensors[1], tensors[2])
  return { sizes = x.sizes, data = gx.data }, gWeight, gBias
end

function reference.rmsNorm_grad(g, x, ...)
  local tensors = sorted(...)
  local weight = #tensors == 2 and table.remove(tensors, 1) or nil
  local gx, gWeight = backward(g, x, weight, nil, tensors[1])
  return gx, gWeight
end

return reference
