-- The derivative of the cross product: g . (a x b) = a . (b x g) = b . (g x a).
local rules = require 'autograd.rules'

rules.cross = { 'cross(b, g, dim)', 'cross(g, a, dim)' }
