-- Derivatives of losses.
local torch = require 'torch'
local rules = require 'autograd.rules'

local saving = rules.saving

-- The weights and their sum are constants.
rules.nll_loss = { saving('size(logp), target, result[2], ...', function(g, size, target, total, weights, average, ignore)
  if not g[1] then return nil end
  return torch.nll_loss_grad(g[1], size, target, total, weights, average, ignore)
end) }

-- Linear in g: the gradient of g is the same sum over the targets as the loss.
rules.nll_loss_grad = { saving('target, weights, average, ignore', function(h, ...) return (torch.nll_loss(h, ...)) end) }

rules.plain.nll_loss = { 'nll_loss_grad(g, size(logp), target, result[2], weights, average, ignore)' }
