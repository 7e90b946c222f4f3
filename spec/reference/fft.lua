-- Fourier transforms by their definition: sums of cosines and sines.
local tensor = require('spec.reference.view').tensor

local reference = {}

local factors = {
  none = function() return 1 end,
  by_n = function(n) return 1 / n end,
  by_root_n = function(n) return 1 / math.sqrt(n) end,
}

-- A place along a dimension of x, and in its pair.
local function at(x, index, dim, place, part)
  local from = tensor.copied(index)
  from[dim], from[#x.sizes] = place, part or from[#x.sizes]
  return tensor.element(x, from)
end

-- The sum over places j from 0 of term(j) times exp(sign 2 pi i j k / n): its real part, or its imaginary one.
local function sum(n, k, sign, part, term)
  local total = 0
  for j = 0, n - 1 do
    local angle = sign * 2 * math.pi * (j * k % n) / n
    local re, im = term(j)
    total = total + (part == 1 and re * math.cos(angle) - im * math.sin(angle) or part == 2 and re * math.sin(angle) + im * math.cos(angle))
  end
  return total
end

function reference.fft_c2c(x, dim, norm, forward)
  dim = tensor.resolved(dim or #x.sizes - 1, #x.sizes)
  local n, sign = x.sizes[dim], forward == false and 1 or -1
  return tensor.build(tensor.copied(x.sizes), function(index)
    return factors[norm or 'none'](n) * sum(n, index[dim] - 1, sign, index[#index], function(j)
      return at(x, index, dim, j + 1, 1), at(x, index, dim, j + 1, 2)
    end)
  end)
end

function reference.fft_r2c(x, dim, norm, onesided)
  dim = tensor.resolved(dim or #x.sizes, #x.sizes)
  local n, sizes = x.sizes[dim], tensor.copied(x.sizes)
  if onesided ~= false then sizes[dim] = math.floor(n / 2) + 1 end
  sizes[#sizes + 1] = 2
  return tensor.build(sizes, function(index)
    local of = tensor.copied(index)
    of[#of] = nil
    return factors[norm or 'none'](n) * sum(n, index[dim] - 1, -1, index[#index], function(j)
      of[dim] = j + 1
      return tensor.element(x, of), 0
    end)
  end)
end

function reference.fft_c2r(x, dim, norm, size)
  dim = tensor.resolved(dim or #x.sizes - 1, #x.sizes)
  local n, sizes = size or math.max(1, 2 * (x.sizes[dim] - 1)), tensor.copied(x.sizes)
  sizes[dim], sizes[#sizes] = n, nil
  return tensor.build(sizes, function(index)
    local pair = tensor.copied(index)
    pair[#pair + 1] = 1
    return factors[norm or 'none'](n) * sum(n, index[dim] - 1, 1, 1, function(j)
      local k = math.min(j, n - j)
      local re, im = at(x, pair, dim, k + 1, 1), at(x, pair, dim, k + 1, 2)
      if j == 0 or 2 * j == n then return re, 0 end
      return re, j <= n / 2 and im or -im
    end)
  end)
end

return reference
