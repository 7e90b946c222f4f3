--- Changes the shape; copies if the memory isn't contiguous.
-- Shapes: x of any shape -> the sizes given, or with leading N. Unless `batchMode` is given, an input with as many elements as the sizes,
-- and more than one in its first dimension, is a single sample.
-- @classmod nn.Reshape
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'

local Reshape, parent = nn.declare {
  name = 'nn.Reshape', shows = true,
  values = { 'sizes' },
  formula = require 'nn.support.reshaping'(function(self, input)
    local single = self.batchMode == nil and input:nElement() == self.nelement and input:size(1) ~= 1
    if self.batchMode == false or single then return self.size end
    self.batchsize = torch.LongStorage { input:size(1), unpack(self.size:totable()) }      -- captures record writes to a storage
    return self.batchsize
  end),
  prints = function(self) return ('(%s)'):format(table.concat(self.size:totable(), 'x')) end,
  samples = { { 'Reshape(3, 2)', { 4, 6 }, rows = true } },
}

--- @param ... sizes as numbers or one LongStorage; then, optionally, batchMode: true: always a batch, false: never
function Reshape:__init(...)
  parent.__init(self)
  local arguments = { ... }
  if type(arguments[#arguments]) == 'boolean' then self.batchMode = table.remove(arguments) end
  self.size = check.sizes('nn.Reshape', unpack(arguments))
  self.nelement = 1
  local withBatch = { 0 }
  for i = 1, #self.size do
    self.nelement = self.nelement * self.size[i]
    withBatch[i + 1] = self.size[i]
  end
  self.batchsize = torch.LongStorage(withBatch)
end

return Reshape
