--- Cosines between the input and learnt vectors.
-- y[j] = <x, w[j]> / ((|x| + 1e-12) (|w[j]| + 1e-12)). Shapes: x (in) -> (out), or (N, in) -> (N, out).
-- @classmod nn.Cosine
local torch = require 'torch'

local eps = 1e-12

--- @tparam int inputSize
-- @tparam int outputSize
local Cosine = require('nn.support.distances').class({
  name = 'nn.Cosine',
  parameters = { { 'weight', function(options) return options.outputSize, options.inputSize end } },
  samples = { { 'Cosine(3, 2)', { 4, 3 }, rows = true } },
}, function(module, x)
  local weight = module.weight
  local lengths = torch.add(torch.norm(x, 2, 2), eps)
  local weightLengths = torch.view(torch.add(torch.norm(weight, 2, 2), eps), 1, weight:size(1))
  return torch.cdiv(torch.cdiv(torch.mm(x, torch.t(weight)), lengths), weightLengths)
end)

return Cosine
