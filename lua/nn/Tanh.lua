--- Hyperbolic tangent, elementwise, any shape.
-- @classmod nn.Tanh
local torch = require 'torch'
local nn = require 'nn'
local _ = nn.Module

local Tanh = torch.class('nn.Tanh', 'nn.Module')

function Tanh:compute(input)
  return torch.tanh(input)
end

return Tanh
