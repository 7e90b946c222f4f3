--- Derivatives of Fourier transforms, which are linear: the adjoint is the transform in the other direction, with the same factor.
-- Each frequency of a real signal, except the first and the middle one, also represents its conjugate.
-- @module autograd.rules.fft
local torch = require 'torch'
local rules, onDeviceOf = require 'autograd.rules', require 'autograd.on_device_of'

-- Multiplies the frequencies of n real numbers by a factor, except 0 and n / 2.
local function weighted(x, dim, n, factor)
  local count = x:size(dim)
  local weights = torch.DoubleTensor(count):fill(factor)
  weights[1] = 1
  if n % 2 == 0 then weights[count] = 1 end
  local sizes = { count }
  for _ = dim + 1, x:dim() do sizes[#sizes + 1] = 1 end
  return torch.cmul(x, onDeviceOf(torch.to(torch.reshape(weights, sizes), x:type()), x))
end

-- Returns a dimension counted from the front, for a tensor with this number of dimensions before the pair.
local function resolved(dim, dims, default)
  if not dim then return default end
  return dim < 0 and dim + dims + 1 or dim
end

rules.fft_c2c = {
  rules.saving('dim, norm, forward', function(g, dim, norm, forward) return torch.fft_c2c(g, dim, norm, not forward) end),
}

rules.fft_r2c = {
  rules.saving('size(x), dim, norm, onesided', function(g, size, dim, norm, onesided)
    dim = resolved(dim, #size, #size)
    if not onesided then return torch.select(torch.fft_c2c(g, dim, norm, false), g:dim(), 1) end
    return torch.fft_c2r(weighted(g, dim, size[dim], 0.5), dim, norm, size[dim])
  end),
}

rules.fft_c2r = {
  rules.saving('size(x), dim, norm', function(g, size, dim, norm)
    dim = resolved(dim, #size, #size - 1)
    return weighted(torch.fft_r2c(g, dim, norm), dim, g:size(dim), 2)
  end),
}

