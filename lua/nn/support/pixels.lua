--- Exchange of elements between channels and squares of pixels, in tensors (…, C, H, W); and between groups of channels.
-- @module nn.support.pixels
local torch, refuse = require 'torch', require 'torch.check.refuse'

local pixels = {}

-- Returns the sizes before the channels, and the channels, rows and columns.
local function sizesOf(where, input)
  local size = input:size():totable()
  if #size < 3 then refuse.shape(('%s: input: %d dimensions, expected 3 or more'):format(where, #size)) end
  local leading, count = { unpack(size, 1, #size - 3) }, 1
  for _, n in ipairs(leading) do count = count * n end
  return leading, count, unpack(size, #size - 2)
end

local function reshaped(x, leading, ...)
  local sizes = { unpack(leading) }
  for _, n in ipairs { ... } do sizes[#sizes + 1] = n end
  return torch.reshape(x, sizes)
end

--- Channel c r^2 + i r + j (from 0) becomes row i and column j of channel c's squares.
function pixels.shuffle(where, input, r)
  local leading, count, channels, height, width = sizesOf(where, input)
  if channels % (r * r) ~= 0 then refuse.shape(('%s: input: %d channels, expected a multiple of %d'):format(where, channels, r * r)) end
  local squares = torch.permute(torch.reshape(input, { count, channels / (r * r), r, r, height, width }), 1, 2, 5, 3, 6, 4)
  return reshaped(squares, leading, channels / (r * r), r * height, r * width)
end

--- The inverse.
function pixels.unshuffle(where, input, r)
  local leading, count, channels, height, width = sizesOf(where, input)
  if height % r ~= 0 or width % r ~= 0 then
    refuse.shape(('%s: input: %d rows and %d columns, expected multiples of %d'):format(where, height, width, r))
  end
  local squares = torch.permute(torch.reshape(input, { count, channels, height / r, r, width / r, r }), 1, 2, 4, 6, 3, 5)
  return reshaped(squares, leading, channels * r * r, height / r, width / r)
end

--- The channels, in dimension 2, as a matrix of groups, transposed: the first ones of all groups, then the second ones, ...
function pixels.channels(where, input, groups)
  local size = input:size():totable()
  if #size < 3 then refuse.shape(('%s: input: %d dimensions, expected 3 or more'):format(where, #size)) end
  if size[2] % groups ~= 0 then refuse.shape(('%s: input: %d channels, expected a multiple of %d'):format(where, size[2], groups)) end
  local rest = 1
  for d = 3, #size do rest = rest * size[d] end
  local matrix = torch.reshape(input, { size[1], groups, size[2] / groups, rest })
  return torch.reshape(torch.clone(torch.transpose(matrix, 2, 3)), size)
end

return pixels
