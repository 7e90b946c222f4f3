-- Derivatives of shifts, which multiply floats by powers of 2. Bitwise operations accept only integers.
local rules = require 'autograd.rules'

rules.lshift = { 'lshift(g, y)', 'mul(cmul(g, result), 0.6931471805599453)' }
rules.rshift = { 'rshift(g, y)', 'mul(cmul(g, result), -0.6931471805599453)' }
local integers = rules.none 'integers have no derivative'
rules.bitand, rules.bitor, rules.bitxor = integers, integers, integers
