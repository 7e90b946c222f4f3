--- Windows: weights that decrease towards the ends, 1D tensors of the default type.
-- A 'symmetric' window, for filters, is the same backwards; a 'periodic' one, for spectra, is a symmetric window of n + 1 points without
-- the last.
-- @module signal.window
local torch = require 'torch'
local check = require 'torch.check'

local window = {}

-- n values of f(i / d, i), i from 0, where d is the number of intervals; a single point is 1.
local function made(where, n, flag, f)
  check.int(where, 'n', n, { min = 1 })
  check.that(flag == nil or flag == 'symmetric' or flag == 'periodic',
    ("%s: flag: %s, expected 'symmetric' or 'periodic'"):format(where, tostring(flag)))
  local intervals, w = flag == 'periodic' and n or n - 1, torch.Tensor(n)
  for i = 0, n - 1 do w[i + 1] = n == 1 and 1 or f(i / intervals, i) end
  return w
end

-- A sum of cosines with alternating signs.
local function cosines(name, ...)
  local terms = { ... }
  return function(n, flag)
    return made('signal.' .. name, n, flag, function(t)
      local value = 0
      for k, term in ipairs(terms) do value = value + (k % 2 == 1 and term or -term) * math.cos(2 * math.pi * (k - 1) * t) end
      return value
    end)
  end
end

--- The window 0.5 - 0.5 cos(2 pi i / (n - 1)).
-- @function hann
-- @int n points
-- @string[opt='symmetric'] flag or 'periodic'
-- @treturn torch.Tensor n
window.hann = cosines('hann', 0.5, 0.5)

--- The window 0.54 - 0.46 cos(2 pi i / (n - 1)). (The type 'hamming' of `stft` has torch-signal's 0.53836 and 0.46164.)
-- @function hamming
-- @int n points
-- @string[opt='symmetric'] flag or 'periodic'
-- @treturn torch.Tensor n
window.hamming = cosines('hamming', 0.54, 0.46)

--- Blackman's window: cosines with the coefficients 0.42, 0.5 and 0.08.
-- @function blackman
-- @int n points
-- @string[opt='symmetric'] flag or 'periodic'
-- @treturn torch.Tensor n
window.blackman = cosines('blackman', 0.42, 0.5, 0.08)

--- The Blackman-Harris window: cosines with the coefficients 0.35875, 0.48829, 0.14128 and 0.01168.
-- @function blackmanharris
-- @int n points
-- @string[opt='symmetric'] flag or 'periodic'
-- @treturn torch.Tensor n
window.blackmanharris = cosines('blackmanharris', 0.35875, 0.48829, 0.14128, 0.01168)

--- A flat top window of five cosines, for measuring amplitudes.
-- @function flattop
-- @int n points
-- @string[opt='symmetric'] flag or 'periodic'
-- @treturn torch.Tensor n
window.flattop = cosines('flattop', 0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368)

--- The triangle from 0 to 1 to 0.
-- @int n points
-- @string[opt='symmetric'] flag or 'periodic'
-- @treturn torch.Tensor n
function window.bartlett(n, flag)
  return made('signal.bartlett', n, flag, function(t) return 1 - math.abs(2 * t - 1) end)
end

--- Ones.
-- @int n points
-- @treturn torch.Tensor n
function window.rect(n)
  return made('signal.rect', n, nil, function() return 1 end)
end

--- The Gaussian exp(-(x / deviation)^2 / 2) around the middle.
-- @int n points
-- @number deviation in points
-- @string[opt='symmetric'] flag or 'periodic'
-- @treturn torch.Tensor n
function window.gaussian(n, deviation, flag)
  check.number('signal.gaussian', 'deviation', deviation, { min = 1e-300 })
  return made('signal.gaussian', n, flag, function(_, i)
    local middle = (flag == 'periodic' and n or n - 1) / 2
    return math.exp(-((i - middle) / deviation) ^ 2 / 2)
  end)
end

--- A cosine at either end, constant between.
-- @int n points
-- @number[opt=0.5] part fraction of points in the cosines; 0 is `rect`, 1 is `hann`
-- @string[opt='symmetric'] flag or 'periodic'
-- @treturn torch.Tensor n
function window.tukey(n, part, flag)
  part = check.number('signal.tukey', 'part', part == nil and 0.5 or part, { min = 0, max = 1 })
  return made('signal.tukey', n, flag, function(t)
    local beside = math.min(t, 1 - t)
    return 2 * beside >= part and 1 or 0.5 - 0.5 * math.cos(2 * math.pi * beside / part)
  end)
end

-- The modified Bessel function I0, by its series.
local function bessel(x)
  local sum, term = 1, 1
  for k = 1, 500 do
    term = term * (x / (2 * k)) ^ 2
    sum = sum + term
    if term < 1e-17 * sum then break end
  end
  return sum
end

--- Kaiser's window I0(beta sqrt(1 - (2 i / (n - 1) - 1)^2)) / I0(beta).
-- @int n points
-- @number beta 0 is `rect`; 8.6 is close to `blackman`
-- @string[opt='symmetric'] flag or 'periodic'
-- @treturn torch.Tensor n
function window.kaiser(n, beta, flag)
  check.number('signal.kaiser', 'beta', beta, { min = 0, max = 700 })
  return made('signal.kaiser', n, flag, function(t) return bessel(beta * math.sqrt(math.max(0, 1 - (2 * t - 1) ^ 2))) / bessel(beta) end)
end

-- The names of windows for `stft` and similar functions.
local types = {
  hamming = cosines('hamming', 0.53836, 0.46164), hann = window.hann, bartlett = window.bartlett, blackman = window.blackman,
  blackmanharris = window.blackmanharris, flattop = window.flattop,
}

--- Weights by name, with a tensor's type.
-- @string where for messages
-- @param kind nil or 'rect' for none; 'hamming', 'hann', 'bartlett', 'blackman', 'blackmanharris', 'flattop'; or a tensor of weights. As
-- in torch-signal, an unknown name means 'rect'
-- @int n points
-- @tparam torch.Tensor x
-- @string[opt='symmetric'] flag or 'periodic'
-- @treturn ?torch.Tensor nil if all weights are 1
function window.weights(where, kind, n, x, flag)
  local w
  if torch.isTensor(kind) then
    check.that(kind:nElement() == n, ('%s: window: %d weights, expected %d'):format(where, kind:nElement(), n))
    w = kind
  elseif kind ~= nil then
    check.that(type(kind) == 'string', ('%s: window: %s, expected a name or a tensor of weights'):format(where, tostring(kind)))
    w = types[kind] and types[kind](n, flag)
  end
  return w and torch.to(w, x:type()):view(n)
end

return window
