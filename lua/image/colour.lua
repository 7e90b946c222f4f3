--- Colour spaces. Unless noted otherwise, pictures are floats, 3 x height x width (or a batch) with values from 0 to 1. All
-- conversions have derivatives.
-- @module image
local torch, check = require 'torch', require 'torch.check'
local C, arguments = require 'libmoontorch', require 'image.arguments'
local onDeviceOf = require 'autograd.on_device_of'
local messages = require 'torch.check.message'

local colour = {}

local function plane(x, i) return x:narrow(x:dim() - 2, i, 1) end

-- The destination and the three planes of a picture of floats.
local function planes(where, ...)
  local dst, src = arguments.split(1, ...)
  arguments.channels(where, src, 3, 4)
  if not src:isFloatingPoint() then
    check.raise(('%s: src: %s, expected a picture of floats, from 0 to 1'):format(where, messages.value(src)))
  end
  return dst, plane(src, 1), plane(src, 2), plane(src, 3)
end

local function join(dst, a, b, c) return arguments.give(dst, torch.cat({ a, b, c }, a:dim() - 2)) end

-- Weighted sums of three planes, with the rows of a matrix as weights.
local function mixed(matrix, a, b, c)
  local sums = {}
  for i, row in ipairs(matrix) do
    sums[i] = torch.add(torch.add(torch.mul(a, row[1]), row[2], b), row[3], c)
  end
  return unpack(sums)
end

local luma = { 0.299, 0.587, 0.114 }

--- Brightness of a picture: 0.299 red + 0.587 green + 0.114 blue.
-- @function rgb2y
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src 3 x height x width, of any type; integers are rounded
-- @treturn torch.Tensor 1 x height x width
function colour.rgb2y(...)
  local dst, src = arguments.split(1, ...)
  arguments.channels('image.rgb2y', src, 3, 4)
  local x = src:isFloatingPoint() and src or src:float()
  local y = mixed({ luma }, plane(x, 1), plane(x, 2), plane(x, 3))
  if x ~= src then y = torch.floor(torch.add(y, 0.5)):type(src:type()) end
  return arguments.give(dst, y)
end

local toYuv = { luma, { -0.14713, -0.28886, 0.436 }, { 0.615, -0.51499, -0.10001 } }
local fromYuv = { { 1, 0, 1.13983 }, { 1, -0.39465, -0.58060 }, { 1, 2.03211, 0 } }

--- RGB to YUV (BT.601): brightness, and two colour differences, positive or negative.
-- @function rgb2yuv
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src
-- @treturn torch.Tensor 3 x height x width
function colour.rgb2yuv(...)
  local dst, r, g, b = planes('image.rgb2yuv', ...)
  return join(dst, mixed(toYuv, r, g, b))
end

--- YUV to RGB (BT.601).
-- @function yuv2rgb
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src
-- @treturn torch.Tensor 3 x height x width
function colour.yuv2rgb(...)
  local dst, y, u, v = planes('image.yuv2rgb', ...)
  return join(dst, mixed(fromYuv, y, u, v))
end

-- Extends a conversion of floats to bytes from 0 to 255, whose results are rounded bytes.
local function ofBytes(convert)
  return function(...)
    local dst, src = arguments.split(1, ...)
    if not torch.isTensor(src) or C.dtypeOf(src) ~= 'Byte' then return convert(...) end
    local converted = torch.clamp(torch.mul(convert(torch.div(src:_as 'Float', 255)), 255), 0, 255)
    return arguments.give(dst, torch.floor(torch.add(converted, 0.5)):_as 'Byte')
  end
end

local function largest(a, b, c) return torch.cmax(torch.cmax(a, b), c) end
local function least(a, b, c) return torch.cmin(torch.cmin(a, b), c) end

-- x / y, or 0 where y is 0: 0 / 1.
local function ratio(x, y)
  local none = torch.eq(y:detach(), 0)
  return torch.cdiv(torch.where(none, torch.mul(x, 0), x), torch.where(none, torch.add(torch.mul(y, 0), 1), y))
end

-- The position of a colour on the colour circle, from 0 to 1.
local function hue(r, g, b, most, range)
  local red, green = torch.eq(r, most), torch.eq(g, most)
  local fromRed = ratio(torch.csub(g, b), range)
  fromRed = torch.where(torch.lt(fromRed, 0), torch.add(fromRed, 6), fromRed)
  local fromGreen, fromBlue = torch.add(ratio(torch.csub(b, r), range), 2), torch.add(ratio(torch.csub(r, g), range), 4)
  return torch.mul(torch.where(red, fromRed, torch.where(green, fromGreen, fromBlue)), 1 / 6)
end

-- Brightness from 0 to 1, at a hue, of the primary colour whose middle is at `at` sixths of the circle.
local function primary(h, at)
  local sixths = torch.remainder(torch.add(torch.mul(h, 6), 3 - at), 6)
  return torch.clamp(torch.add(torch.neg(torch.abs(torch.add(sixths, -3))), 2), 0, 1)
end

--- RGB to hue, saturation and value.
-- @function rgb2hsv
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src floats, or bytes from 0 to 255
-- @treturn torch.Tensor 3 x height x width, each from 0 to 1; bytes from 0 to 255
colour.rgb2hsv = ofBytes(function(...)
  local dst, r, g, b = planes('image.rgb2hsv', ...)
  local most = largest(r, g, b)
  local range = torch.csub(most, least(r, g, b))
  return join(dst, hue(r, g, b, most, range), ratio(range, most), most)
end)

--- Hue, saturation and value to RGB.
-- @function hsv2rgb
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src floats, or bytes from 0 to 255; hue in turns, of which only the fraction matters
-- @treturn torch.Tensor 3 x height x width, of the type of `src`
colour.hsv2rgb = ofBytes(function(...)
  local dst, h, s, v = planes('image.hsv2rgb', ...)
  local function channel(at) return torch.cmul(v, torch.add(torch.cmul(s, torch.add(primary(h, at), -1)), 1)) end
  return join(dst, channel(0), channel(2), channel(4))
end)

--- RGB to hue, saturation and lightness.
-- @function rgb2hsl
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src floats, or bytes from 0 to 255
-- @treturn torch.Tensor 3 x height x width, each from 0 to 1; bytes from 0 to 255
colour.rgb2hsl = ofBytes(function(...)
  local dst, r, g, b = planes('image.rgb2hsl', ...)
  local most, fewest = largest(r, g, b), least(r, g, b)
  local range, sum = torch.csub(most, fewest), torch.add(most, fewest)
  local room = torch.add(torch.neg(torch.abs(torch.add(sum, -1))), 1)      -- the largest range at that lightness
  return join(dst, hue(r, g, b, most, range), ratio(range, room), torch.mul(sum, 0.5))
end)

--- Hue, saturation and lightness to RGB.
-- @function hsl2rgb
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src floats, or bytes from 0 to 255; hue in turns, of which only the fraction matters
-- @treturn torch.Tensor 3 x height x width, of the type of `src`
colour.hsl2rgb = ofBytes(function(...)
  local dst, h, s, l = planes('image.hsl2rgb', ...)
  local chroma = torch.cmul(s, torch.add(torch.neg(torch.abs(torch.add(torch.mul(l, 2), -1))), 1))
  local function channel(at) return torch.add(torch.cmul(chroma, torch.add(primary(h, at), -0.5)), l) end
  return join(dst, channel(0), channel(2), channel(4))
end)

-- IEC 61966-2-1: sRGB, its primaries under D65.
local toXyz = { { 0.4124564, 0.3575761, 0.1804375 }, { 0.2126729, 0.7151522, 0.0721750 }, { 0.0193339, 0.1191920, 0.9503041 } }
local fromXyz = { { 3.2404542, -1.5371385, -0.4985314 }, { -0.9692660, 1.8760108, 0.0415560 }, { 0.0556434, -0.2040259, 1.0572252 } }
local white = { 0.95047, 1, 1.08883 }
local epsilon, kappa = 216 / 24389, 24389 / 27      -- CIE 15: the beginning of the cube root, and the slope below it

local function above(x, bound, curve, line)
  local kept = torch.clamp(x, bound, math.huge)      -- the curve and its slope are finite there
  return torch.where(torch.gt(x, bound), curve(kept), line(x))
end

local function linearised(x)
  return above(x, 0.04045, function(v) return torch.pow(torch.mul(torch.add(v, 0.055), 1 / 1.055), 2.4) end,
    function(v) return torch.mul(v, 1 / 12.92) end)
end
local function compressed(x)
  return above(x, 0.0031308, function(v) return torch.add(torch.mul(torch.pow(v, 1 / 2.4), 1.055), -0.055) end,
    function(v) return torch.mul(v, 12.92) end)
end
local function rooted(x)
  return above(x, epsilon, function(v) return torch.pow(v, 1 / 3) end,
    function(v) return torch.add(torch.mul(v, kappa / 116), 16 / 116) end)
end
local function cubed(f)
  return above(f, epsilon ^ (1 / 3), function(v) return torch.pow(v, 3) end,
    function(v) return torch.mul(torch.add(torch.mul(v, 116), -16), 1 / kappa) end)
end

--- sRGB to CIE L*a*b* (white is D65).
-- @function rgb2lab
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src
-- @treturn torch.Tensor 3 x height x width: lightness from 0 to 100, a and b positive or negative
function colour.rgb2lab(...)
  local dst, r, g, b = planes('image.rgb2lab', ...)
  local x, y, z = mixed(toXyz, linearised(r), linearised(g), linearised(b))
  local fx, fy, fz = rooted(torch.mul(x, 1 / white[1])), rooted(torch.mul(y, 1 / white[2])), rooted(torch.mul(z, 1 / white[3]))
  return join(dst, torch.add(torch.mul(fy, 116), -16), torch.mul(torch.csub(fx, fy), 500), torch.mul(torch.csub(fy, fz), 200))
end

--- CIE L*a*b* (white is D65) to sRGB.
-- @function lab2rgb
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src
-- @treturn torch.Tensor 3 x height x width; colours that sRGB lacks are below 0 or above 1
function colour.lab2rgb(...)
  local dst, l, a, b = planes('image.lab2rgb', ...)
  local fy = torch.mul(torch.add(l, 16), 1 / 116)
  local fx, fz = torch.add(fy, 1 / 500, a), torch.add(fy, -1 / 200, b)
  local x, y, z = torch.mul(cubed(fx), white[1]), torch.mul(cubed(fy), white[2]), torch.mul(cubed(fz), white[3])
  local red, green, blue = mixed(fromXyz, x, y, z)
  return join(dst, compressed(red), compressed(green), compressed(blue))
end

--- Colours without brightness: each channel divided by the sum of the three; black stays 0.
-- @function rgb2nrgb
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src
-- @treturn torch.Tensor 3 x height x width
function colour.rgb2nrgb(...)
  local dst, r, g, b = planes('image.rgb2nrgb', ...)
  local sum = torch.add(torch.add(r, g), b)
  return join(dst, ratio(r, sum), ratio(g, sum), ratio(b, sum))
end

--- n clearly different colours: hues evenly around the circle.
-- @int n
-- @treturn torch.Tensor n x 3, red, green and blue from 0 to 1
function colour.colormap(n)
  n = check.whole('image.colormap', 'n', n, { min = 1 })
  local hsv = torch.ones(3, 1, n)
  hsv[1][1]:copy(torch.range(0, n - 1):div(n))
  return colour.hsv2rgb(hsv):view(3, n):t():contiguous()
end

--- The colours of jet: from dark blue through cyan, yellow and red to dark red.
-- @int n
-- @treturn torch.Tensor n x 3, red, green and blue from 0 to 1
function colour.jetColormap(n)
  n = check.whole('image.jetColormap', 'n', n, { min = 1 })
  local place = torch.mul(torch.range(0, n - 1), 4 / math.max(n - 1, 1))
  local function channel(middle) return torch.clamp(torch.add(torch.neg(torch.abs(torch.add(place, -middle))), 1.5), 0, 1) end
  return torch.cat({ channel(3), channel(2), channel(1) }, 2)
end

--- Grey levels as the colours of jet.
-- @function y2jet
-- @tparam[opt] torch.Tensor dst
-- @tparam torch.Tensor src height x width, 1 x height x width, or a vector, which is one row; integers from 1 (or 0) on: the largest
-- is the number of levels
-- @treturn torch.Tensor 3 x height x width, of floats
function colour.y2jet(...)
  local dst, src = arguments.split(1, ...)
  if torch.isTensor(src) and src:dim() == 1 then src = src:contiguous():view(1, src:nElement()) end
  arguments.picture('image.y2jet', src)
  if src:dim() == 3 then arguments.channels('image.y2jet', src, 1) end
  check.that(torch.type(src) ~= 'torch.BoolTensor', 'image.y2jet: src: a torch.BoolTensor, expected whole numbers from 1 on')
  check.that(src:nElement() > 0 and src:min() >= 0, 'image.y2jet: src: negative levels or none, expected whole numbers from 1 on')
  local levels, first = src:max(), src:min() == 0 and 0 or 1
  local isWhole = not src:isFloatingPoint() or torch.equal(torch.floor(src), src)
  check.that(isWhole, 'image.y2jet: src: fractions, expected whole numbers')
  check.that(levels <= 2 ^ 24, 'image.y2jet: src: a level above 2^24, expected fewer')
  local map = colour.jetColormap(levels - first + 1)
  if src:isFloatingPoint() then map = map:type(src:type()) end
  local chosen = torch.index(onDeviceOf(map, src), 1, torch.add(src:_as 'Long', 1 - first):view(-1))
  return arguments.give(dst, chosen:t():contiguous():view(3, src:size(-2), src:size(-1)))
end

return colour
