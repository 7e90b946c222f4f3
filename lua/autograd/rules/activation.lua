-- Derivatives of gelu and silu, and of their gradients.
local rules = require 'autograd.rules'

rules.gelu = { 'gelu_grad(g, x)' }
rules.silu = { 'silu_grad(g, x)' }

-- g (F(x) + x f(x)): by x that is g f(x) (2 - x^2), f the normal density.
rules.gelu_grad = {
  'gelu_grad(h, x)', 'cmul(cmul(h, g), cmul(mul(exp(mul(square(x), -0.5)), 0.3989422804014327), rsub(square(x), 2)))',
}

-- g s (1 + x (1 - s)): by x that is g s (1 - s) (2 + x (1 - 2 s)), s = sigmoid(x), where 2 s - 1 is tanh(x / 2).
rules.silu_grad = { 'silu_grad(h, x)', 'cmul(sigmoid_grad(cmul(h, g), sigmoid(x)), rsub(cmul(x, tanh(mul(x, 0.5))), 2))' }
