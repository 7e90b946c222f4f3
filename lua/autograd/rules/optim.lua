-- Steps of optimisers have no derivative: they change tensors in place, outside of the tape.
local rules = require 'autograd.rules'

for _, name in ipairs { 'sgd_step', 'adam_step', 'unscale' } do
  rules[name] = rules.refuse 'a step of an optimiser changes its tensors in place'
end
