-- Derivatives of softmax and its logarithm, and of their gradients.
local torch = require 'torch'
local rules = require 'autograd.rules'

rules.softmax = { 'softmax_grad(g, result, dim)' }
rules.logsoftmax = { 'logsoftmax_grad(g, result, dim)' }
rules.logsumexp = { 'cmul(g, exp(csub(x, result)))' }

-- y (g - sum(g y))
rules.softmax_grad = {
  function(h, _, _, y, dim) return torch.softmax_grad(h, y, dim) end,
  function(h, _, g, y, dim)
    local deviation = torch.csub(g, torch.sum(torch.cmul(g, y), dim))
    return torch.csub(torch.cmul(h, deviation), torch.cmul(g, torch.sum(torch.cmul(h, y), dim)))
  end,
}

-- g - exp(y) sum(g)
rules.logsoftmax_grad = {
  function(h, _, _, y, dim) return torch.csub(h, torch.sum(torch.cmul(h, torch.exp(y)), dim)) end,
  function(h, _, g, y, dim) return torch.neg(torch.cmul(torch.cmul(h, torch.exp(y)), torch.sum(g, dim))) end,
}
