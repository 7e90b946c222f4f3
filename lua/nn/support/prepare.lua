--- nn.Module's `prepare`.
-- @module nn.support.prepare
local torch = require 'torch'
local sample = require 'nn.support.sample_input'

return function(module, ...)
  local list = {}
  local first = ...
  local shape = sample.describe('prepare', type(first) == 'number' and { ... } or first, module:type(), list)
  local graph = sample.inEvaluation(module, function()
    return torch.noGrad(function()
      return (torch.graph.capture(function(...) return (module:forward((sample.assembled(shape, { ... }, 1)))) end, list))
    end)
  end)
  return torch.Prepared(graph, list, shape)
end
