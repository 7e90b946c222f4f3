--- Repeats each element of an image as a square.
-- Shapes: x (C, H, W) -> (C, scale H, scale W), or both with leading N.
-- @classmod nn.SpatialUpSamplingNearest
local nn = require 'nn'
local window, resample = require 'nn.support.window', require 'nn.support.resample'

local SpatialUpSamplingNearest, parent = nn.declare {
  name = 'nn.SpatialUpSamplingNearest',
  values = { 'area', 'height', 'width' },
  formula = function(self, input)
    window.expectImages(self, input, 2)
    local side, dim = self.scale_factor, input:dim()
    if not resample.scalesExactly(input, side) then return nil end
    return 'avgPool2d_grad(mul(input, area), height, width, scale_factor, scale_factor)', side * side, input:size(dim - 1) * side,
      input:size(dim) * side
  end,
  otherwise = function(self, input) return resample.squares(input, self.scale_factor) end,
  samples = { { 'SpatialUpSamplingNearest(2)', { 2, 2, 2, 3 }, rows = true } },
}

--- @tparam int scale side of the squares, 1 or more
function SpatialUpSamplingNearest:__init(scale)
  parent.__init(self)
  self.scale_factor = resample.scale(scale)
end

return SpatialUpSamplingNearest
