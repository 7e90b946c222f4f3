--- Adds a border that repeats the outermost elements of volumes; negative widths crop.
-- Shapes: x (C, T, H, W) -> (C, pfront + T + pback, ptop + H + pbottom, pleft + W + pright), or both with leading N.
-- @classmod nn.VolumetricReplicationPadding
local check, nn = require 'torch.check', require 'nn'
local window, border = require 'nn.support.window', require 'nn.support.border'

local fields = { 'pleft', 'pright', 'ptop', 'pbottom', 'pfront', 'pback' }

local VolumetricReplicationPadding, parent = nn.declare {
  name = 'nn.VolumetricReplicationPadding',
  compute = function(self, input)
    window.expectImages(self, input, 3)
    for _, name in ipairs(fields) do self[name] = check.whole('nn.VolumetricReplicationPadding', name, self[name]) end
    local dim = input:dim()
    local output = border.replicate(input, dim - 2, self.pfront, self.pback)
    output = border.replicate(output, dim - 1, self.ptop, self.pbottom)
    return border.replicate(output, dim, self.pleft, self.pright)
  end,
  prints = function(self)
    return ('(left=%d, right=%d, top=%d, bottom=%d, front=%d, back=%d)'):format(self.pleft, self.pright, self.ptop,
      self.pbottom, self.pfront, self.pback)
  end,
  samples = { { 'VolumetricReplicationPadding(1, 2, 0, 1, 2, 1)', { 2, 1, 2, 3, 2 }, rows = true } },
}

--- @tparam int pleft columns at the left
-- @tparam[opt=pleft] int pright at the right
-- @tparam[opt=pleft] int ptop rows at the top
-- @tparam[opt=pleft] int pbottom at the bottom
-- @tparam[opt=pleft] int pfront slices before
-- @tparam[opt=pleft] int pback behind
function VolumetricReplicationPadding:__init(pleft, pright, ptop, pbottom, pfront, pback)
  parent.__init(self)
  local given = { pleft = pleft, pright = pright, ptop = ptop, pbottom = pbottom, pfront = pfront, pback = pback }
  for _, name in ipairs(fields) do self[name] = window.whole(self, name, given[name] or pleft) end
end

return VolumetricReplicationPadding
