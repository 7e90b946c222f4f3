--- Convolutions in 1 and 3 dimensions, and transposed ones, as convolutions of images: how filters, inputs and results are arranged.
-- @module quantize.windows
-- @local
local torch = require 'torch'

local windows = {}

local function same(x) return x end

-- The forms are tables: `key`, equal for equal arrangements of a filter; `window` as int8Conv2d wants it, `groups`; `filter(weight)` in the
-- form of int8Conv2d; `bias(bias)`; `before(x, zero)` and `after(y)` arrange the input and the result; `axis`: the dimension of the weight
-- that has the output channels (of a group); `isTransposed`.
local function form(fields)
  for _, name in ipairs { 'filter', 'bias', 'before', 'after' } do fields[name] = fields[name] or same end
  fields.groups, fields.axis = fields.groups or 1, fields.axis or 1
  return fields
end

local function windowOf(strideH, strideW, padH, padW, dilationH, dilationW)
  padH, padW = padH or 0, padW or 0
  return { strideH or 1, strideW or 1, padH, padW, padH, padW, dilationH or 1, dilationW or 1 }
end

function windows.conv2d(_, strideH, strideW, padH, padW, dilationH, dilationW, groups)
  return form { key = 'conv2d', groups = groups, window = windowOf(strideH, strideW, padH, padW, dilationH, dilationW) }
end

-- Signals are images with a height of 1.
local function flat(of)
  local filter, before, after = of.filter, of.before, of.after
  function of.filter(weight) return filter(torch.unsqueeze(weight, 3)) end
  function of.before(x, zero) return before(torch.unsqueeze(x, 3), zero) end
  function of.after(y) return torch.squeeze(after(y), 3) end
  of.key = of.key .. ' flat'
  return of
end

function windows.conv1d(_, stride, padding, dilation, groups)
  return flat(windows.conv2d(nil, 1, stride, 0, padding, 1, dilation, groups))
end

-- Adds `count` slices of a number at both ends of dimension 3.
local function padded(x, count, number)
  if count == 0 then return x end
  local edge, parts = torch.add(torch.mul(torch.narrow(x, 3, 1, 1), 0), number), {}
  for i = 1, count do parts[i], parts[count + 1 + i] = edge, edge end
  parts[count + 1] = x
  return torch.cat(parts, 3)
end

-- A result's frame depends on some frames of the input: these become channels of one image.
function windows.conv3d(weight, strideT, strideH, strideW, padT, padH, padW, dilationT, dilationH, dilationW, groups)
  local taps, dilation = weight:size(3), dilationT or 1
  local span, out, frames = dilation * (taps - 1) + 1, weight:size(1), nil
  return form {
    key = 'conv3d', groups = groups, window = windowOf(strideH, strideW, padH, padW, dilationH, dilationW),
    filter = function(w) return w:reshape(out, w:size(2) * taps, w:size(4), w:size(5)) end,
    before = function(x, zero)
      local all = torch.unfold(padded(x, padT or 0, zero), 3, span, strideT or 1)      -- (n, channels, frames, h, w, span)
      if dilation > 1 then all = torch.index(all, 6, torch.range(1, span, dilation):long()) end
      frames = all:size(3)
      local images = torch.reshape(torch.permute(all, 1, 3, 4, 5, 2, 6), -1, all:size(4), all:size(5), all:size(2) * taps)
      return torch.permute(images, 1, 4, 2, 3)
    end,
    after = function(y)
      local volumes = torch.reshape(torch.permute(y, 1, 3, 4, 2), -1, frames, y:size(3), y:size(4), out)
      return torch.permute(volumes, 1, 5, 2, 3, 4)
    end,
  }
end

-- With the stride s, output s q + a depends on inputs q, q - 1, … by the filter's elements a, s + a, …: a convolution with a result for
-- each a, which are the elements of a block of the output. Returns the taps of such a filter, and how many results more than those are
-- needed.
local function phases(kernel, stride, pad, adj)
  local taps = math.ceil(kernel / stride)
  return taps, math.max(0, math.ceil((kernel + adj - pad) / stride) - taps)
end

-- Filters (in, out / groups, h, w) with zeros behind them.
local function extended(weight, height, width)
  local result = weight.new(weight:size(1), weight:size(2), height, width):zero()
  result:narrow(3, 1, weight:size(3)):narrow(4, 1, weight:size(4)):copy(weight)
  return result
end

local function reversed(x, dim)
  return x:index(dim, torch.range(x:size(dim), 1, -1):long())
end

local function transposed(height, width, outer, strideH, strideW, padH, padW, adjH, adjW, groups)
  strideH, strideW, padH, padW, groups = strideH or 1, strideW or 1, padH or 0, padW or 0, groups or 1
  local tapsH, moreH = phases(height, strideH, padH, adjH or 0)
  local tapsW, moreW = phases(width, strideW, padW, adjW or 0)
  local function sizeOf(results, taps, more, stride, pad, kernel, adj)
    return (results - taps - more) * stride - 2 * pad + kernel + (adj or 0)
  end
  return form {
    key = ('convTranspose2d %d %d'):format(strideH, strideW), groups = groups, axis = 2, isTransposed = true,
    window = { 1, 1, tapsH - 1, tapsW - 1, tapsH - 1 + moreH, tapsW - 1 + moreW, 1, 1 },
    filter = function(w)
      local inner = w:size(1) / groups
      local parts = extended(w, tapsH * strideH, tapsW * strideW):view(groups, inner, outer, tapsH, strideH, tapsW, strideW)
      return reversed(reversed(parts, 4), 6):permute(1, 5, 7, 3, 2, 4, 6)
        :reshape(groups * strideH * strideW * outer, inner, tapsH, tapsW)
    end,
    bias = function(b)
      return b:view(groups, 1, outer):expand(groups, strideH * strideW, outer):reshape(groups * strideH * strideW * outer)
    end,
    after = function(y)
      local h, w = y:size(3), y:size(4)
      local blocks = torch.reshape(torch.permute(y, 1, 3, 4, 2), -1, h, w, groups, strideH, strideW, outer)
      local images = torch.reshape(torch.permute(blocks, 1, 2, 5, 3, 6, 4, 7), -1, h * strideH, w * strideW, groups * outer)
      local result = torch.narrow(torch.permute(images, 1, 4, 2, 3), 3, 1 + padH, sizeOf(h, tapsH, moreH, strideH, padH, height, adjH))
      return torch.narrow(result, 4, 1 + padW, sizeOf(w, tapsW, moreW, strideW, padW, width, adjW))
    end,
  }
end

function windows.convTranspose2d(weight, strideH, strideW, padH, padW, adjH, adjW, dilationH, dilationW, groups)
  if (dilationH or 1) ~= 1 or (dilationW or 1) ~= 1 then return nil end
  return transposed(weight:size(3), weight:size(4), weight:size(2), strideH, strideW, padH, padW, adjH, adjW, groups)
end

function windows.convTranspose1d(weight, stride, pad, adj, dilation, groups)
  if (dilation or 1) ~= 1 then return nil end
  return flat(transposed(1, weight:size(3), weight:size(2), 1, stride, 0, pad, 0, adj, groups))
end

return windows
