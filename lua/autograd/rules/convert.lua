-- Derivatives of copies in the same or another dtype. The recorder converts the gradients back.
local rules = require 'autograd.rules'

rules.clone, rules.to = { 'g' }, { 'g' }
