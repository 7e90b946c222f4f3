-- Steps of optimisers have no derivative: they change tensors in place, outside of the tape.
local rules = require 'autograd.rules'

for name in ([[sgd_step adam_step amsgrad_step nadam_step radam_step adamax_step rmsprop_step adagrad_step adadelta_step lion_step
  asgd_step rprop_step unscale clip_values]]):gmatch '%S+' do
  rules[name] = rules.refuse 'a step of an optimiser changes its tensors in place'
end
