--- The maximum of each feature in each window of time.
-- Shapes: x (T, F) -> (floor((T - kW) / dW) + 1, F), or both with leading N.
-- @classmod nn.TemporalMaxPooling
local torch, check, nn = require 'torch', require 'torch.check', require 'nn'
local window = require 'nn.support.window'
local onDeviceOf = require 'autograd.on_device_of'
local refuse = require 'torch.check.refuse'

-- Returns the frame before the start of each window, as (1, count, 1), on the device of `indices`.
local function starts(self, count, indices)
  return onDeviceOf(torch.range(0, count - 1):_as 'Long':mul(self.dW):view(1, -1, 1), indices)
end

local positive = { min = 1 }

local TemporalMaxPooling, parent = nn.declare {
  name = 'nn.TemporalMaxPooling',
  -- The op gets a sequence as an image with one column per feature. The indices count frames inside their windows, from 0.
  widens = false,
  compute = function(self, input)
    local dim = input:dim()
    self.kW = check.whole('nn.TemporalMaxPooling', 'kW', self.kW, positive)
    self.dW = check.whole('nn.TemporalMaxPooling', 'dW', self.dW, positive)
    if dim ~= 2 and dim ~= 3 then
      refuse.shape(('nn.TemporalMaxPooling: input: 2D or 3D (batch mode) tensor expected for input, but got: [%s]'):format(
        table.concat(input:size():totable(), ' x ')))
    end
    if input:size(dim - 1) < self.kW then
      refuse.shape(('nn.TemporalMaxPooling: input: input sequence smaller than kernel size. Got: %d, Expected: %d'):format(
        input:size(dim - 1), self.kW))
    end
    local planes = dim == 2 and torch.unsqueeze(input, 1) or input
    local output, positions = torch.maxPool2d(planes, self.kW, 1, self.dW, 1)
    local frames = torch.div(torch.add(positions, -1), input:size(dim))
    self.indices = torch.csub(frames, starts(self, output:size(2), frames))
    if dim == 2 then self.indices = torch.select(self.indices, 1, 1) end
    return dim == 2 and torch.select(output, 1, 1) or output
  end,
  keeps = { 'indices' },
  byFields = function(self, input, gradOutput)
    local indices, dim = self.indices, input:dim()
    if indices:dim() ~= dim or not indices:isSameSizeAs(gradOutput) then return nil end
    local features, offsets = input:size(dim), starts(self, indices:size(dim - 1), indices)
    local positions = torch.add(indices, offsets:view(-1, 1):expandAs(indices)):mul(features)
    positions:add(onDeviceOf(torch.range(1, features):_as 'Long', positions):expandAs(positions))
    if dim == 3 then return torch.maxPool2d_grad(gradOutput, positions, input:size(2), features) end
    local gradient = torch.maxPool2d_grad(torch.unsqueeze(gradOutput, 1), torch.unsqueeze(positions, 1), input:size(1), features)
    return torch.select(gradient, 1, 1)
  end,
  transient = { 'indices' },
  samples = { { 'TemporalMaxPooling(2)', { 2, 7, 3 }, rows = true }, { 'TemporalMaxPooling(3, 1)', { 2, 6, 3 }, rows = true } },
}

--- @tparam int kW frames in a window
-- @tparam[opt=kW] int dW step in frames
function TemporalMaxPooling:__init(kW, dW)
  parent.__init(self)
  self.kW, self.dW = window.whole(self, 'kW', kW), window.whole(self, 'dW', dW or kW)
  self.indices = torch.LongTensor()
end

--- Old programs' name for clearState.
TemporalMaxPooling.empty = window.empty

return TemporalMaxPooling
