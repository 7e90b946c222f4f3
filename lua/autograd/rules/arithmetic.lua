-- Derivatives of elementwise sums, products, quotients and remainders.
local rules = require 'autograd.rules'

-- Sums and products.
rules.add = { 'g', 'times(g, alpha)' }
rules.csub = { 'g', 'mul(g, -alpha)' }
rules.rsub = { 'neg(g)' }
rules.mul = { 'mul(g, value)' }
rules.cmul = { 'cmul(g, y)', 'cmul(g, x)' }
rules.div = { 'div(g, value)' }
rules.cdiv = { 'cdiv(g, y)', 'neg(cdiv(cmul(g, cdiv(x, y)), y))' }  -- the result isn't saved: programs may write to it
rules.addcmul = { 'g', 'times(cmul(g, b), value)', 'times(cmul(g, a), value)' }
rules.addcdiv = { 'g', 'times(cdiv(g, b), value)', 'mul(cdiv(cmul(g, cdiv(a, b)), b), -value)' }
rules.lerp = { 'csub(g, cmul(g, weight))', 'cmul(g, weight)', 'cmul(g, csub(b, a))' }
rules.neg = { 'neg(g)' }
rules.cinv = { 'neg(cmul(g, cmul(result, result)))' }
rules.square = { 'cmul(g, mul(x, 2))' }

-- Remainders: x - y * trunc(x / y) and x - y * floor(x / y), the quotient constant where the derivative exists.
rules.fmod = { 'g', 'neg(cmul(g, trunc(cdiv(x, y))))' }
rules.remainder = { 'g', 'neg(cmul(g, floor(cdiv(x, y))))' }
