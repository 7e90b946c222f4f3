--- Comparisons and choices by a mask.
local torch = require 'torch'
local rules = require('autograd.rules').family { broadcast = true }

local mask = rules.none 'a mask has no derivative'
rules.lt, rules.le, rules.gt, rules.ge, rules.eq, rules.ne = mask, mask, mask, mask, mask, mask
rules.isnan, rules.isfinite, rules.isinf = mask, mask, mask

rules.where = {
  false,
  function(g, _, condition) return torch.where(condition, g, 0) end,
  function(g, _, condition) return torch.where(condition, 0, g) end,
}
