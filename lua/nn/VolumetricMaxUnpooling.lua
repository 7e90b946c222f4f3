--- Writes values to the positions where a pooling module found the maxima, and zeros to the others.
-- Shapes: x (C, T, H, W) -> (C, itime, iheight, iwidth) of the pooling module's last input, or both with leading N.
-- @classmod nn.VolumetricMaxUnpooling
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'
local window = require 'nn.support.window'
local packed = require 'nn.support.packed'

local share = window.shareIndices

local VolumetricMaxUnpooling, parent = nn.declare {
  name = 'nn.VolumetricMaxUnpooling',
  widens = false,
  compute = function(self, input)
    window.expectImages(self, input, 3)
    local pooling = self.pooling
    share(self)
    self.otime, self.oheight, self.owidth = pooling.itime, pooling.iheight, pooling.iwidth
    local positions = packed.unpack(pooling, self.indices)
    window.expectPositions(self, positions, self.otime, self.oheight, self.owidth)
    return torch.maxPool3d_grad(input, positions, self.otime, self.oheight, self.owidth)
  end,
  prints = function(self) return (' associated to %s'):format(tostring(self.pooling)) end,
}

--- @tparam nn.VolumetricMaxPooling poolingModule whose windows do not overlap; each forward reads its indices, which the field
-- `indices` shares
function VolumetricMaxUnpooling:__init(poolingModule)
  parent.__init(self)
  check.that(torch.isTypeOf(poolingModule, 'nn.VolumetricMaxPooling'),
    ('nn.VolumetricMaxUnpooling: poolingModule: %s: Argument must be a nn.VolumetricMaxPooling module'):format(torch.type(poolingModule)))
  for _, axis in ipairs(window.axes[3]) do
    check.that(poolingModule['k' .. axis] == poolingModule['d' .. axis],
      "nn.VolumetricMaxUnpooling: poolingModule: The size of pooling module's kernel must be equal to its stride")
  end
  self.pooling = poolingModule
  share(self)
end

--- Writes the fields and the indices, so that forward works after reading the module from a file without its pooling module.
function VolumetricMaxUnpooling:write(file)
  share(self)
  parent.write(self, file)
end

--- Old programs' name for clearState.
VolumetricMaxUnpooling.empty = window.empty

return VolumetricMaxUnpooling
