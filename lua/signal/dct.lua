--- Discrete cosine transforms, by Fourier transforms of the same length.
-- Source: J. Makhoul (1980), "A fast cosine transform in one and two dimensions".
-- @module signal.dct
local torch = require 'torch'
local check, checks = require 'torch.check', require 'signal.check'

local dct = {}

local inWords = { 'Input has to be 1D tensor', 'Input has to be 2D tensor', 'Input has to be 3D tensor' }

-- The numbers f(i), i from 0, shaped to multiply x along a dimension.
local function column(x, n, dim, dims, f)
  local values, sizes = torch.DoubleTensor(n), {}
  for i = 0, n - 1 do values[i + 1] = f(i) end
  for d = 1, dims do sizes[d] = d == dim and n or 1 end
  return require 'autograd.on_device_of'(torch.to(values, x:type()), x):view(unpack(sizes))
end

local function times(x, n, dim, f)
  local factor = column(x, n, dim, x:dim(), f)
  return torch.cmul(x, torch.expandAs(factor, x))
end

-- Even positions forward, then odd ones backward; and the inverse permutation.
local function order(n)
  local there, back = torch.LongTensor(n), torch.LongTensor(n)
  for i = 0, n - 1 do
    local from = 2 * i < n and 2 * i or 2 * (n - i) - 1
    there[i + 1], back[from + 1] = from + 1, i + 1
  end
  return there, back
end

-- y_k = 2 sum_j x_j cos(pi (j + 1/2) k / n) along a dimension.
local function second(x, dim)
  local n = x:size(dim)
  local y = torch.fft_r2c(torch.index(x, dim, (order(n))), dim, 'none', false)
  local re, im = torch.select(y, y:dim(), 1), torch.select(y, y:dim(), 2)
  return torch.add(times(re, n, dim, function(k) return 2 * math.cos(math.pi * k / (2 * n)) end),
    times(im, n, dim, function(k) return 2 * math.sin(math.pi * k / (2 * n)) end))
end

-- y_j = x_0 + 2 sum_(k > 0) x_k cos(pi (j + 1/2) k / n), divided by 2 n.
local function third(x, dim)
  local n = x:size(dim)
  local half = math.floor(n / 2) + 1
  local front = torch.narrow(x, dim, 1, half)
  -- x_(n - k), 0 for k = 0
  local zero = torch.mul(torch.narrow(x, dim, 1, 1), 0)
  local back = zero
  if half > 1 then back = torch.cat(zero, torch.flip(torch.narrow(x, dim, n - half + 2, half - 1), dim), dim) end
  local function angle(k) return math.pi * k / (2 * n) end
  local function cosine(k) return math.cos(angle(k)) / 2 end
  local function sine(k) return math.sin(angle(k)) / 2 end
  local re = torch.add(times(front, half, dim, cosine), times(back, half, dim, sine))
  local im = torch.csub(times(front, half, dim, sine), times(back, half, dim, cosine))
  local y = torch.fft_c2r(torch.stack({ re, im }, x:dim() + 1), dim, 'by_n', n)
  local _, places = order(n)
  return torch.index(y, dim, places)
end

-- y_k = x_0 + (-1)^k x_(n - 1) + 2 sum x_j cos(pi j k / (n - 1)): the transform of the signal and its mirror image.
local function first(x, dim)
  local n = x:size(dim)
  check.that(n > 1, 'signal.dct: type: 1 for one point, expected two points or more')
  local whole = n > 2 and torch.cat(x, torch.flip(torch.narrow(x, dim, 2, n - 2), dim), dim) or x
  local y = torch.fft_r2c(whole, dim)
  return torch.select(y, y:dim(), 1)
end

-- y_k = 2 sum_j x_j cos(pi (2 j + 1) (2 k + 1) / (4 n)).
local function fourth(x, dim)
  local n, dims = x:size(dim), x:dim()
  local function turn(j) return math.pi * j / (2 * n) end
  local pair = torch.stack({
    times(x, n, dim, function(j) return math.cos(turn(j)) end), times(x, n, dim, function(j) return -math.sin(turn(j)) end),
  }, dims + 1)
  local y = torch.narrow(torch.fft_c2c(torch.cat(pair, torch.mul(pair, 0), dim), dim), dim, 1, n)
  local function out(k) return math.pi * (2 * k + 1) / (4 * n) end
  return torch.add(times(torch.select(y, dims + 1, 1), n, dim, function(k) return 2 * math.cos(out(k)) end),
    times(torch.select(y, dims + 1, 2), n, dim, function(k) return 2 * math.sin(out(k)) end))
end

local function along(where, x, dims, transform)
  checks.dims(where, 'x', x, dims, inWords[dims])
  for dim = 1, dims do x = transform(x, dim) end
  return x
end

local types = { first, second, function(x, dim) return torch.mul(third(x, dim), 2 * x:size(dim)) end, fourth }

-- Scales for an orthogonal transform: a factor for all elements, and one for the first (for type 1, also last) elements before or after it.
local function orthogonal(x, kind, dim)
  local n = x:size(dim)
  local root = math.sqrt(0.5)
  local function ends(i) return (i == 0 or kind == 1 and i == n - 1) and root or 1 end
  if kind == 1 or kind == 3 then x = times(x, n, dim, function(i) return 1 / ends(i) end) end
  local y = torch.mul(types[kind](x, dim), math.sqrt(1 / (2 * (kind == 1 and n - 1 or n))))
  if kind == 1 or kind == 2 then y = times(y, n, dim, ends) end
  return y
end

--- The cosine transform. Type 2 is the default: y_k = 2 sum_j x_j cos(pi (j + 1/2) k / n).
-- @tparam torch.Tensor x N
-- @int[opt=2] kind 1 to 4
-- @string[opt] norm 'ortho' for an orthogonal transform
-- @treturn torch.Tensor N
function dct.dct(x, kind, norm)
  kind = check.int('signal.dct', 'type', kind or 2, { min = 1, max = 4 })
  check.that(norm == nil or norm == 'ortho', ("signal.dct: norm: %s, expected 'ortho'"):format(tostring(norm)))
  if norm then return along('signal.dct', x, 1, function(y, dim) return orthogonal(y, kind, dim) end) end
  return along('signal.dct', x, 1, types[kind])
end

--- The cosine transform (type 2) along both dimensions.
-- @tparam torch.Tensor x M x N
-- @treturn torch.Tensor M x N
function dct.dct2(x) return along('signal.dct2', x, 2, second) end

--- The cosine transform (type 2) along three dimensions.
-- @tparam torch.Tensor x M x N x P
-- @treturn torch.Tensor M x N x P
function dct.dct3(x) return along('signal.dct3', x, 3, second) end

--- The inverse of `dct`: type 3, (x_0 + 2 sum_(k > 0) x_k cos(pi (j + 1/2) k / n)) / (2 n).
-- @tparam torch.Tensor x N
-- @treturn torch.Tensor N
function dct.idct(x) return along('signal.idct', x, 1, third) end

--- The inverse of `dct2`.
-- @tparam torch.Tensor x M x N
-- @treturn torch.Tensor M x N
function dct.idct2(x) return along('signal.idct2', x, 2, third) end

--- The inverse of `dct3`.
-- @tparam torch.Tensor x M x N x P
-- @treturn torch.Tensor M x N x P
function dct.idct3(x) return along('signal.idct3', x, 3, third) end

return dct
