-- Derivatives of elementwise ops that round, bound or choose.
local torch, rules = require 'torch', require 'autograd.rules'
local complex = require 'torch.names.complex'

local zero = rules.zero

-- Returns the gradient of z / |z|, in the form of rules for complex numbers: a change of z along its direction changes nothing.
local function ofSgn(g, z)
  local magnitude, direction = torch.abs(z), torch.sgn(z)
  local along = torch.cmul(torch.real(torch.cmul(g, direction)), torch.conj(direction))
  return torch.cdiv(torch.csub(g, along), torch.where(torch.eq(magnitude, 0), 1, magnitude))
end

-- Steps and kinks. At a tie, the first argument of cmax and cmin has the gradient. clamp passes the gradient from its lower to its upper
-- bound, both included.
rules.sign, rules.floor, rules.ceil, rules.round, rules.trunc = zero, zero, zero, zero, zero
rules.frac = { 'g' }
rules.abs = { 'cmul(g, abs_slope(x))' }
rules.abs_slope = { rules.saving('z', function(h, z)
  if not complex.is(z) then return torch.mul(h, 0) end
  return ofSgn(torch.conj(h), z)
end) }
rules.conj = { 'conj(g)' }
rules.sgn = { rules.saving('z', function(g, z) return complex.is(z) and ofSgn(g, z) or torch.mul(g, 0) end) }
rules.relu = { 'relu_grad(g, result)' }
rules.plain.relu = { 'relu_grad(g, x)' }       -- later ops may overwrite the result
rules.relu_grad = { 'relu_grad(h, y)' }
rules.clamp = { 'where(cmul(ge(x, min), le(x, max)), g, 0)' }
rules.cmax = { 'where(ge(x, y), g, 0)', 'where(lt(x, y), g, 0)' }
rules.cmin = { 'where(le(x, y), g, 0)', 'where(gt(x, y), g, 0)' }
