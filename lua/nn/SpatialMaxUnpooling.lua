--- Writes values to the positions where a pooling module found the maxima, and zeros to the others.
-- Shapes: x (C, H, W) -> (C, iheight, iwidth) of the pooling module's last input, or both with leading N.
-- Source: Zeiler & Fergus (2014), "Visualizing and Understanding Convolutional Networks", ECCV.
-- @classmod nn.SpatialMaxUnpooling
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'
local window = require 'nn.support.window'

local share = window.shareIndices

local SpatialMaxUnpooling, parent = nn.declare {
  name = 'nn.SpatialMaxUnpooling',
  widens = false,
  compute = function(self, input)
    window.expectImages(self, input, 2)
    local pooling = self.pooling
    share(self)
    self.oheight, self.owidth = pooling.iheight, pooling.iwidth
    window.expectPositions(self, self.indices, self.oheight, self.owidth)
    return torch.maxPool2d_grad(input, self.indices, self.oheight, self.owidth)
  end,
  prints = function(self) return (' associated to %s'):format(tostring(self.pooling)) end,
}

--- @tparam nn.SpatialMaxPooling poolingModule whose windows do not overlap; each forward reads its indices, which the field
-- `indices` shares
function SpatialMaxUnpooling:__init(poolingModule)
  parent.__init(self)
  check.that(torch.isTypeOf(poolingModule, 'nn.SpatialMaxPooling'),
    ('nn.SpatialMaxUnpooling: poolingModule: %s: Argument must be a nn.SPatialMaxPooling module'):format(torch.type(poolingModule)))
  check.that(poolingModule.kH == poolingModule.dH and poolingModule.kW == poolingModule.dW,
    "nn.SpatialMaxUnpooling: poolingModule: The size of pooling module's kernel must be equal to its stride")
  self.pooling = poolingModule
  share(self)
end

--- Writes the fields and the indices, so that forward works after reading the module from a file without its pooling module.
function SpatialMaxUnpooling:write(file)
  share(self)
  parent.write(self, file)
end

--- Old programs' name for clearState.
SpatialMaxUnpooling.empty = window.empty

return SpatialMaxUnpooling
