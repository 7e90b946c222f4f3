-- Torch7's convolutions of single images and volumes, composed of conv2d and conv3d: conv2 and xcorr2, conv3 and xcorr3.
local torch = require 'torch'
local declare = require('torch.op').declare
local expect, elements = require 'torch.check.expect', require 'torch.names.element_count'
local sizesOf = require('torch.check.message').sizes

-- Computes integers in double and converts the result back, with wrapping.
local function asFloats(x, kernel)
  if x:isFloatingPoint() or kernel:isFloatingPoint() then return x, kernel, function(y) return y end end
  return x:_as 'Double', kernel:_as 'Double', function(y) return y:typeAs(x) end
end

-- Returns whether the mode, 'V' or 'F' by the first letter, is full.
local function isFull(name, mode)
  local letter = mode:sub(1, 1):upper()
  if letter ~= 'V' and letter ~= 'F' then expect.fail(name, 'mode', "'%s', expected 'V' (valid) or 'F' (full)", mode) end
  return letter == 'F'
end

-- Numbers of dimensions, input and kernel -> the combination of planes. `first` is the argument with a single plane.
local function combination(name, x, kernel, first)
  local n, k = x:dim(), kernel:dim()
  if n == first and k == first then return 'single' end
  if n == first + 1 and k == first + 1 then
    if x:size(1) == kernel:size(1) then return 'each' end
  elseif n == first + 1 and k == first + 2 then
    if x:size(1) == kernel:size(2) then return 'sum' end
  else
    expect.shape(name, 'kernel', '%s for %s, expected (%dD, %dD), (%dD, %dD) or (%dD, %dD)', sizesOf(kernel), sizesOf(x),
      first, first, first + 1, first + 1, first + 1, first + 2)
  end
  expect.shape(name, 'kernel', 'invalid number of input planes: %s for %s', sizesOf(kernel), sizesOf(x))
end

-- Checks that x is at least as large as the kernel in the last `count` dimensions.
local function checkWindow(name, x, kernel, full, count)
  for d = 1, count do
    local size, window = x:size(x:dim() + 1 - d), kernel:size(kernel:dim() + 1 - d)
    if window < 1 or size < 1 then
      expect.shape(name, 'kernel', '%s for %s: expected sizes of 1 or more', sizesOf(kernel), sizesOf(x))
    end
    if not full and size < window then
      expect.shape(name, 'kernel', 'Input image is smaller than kernel: %s for %s', sizesOf(kernel), sizesOf(x))
    end
  end
end

-- Limit of the kernel's elements times the result's: the number of elements that are copied at once.
local mostCopied = 2 ^ 25

-- Returns x (1, planes, sizes) with a border of `count` zeros on both sides of dimension d.
local function padded(x, d, count)
  if count == 0 then return x end
  local sizes = x:size()
  sizes[d] = count
  local zeros = torch.zeros(sizes, x:type())
  return torch.cat({ zeros, x, zeros }, d)
end

-- Correlates x (1, planes, sizes) with a kernel (out, planes of a group, sizes). Splits the first of the sizes if copying all patches at
-- once would need too much memory.
local function correlate(x, kernel, full, groups)
  local count, pads, ones, out, window = x:dim() - 2, {}, {}, {}, {}
  for d = 1, count do
    window[d], ones[d] = kernel:size(d + 2), 1
    pads[d] = full and window[d] - 1 or 0
    out[d] = x:size(d + 2) + 2 * pads[d] - window[d] + 1
  end
  local convolution = count == 2 and torch.conv2d or torch.conv3d
  local options = {}
  for _, list in ipairs { ones, pads, ones } do
    for d = 1, count do options[#options + 1] = list[d] end
  end
  options[#options + 1] = groups
  local slice = elements(window) * kernel:size(2) * elements(out) / out[1]
  local rows = math.max(1, math.floor(mostCopied / slice))
  if rows >= out[1] then return convolution(x, kernel, nil, unpack(options)) end
  x = padded(x, 3, pads[1])
  options[count + 1] = 0
  local parts = {}
  for first = 1, out[1], rows do
    local length = math.min(rows, out[1] - first + 1) + window[1] - 1
    parts[#parts + 1] = convolution(torch.narrow(x, 3, first, length), kernel, nil, unpack(options))
  end
  return torch.cat(parts, 3)
end

-- Returns the given sizes, followed by the last `count` sizes of x.
local function lastSizes(x, count, ...)
  local sizes = { ... }
  for d = x:dim() - count + 1, x:dim() do sizes[#sizes + 1] = x:size(d) end
  return sizes
end

local function combined(name, x, kernel, mode, first)
  local full, how = isFull(name, mode), combination(name, x, kernel, first)
  checkWindow(name, x, kernel, full, first)
  local planes = how == 'single' and 1 or x:size(1)
  local out = how == 'sum' and kernel:size(1) or planes
  local y = correlate(torch.reshape(x, lastSizes(x, first, 1, planes)),
    torch.reshape(kernel, lastSizes(kernel, first, out, how == 'sum' and planes or 1)), full, how == 'each' and planes or 1)
  return torch.reshape(y, how == 'single' and lastSizes(y, first) or lastSizes(y, first, out))
end

local function both(first, single, samples)
  local function doc(text, flipped)
    return ([[
%s of %s, %s: x and kernel of %dD each; %dD each, plane by plane; or x (planes, ...) with kernel (out, planes, ...), summed over planes.
Mode 'V' (valid) returns positions where the kernel lies within x, sizes n - k + 1; 'F' (full) all with an overlap, n + k - 1.]]):format(
      text, single, flipped, first, first + 1)
  end
  declare {
    name = 'xcorr' .. first, signature = '[res] x:tensor kernel:tensor mode:string=V', ulp = 64,
    precision = 'low',
    doc = doc('Cross-correlation', 'the kernel unchanged'), samples = samples,
    forward = function(x, kernel, mode)
      local a, b, back = asFloats(x, kernel)
      return back(combined('xcorr' .. first, a, b, mode, first))
    end,
  }
  declare {
    name = 'conv' .. first, signature = '[res] x:tensor kernel:tensor mode:string=V', ulp = 64,
    precision = 'low',
    doc = doc('Convolution', 'the kernel reversed'), samples = samples,
    forward = function(x, kernel, mode)
      local turned = {}
      for d = 1, math.min(first, kernel:dim()) do turned[d] = -d end
      local a, b, back = asFloats(x, kernel)
      return back(combined('conv' .. first, a, #turned > 0 and torch.flip(b, turned) or b, mode, first))
    end,
  }
end

both(2, 'an image', "{randn(4, 5), randn(2, 3)}, {randn(4, 5), randn(2, 3), 'F'}, {randn(3, 4, 5), randn(3, 2, 2)}, "
  .. "{randn(3, 4, 5), randn(2, 3, 2, 2)}, {randn(2, 3, 3), randn(2, 4, 4), 'F'}, {randn(2, 3, 3), randn(4, 2, 2, 1), 'F'}")
both(3, 'a volume', "{randn(3, 4, 5), randn(2, 2, 3)}, {randn(2, 3, 2), randn(2, 2, 3), 'F'}, "
  .. "{randn(2, 3, 3, 3), randn(2, 2, 2, 2)}, {randn(2, 3, 3, 3), randn(3, 2, 2, 1, 2)}, {randn(2, 2, 2, 3), randn(2, 2, 1, 2, 2), 'F'}")
