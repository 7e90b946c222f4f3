--- Resizing of (N, C, …) in 1 to 3 dimensions, with PyTorch's positions.
-- The op `resample` maps the whole input to the whole result. A scale factor for which the size of the result was rounded maps otherwise:
-- there, a matrix of weights is multiplied along each dimension.
-- @module nn.support.interpolate
local torch, check = require 'torch', require 'torch.check'
local resample, onDeviceOf, refuse = require 'nn.support.resample', require 'autograd.on_device_of', require 'torch.check.refuse'

local filters = {
  nearest = { 'nearest', 'plain' }, ['nearest-exact'] = { 'nearest', 'antialiased' }, linear = { 'bilinear', 'plain', 1 },
  bilinear = { 'bilinear', 'plain', 2 }, bicubic = { 'bicubic', 'plain', 2 }, trilinear = { 'bilinear', 'plain', 3 }, area = {},
}

-- Returns the positions, from 1, of the nearest elements.
local function nearest(n, size, ratio, offset)
  local positions = torch.LongTensor(size)
  for i = 1, size do positions[i] = math.min(math.floor((i - 1 + offset) * ratio), n - 1) + 1 end
  return positions
end

-- Keys's cubic kernel.
local function cubic(x, a)
  x = math.abs(x)
  if x < 1 then return ((a + 2) * x - (a + 3)) * x * x + 1 end
  return x < 2 and (((x - 5) * x + 8) * x - 4) * a or 0
end

local function triangle(x) return math.max(1 - math.abs(x), 0) end

-- Returns the weights (size, n) of interpolation by a filter, which an antialiased one widens if the axis shrinks.
local function weights(n, size, ratio, filter, isAntialiased)
  local matrix = torch.DoubleTensor(size, n):zero()
  local width = isAntialiased and math.max(ratio, 1) or 1
  local reach, a = filter == 'bilinear' and 1 or 2, isAntialiased and -0.5 or -0.75
  for i = 1, size do
    local centre = ratio * (i - 0.5) - 0.5
    local row, total = matrix[i], 0
    for j = math.ceil(centre - reach * width), math.floor(centre + reach * width) do
      local weight = filter == 'bilinear' and triangle((j - centre) / width) or cubic((j - centre) / width, a)
      local isInside = j >= 0 and j < n
      if isInside or not isAntialiased then
        local place = math.max(math.min(j, n - 1), 0) + 1
        row[place] = row[place] + weight
        total = total + weight
      end
    end
    row:div(total)
  end
  return matrix
end

-- Returns lists of the sizes and of the ratios of input and result.
local function targets(where, input, size, factors, recompute)
  local dims, sizes, ratios = input:dim() - 2, {}, {}
  for name, list in pairs { size = size, scaleFactor = factors } do
    if #list ~= 1 and #list ~= dims then
      check.raise(('%s: %s: %d numbers, expected 1 or %d for an input of %d dimensions'):format(where, name, #list, dims, dims + 2))
    end
  end
  for i = 1, dims do
    local n = input:size(i + 2)
    local factor = factors and (factors[i] or factors[1])
    sizes[i] = size and (size[i] or size[1]) or math.floor(n * factor)
    if n < 1 or sizes[i] < 1 then
      refuse.shape(('%s: input: size %d of dimension %d, expected elements there, and in the result of size %d'):format(where, n, i + 2,
        sizes[i]))
    end
    ratios[i] = factor and not recompute and 1 / factor or n / sizes[i]
  end
  return sizes, ratios
end

local function checkMode(where, input, mode, alignCorners, isAntialiased)
  local dims, filter = input:dim() - 2, filters[mode]
  if dims < 1 or dims > 3 or filter[3] and filter[3] ~= dims then
    local expected = filter[3] and filter[3] + 2 or '3 to 5'
    refuse.shape(('%s: input: %d dimensions, expected %s for mode %s'):format(where, dims + 2, expected, mode))
  end
  if alignCorners and not filter[3] then check.raise(('%s: alignCorners: true, not for mode %s'):format(where, mode)) end
  if isAntialiased and mode ~= 'bilinear' and mode ~= 'bicubic' then
    check.raise(('%s: antialias: true, expected mode bilinear or bicubic, not %s'):format(where, mode))
  end
end

--- Resizes; the arguments are those of nn.functional.interpolate, with lists of sizes and factors.
return function(where, input, size, factors, mode, alignCorners, recompute, isAntialiased)
  checkMode(where, input, mode, alignCorners, isAntialiased)
  if (size == nil) == (factors == nil) then check.raise(where .. ': size: expected it or scaleFactor') end
  local sizes, ratios = targets(where, input, size, factors, recompute)
  local dims, filter, sampling = #sizes, filters[mode][1], filters[mode][2]
  if alignCorners then sampling = 'corners' elseif isAntialiased then sampling = 'antialiased' end
  local x = input
  for i = dims, 1, -1 do
    local n, dim = input:size(i + 2), i + 2
    local isWhole = alignCorners or math.abs(ratios[i] * sizes[i] - n) < 1e-9 * n
    if mode == 'area' then
      x = resample.means(x, dim, sizes[i])
    elseif not isWhole and filter == 'nearest' then
      x = torch.index(x, dim, onDeviceOf(nearest(n, sizes[i], ratios[i], mode == 'nearest' and 0 or 0.5), x))
    elseif not isWhole then
      x = resample.combine(x, dim, onDeviceOf(weights(n, sizes[i], ratios[i], filter, isAntialiased):type(torch.type(x)), x))
    end
  end
  if mode ~= 'area' then
    if dims > 1 and (x:size(dims + 1) ~= sizes[dims - 1] or x:size(dims + 2) ~= sizes[dims]) then
      x = torch.resample(x, sizes[dims - 1], sizes[dims], filter, sampling)
    end
    if dims ~= 2 then x = resample.along(x, 3, sizes[1], filter, sampling) end
  end
  return x == input and torch.clone(x) or x
end
