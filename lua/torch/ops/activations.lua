-- Activation functions that PyTorch has in torch.
local torch = require 'torch'
local declareOne = require 'torch.names.declare_element'

declareOne('celu', 'x for positive x, otherwise alpha (exp(x / alpha) - 1), elementwise.', function(x, alpha)
  local bent = torch.mul(torch.expm1(torch.div(torch.clamp(x, nil, 0), alpha)), alpha)
  return torch.where(torch.gt(x, 0), x, bent)
end, { signature = '[res] x:tensor alpha:number=1', ulp = 16, samples = '{randn(3, 4)}, {randn(3, 4), 0.5}, {randn(0)}' })

declareOne('selu', [[
1.0507 x for positive x, otherwise 1.7581 (exp(x) - 1), elementwise. Source: Klambauer et al. (2017), "Self-Normalizing Neural Networks".]],
  function(x)
    local scale, alpha = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
    local bent = torch.mul(torch.expm1(torch.clamp(x, nil, 0)), scale * alpha)
    return torch.where(torch.gt(x, 0), torch.mul(x, scale), bent)
  end, { ulp = 16, precision = 'float32', samples = '{randn(3, 4)}, {randn(0)}' })

declareOne('hardshrink', 'x where its magnitude is above lambda, otherwise 0, elementwise.', function(x, lambda)
  return torch.where(torch.le(torch.abs(x), lambda), 0, x)
end, { signature = '[res] x:tensor lambda:number=0.5', samples = '{randn(3, 4)}, {randn(3, 4), 1}, {full(nan)}, {randn(0)}' })

declareOne('threshold', 'x where it is above the threshold, otherwise the value, elementwise.', function(x, threshold, value)
  return torch.where(torch.le(x, threshold), value, x)
end, { signature = '[res] x:tensor threshold:number value:number', result = 'same',
  samples = '{randn(3, 4), 1, 7}, {randn(3, 4), -1, 0}, {full(nan), 0, 0}, {randn(0), 0, 0}' })
