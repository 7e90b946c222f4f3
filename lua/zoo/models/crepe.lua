--- CREPE: the pitch of a frame of 1024 samples at 16 kHz, as activations of 360 bins of 20 cents, from 31.70 Hz on.
-- Parameters have the names of torchcrepe. Input: frames (N, 1024) of mean 0 and deviation 1; output (N, 360), from 0 to 1.
-- Source: the paper below, figure 1.
-- @module zoo.models.crepe
local torch, nn = require 'torch', require 'nn'

local Crepe = torch.class('zoo.Crepe', 'nn.Module', {})

local filters = { 32, 4, 4, 4, 8, 16 }
local before, after = { 254, 31, 31, 31, 31, 31 }, { 254, 32, 32, 32, 32, 32 }

function Crepe:__init(o)
  local inputs = 1
  for i, count in ipairs(filters) do
    local outputs = count * o.width
    self['conv' .. i] = i == 1 and nn.Conv2d(inputs, outputs, { 512, 1 }, { stride = { 4, 1 } }) or nn.Conv2d(inputs, outputs, { 64, 1 })
    self[('conv%d_BN'):format(i)] = nn.BatchNorm2d(outputs, 0.0010000000474974513, 0)
    inputs = outputs
  end
  self.classifier = nn.Linear(4 * inputs, 360)
end

function Crepe:forward(x)
  x = torch.view(torch.contiguous(x), x:size(1), 1, -1, 1)
  for i = 1, #filters do
    local padded = nn.functional.pad(x, { 0, 0, before[i], after[i] })
    local y = self[('conv%d_BN'):format(i)](torch.relu(self['conv' .. i](padded)))
    x = nn.functional.maxPool2d(y, { 2, 1 }, { 2, 1 })
  end
  x = torch.contiguous(torch.transpose(torch.squeeze(x, 4), 2, 3))
  return torch.sigmoid(self.classifier(torch.flatten(x, 2)))
end

return require 'zoo.declare' {
  title = 'CREPE',
  paper = 'Kim et al. (2018), "CREPE: A Convolutional Representation for Pitch Estimation", ICASSP',
  input = { 1024 }, normalisation = 'frames of 1024 samples at 16 kHz, with mean 0 and deviation 1',
  options = { { 'width', 'int', min = 1, default = 4 } },
  models = { crepe_tiny = { width = 4 }, crepe_full = { width = 32 } },
  make = function(o) return Crepe.new(o) end,
  samples = { { 'crepe_tiny', { width = 1 }, { 2, 1024 } } },
}
