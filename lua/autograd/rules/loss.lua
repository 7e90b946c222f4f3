-- Derivatives of losses.
local torch = require 'torch'
local rules = require 'autograd.rules'

-- The total of the weights is a constant, and so are they.
rules.nll_loss = { function(g, y, logpSize, target, weights, average, ignore)
  if not g[1] then return nil end
  return torch.nll_loss_grad(g[1], logpSize, target, y[2], weights, average, ignore)
end }

-- Linear in g, whose gradient is the same sum over the targets as the loss.
rules.nll_loss_grad = { function(h, _, _, _, target, _, weights, average, ignore)
  return (torch.nll_loss(h, target, weights, average, ignore))
end }
