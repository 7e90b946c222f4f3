--- A border in which pictures are mirrored, their outermost elements not repeated.
-- Shapes: x (C, H, W) -> (C, pad_t + H + pad_b, pad_l + W + pad_r), or both with leading N.
-- @classmod nn.SpatialReflectionPadding
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local border = require 'nn.border'

local SpatialReflectionPadding, parent = torch.class('nn.SpatialReflectionPadding', 'nn.Module')

--- @tparam int pad_l columns at the left, less than the width
-- @tparam[opt=pad_l] int pad_r at the right
-- @tparam[opt=pad_l] int pad_t rows at the top
-- @tparam[opt=pad_l] int pad_b at the bottom
function SpatialReflectionPadding:__init(pad_l, pad_r, pad_t, pad_b)
  parent.__init(self)
  local where = 'nn.SpatialReflectionPadding'
  self.pad_l = check.int(where, 'pad_l', pad_l, { min = 0 })
  self.pad_r = check.int(where, 'pad_r', pad_r or pad_l, { min = 0 })
  self.pad_t = check.int(where, 'pad_t', pad_t or pad_l, { min = 0 })
  self.pad_b = check.int(where, 'pad_b', pad_b or pad_l, { min = 0 })
end

function SpatialReflectionPadding:compute(input)
  local dim = input:dim()
  if dim ~= 3 and dim ~= 4 then error('input must be 3 or 4-dimensional', 0) end
  return border.reflect(border.reflect(input, dim - 1, self.pad_t, self.pad_b), dim, self.pad_l, self.pad_r)
end

function SpatialReflectionPadding:__tostring__()
  return ('%s(l=%d, r=%d, t=%d, b=%d)'):format(torch.type(self), self.pad_l, self.pad_r, self.pad_t, self.pad_b)
end

return SpatialReflectionPadding
