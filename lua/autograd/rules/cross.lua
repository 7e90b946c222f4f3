-- The derivative of the cross product: g . (a x b) = a . (b x g) = b . (g x a).
local torch = require 'torch'
local rules = require 'autograd.rules'

rules.cross = {
  function(g, _, _, b, dim) return torch.cross(b, g, dim) end,
  function(g, _, a, _, dim) return torch.cross(g, a, dim) end,
}
