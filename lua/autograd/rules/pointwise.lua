-- Derivatives of elementwise ops that round, bound or choose.
local rules = require 'autograd.rules'

local zero = rules.zero

-- Steps and kinks. At a tie, the first argument of cmax and cmin has the gradient. clamp passes the gradient from its lower to its upper
-- bound, both included.
rules.sign, rules.floor, rules.ceil, rules.round, rules.trunc = zero, zero, zero, zero, zero
rules.frac = { 'g' }
rules.abs = { 'cmul(g, sign(x))' }
rules.relu = { 'relu_grad(g, result)' }
rules.plain.relu = { 'relu_grad(g, x)' }       -- later ops may overwrite the result
rules.relu_grad = { 'relu_grad(h, y)' }
rules.clamp = { 'where(cmul(ge(x, min), le(x, max)), g, 0)' }
rules.cmax = { 'where(ge(x, y), g, 0)', 'where(lt(x, y), g, 0)' }
rules.cmin = { 'where(le(x, y), g, 0)', 'where(gt(x, y), g, 0)' }
