-- Tests the ops of this package by the sweeps that test Moontorch's ops: values, dtypes, layouts, errors, derivatives, memory.
local torch = require 'torch'
require 'smooth'

print(torch.sweep('pseudo_huber', {
  elementwise = function(x, delta)
    delta = delta or 1
    return math.abs(x) == math.huge and math.huge or x * x / (math.sqrt(x * x + delta * delta) + delta)
  end,
}))

-- Computes the average by the weights of each step, instead of step by step.
local function average(x, alpha, dim)
  if x:nElement() == 0 then return x end
  dim = dim and dim > 0 and dim or x:dim()
  local n = x:size(dim)
  local weights = torch.zeros(n, n)
  for t = 1, n do
    for s = 1, t do weights[t][s] = alpha * (1 - alpha) ^ (t - s) end
  end
  local rows = x:transpose(1, dim):contiguous()
  return torch.mm(weights, rows:view(n, -1)):view(rows:size()):transpose(1, dim)
end

print(torch.sweep('every', { reference = function(x, step, dim)
  dim = not dim and 1 or dim > 0 and dim or x:dim() + 1 + dim
  return torch.index(x, dim, torch.range(1, x:size(dim), step):long())
end }))

print(torch.sweep('ema', { reference = average }))
print(torch.sweep('ema_grad', { reference = function(g, alpha, dim)
  dim = dim and dim > 0 and dim or g:dim()
  return g:nElement() == 0 and g or torch.flip(average(torch.flip(g, dim), alpha, dim), dim)
end }))
