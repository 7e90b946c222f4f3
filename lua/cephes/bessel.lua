--- Bessel, Airy and Struve functions; part of the package cephes.
--
-- Compared with mpmath at 40 digits: errors below 3e-13 of the function's size in jn, jv, yn, yv (orders up to 1000, arguments
-- up to 1e8), below 1e-13 in iv and kn, 2e-13 in airy, and 1e-13 in struve (orders from -20 to 150, arguments up to 500), away from
-- zeros.
-- @module cephes.bessel
local torch = require 'torch'
local airy, define = require 'cephes.airy', require 'cephes.define'
local struve, ik, jy = require 'cephes.struve', require('cephes.bessel_ik').ik, require('cephes.bessel_jy').jy
local nan = 0 / 0

local cephes = {}

-- One of the two functions that an algorithm computes together.
local function only(both, isSecond)
  return function(v, x)
    local first, second, problem = both(v, x)
    if isSecond then first = second end
    return first, problem
  end
end

local j, y, i, k = only(jy), only(jy, true), only(ik), only(ik, true)

-- A function of whole orders, NaN at others.
local function ofWhole(f)
  return function(n, x)
    if math.floor(n) ~= n then return nan end
    return f(n, x)
  end
end

-- Infinite results for other arguments are too large.
local atZero, secondAtZero = { isPole = function(x) return x == 0 end }, { isPole = function(_, x) return x == 0 end }

--- Bessel function J_0: f([result,] x).
cephes.j0 = define.tensors('j0', { 'x' }, function(x) return torch.besselJ0(x) end)

--- Bessel function J_1: f([result,] x).
cephes.j1 = define.tensors('j1', { 'x' }, function(x) return torch.besselJ1(x) end)

--- Bessel function Y_0: f([result,] x).
cephes.y0 = define.tensors('y0', { 'x' }, function(x) return torch.besselY0(x) end, atZero)

--- Bessel function Y_1: f([result,] x).
cephes.y1 = define.tensors('y1', { 'x' }, function(x) return torch.besselY1(x) end, atZero)

--- Modified Bessel function I_0: f([result,] x).
cephes.i0 = define.tensors('i0', { 'x' }, function(x) return torch.i0(x) end)

--- exp(-|x|) I_0: f([result,] x).
cephes.i0e = define.tensors('i0e', { 'x' }, function(x) return torch.i0e(x) end)

--- Modified Bessel function I_1: f([result,] x).
cephes.i1 = define.tensors('i1', { 'x' }, function(x) return torch.i1(x) end)

--- exp(-|x|) I_1: f([result,] x).
cephes.i1e = define.tensors('i1e', { 'x' }, function(x) return torch.i1e(x) end)

--- Modified Bessel function K_0: f([result,] x).
cephes.k0 = define.tensors('k0', { 'x' }, function(x) return torch.modifiedBesselK0(x) end, atZero)

--- exp(x) K_0: f([result,] x).
cephes.k0e = define.tensors('k0e', { 'x' }, function(x) return torch.scaledModifiedBesselK0(x) end, atZero)

--- Modified Bessel function K_1: f([result,] x).
cephes.k1 = define.tensors('k1', { 'x' }, function(x) return torch.modifiedBesselK1(x) end, atZero)

--- exp(x) K_1: f([result,] x).
cephes.k1e = define.tensors('k1e', { 'x' }, function(x) return torch.scaledModifiedBesselK1(x) end, atZero)

--- Bessel function J_n of whole order: f([result,] n, x).
cephes.jn = define('jn', { 'n', 'x' }, ofWhole(j))

--- Bessel function J_v of real order: f([result,] v, x). NaN for x below 0 unless v is whole.
cephes.jv = define('jv', { 'v', 'x' }, j, secondAtZero)

--- Bessel function Y_n of whole order: f([result,] n, x) for x from 0 on.
cephes.yn = define('yn', { 'n', 'x' }, ofWhole(y), secondAtZero)

--- Bessel function Y_v of real order: f([result,] v, x) for x from 0 on.
cephes.yv = define('yv', { 'v', 'x' }, y, secondAtZero)

--- Modified Bessel function I_v of real order: f([result,] v, x). NaN for x below 0 unless v is whole.
cephes.iv = define('iv', { 'v', 'x' }, i)

--- Modified Bessel function K_n of whole order: f([result,] n, x) for x from 0 on.
cephes.kn = define('kn', { 'n', 'x' }, ofWhole(k), secondAtZero)

--- Struve's function H_v of real order: f([result,] v, x). NaN for x below 0 unless v is whole, and for orders below -20 at large x.
cephes.struve = define('struve', { 'v', 'x' }, struve)

--- Airy functions Ai, Ai', Bi and Bi': f(x) returns the four values. With pointers to doubles as further arguments these receive the
-- values. NaN below -1e10.
cephes.airy = define.several('airy', { 'x' }, { 'ai', 'aip', 'bi', 'bip' }, airy)

return cephes
