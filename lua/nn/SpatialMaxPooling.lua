--- The largest value in each window of a picture.
-- Shapes: x (C, H, W) -> (C, round((H + 2 padH - kH) / dH) + 1, likewise W), or both with leading N; rounding is down, or
-- up after `ceil()`.
-- @classmod nn.SpatialMaxPooling
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'
local _ = nn.Module

local SpatialMaxPooling, parent = torch.class('nn.SpatialMaxPooling', 'nn.Module')

--- @tparam int kW width of the window
-- @tparam int kH its height
-- @tparam[opt=kW] int dW step in x
-- @tparam[opt=kH] int dH step in y
-- @tparam[opt=0] int padW padding, at most half of kW; it never is the largest
-- @tparam[opt=0] int padH likewise
function SpatialMaxPooling:__init(kW, kH, dW, dH, padW, padH)
  local where = 'nn.SpatialMaxPooling'
  parent.__init(self)
  self.kW, self.kH = check.int(where, 'kW', kW, { min = 1 }), check.int(where, 'kH', kH, { min = 1 })
  self.dW, self.dH = check.int(where, 'dW', dW or kW, { min = 1 }), check.int(where, 'dH', dH or kH, { min = 1 })
  self.padW, self.padH = check.int(where, 'padW', padW or 0, { min = 0 }), check.int(where, 'padH', padH or 0, { min = 0 })
  self.ceil_mode = false
  self.indices = torch.LongTensor()
end

--- Rounds output sizes up from now on.
-- @treturn nn.SpatialMaxPooling self
function SpatialMaxPooling:ceil()
  self.ceil_mode = true
  return self
end

--- Rounds output sizes down from now on.
-- @treturn nn.SpatialMaxPooling self
function SpatialMaxPooling:floor()
  self.ceil_mode = false
  return self
end

function SpatialMaxPooling:compute(input)
  local height, width = input:size(input:dim() - 1), input:size(input:dim())
  self.iheight, self.iwidth = height, width
  if self.padW > self.kW / 2 or self.padH > self.kH / 2 then
    error('nn.SpatialMaxPooling: pad should be smaller than half of kernel size', 0)
  end
  local output, indices = torch.maxPool2d(input, self.kH, self.kW, self.dH, self.dW, self.padH, self.padW, self.ceil_mode)
  self.indices = indices
  return output
end

function SpatialMaxPooling:__tostring__()
  local pad = (self.padW ~= 0 or self.padH ~= 0) and (', %d,%d'):format(self.padW, self.padH) or ''
  return ('%s(%dx%d, %d,%d%s)'):format(torch.type(self), self.kW, self.kH, self.dW, self.dH, pad)
end

--- Drops the indices too.
function SpatialMaxPooling:clearState()
  self.indices:set()
  return parent.clearState(self)
end

return SpatialMaxPooling
