-- Derivatives of softmax and its logarithm, and of their gradients.
local torch = require 'torch'
local rules = require 'autograd.rules'

local saving = rules.saving

rules.softmax = { 'softmax_grad(g, result, dim)' }
rules.logsoftmax = { 'logsoftmax_grad(g, result, dim)' }
-- (exp(x - result) is as exact as the result is rounded.)
rules.logsumexp = { 'cmul(g, softmax(x, dim))' }

-- y (g - sum(g y))
rules.softmax_grad = {
  'softmax_grad(g, y, dim)',
  saving('g, y, dim', function(h, g, y, dim)
    local deviation = torch.csub(g, torch.sum(torch.cmul(g, y), dim))
    return torch.csub(torch.cmul(h, deviation), torch.cmul(g, torch.sum(torch.cmul(h, y), dim)))
  end),
}

-- g - exp(y) sum(g)
rules.logsoftmax_grad = {
  'csub(g, sum(cmul(g, exp(y)), dim))',
  saving('g, y, dim', function(h, g, y, dim) return torch.neg(torch.cmul(torch.cmul(h, torch.exp(y)), torch.sum(g, dim))) end),
}
