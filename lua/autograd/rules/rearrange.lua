-- Derivatives of copies with elements elsewhere or zeroed.
local rules = require 'autograd.rules'

rules.tril = { 'tril(g, k)' }
rules.triu = { 'triu(g, k)' }
rules.flip = { 'flip(g, dims)' }
rules.roll = { 'roll(g, -shift, dim)' }
