-- Functions that make complex numbers.
local torch = require 'torch'
local declare = require('torch.op').declare

declare {
  name = 'polar', signature = '[res] magnitude:tensor angle:tensor|number', result = 'complex',
  samples = '{positive(3, 4), randn(3, 4)}, {positive(3), 0.5}',
  doc = [[
Complex numbers of a magnitude and an angle in radians, elementwise and broadcast: magnitude * (cos(angle) + i sin(angle)).]],
  forward = function(magnitude, angle)
    if not torch.isTensor(angle) then return torch.complex(torch.mul(magnitude, math.cos(angle)), torch.mul(magnitude, math.sin(angle))) end
    return torch.complex(torch.cmul(magnitude, torch.cos(angle)), torch.cmul(magnitude, torch.sin(angle)))
  end,
}
