--- The largest value in each window of a picture.
-- Shapes: x (C, H, W) -> (C, round((H + 2 padH - kH) / dH) + 1, likewise W), or both with leading N; rounding is down, or
-- up after `ceil()`.
-- @classmod nn.SpatialMaxPooling
local torch = require 'torch'
require 'nn'
local window, sized, reused = require 'nn.support.window', require 'nn.support.sized', require 'nn.support.reused'

local SpatialMaxPooling, parent = torch.class('nn.SpatialMaxPooling', 'nn.Module')

--- @tparam int kW width of the window
-- @tparam int kH its height
-- @tparam[opt=kW] int dW step in x
-- @tparam[opt=kH] int dH step in y
-- @tparam[opt=0] int padW padding, at most half of kW; it never is the largest
-- @tparam[opt=0] int padH likewise
function SpatialMaxPooling:__init(kW, kH, dW, dH, padW, padH)
  parent.__init(self)
  window.keep(self, 'k', kW, kH)
  window.keep(self, 'd', dW or kW, dH or kH)
  window.keep(self, 'pad', padW or 0, padH or 0)
  self.ceil_mode = false
  self.indices = torch.LongTensor()
end

--- Rounds output sizes up from now on.
-- @treturn nn.SpatialMaxPooling self
SpatialMaxPooling.ceil = window.ceil

--- Rounds output sizes down from now on.
-- @treturn nn.SpatialMaxPooling self
SpatialMaxPooling.floor = window.floor

function SpatialMaxPooling:compute(input)
  local done, output, indices = pcall(torch.maxPool2d, input, self.kH, self.kW, self.dH, self.dW, self.padH, self.padW, self.ceil_mode,
    self.dilationH, self.dilationW)
  if not done then
    window.expectHalf(self, 2)
    window.explain(self, output, input, 2, nil, self.ceil_mode)
  end
  local dim = input:dim()
  self.iheight, self.iwidth, self.indices = input:size(dim - 1), input:size(dim), indices
  return output
end
SpatialMaxPooling.letsGo = SpatialMaxPooling.compute

-- By the indices.
SpatialMaxPooling.saved = { of = SpatialMaxPooling.compute, field = 'indices', gradient = function(self, input, gradOutput)
  local indices, dim = self.indices, input:dim()
  if indices:dim() ~= dim or indices:nElement() ~= gradOutput:nElement() then return nil end
  return reused(torch.maxPool2d_grad, self.gradInput, sized(gradOutput, indices), indices, input:size(dim - 1), input:size(dim))
end }

function SpatialMaxPooling:__tostring__()
  return ('%s(%s)'):format(torch.type(self), window.describe(self, 2, true))
end

SpatialMaxPooling.transient = { 'indices' }

--- The name that old programs have for clearState.
SpatialMaxPooling.empty = window.empty

return SpatialMaxPooling
