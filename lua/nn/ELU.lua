--- x where it is positive, else alpha (e^x - 1): elementwise, any shape.
-- Source: Clevert et al. (2016), "Fast and Accurate Deep Network Learning by Exponential Linear Units", ICLR, eq. 13.
-- @classmod nn.ELU
local nn = require 'nn'

--- @tparam[opt=1] number alpha
-- @tparam[opt=false] boolean inplace write over the input
local ELU = nn.declare {
  name = 'nn.ELU', inplace = true,
  options = { { 'alpha', 'number', default = 1, field = 'alpha' }, { 'inplace', 'inplace', default = false, field = 'inplace' } },
  formula = 'where(le(input, 0), mul(expm1(where(le(input, 0), input, 0)), alpha), input)',
  gradient = 'where(le(output, 0), cmul(g, add(output, alpha)), g)',
  prints = function(self) return (' (alpha:%f)'):format(self.alpha) end,
  samples = { { 'ELU()', { 4, 3 }, rows = true }, { 'ELU(0.7)', { 4, 3 }, rows = true } },
}

return ELU
