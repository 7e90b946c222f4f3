--- Cosines between the input and learnt vectors.
-- y[j] = <x, w[j]> / ((|x| + 1e-12) (|w[j]| + 1e-12)). Shapes: x (in) -> (out), or (N, in) -> (N, out).
-- @classmod nn.Cosine
local torch = require 'torch'

local eps = 1e-12

local Cosine, parent = require('nn.support.distances').class('nn.Cosine', function(module, x)
  local weight = module.weight
  local lengths = torch.add(torch.norm(x, 2, 2), eps)
  local weightLengths = torch.view(torch.add(torch.norm(weight, 2, 2), eps), 1, weight:size(1))
  return torch.cdiv(torch.cdiv(torch.mm(x, torch.t(weight)), lengths), weightLengths)
end)

--- @tparam int inputSize
-- @tparam int outputSize
function Cosine:__init(inputSize, outputSize)
  parent.__init(self)
  self:declare('weight', torch.Tensor(outputSize, inputSize))
  self:reset()
end

return Cosine
