-- Resampling of images by the definition of each filter: an axis is a list of { weights by element of x } for each element of the result.
local elements = require 'torch.sweep.elements'
local tensor = require('spec.reference.view').tensor

local reference = {}

local function sinc(x) return x == 0 and 1 or math.sin(math.pi * x) / (math.pi * x) end
local function keys(x, a)
  x = math.abs(x)
  return x < 1 and 1 - (a + 3) * x ^ 2 + (a + 2) * x ^ 3 or x < 2 and a * (x ^ 3 - 5 * x ^ 2 + 8 * x - 4) or 0
end

local shapes = {
  box = function(x) return x > -0.5 and x <= 0.5 and 1 or 0 end,
  bilinear = function(x) return math.max(0, 1 - math.abs(x)) end,
  hamming = function(x) return math.abs(x) < 1 and sinc(x) * (0.54 + 0.46 * math.cos(math.pi * x)) or 0 end,
  bicubic = function(x) return keys(x, -0.5) end,
  lanczos = function(x) return math.abs(x) < 3 and sinc(x) * sinc(x / 3) or 0 end,
}
local supports = { box = 0.5, bilinear = 1, hamming = 1, bicubic = 2, lanczos = 3 }

local function clamp(v, least, most) return math.max(least, math.min(most, v)) end

-- Weights by distance from the centre, for elements within the filter's support.
local function antialiased(filter, n, m, i)
  local weights, total, wide = {}, 0, math.max(1, n / m)
  local centre = (i + 0.5) * n / m
  for k = 0, n - 1 do
    local inside = k >= math.floor(centre - supports[filter] * wide + 0.5) and k < math.floor(centre + supports[filter] * wide + 0.5)
    weights[k] = inside and shapes[filter]((k + 0.5 - centre) / wide) or 0
    total = total + weights[k]
  end
  for k = 0, n - 1 do weights[k] = weights[k] / total end
  return weights
end

-- The elements at `at`, between two of x, as sums of x's; what is beyond an edge says `beyond`: a list of { element, factor }.
local function between(n, at, first, last, weight, beyond)
  local weights, left = {}, math.floor(at)
  for k = 0, n - 1 do weights[k] = 0 end
  for j = left + first, left + last do
    for _, part in ipairs(j >= 0 and j < n and { { j, 1 } } or beyond(j)) do
      weights[part[1]] = weights[part[1]] + part[2] * weight(at - j)
    end
  end
  return weights
end

local function area(n, m, i)
  local weights = {}
  for k = 0, n - 1 do weights[k] = math.max(0, math.min((i + 1) * n / m, k + 1) - math.max(i * n / m, k)) * m / n end
  return weights
end

local function axis(filter, sampling, n, m, i)
  local function edge(j) return { { clamp(j, 0, n - 1), 1 } } end
  local function line(j)
    local last, before = j < 0 and 0 or n - 1, j < 0 and 1 or n - 2
    return n == 1 and { { 0, 1 } } or { { last, 2 }, { before, -1 } }
  end
  if n == m then return { [i] = 1 } end
  if filter == 'nearest' then return { [math.floor((sampling == 'antialiased' and i + 0.5 or i) * n / m)] = 1 } end
  if sampling == 'antialiased' then return antialiased(filter, n, m, i) end
  local function torchCubic(x) return keys(x, -0.75) end
  if sampling ~= 'plain' then
    local aligned = sampling == 'aligned'
    if filter == 'bilinear' and m < n and aligned then return area(n, m, i) end
    local at = m == 1 and (aligned and n - 1 or 0) or i * (n - 1) / (m - 1)
    if filter == 'bilinear' then return between(n, at, 0, 1, shapes.bilinear, edge) end
    return between(n, at, -1, 2, aligned and shapes.bicubic or torchCubic, aligned and line or edge)
  end
  local at = (i + 0.5) * n / m - 0.5
  if filter == 'bilinear' then return between(n, clamp(at, 0, n - 1), 0, 1, shapes.bilinear, edge) end
  return between(n, at, -1, 2, torchCubic, edge)
end

local function weightsOf(filter, sampling, n, m)
  local list = {}
  for i = 0, m - 1 do list[i] = axis(filter or 'bilinear', sampling or 'antialiased', n, m, i) end
  return list
end

local function sizesOf(x) return #x.sizes, x.sizes[#x.sizes - 1], x.sizes[#x.sizes] end

-- An image, a function of row and column from 0, resampled along its columns or its rows.
local function along(image, weights, across, round)
  return function(i, j)
    local sum = 0
    for k, w in pairs(weights[across and j or i]) do
      if w ~= 0 then sum = sum + w * (across and image(i, k) or not across and image(k, j)) end
    end
    return round(sum)
  end
end

local function resampled(x, height, width, down, across, downFirst)
  local dims, h, w = sizesOf(x)
  local byte, whole = x.type == 'torch.ByteTensor', not elements.isFloat(x.type)
  local function round(v) return byte and clamp(math.floor(v + 0.5), 0, 255) or v end
  local sizes = tensor.copied(x.sizes)
  sizes[dims - 1], sizes[dims] = height, width
  local result = { sizes = sizes, data = {} }
  for plane = 0, #x.data / (h * w) - 1 do
    local function image(i, j) return x.data[plane * h * w + i * w + j + 1] end
    local y = downFirst and along(along(image, down, false, round), across, true, round)
      or along(along(image, across, true, round), down, false, round)
    for i = 0, height - 1 do
      for j = 0, width - 1 do result.data[#result.data + 1] = whole and math.floor(y(i, j) + 0.5) or y(i, j) end
    end
  end
  return result
end

function reference.resample(x, height, width, filter, sampling)
  local _, h, w = sizesOf(x)
  local downFirst = (sampling or 'antialiased') == 'antialiased' and height < h and width > w
  return resampled(x, height, width, weightsOf(filter, sampling, h, height), weightsOf(filter, sampling, w, width), downFirst)
end

-- The weights of an axis seen from x.
local function turned(list, n)
  local seen = {}
  for k = 0, n - 1 do seen[k] = {} end
  for i, weights in pairs(list) do
    for k, w in pairs(weights) do seen[k][i] = w end
  end
  return seen
end

function reference.resample_grad(g, height, width, filter, sampling)
  local _, h, w = sizesOf(g)
  local down, across = weightsOf(filter, sampling, height, h), weightsOf(filter, sampling, width, w)
  return resampled(g, height, width, turned(down, height), turned(across, width))
end

return reference
