-- Derivatives of a choice by a mask.
local rules = require 'autograd.rules'

rules.where = { false, 'where(mask, g, 0)', 'where(mask, 0, g)' }
