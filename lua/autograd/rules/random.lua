-- Random numbers are constants to the tape; a tensor filled with them loses its history.
local rules = require 'autograd.rules'

local drawn = rules.none 'random numbers have no derivative'
for _, name in ipairs {
  'uniform', 'normal', 'exponential', 'cauchy', 'logNormal', 'geometric', 'bernoulli', 'random', 'rand', 'randn', 'randperm', 'multinomial',
} do
  rules[name] = drawn
end
