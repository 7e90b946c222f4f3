-- Comparisons, whose masks have no derivative.
local rules = require 'autograd.rules'

local mask = rules.none 'a mask has no derivative'
rules.lt, rules.le, rules.gt, rules.ge, rules.eq, rules.ne = mask, mask, mask, mask, mask, mask
rules.isnan, rules.isfinite, rules.isinf = mask, mask, mask
