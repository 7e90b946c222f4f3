--- Values of images and volumes at any positions, by interpolation; differentiable by both.
-- @module nn.support.sample_grid
local torch = require 'torch'
local messages, refuse = require 'torch.check.message', require 'torch.check.refuse'

-- Returns positions from -1 to 1 as positions from 0 to n - 1.
local function unnormalised(at, n, alignCorners)
  if alignCorners then return torch.mul(torch.add(at, 1), (n - 1) / 2) end
  return torch.div(torch.add(torch.mul(torch.add(at, 1), n), -1), 2)
end

-- Returns positions moved to 0 .. n - 1; those on the ends or beyond have no gradient.
local function clipped(at, n)
  local inner = torch.cmul(torch.gt(at, 0), torch.lt(at, n - 1))
  return torch.where(inner, at, torch.clamp(at:detach(), 0, n - 1))
end

-- Returns positions mirrored at the ends of the image as often as necessary.
local function reflected(at, n, alignCorners)
  local low, span = alignCorners and 0 or -0.5, alignCorners and n - 1 or n
  if span == 0 then return torch.mul(at, 0) end
  local distance = torch.abs(torch.add(at, -low))
  local flips = torch.floor(torch.div(distance:detach(), span))
  local extra = torch.csub(distance, torch.mul(flips, span))
  local isOdd = torch.ne(torch.fmod(flips, 2), 0)
  return torch.where(isOdd, torch.add(torch.mul(extra, -1), span + low), torch.add(extra, low))
end

local function padded(at, n, padding, alignCorners)
  if padding == 'zeros' then return at end
  return clipped(padding == 'reflection' and reflected(at, n, alignCorners) or at, n)
end

-- An element of an axis, counted from 0 (a tensor of floats), with its weight; outside of the image the weight is 0.
local function tap(at, n, weight)
  local inside = torch.cmul(torch.ge(at, 0), torch.le(at, n - 1))
  local place = torch.where(inside, at, 0)
  return { place, weight and torch.where(inside, weight, 0) or inside:type(at:type()) }
end

-- Returns the nearest integers, of two the even one.
local function rounded(at)
  local low = torch.floor(at)
  local part = torch.csub(at, low)
  local isUp = torch.where(torch.eq(part, 0.5), torch.ne(torch.fmod(low, 2), 0), torch.gt(part, 0.5))
  return torch.add(low, isUp:type(at:type()))
end

-- Keys's cubic kernel with a = -3/4, at distances t + 1, t, 1 - t, 2 - t.
local function cubicWeights(t)
  local function near(x) return torch.add(torch.cmul(torch.add(torch.mul(x, 1.25), -2.25), torch.cmul(x, x)), 1) end
  local function far(x) return torch.mul(torch.add(torch.cmul(torch.add(torch.cmul(torch.add(x, -5), x), 8), x), -4), -0.75) end
  local other = torch.add(torch.mul(t, -1), 1)
  return { far(torch.add(t, 1)), near(t), near(other), far(torch.add(other, 1)) }
end

-- Returns the taps along an axis for positions from -1 to 1.
local function taps(at, n, mode, padding, alignCorners)
  at = unnormalised(at, n, alignCorners)
  if mode == 'nearest' then return { tap(rounded(padded(at, n, padding, alignCorners):detach()), n) } end
  if mode == 'bilinear' then
    at = padded(at, n, padding, alignCorners)
    local low = torch.floor(at:detach())
    local part = torch.csub(at, low)
    return { tap(low, n, torch.add(torch.mul(part, -1), 1)), tap(torch.add(low, 1), n, part) }
  end
  local low, list = torch.floor(at:detach()), {}
  for k, weight in ipairs(cubicWeights(torch.csub(at, low))) do
    local place = padded(torch.add(low, k - 2), n, padding, alignCorners)
    list[k] = tap(padding == 'reflection' and rounded(place) or place, n, weight)
  end
  return list
end

-- Returns the sum of the products of taps of all axes and the elements there: planes (N, C, elements) -> (N, C, P).
local function summed(planes, sizes, axes)
  local result
  local function visit(i, place, weight)
    if i > #axes then
      local positions = torch.add(place, 1):_as 'Long'
      local batch, points = positions:size(1), positions:size(2)
      local function spread(t) return t:view(batch, 1, points):expand(batch, planes:size(2), points) end
      local term = torch.cmul(torch.gather(planes, 3, spread(positions)), torch.expand(torch.reshape(weight, { batch, 1, points }),
        { batch, planes:size(2), points }))
      result = result and torch.add(result, term) or term
      return
    end
    for _, one in ipairs(axes[i]) do
      visit(i + 1, place and torch.add(torch.mul(place, sizes[i]), one[1]) or one[1], weight and torch.cmul(weight, one[2]) or one[2])
    end
  end
  visit(1)
  return result
end

-- Images by the op `warp`, whose field has rows, then columns.
local function warped(input, grid, padding, alignCorners)
  local field = {}
  for i = 1, 2 do
    local n = input:size(2 + i)
    local at = padded(unnormalised(torch.select(grid, 4, 3 - i), n, alignCorners), n, padding, alignCorners)
    field[i] = torch.unsqueeze(at, 2)
  end
  return torch.warp(input, torch.cat(field, 2), 'bilinear', false, padding == 'zeros' and 'zeros' or 'clamp')
end

--- The arguments are those of nn.functional.gridSample.
return function(where, input, grid, mode, padding, alignCorners)
  local dims = input:dim() - 2
  if dims ~= 2 and dims ~= 3 or mode == 'bicubic' and dims == 3 then
    refuse.shape(('%s: input: %d dimensions, expected %s'):format(where, dims + 2, mode == 'bicubic' and '4 for mode bicubic' or '4 or 5'))
  end
  if grid:dim() ~= dims + 2 or grid:size(1) ~= input:size(1) or grid:size(dims + 2) ~= dims or grid:type() ~= input:type() then
    refuse.shape(('%s: grid: %s, expected the input\'s type, %d dimensions, of sizes %d and %d for the first and the last'):format(where,
      messages.tensor(grid), dims + 2, input:size(1), dims))
  end
  local sizes, elements = {}, 1
  for i = 1, dims do
    sizes[i] = input:size(2 + i)
    elements = elements * sizes[i]
  end
  if elements == 0 then refuse.shape(('%s: input: %s, expected elements'):format(where, messages.sizes(input))) end
  local batch, channels = input:size(1), input:size(2)
  local shape = { batch, channels }
  for i = 1, dims do shape[i + 2] = grid:size(i + 1) end
  if dims == 2 and mode == 'bilinear' and batch * channels * grid:nElement() > 0 then
    return warped(input, grid, padding, alignCorners)
  end
  local axes = {}
  for i = 1, dims do
    local at = torch.reshape(torch.select(grid, dims + 2, dims + 1 - i), { batch, grid:nElement() / math.max(batch * dims, 1) })
    axes[i] = taps(at, sizes[i], mode, padding, alignCorners)
  end
  return torch.reshape(summed(torch.reshape(input, { batch, channels, elements }), sizes, axes), shape)
end
