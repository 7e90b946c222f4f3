-- Derivatives of a choice by a mask.
local torch = require 'torch'
local rules = require('autograd.rules').family { broadcast = true }

rules.where = {
  false,
  function(g, _, condition) return torch.where(condition, g, 0) end,
  function(g, _, condition) return torch.where(condition, 0, g) end,
}
