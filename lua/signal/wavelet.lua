--- One-dimensional wavelets.
-- @module signal.wavelet
local torch = require 'torch'
local check, checks = require 'torch.check', require 'signal.check'
local convolved = require('signal.conv').conv1d

local wavelet = {}

--- Haar's wavelet.
-- @treturn function phi, which halves a signal: means of neighbours
-- @treturn function psi, the remaining details: half the differences of neighbours
function wavelet.haar1d()
  local function pass(a, b)
    return function(x) return convolved(x, torch.to(torch.Tensor { a, b }, x:type()), 2, 'valid') end
  end
  return pass(0.5, 0.5), pass(0.5, -0.5)
end

--- Not implemented, as in torch-signal.
-- @raise 'implementation not finished'
function wavelet.daubechies1d() check.raise('signal.wavelet.daubechies1d: implementation not finished') end

--- The discrete wavelet transform. A signal is padded with zeros to a power of 2.
-- @tparam torch.Tensor input N
-- @tparam function phi, psi from `haar1d`
-- @tparam function psi
-- @int[opt] maxlevels default: all levels
-- @treturn {torch.Tensor,...} coefficients, the finest first: n / 2, n / 4, ...
-- @treturn torch.Tensor remainder of the signal
function wavelet.dwt1d(input, phi, psi, maxlevels)
  local where = 'signal.wavelet.dwt1d'
  checks.dims(where, 'input', input, 1, 'Input has to be 1D tensor')
  check.callable(where, 'phi', phi)
  check.callable(where, 'psi', psi)
  if maxlevels ~= nil then check.int(where, 'maxlevels', maxlevels, { min = 0 }) end
  local n, x = 1, input
  while n < x:size(1) do n = 2 * n end
  if n > x:size(1) then x = torch.cat(x, x.new(n - x:size(1)):zero(), 1) end
  local coefficients = {}
  while x:size(1) > 1 and #coefficients < (maxlevels or math.huge) do
    coefficients[#coefficients + 1] = psi(x)
    x = phi(x)
  end
  return coefficients, x
end

return wavelet
