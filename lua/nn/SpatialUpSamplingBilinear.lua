--- Resizes images by bilinear interpolation, with aligned corners.
-- Shapes: x (C, H, W) -> (C, scale H, scale W) or (C, oheight, owidth), or both with leading N.
-- @classmod nn.SpatialUpSamplingBilinear
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'
local window, resample = require 'nn.support.window', require 'nn.support.resample'

local SpatialUpSamplingBilinear, parent = nn.declare {
  name = 'nn.SpatialUpSamplingBilinear',
  compute = function(self, input)
    window.expectImages(self, input, 2)
    local dim = input:dim()
    local height = self.oheight or input:size(dim - 1) * self.scale_factor
    local width = self.owidth or input:size(dim) * self.scale_factor
    return torch.resample(input, height, width, 'bilinear', 'corners')
  end,
  prints = function(self)
    local sizes = self.scale_factor and ('%d'):format(self.scale_factor) or ('%d, %d'):format(self.oheight, self.owidth)
    return ('(%s)'):format(sizes)
  end,
  samples = {
    { 'SpatialUpSamplingBilinear(2)', { 2, 2, 2, 3 }, rows = true },
    { 'SpatialUpSamplingBilinear { oheight = 5, owidth = 2 }', { 2, 1, 3, 4 }, rows = true },
  },
}

--- @param options scale, an integer, 1 or more; or a table with oheight and owidth
function SpatialUpSamplingBilinear:__init(options)
  parent.__init(self)
  if type(options) == 'table' then
    check.options(torch.type(self), options, { 'oheight', 'owidth' })
    self.oheight, self.owidth = options.oheight, options.owidth
    if not self.oheight or not self.owidth then check.raise 'oheight and owidth are expected' end
  else
    self.scale_factor = resample.scale(options)
  end
end

return SpatialUpSamplingBilinear
