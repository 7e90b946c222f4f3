-- Derivatives of copies that move elements or set them to zero.
local rules = require 'autograd.rules'

rules.tril = { 'tril(g, k)' }
rules.triu = { 'triu(g, k)' }
rules.flip = { 'flip(g, dims)' }
rules.roll = { 'roll(g, -shift, dim)' }
