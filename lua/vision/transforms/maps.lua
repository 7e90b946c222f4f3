--- Mirrored, rotated, scaled, sheared and moved samples.
-- @module vision.transforms
local torch, check = require 'torch', require 'torch.check'
local draw = require 'image.augment.draw'
local image = require 'image'
local samples = require 'vision.transforms.sample'

local mapping = {}

-- Flips along a dimension of the picture; axis is that of points, 1 for x.
local function flip(where, axis, probability, options)
  probability = draw.probability(where, probability, 0.5)
  local _, generator = draw.options(where, options, {})
  return function(sample)
    local height, width = samples.size(where, sample)
    if not draw.happens(generator, probability) then return sample end
    local function mirrored(x) return torch.flip(x, { -axis }) end
    return samples.apply(sample, {
      image = mirrored, mask = mirrored,
      points = function(points)
        local moved, extent = points:clone(), axis == 1 and width or height
        moved:select(2, axis):mul(-1):add(extent)
        return moved
      end,
    })
  end
end

--- Mirrors the sample with a probability: left becomes right. Keypoints keep their order.
-- @number[opt=0.5] probability
-- @tparam[opt] table options `generator`, `seed`
-- @treturn function
function mapping.randomHorizontalFlip(probability, options) return flip('transforms.randomHorizontalFlip', 1, probability, options) end

--- Mirrors the sample with a probability: top becomes bottom.
-- @number[opt=0.5] probability
-- @tparam[opt] table options `generator`, `seed`
-- @treturn function
function mapping.randomVerticalFlip(probability, options) return flip('transforms.randomVerticalFlip', 2, probability, options) end

-- The linear map from the result to the picture: rotated clockwise by degrees, sheared and scaled, as torchvision's.
local function linear(degrees, scale, shearX, shearY)
  local angle, sx, sy = math.rad(degrees), math.rad(shearX), math.rad(shearY)
  local a, c = math.cos(angle - sy) / math.cos(sy), math.sin(angle - sy) / math.cos(sy)
  local b, d = -a * math.tan(sx) - math.sin(angle), -c * math.tan(sx) + math.cos(angle)
  return d / scale, -b / scale, -c / scale, a / scale
end

local function affineStep(height, width, map, fill, maskFill)
  local p, q, r, s = linear(map.degrees, map.scale, map.shearX, map.shearY)
  local right, down = map.right, map.down
  local x, y = (width - 1) / 2, (height - 1) / 2      -- of pixels, whose middles have whole numbers in image.perspective
  local toPicture = torch.DoubleTensor {
    { p, q, x - p * (x + right) - q * (y + down) }, { r, s, y - r * (x + right) - s * (y + down) }, { 0, 0, 1 },
  }
  local determinant = p * s - q * r
  local inverse = torch.DoubleTensor { { s, -r }, { -q, p } }:div(determinant)      -- transposed, for points in rows
  return {
    image = function(picture) return image.perspective(picture, toPicture, { mode = 'bilinear', padvalue = fill }) end,
    mask = function(mask) return image.perspective(mask, toPicture, { mode = 'simple', padvalue = maskFill }) end,
    points = function(points)
      local middle = points.new({ width / 2, height / 2 }):view(1, 2):expand(points:size())
      local shift = points.new({ right, down }):view(1, 2):expand(points:size())
      return torch.add(torch.add(torch.mm(torch.csub(points, middle), inverse:typeAs(points)), middle), shift)
    end,
    clips = true,
  }
end

local fills = { 'fill', 'maskFill' }
local function readFills(where, options)
  return check.number(where, 'fill', options.fill or 0), check.number(where, 'maskFill', options.maskFill or 0)
end

--- Rotates, moves, scales and shears the sample about its middle. A box becomes the one around its mapped corners.
-- @tparam table map `degrees`, clockwise (0); `translate`: { right, down } in pixels ({ 0, 0 }); `scale` (1); `shear`: degrees, { x, y }
-- ({ 0, 0 }); `fill`: the picture's value outside (0); `maskFill`: the masks' (0)
-- @treturn function
function mapping.affine(map)
  local where = 'transforms.affine'
  map = check.options(where, map, { 'degrees', 'translate', 'scale', 'shear', unpack(fills) })
  local function two(name)
    local value = check.table(where, name, map[name] or { 0, 0 })
    return check.number(where, name .. '[1]', value[1]), check.number(where, name .. '[2]', value[2])
  end
  local found = {
    degrees = check.number(where, 'degrees', map.degrees or 0),
    scale = check.number(where, 'scale', map.scale or 1, { min = 1e-6 }),
  }
  found.right, found.down = two 'translate'
  found.shearX, found.shearY = two 'shear'
  local fill, maskFill = readFills(where, map)
  return function(sample)
    local height, width = samples.size(where, sample)
    return samples.apply(sample, affineStep(height, width, found, fill, maskFill))
  end
end

-- A range of two numbers; one number is a range around 0.
local function range(where, name, value)
  if type(value) == 'number' then return { -check.number(where, name, value, { min = 0 }), value } end
  return draw.range(where, name, value)
end

--- `affine` with random numbers.
-- @tparam number|{number,number} degrees the most to either side, or a range; positive is clockwise
-- @tparam[opt] table options `translate`: largest fractions of width and height; `scale`: two factors; `shear`: degrees of x, a number or a
-- range; `fill`, `maskFill`; `generator`, `seed`
-- @treturn function
function mapping.randomAffine(degrees, options)
  local where = 'transforms.randomAffine'
  local generator
  options, generator = draw.options(where, options, { 'translate', 'scale', 'shear', unpack(fills) })
  degrees = range(where, 'degrees', degrees)
  local scale = draw.range(where, 'scale', options.scale, { 1, 1 }, 1e-6)
  local shear = range(where, 'shear', options.shear or 0)
  local moves = check.table(where, 'translate', options.translate or { 0, 0 })
  for i = 1, 2 do check.number(where, ('translate[%d]'):format(i), moves[i], { min = 0, max = 1 }) end
  local fill, maskFill = readFills(where, options)
  local function between(pair) return draw.uniform(generator, pair[1], pair[2]) end
  return function(sample)
    local height, width = samples.size(where, sample)
    local map = {
      degrees = between(degrees), scale = between(scale), shearX = between(shear), shearY = 0,
      right = draw.rounded(draw.uniform(generator, -moves[1], moves[1]) * width),
      down = draw.rounded(draw.uniform(generator, -moves[2], moves[2]) * height),
    }
    return samples.apply(sample, affineStep(height, width, map, fill, maskFill))
  end
end

--- Rotates the sample about its middle by a random angle.
-- @tparam number|{number,number} degrees as for `randomAffine`
-- @tparam[opt] table options `fill`, `maskFill`; `generator`, `seed`
-- @treturn function
function mapping.randomRotation(degrees, options)
  draw.options('transforms.randomRotation', options, fills)
  return mapping.randomAffine(degrees, options)
end

return mapping
