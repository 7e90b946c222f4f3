-- Derivatives of copies with elements elsewhere or zeroed.
local torch = require 'torch'
local rules = require 'autograd.rules'

rules.tril = { function(g, _, _, k) return torch.tril(g, k) end }
rules.triu = { function(g, _, _, k) return torch.triu(g, k) end }
rules.flip = { function(g, _, _, dims) return torch.flip(g, dims) end }
rules.roll = { function(g, _, _, shift, dim) return torch.roll(g, -shift, dim) end }
