--- Special functions by the names of Torch7's package cephes, on torch's: f([result,] arguments...) of numbers or tensors.
--
-- With numbers the result is a number. Tensors of any type and sizes give a new DoubleTensor of one dimension; numbers and tensors of one
-- element are repeated; a contiguous tensor in front of the arguments is filled and returned. Arguments outside the
-- domain give NaN or infinities.
-- @module cephes
-- @usage local cephes = require 'cephes'
-- print(cephes.ndtri(0.975))
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local torch = require 'torch'
local check, mapped = require 'torch.check', require 'torch.mapped'

local cephes = {}
package.loaded.cephes = cephes
rawset(_G, 'cephes', cephes)

--- Not a number.
cephes.nan = 0 / 0

local function define(name, n, f) return mapped('cephes', name, n, f, nil, true) end

-- The gamma function: its logarithm has no sign, which alternates between whole numbers below 0.
local function gamma(x)
  local sign = torch.where(torch.lt(x, 0), 1 - torch.remainder(torch.floor(x), 2) * 2, 1)
  local value = torch.cmul(torch.exp(torch.lgamma(x)), sign)
  local isPole = torch.cmul(torch.le(x, 0), torch.eq(torch.floor(x), x))
  local isWhole = torch.cmul(torch.eq(torch.floor(x), x), torch.cmul(torch.gt(x, 0), torch.lt(x, 24)))
  value = torch.where(isWhole, torch.round(value), value)      -- factorials below 2^75
  return torch.where(isPole, 0 / 0, value)
end

local function student(df) return require('distributions').StudentT(df, 0, 1, { validateArgs = false }) end

local function inverseF(a, b, y)
  local w = torch.betaincinv(b / 2, a / 2, y)
  return torch.cdiv(b - torch.cmul(b, w), torch.cmul(a, w))
end

local function polygamma(m, x)
  local result = torch.DoubleTensor(x:size(1))
  for i = 1, x:size(1) do result[i] = torch.polygamma(x:narrow(1, i, 1), m[i])[1] end
  return result
end

--- Logarithm of the magnitude of the gamma function: f([result,] x).
cephes.lgam = define('lgam', 1, function(x) return torch.lgamma(x) end)

--- Derivative of `lgam`: f([result,] x).
cephes.psi = define('psi', 1, function(x) return torch.digamma(x) end)

--- The same as `psi`.
cephes.digamma = define('digamma', 1, function(x) return torch.digamma(x) end)

--- Gamma function: f([result,] x).
cephes.gamma = define('gamma', 1, function(x) return gamma(x) end)

--- Inverse of the gamma function: f([result,] x).
cephes.rgamma = define('rgamma', 1, function(x) return 1 / gamma(x) end)

--- Factorial: f([result,] i).
cephes.fac = define('fac', 1, function(x) return gamma(x + 1) end)

--- Beta function for a, b above 0: f([result,] a, b).
cephes.beta = define('beta', 2, function(a, x) return torch.exp(torch.betaln(a, x)) end)

--- Logarithm of the beta function: f([result,] a, b).
cephes.lbeta = define('lbeta', 2, function(a, x) return torch.betaln(a, x) end)

--- Regularised lower incomplete gamma function: f([result,] a, x).
cephes.igam = define('igam', 2, function(a, x) return torch.gammainc(a, x) end)

--- Regularised upper incomplete gamma function: f([result,] a, x).
cephes.igamc = define('igamc', 2, function(a, x) return torch.gammaincc(a, x) end)

--- The x with igamc(a, x) = y: f([result,] a, y).
cephes.igami = define('igami', 2, function(a, x) return torch.gammainccinv(a, x) end)

--- Regularised incomplete beta function: f([result,] a, b, x).
cephes.incbet = define('incbet', 3, function(a, b, x) return torch.betainc(a, b, x) end)

--- The x with incbet(a, b, x) = y: f([result,] a, b, y).
cephes.incbi = define('incbi', 3, function(a, b, x) return torch.betaincinv(a, b, x) end)

--- Normal distribution function: f([result,] x).
cephes.ndtr = define('ndtr', 1, function(x) return torch.ndtr(x) end)

--- Inverse of `ndtr`: f([result,] p).
cephes.ndtri = define('ndtri', 1, function(x) return torch.ndtri(x) end)

--- Error function: f([result,] x).
cephes.erf = define('erf', 1, function(x) return torch.erf(x) end)

--- 1 - erf(x): f([result,] x).
cephes.erfc = define('erfc', 1, function(x) return torch.erfc(x) end)

--- Chi-square distribution function: f([result,] df, x).
cephes.chdtr = define('chdtr', 2, function(a, x) return torch.gammainc(a / 2, x / 2) end)

--- Complement of `chdtr`: f([result,] df, x).
cephes.chdtrc = define('chdtrc', 2, function(a, x) return torch.gammaincc(a / 2, x / 2) end)

--- Inverse of `chdtrc`: f([result,] df, y).
cephes.chdtri = define('chdtri', 2, function(a, x) return torch.gammainccinv(a / 2, x) * 2 end)

--- Student's t distribution function: f([result,] k, t).
cephes.stdtr = define('stdtr', 2, function(a, x) return student(a):cdf(x) end)

--- Inverse of `stdtr`: f([result,] k, p).
cephes.stdtri = define('stdtri', 2, function(a, x) return student(a):icdf(x) end)

--- Poisson distribution function: f([result,] k, m).
cephes.pdtr = define('pdtr', 2, function(a, x) return torch.gammaincc(torch.floor(a) + 1, x) end)

--- Complement of `pdtr`: f([result,] k, m).
cephes.pdtrc = define('pdtrc', 2, function(a, x) return torch.gammainc(torch.floor(a) + 1, x) end)

--- The m with pdtr(k, m) = y: f([result,] k, y).
cephes.pdtri = define('pdtri', 2, function(a, x) return torch.gammainccinv(torch.floor(a) + 1, x) end)

--- Binomial distribution function, k below n: f([result,] k, n, p).
cephes.bdtr = define('bdtr', 3, function(a, b, x) return torch.betainc(b - torch.floor(a), torch.floor(a) + 1, 1 - x) end)

--- Complement of `bdtr`: f([result,] k, n, p).
cephes.bdtrc = define('bdtrc', 3, function(a, b, x) return torch.betainc(torch.floor(a) + 1, b - torch.floor(a), x) end)

--- The p with bdtr(k, n, p) = y: f([result,] k, n, y).
cephes.bdtri = define('bdtri', 3, function(a, b, x) return 1 - torch.betaincinv(b - torch.floor(a), torch.floor(a) + 1, x) end)

--- Negative binomial distribution function: f([result,] k, n, p).
cephes.nbdtr = define('nbdtr', 3, function(a, b, x) return torch.betainc(b, torch.floor(a) + 1, x) end)

--- Complement of `nbdtr`: f([result,] k, n, p).
cephes.nbdtrc = define('nbdtrc', 3, function(a, b, x) return torch.betainc(torch.floor(a) + 1, b, 1 - x) end)

--- The p with nbdtr(k, n, p) = y: f([result,] k, n, y).
cephes.nbdtri = define('nbdtri', 3, function(a, b, x) return torch.betaincinv(b, torch.floor(a) + 1, x) end)

--- F distribution function: f([result,] a, b, x).
cephes.fdtr = define('fdtr', 3, function(a, b, x)
  local scaled = torch.cmul(a, x)
  return torch.betainc(a / 2, b / 2, torch.cdiv(scaled, b + scaled))
end)

--- Complement of `fdtr`: f([result,] a, b, x).
cephes.fdtrc = define('fdtrc', 3, function(a, b, x) return torch.betainc(b / 2, a / 2, torch.cdiv(b, b + torch.cmul(a, x))) end)

--- Inverse of `fdtrc`: f([result,] a, b, y).
cephes.fdtri = define('fdtri', 3, function(a, b, x) return inverseF(a, b, x) end)

--- Beta distribution function: f([result,] a, b, x).
cephes.btdtr = define('btdtr', 3, function(a, b, x) return torch.betainc(a, b, x) end)

--- Gamma distribution function with the rate a and the shape b: f([result,] a, b, x).
cephes.gdtr = define('gdtr', 3, function(a, b, x) return torch.gammainc(b, torch.cmul(a, x)) end)

--- Complement of `gdtr`: f([result,] a, b, x).
cephes.gdtrc = define('gdtrc', 3, function(a, b, x) return torch.gammaincc(b, torch.cmul(a, x)) end)

--- Bessel function J_0: f([result,] x).
cephes.j0 = define('j0', 1, function(x) return torch.besselJ0(x) end)

--- Bessel function J_1: f([result,] x).
cephes.j1 = define('j1', 1, function(x) return torch.besselJ1(x) end)

--- Bessel function Y_0: f([result,] x).
cephes.y0 = define('y0', 1, function(x) return torch.besselY0(x) end)

--- Bessel function Y_1: f([result,] x).
cephes.y1 = define('y1', 1, function(x) return torch.besselY1(x) end)

--- Modified Bessel function I_0: f([result,] x).
cephes.i0 = define('i0', 1, function(x) return torch.i0(x) end)

--- exp(-|x|) I_0: f([result,] x).
cephes.i0e = define('i0e', 1, function(x) return torch.i0e(x) end)

--- Modified Bessel function I_1: f([result,] x).
cephes.i1 = define('i1', 1, function(x) return torch.i1(x) end)

--- exp(-|x|) I_1: f([result,] x).
cephes.i1e = define('i1e', 1, function(x) return torch.i1e(x) end)

--- Modified Bessel function K_0: f([result,] x).
cephes.k0 = define('k0', 1, function(x) return torch.modifiedBesselK0(x) end)

--- exp(x) K_0: f([result,] x).
cephes.k0e = define('k0e', 1, function(x) return torch.scaledModifiedBesselK0(x) end)

--- Modified Bessel function K_1: f([result,] x).
cephes.k1 = define('k1', 1, function(x) return torch.modifiedBesselK1(x) end)

--- exp(x) K_1: f([result,] x).
cephes.k1e = define('k1e', 1, function(x) return torch.scaledModifiedBesselK1(x) end)

--- Hurwitz's zeta function, the sum of (q + k)^-x: f([result,] x, q).
cephes.zeta = define('zeta', 2, function(a, x) return torch.zeta(a, x) end)

--- Riemann's zeta function, less 1, for x from 1 on: f([result,] x).
cephes.zetac = define('zetac', 1, function(x) return torch.zeta(x, 1) - 1 end)

--- The m-th derivative of `psi`: f([result,] m, x).
cephes.polygamma = define('polygamma', 2, function(a, x) return polygamma(a, x) end)

--- Whether a number is NaN.
-- @number x
-- @treturn bool
function cephes.isnan(x)
  if type(x) ~= 'number' then check.raise(('cephes.isnan: x: a %s, expected a number'):format(torch.type(x))) end
  return x ~= x
end

--- Whether a number is infinite.
-- @number x
-- @treturn bool
function cephes.isinf(x) return math.abs(x) == math.huge end

--- Whether a number is neither infinite nor NaN.
-- @number x
-- @treturn bool
function cephes.isfinite(x) return math.abs(x) < math.huge end

return cephes
