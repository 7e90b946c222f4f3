--- Error functions and distribution functions; part of the package cephes. A suffix c is for complement, i for inverse.
-- @module cephes.probability
local torch = require 'torch'
local define = require 'cephes.define'

local cephes = {}

local function student(df) return require('distributions').StudentT(df, 0, 1, { validateArgs = false }) end

local function inverseF(a, b, y)
  local w = torch.betaincinv(b / 2, a / 2, y)
  return torch.cdiv(b - torch.cmul(b, w), torch.cmul(a, w))
end

--- Normal distribution function: f([result,] x).
cephes.ndtr = define.tensors('ndtr', { 'x' }, function(x) return torch.ndtr(x) end)

--- Inverse of `ndtr`: f([result,] p).
cephes.ndtri = define.tensors('ndtri', { 'p' }, function(p) return torch.ndtri(p) end, { isPole = true })

--- Error function: f([result,] x).
cephes.erf = define.tensors('erf', { 'x' }, function(x) return torch.erf(x) end)

--- 1 - erf(x): f([result,] x).
cephes.erfc = define.tensors('erfc', { 'x' }, function(x) return torch.erfc(x) end)

--- Chi-square distribution function: f([result,] df, x).
cephes.chdtr = define.tensors('chdtr', { 'df', 'x' }, function(df, x) return torch.gammainc(df / 2, x / 2) end)

--- Complement of `chdtr`: f([result,] df, x).
cephes.chdtrc = define.tensors('chdtrc', { 'df', 'x' }, function(df, x) return torch.gammaincc(df / 2, x / 2) end)

--- Inverse of `chdtrc`: f([result,] df, y).
cephes.chdtri = define.tensors('chdtri', { 'df', 'y' }, function(df, y) return torch.gammainccinv(df / 2, y) * 2 end, { isPole = true })

--- Student's t distribution function: f([result,] k, t).
cephes.stdtr = define.tensors('stdtr', { 'k', 't' }, function(k, t) return student(k):cdf(t) end)

--- Inverse of `stdtr`: f([result,] k, p).
cephes.stdtri = define.tensors('stdtri', { 'k', 'p' }, function(k, p) return student(k):icdf(p) end, { isPole = true })

--- Poisson distribution function: f([result,] k, m).
cephes.pdtr = define.tensors('pdtr', { 'k', 'm' }, function(k, m) return torch.gammaincc(torch.floor(k) + 1, m) end)

--- Complement of `pdtr`: f([result,] k, m).
cephes.pdtrc = define.tensors('pdtrc', { 'k', 'm' }, function(k, m) return torch.gammainc(torch.floor(k) + 1, m) end)

--- The m with pdtr(k, m) = y: f([result,] k, y).
cephes.pdtri = define.tensors('pdtri', { 'k', 'y' }, function(k, y) return torch.gammainccinv(torch.floor(k) + 1, y) end)

--- Binomial distribution function, k below n: f([result,] k, n, p).
cephes.bdtr = define.tensors('bdtr', { 'k', 'n', 'p' }, function(k, n, p)
  return torch.betainc(n - torch.floor(k), torch.floor(k) + 1, 1 - p)
end)

--- Complement of `bdtr`: f([result,] k, n, p).
cephes.bdtrc = define.tensors('bdtrc', { 'k', 'n', 'p' }, function(k, n, p)
  return torch.betainc(torch.floor(k) + 1, n - torch.floor(k), p)
end)

--- The p with bdtr(k, n, p) = y: f([result,] k, n, y).
cephes.bdtri = define.tensors('bdtri', { 'k', 'n', 'y' }, function(k, n, y)
  return 1 - torch.betaincinv(n - torch.floor(k), torch.floor(k) + 1, y)
end)

--- Negative binomial distribution function: f([result,] k, n, p).
cephes.nbdtr = define.tensors('nbdtr', { 'k', 'n', 'p' }, function(k, n, p) return torch.betainc(n, torch.floor(k) + 1, p) end)

--- Complement of `nbdtr`: f([result,] k, n, p).
cephes.nbdtrc = define.tensors('nbdtrc', { 'k', 'n', 'p' }, function(k, n, p) return torch.betainc(torch.floor(k) + 1, n, 1 - p) end)

--- The p with nbdtr(k, n, p) = y: f([result,] k, n, y).
cephes.nbdtri = define.tensors('nbdtri', { 'k', 'n', 'y' }, function(k, n, y) return torch.betaincinv(n, torch.floor(k) + 1, y) end)

--- F distribution function: f([result,] a, b, x).
cephes.fdtr = define.tensors('fdtr', { 'a', 'b', 'x' }, function(a, b, x)
  local scaled = torch.cmul(a, x)
  return torch.betainc(a / 2, b / 2, torch.cdiv(scaled, b + scaled))
end)

--- Complement of `fdtr`: f([result,] a, b, x).
cephes.fdtrc = define.tensors('fdtrc', { 'a', 'b', 'x' }, function(a, b, x)
  return torch.betainc(b / 2, a / 2, torch.cdiv(b, b + torch.cmul(a, x)))
end)

--- Inverse of `fdtrc`: f([result,] a, b, y).
cephes.fdtri = define.tensors('fdtri', { 'a', 'b', 'y' }, function(a, b, y) return inverseF(a, b, y) end)

--- Beta distribution function: f([result,] a, b, x).
cephes.btdtr = define.tensors('btdtr', { 'a', 'b', 'x' }, function(a, b, x) return torch.betainc(a, b, x) end)

--- Gamma distribution function with the rate a and the shape b: f([result,] a, b, x).
cephes.gdtr = define.tensors('gdtr', { 'a', 'b', 'x' }, function(a, b, x) return torch.gammainc(b, torch.cmul(a, x)) end)

--- Complement of `gdtr`: f([result,] a, b, x).
cephes.gdtrc = define.tensors('gdtrc', { 'a', 'b', 'x' }, function(a, b, x) return torch.gammaincc(b, torch.cmul(a, x)) end)

return cephes
