-- Derivatives of counting and searching: counts are step functions, so only weights have one.
local torch = require 'torch'
local rules = require 'autograd.rules'

local count = rules.none 'a count has no derivative'
rules.histc, rules.bhistc = count, count
rules.searchsorted = rules.none 'positions have no derivative'
rules.bincount = { false, false, rules.saving('x, size(weights)', function(g, x, size)
  return torch.reshape(torch.index(g, 1, torch.reshape(x, x:nElement())), size)
end) }
