-- Derivatives of gelu and silu, and of their gradients.
local torch = require 'torch'
local rules = require('autograd.rules').family { broadcast = true }

local saving = rules.saving

rules.gelu = { 'gelu_grad(g, x)' }
rules.silu = { 'silu_grad(g, x)' }

-- g (F(x) + x f(x)): by x that is g f(x) (2 - x^2), f the normal density.
rules.gelu_grad = {
  'gelu_grad(g, x)',
  saving('g, x', function(h, g, x)
    local square = torch.square(x)
    local density = torch.mul(torch.exp(torch.mul(square, -0.5)), 1 / math.sqrt(2 * math.pi))
    return torch.cmul(torch.cmul(h, g), torch.cmul(density, torch.add(torch.mul(square, -1), 2)))
  end),
}

-- g s (1 + x (1 - s)): by x that is g s (1 - s) (2 + x (1 - 2 s)), s = sigmoid(x).
rules.silu_grad = {
  'silu_grad(g, x)',
  saving('g, x', function(h, g, x)
    local s = torch.sigmoid(x)
    local slope = torch.cmul(s, torch.add(torch.mul(s, -1), 1))
    local rest = torch.add(torch.cmul(x, torch.add(torch.mul(s, -2), 1)), 2)
    return torch.cmul(torch.cmul(h, g), torch.cmul(slope, rest))
  end),
}
