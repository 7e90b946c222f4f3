--- Torch7's convolutions of single images and volumes: conv2 and xcorr2, conv3 and xcorr3. All are composed of conv2d.
local torch = require 'torch'
local declare = require('torch.op').declare
local expect = require 'torch.expect'

-- Integers are computed in double and converted back, wrapping.
local function asFloats(x, kernel)
  if x:isFloatingPoint() or kernel:isFloatingPoint() then return x, kernel, function(y) return y end end
  return x:double(), kernel:double(), function(y) return y:typeAs(x) end
end

-- 'V' or 'F', by the first letter.
local function isFull(name, mode)
  local letter = mode:sub(1, 1):upper()
  if letter ~= 'V' and letter ~= 'F' then expect.fail(name, 'mode', "'%s' came, 'V' (valid) or 'F' (full) was expected", mode) end
  return letter == 'F'
end

-- Numbers of dimensions, input and kernel -> how planes are combined. `first` is what a single plane has.
local function combination(name, x, kernel, first)
  local n, k = x:dim(), kernel:dim()
  if n == first and k == first then return 'single' end
  if n == first + 1 and k == first + 1 then
    if x:size(1) == kernel:size(1) then return 'each' end
  elseif n == first + 1 and k == first + 2 then
    if x:size(1) == kernel:size(2) then return 'sum' end
  else
    expect.fail(name, 'kernel', '%s came for %s, (%dD, %dD), (%dD, %dD) or (%dD, %dD) was expected', expect.sizes(kernel), expect.sizes(x),
      first, first, first + 1, first + 1, first + 1, first + 2)
  end
  expect.fail(name, 'kernel', 'invalid number of input planes: %s came for %s', expect.sizes(kernel), expect.sizes(x))
end

-- x must be at least as large as the kernel in the last `count` dimensions.
local function checkWindow(name, x, kernel, full, count)
  for d = 1, count do
    local size, window = x:size(x:dim() + 1 - d), kernel:size(kernel:dim() + 1 - d)
    if window < 1 or size < 1 then
      expect.fail(name, 'kernel', '%s came for %s: sizes of 1 or more were expected', expect.sizes(kernel), expect.sizes(x))
    end
    if not full and size < window then
      expect.fail(name, 'kernel', 'Input image is smaller than kernel: %s came for %s', expect.sizes(kernel), expect.sizes(x))
    end
  end
end

-- Correlates x (batch, planes, h, w) with a kernel (out, planes, kh, kw), or plane by plane with (planes, per plane, kh, kw).
local function correlate(x, kernel, full, groups)
  local padH, padW = full and kernel:size(3) - 1 or 0, full and kernel:size(4) - 1 or 0
  return torch.conv2d(x, kernel, nil, 1, 1, padH, padW, 1, 1, groups)
end

local function images(name, x, kernel, mode)
  local full, how = isFull(name, mode), combination(name, x, kernel, 2)
  checkWindow(name, x, kernel, full, 2)
  local planes = how == 'single' and 1 or x:size(1)
  local h, w = x:size(x:dim() - 1), x:size(x:dim())
  local kh, kw = kernel:size(kernel:dim() - 1), kernel:size(kernel:dim())
  local out = how == 'sum' and kernel:size(1) or planes
  local y = correlate(torch.reshape(x, 1, planes, h, w), torch.reshape(kernel, out, how == 'sum' and planes or 1, kh, kw), full,
    how == 'each' and planes or 1)
  if how == 'single' then return torch.reshape(y, y:size(3), y:size(4)) end
  return torch.reshape(y, out, y:size(3), y:size(4))
end

-- x (planes, depth, ...) with `count` slices of zeros before and after.
local function padDepth(x, count)
  if count == 0 then return x end
  local sizes = x:size()
  sizes[2] = count
  local zeros = torch.zeros(sizes, x:type())
  return torch.cat({ zeros, x, zeros }, 2)
end

-- Windows along the depth become planes of images, one image for each position.
local function volumes(name, x, kernel, mode)
  local full, how = isFull(name, mode), combination(name, x, kernel, 3)
  checkWindow(name, x, kernel, full, 3)
  local planes = how == 'single' and 1 or x:size(1)
  local n, k = x:dim(), kernel:dim()
  local h, w, kd, kh, kw = x:size(n - 1), x:size(n), kernel:size(k - 2), kernel:size(k - 1), kernel:size(k)
  local out = how == 'sum' and kernel:size(1) or planes
  x = torch.reshape(x, planes, x:size(n - 2), h, w)
  if full then x = padDepth(x, kd - 1) end
  local windows = torch.permute(torch.unfold(x, 2, kd, 1), 2, 1, 5, 3, 4)   -- position, plane, slice of the window, h, w
  local positions = windows:size(1)
  local y = correlate(torch.reshape(windows, positions, planes * kd, h, w),
    torch.reshape(kernel, out, (how == 'sum' and planes or 1) * kd, kh, kw), full, how == 'each' and planes or 1)
  y = torch.transpose(y, 1, 2)
  if how == 'single' then return torch.reshape(y, positions, y:size(3), y:size(4)) end
  return torch.contiguous(y)
end

local function both(dims, run, first, single, samples)
  local function doc(text, flipped)
    return ([[
%s of %s, %s: x and kernel of %dD each; %dD each, plane by plane; or x (planes, ...) with kernel (out, planes, ...), summed over planes.
Mode 'V' (valid) keeps positions where the kernel lies within x, sizes n - k + 1; 'F' (full) all that overlap, n + k - 1.]]):format(
      text, single, flipped, first, first + 1)
  end
  declare {
    name = 'xcorr' .. dims, signature = '[res] x:tensor kernel:tensor mode:string=V', ulp = 64,
    doc = doc('Cross-correlation', 'the kernel as it is'), samples = samples,
    forward = function(x, kernel, mode)
      local a, b, back = asFloats(x, kernel)
      return back(run('xcorr' .. dims, a, b, mode))
    end,
  }
  declare {
    name = 'conv' .. dims, signature = '[res] x:tensor kernel:tensor mode:string=V', ulp = 64,
    doc = doc('Convolution', 'the kernel turned round'), samples = samples,
    forward = function(x, kernel, mode)
      local turned = {}
      for d = 1, math.min(first, kernel:dim()) do turned[d] = -d end
      local a, b, back = asFloats(x, kernel)
      return back(run('conv' .. dims, a, #turned > 0 and torch.flip(b, turned) or b, mode))
    end,
  }
end

both(2, images, 2, 'an image', "{randn(4, 5), randn(2, 3)}, {randn(4, 5), randn(2, 3), 'F'}, {randn(3, 4, 5), randn(3, 2, 2)}, "
  .. "{randn(3, 4, 5), randn(2, 3, 2, 2)}, {randn(2, 3, 3), randn(2, 4, 4), 'F'}, {randn(2, 3, 3), randn(4, 2, 2, 1), 'F'}")
both(3, volumes, 3, 'a volume', "{randn(3, 4, 5), randn(2, 2, 3)}, {randn(2, 3, 2), randn(2, 2, 3), 'F'}, "
  .. "{randn(2, 3, 3, 3), randn(2, 2, 2, 2)}, {randn(2, 3, 3, 3), randn(3, 2, 2, 1, 2)}, {randn(2, 2, 2, 3), randn(2, 2, 1, 2, 2), 'F'}")
