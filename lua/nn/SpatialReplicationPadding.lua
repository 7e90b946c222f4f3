--- A border in which the outermost elements of pictures are repeated.
-- Shapes: x (C, H, W) -> (C, pad_t + H + pad_b, pad_l + W + pad_r), or both with leading N.
-- @classmod nn.SpatialReplicationPadding
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local border = require 'nn.border'

local SpatialReplicationPadding, parent = torch.class('nn.SpatialReplicationPadding', 'nn.Module')

--- @tparam int pad_l columns at the left
-- @tparam[opt=pad_l] int pad_r at the right
-- @tparam[opt=pad_l] int pad_t rows at the top
-- @tparam[opt=pad_l] int pad_b at the bottom
function SpatialReplicationPadding:__init(pad_l, pad_r, pad_t, pad_b)
  parent.__init(self)
  local where = 'nn.SpatialReplicationPadding'
  self.pad_l = check.int(where, 'pad_l', pad_l, { min = 0 })
  self.pad_r = check.int(where, 'pad_r', pad_r or pad_l, { min = 0 })
  self.pad_t = check.int(where, 'pad_t', pad_t or pad_l, { min = 0 })
  self.pad_b = check.int(where, 'pad_b', pad_b or pad_l, { min = 0 })
end

function SpatialReplicationPadding:compute(input)
  local dim = input:dim()
  if dim ~= 3 and dim ~= 4 then error('input must be 3 or 4-dimensional', 0) end
  return border.replicate(border.replicate(input, dim - 1, self.pad_t, self.pad_b), dim, self.pad_l, self.pad_r)
end

function SpatialReplicationPadding:__tostring__()
  return ('%s(l=%d, r=%d, t=%d, b=%d)'):format(torch.type(self), self.pad_l, self.pad_r, self.pad_t, self.pad_b)
end

return SpatialReplicationPadding
