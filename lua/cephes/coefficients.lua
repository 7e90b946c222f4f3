--- Sums with coefficients of polynomials, highest power first, and of Chebyshev polynomials; part of the package cephes.
-- @module cephes.coefficients
local define = require 'cephes.define'
local arrays, check, mapped = require 'cephes.arrays', require 'torch.check', require 'torch.mapped'

local cephes = {}

local function evaluator(name, least, extra, sum)
  return function(x, coefficients, n)
    local where = 'cephes.' .. name
    check.int(where, 'n', n, { min = least })
    local values = arrays.read(where, 'coefficients', coefficients, n + extra)
    return mapped('cephes', name, { 'x' }, function(one) return sum(one, values) end)(x)
  end
end

local function horner(x, values, sum)
  for i = 1, #values do sum = sum * x + values[i] end
  return sum
end

--- Polynomial of degree n: f(x, coefficients, n) of a number or a tensor x; n + 1 coefficients, that of x^n first, in a table, a tensor or
-- an array of doubles.
-- @function polevl
cephes.polevl = evaluator('polevl', 0, 1, function(x, values) return horner(x, values, 0) end)

--- Polynomial of degree n whose first coefficient is 1 and left out: f(x, coefficients, n), with n coefficients.
-- @function p1evl
cephes.p1evl = evaluator('p1evl', 0, 0, function(x, values) return horner(x, values, 1) end)

--- Chebyshev series at x / 2: f(x, coefficients, n), with n coefficients, the highest first; half of the last is the constant term.
-- @function chbevl
cephes.chbevl = evaluator('chbevl', 1, 0, function(x, values)
  local b0, b1, b2 = 0, 0, 0      -- Clenshaw's recurrence, DLMF 3.11(ii)
  for i = 1, #values do b0, b1, b2 = x * b0 - b1 + values[i], b0, b1 end
  return (b0 - b2) / 2
end)

for name, f in pairs(cephes) do define.plain[name] = f end

return cephes
