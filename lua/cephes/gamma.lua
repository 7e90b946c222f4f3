--- Gamma and beta functions; part of the package cephes.
-- @module cephes.gamma
local torch = require 'torch'
local define, libm = require 'cephes.define', require 'cephes.libm'
local floor, nan = math.floor, 0 / 0

local cephes = {}

local function polygamma(m, x)
  local result = torch.DoubleTensor(x:size(1))
  for i = 1, x:size(1) do result[i] = torch.polygamma(x:narrow(1, i, 1), m[i])[1] end
  return result
end

-- The product of gamma(x - j / 2) and of powers of pi (DLMF 35.3.4), or the sum of logarithms.
local function multivariate(x, p, logarithm)
  if not (p >= 1 and p <= 1e6) or floor(p) ~= p or not (x > (p - 1) / 2) then return nan end
  local sum, product = p * (p - 1) / 4 * math.log(math.pi), math.pi ^ (p * (p - 1) / 4)
  for j = 0, p - 1 do
    if logarithm then sum = sum + libm.logGamma(x - j / 2) else product = product * libm.gamma(x - j / 2) end
  end
  return logarithm and sum or product
end

--- Gamma function: f([result,] x). NaN at 0, -1, ...
cephes.gamma = define('gamma', { 'x' }, libm.gamma)

--- Inverse of the gamma function: f([result,] x). 0 at 0, -1, ...
cephes.rgamma = define('rgamma', { 'x' }, libm.inverseGamma)

--- Factorial: f([result,] i).
cephes.fac = define('fac', { 'i' }, function(i) return libm.gamma(i + 1) end)

--- Logarithm of the magnitude of the gamma function: f([result,] x).
cephes.lgam = define.tensors('lgam', { 'x' }, function(x) return torch.lgamma(x) end, { isPole = true })

--- Derivative of `lgam`: f([result,] x).
cephes.psi = define.tensors('psi', { 'x' }, function(x) return torch.digamma(x) end, { isPole = true })

--- The same as `psi`.
cephes.digamma = define.tensors('digamma', { 'x' }, function(x) return torch.digamma(x) end, { isPole = true })

--- Beta function for a, b above 0: f([result,] a, b).
cephes.beta = define.tensors('beta', { 'a', 'b' }, function(a, b) return torch.exp(torch.betaln(a, b)) end, { isPole = true })

--- Logarithm of the beta function: f([result,] a, b).
cephes.lbeta = define.tensors('lbeta', { 'a', 'b' }, function(a, b) return torch.betaln(a, b) end, { isPole = true })

--- Regularised lower incomplete gamma function: f([result,] a, x).
cephes.igam = define.tensors('igam', { 'a', 'x' }, function(a, x) return torch.gammainc(a, x) end)

--- Regularised upper incomplete gamma function: f([result,] a, x).
cephes.igamc = define.tensors('igamc', { 'a', 'x' }, function(a, x) return torch.gammaincc(a, x) end)

--- The x with igamc(a, x) = y: f([result,] a, y).
cephes.igami = define.tensors('igami', { 'a', 'y' }, function(a, y) return torch.gammainccinv(a, y) end, { isPole = true })

--- Regularised incomplete beta function: f([result,] a, b, x).
cephes.incbet = define.tensors('incbet', { 'a', 'b', 'x' }, function(a, b, x) return torch.betainc(a, b, x) end)

--- The x with incbet(a, b, x) = y: f([result,] a, b, y).
cephes.incbi = define.tensors('incbi', { 'a', 'b', 'y' }, function(a, b, y) return torch.betaincinv(a, b, y) end)

--- The m-th derivative of `psi`: f([result,] m, x).
cephes.polygamma = define.tensors('polygamma', { 'm', 'x' }, function(m, x) return polygamma(m, x) end, { isPole = true })

--- Derivative of the beta function by its first argument, for x, y above 0: f([result,] x, y).
cephes.betagrad = define.tensors('betagrad', { 'x', 'y' }, function(x, y)
  return torch.cmul(torch.exp(torch.betaln(x, y)), torch.digamma(x) - torch.digamma(x + y))
end, { isPole = true })

--- Multivariate gamma function of the dimension p, for x above (p - 1) / 2: f([result,] x, p).
cephes.mvgam = define('mvgam', { 'x', 'p' }, function(x, p) return multivariate(x, p, false) end)

--- Logarithm of `mvgam`: f([result,] x, p).
cephes.lmvgam = define('lmvgam', { 'x', 'p' }, function(x, p) return multivariate(x, p, true) end)

return cephes
