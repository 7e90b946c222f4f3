-- Derivatives of softmax and its logarithm, and of their gradients.
local rules = require 'autograd.rules'

rules.softmax = { 'softmax_grad(g, result, dim)' }
rules.logsoftmax = { 'logsoftmax_grad(g, result, dim)' }
-- (exp(x - result) is only as accurate as the rounding of the result.)
rules.logsumexp = { 'cmul(g, softmax(x, dim))' }

-- y (g - sum(g y))
rules.softmax_grad = {
  'softmax_grad(h, y, dim)',
  'csub(cmul(h, csub(g, sum(cmul(g, y), dim))), cmul(g, sum(cmul(h, y), dim)))',
}

-- g - exp(y) sum(g)
rules.logsoftmax_grad = { 'csub(h, sum(cmul(h, exp(y)), dim))', 'neg(cmul(cmul(h, exp(y)), sum(g, dim)))' }
