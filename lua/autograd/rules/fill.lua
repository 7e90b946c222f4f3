--- Derivatives of what creates, fills, copies and converts.
local torch = require 'torch'
local rules = require 'autograd.rules'

local zero = rules.zero
rules.fill, rules.zero = zero, zero
rules.clone = { function(g) return g end }
-- What was there before is gone; a gradient for the source has its size and type.
rules.copy = { false, function(g, _, _, sourceSize) return torch.reshape(g, sourceSize) end }
