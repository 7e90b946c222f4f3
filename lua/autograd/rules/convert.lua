-- Derivatives of copies in the same or another type, to which the recorder brings gradients back.
local rules = require 'autograd.rules'

rules.clone, rules.to = { 'g' }, { 'g' }
