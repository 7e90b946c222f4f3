--- Blurred pictures.
-- @module image.augment
local torch, check = require 'torch', require 'torch.check'
local draw = require 'image.augment.draw'
local margin = require 'image.augment.margin'
local messages = require 'torch.check.message'
local source = require 'image.augment.source'

local blurring = {}

-- Gaussian weights, whose sum is 1.
local function weights(size, sigma)
  local x = torch.range(1, size):float():add(-(size + 1) / 2):div(sigma)
  local w = torch.exp(torch.cmul(x, x):mul(-0.5))
  return w:div(w:sum())
end

local function blur(x, width, sigma)
  local size = x:size()
  local height, wide = x:size(-2), x:size(-1)
  local reach, w = (width - 1) / 2, weights(width, sigma):type(x:type())
  local padded = margin.around(x, { reach, reach, reach, reach }, 'reflect')
  local planes = padded:contiguous():view(-1, 1, height + 2 * reach, wide + 2 * reach)
  planes = torch.conv2d(planes, w:view(1, 1, 1, width))
  return torch.conv2d(planes, w:view(1, 1, width, 1)):view(size)
end

--- Applies a Gaussian blur of random width; the picture is mirrored at its edges.
-- @int kernelSize number of weights, odd
-- @tparam[opt={0.1,2}] number|{number,number} sigma standard deviation in pixels, or its smallest and largest value
-- @tparam[opt] table options `generator`, `seed`
-- @treturn function
function blurring.gaussianBlur(kernelSize, sigma, options)
  local where = 'augment.gaussianBlur'
  check.int(where, 'kernelSize', kernelSize, { min = 1 })
  check.that(kernelSize % 2 == 1, ('%s: kernelSize: %d, expected an odd number'):format(where, kernelSize))
  if type(sigma) == 'number' then sigma = { sigma, sigma } end
  sigma = draw.range(where, 'sigma', sigma, { 0.1, 2 }, 1e-3)
  local _, generator = draw.options(where, options, {})
  return function(picture)
    local x = source.picture(where, picture)
    if (kernelSize - 1) / 2 >= math.min(x:size(-2), x:size(-1)) then
      check.raise(('%s: picture: %s, expected more than %d pixels a side'):format(where, messages.sizes(x), (kernelSize - 1) / 2))
    end
    local drawn = draw.uniform(generator, sigma[1], sigma[2])
    if x:isFloatingPoint() then return blur(x, kernelSize, drawn) end
    return blur(x:float(), kernelSize, drawn):add(0.5):byte()
  end
end

return blurring
