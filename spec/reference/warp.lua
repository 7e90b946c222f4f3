-- Warping by its definition: an element of the result is a sum over the whole image, weighted by the distance from the position, where the
-- image is extended beyond its edges.
local elements = require 'torch.sweep.elements'
local tensor = require('spec.reference.view').tensor

local reference = {}

local function sinc(x) return x == 0 and 1 or math.sin(math.pi * x) / (math.pi * x) end

local function hat(x) return math.max(0, 1 - math.abs(x)) end
local function catmullRom(x)
  x = math.abs(x)
  return x < 1 and 1 - 2.5 * x ^ 2 + 1.5 * x ^ 3 or x < 2 and 2 - 4 * x + 2.5 * x ^ 2 - 0.5 * x ^ 3 or 0
end
local function lanczos(x) return math.abs(x) < 3 and sinc(x) * sinc(x / 3) or 0 end

local shapes = { bilinear = { hat, 1 }, bicubic = { catmullRom, 2 }, lanczos = { lanczos, 3 } }

-- The weights of an axis of n elements at a position: by place, from 0.
local weightsAt
function weightsAt(filter, at, n, order, zeros)
  if zeros then      -- an image with zeros around it: more than taps reach, and what is further away sees nothing else
    local room = 20 + n
    local weights = weightsAt(filter, math.max(0, math.min(n + 2 * room - 1, at + room)), n + 2 * room, order)
    local inner = {}
    for k = 0, n - 1 do inner[k] = weights[k + room] end
    return inner
  end
  local clamped = math.max(0, math.min(n - 1, at))
  local weights, total = {}, 0
  for k = 0, n - 1 do weights[k] = 0 end
  if filter == 'nearest' then
    weights[math.floor(clamped + 0.5)] = order == 0 and 1 or 0
    return weights
  end
  if order > 0 then
    assert(order == 1 and filter == 'bilinear')
    if n == 1 or at ~= clamped then return weights end
    local first = math.min(math.floor(clamped), n - 2)
    weights[first], weights[first + 1] = -1, 1
    return weights
  end
  local shape, reach = unpack(shapes[filter])
  for k = math.floor(clamped) - reach, math.floor(clamped) + reach + 1 do
    local place, weight = math.max(0, math.min(n - 1, k)), shape(clamped - k)
    weights[place], total = weights[place] + weight, total + weight
  end
  for k = 0, n - 1 do weights[k] = weights[k] / total end
  return weights
end

-- Calls visit(first element of the image, of the result and its number in it, weights of rows and of columns; nil where it is filled).
local function eachElement(sizes, h, w, field, options, visit)
  local dims, filter, offset, border, dy, dx = #sizes, unpack(options, 1, 5)
  local rows, columns = field.sizes[#field.sizes - 1], field.sizes[#field.sizes]
  local images = 1
  for d = 1, dims - 2 do images = images * sizes[d] end
  local fields = #field.sizes == 4 and field.sizes[1] or 1
  for image = 0, images - 1 do
    local first = math.floor(image / (images / fields)) * 2 * rows * columns
    for i = 0, rows - 1 do
      for j = 0, columns - 1 do
        local number = i * columns + j
        local y, x = field.data[first + number + 1], field.data[first + rows * columns + number + 1]
        if offset ~= false then y, x = y + i, x + j end
        local slack = 1 / 4096
        local outside = border == 'pad' and (y < -slack or y > h - 1 + slack or x < -slack or x > w - 1 + slack)
        local zeros = border == 'zeros'
        local down = weightsAt(filter or 'bilinear', y, h, dy or 0, zeros)
        visit(image * h * w, image * rows * columns + number + 1, not outside and down,
          weightsAt(filter or 'bilinear', x, w, dx or 0, zeros))
      end
    end
  end
  local result = tensor.copied(sizes)
  result[dims - 1], result[dims] = rows, columns
  return result
end

function reference.warp(x, field, filter, offset, border, fill, dy, dx)
  local h, w = x.sizes[#x.sizes - 1], x.sizes[#x.sizes]
  local result = { data = {} }
  local whole = not elements.isFloat(x.type)
  result.sizes = eachElement(x.sizes, h, w, field, { filter, offset, border, dy, dx }, function(image, at, down, across)
    local sum = 0
    for i = 0, h - 1 do
      for j = 0, w - 1 do sum = sum + (down and down[i] * across[j] * x.data[image + i * w + j + 1] or 0) end
    end
    sum = down and sum or fill or 0
    if x.type == 'torch.ByteTensor' then sum = math.max(0, math.min(255, sum)) end
    result.data[at] = whole and math.floor(sum + 0.5) or sum
  end)
  return result
end

function reference.warp_grad(g, field, h, w, filter, offset, border, dy, dx)
  local sizes, result = tensor.copied(g.sizes), { data = {} }
  sizes[#sizes - 1], sizes[#sizes] = h, w
  result.sizes = sizes
  for i = 1, elements.product(sizes) do result.data[i] = 0 end
  eachElement(sizes, h, w, field, { filter, offset, border, dy, dx }, function(image, at, down, across)
    for i = 0, down and h - 1 or -1 do
      for j = 0, w - 1 do
        local place = image + i * w + j + 1
        result.data[place] = result.data[place] + down[i] * across[j] * g.data[at]
      end
    end
  end)
  return result
end

return reference
