-- Comparisons of whole tensors have no derivative.
local rules = require 'autograd.rules'

rules.equal = rules.none 'a comparison has no derivative'
