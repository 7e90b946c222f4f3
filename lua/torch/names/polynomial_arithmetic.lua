--- Arithmetic of polynomials by their coefficients, from the highest power down, with NumPy's names. The tape records the ops inside.
-- @module torch.names.polynomial_arithmetic
local torch, check = require 'torch', require 'torch.check'
local asFloats, conj = require 'torch.names.as_floats', require('torch.names.complex').conj
local sizesOf = require('torch.check.message').sizes

local polynomials = {}

local function coefficients(where, name, p)
  check.tensor(where, name, p)
  if p:dim() ~= 1 or p:nElement() == 0 then
    check.raise(('%s: %s: %s, expected a vector of coefficients'):format(where, name, sizesOf(p)), 'shape')
  end
  return asFloats(p)
end

-- Returns p with zeros in front, n coefficients.
local function padded(p, n)
  return p:nElement() == n and p or torch.cat(torch.zeros(n - p:nElement(), p:type()), p, 1)
end

local function both(where, p, q)
  p, q = coefficients(where, 'p', p), coefficients(where, 'q', q)
  local n = math.max(p:nElement(), q:nElement())
  return padded(p, n), padded(q, n)
end

--- Returns the sum of two polynomials.
-- @tparam torch.Tensor p
-- @tparam torch.Tensor q
-- @treturn torch.Tensor as many coefficients as the longer one
function polynomials.polyadd(p, q) return torch.add(both('polyadd', p, q)) end

--- Returns the difference of two polynomials.
-- @tparam torch.Tensor p
-- @tparam torch.Tensor q
-- @treturn torch.Tensor as many coefficients as the longer one
function polynomials.polysub(p, q) return torch.csub(both('polysub', p, q)) end

--- Returns the product of two polynomials.
-- @tparam torch.Tensor p n coefficients
-- @tparam torch.Tensor q m coefficients
-- @treturn torch.Tensor n + m - 1 coefficients
function polynomials.polymul(p, q)
  p, q = coefficients('polymul', 'p', p), coefficients('polymul', 'q', q)
  return torch.convolve(p, q)
end

-- Returns p without zeros in front, at least one coefficient.
local function trimmed(p)
  local first = 1
  while first < p:nElement() and p:detach()[first] == 0 do first = first + 1 end
  return torch.narrow(p, 1, first, p:nElement() - first + 1)
end

--- Returns the quotient and the remainder of two polynomials.
-- @tparam torch.Tensor p
-- @tparam torch.Tensor q not 0
-- @treturn torch.Tensor
-- @treturn torch.Tensor its degree is lower than q's
-- @raise if q is 0
function polynomials.polydiv(p, q)
  p, q = coefficients('polydiv', 'p', p), trimmed(coefficients('polydiv', 'q', q))
  local m = q:nElement()
  if m == 1 and q:detach()[1] == 0 then check.raise 'polydiv: q: 0, expected a divisor' end
  local steps = p:nElement() - m + 1
  if steps < 1 then return torch.zeros(1, p:type()), trimmed(p) end
  local quotient, rest = {}, p
  for k = 1, steps do
    local factor = torch.cdiv(torch.narrow(rest, 1, 1, 1), torch.narrow(q, 1, 1, 1))
    quotient[k] = factor
    local head = torch.csub(torch.narrow(rest, 1, 1, m), torch.cmul(q, torch.expand(factor, m)))
    local length = rest:nElement()
    local tail = length > m and torch.cat(head, torch.narrow(rest, 1, m + 1, length - m), 1) or head
    rest = torch.narrow(tail, 1, 2, length - 1)
    if length == 1 then rest = torch.zeros(1, p:type()) end
  end
  return torch.cat(quotient, 1), trimmed(rest)
end

--- Returns the n-th derivative of a polynomial.
-- @tparam torch.Tensor p
-- @int[opt=1] n
-- @treturn torch.Tensor n coefficients less; none if nothing is left
function polynomials.polyder(p, n)
  p = coefficients('polyder', 'p', p)
  for _ = 1, check.int('polyder', 'n', n or 1, { min = 0 }) do
    local count = p:nElement() - 1
    if count < 1 then return torch.zeros(0, p:type()) end
    local powers = torch.range(count, 1, -1):typeAs(p)
    p = torch.cmul(torch.narrow(p, 1, 1, count), powers)
  end
  return p
end

--- Returns the n-th integral of a polynomial.
-- @tparam torch.Tensor p
-- @int[opt=1] n
-- @tparam[opt=0] number|{number,...} constants of integration, the first one's first
-- @treturn torch.Tensor n coefficients more
function polynomials.polyint(p, n, constants)
  p = coefficients('polyint', 'p', p)
  n = check.int('polyint', 'n', n or 1, { min = 0 })
  if type(constants) == 'number' then
    local one = constants
    constants = {}
    for i = 1, n do constants[i] = one end
  end
  for i = 1, n do
    local count = p:nElement()
    local constant = check.number('polyint', 'constants', constants and constants[i] or 0)
    p = torch.cat(torch.cdiv(p, torch.range(count, 1, -1):typeAs(p)), torch.zeros(1, p:type()):fill(constant), 1)
  end
  return p
end

--- Returns the polynomial with given real roots, whose first coefficient is 1.
-- @tparam torch.Tensor roots vector
-- @treturn torch.Tensor one coefficient more than roots
function polynomials.poly(roots)
  check.tensor('poly', 'roots', roots)
  if roots:dim() ~= 1 then check.raise(('poly: roots: %s, expected a vector'):format(sizesOf(roots)), 'shape') end
  roots = asFloats(roots)
  local p, zero = torch.ones(1, roots:type()), torch.zeros(1, roots:type())
  for i = 1, roots:nElement() do
    local root = torch.expand(torch.narrow(roots, 1, i, 1), i)
    p = torch.csub(torch.cat(p, zero, 1), torch.cat(zero, torch.cmul(p, root), 1))
  end
  return p
end

-- Returns the part of the full convolution that a mode has; n and m are the numbers of elements.
local function part(full, n, m, mode)
  if mode == 'full' then return full end
  local longer, shorter = math.max(n, m), math.min(n, m)
  if mode == 'same' then return torch.narrow(full, 1, math.floor((shorter - 1) / 2) + 1, longer) end
  return torch.narrow(full, 1, shorter, longer - shorter + 1)
end

local function vectors(where, a, b)
  for i, name in ipairs { 'a', 'b' } do
    local x = check.tensor(where, name, i == 1 and a or i == 2 and b or nil)
    if x:dim() ~= 1 or x:nElement() == 0 then
      check.raise(('%s: %s: %s, expected a vector with an element at least'):format(where, name, sizesOf(x)), 'shape')
    end
  end
  local kind = torch.promoteTypes(a:type(), b:type())
  return a:type(kind), b:type(kind)
end

-- The full convolution of two vectors: each row of windows times the reversed shorter vector.
local function convolved(a, b)
  if b:nElement() > a:nElement() then a, b = b, a end
  local m = b:nElement()
  local edge = torch.zeros(m - 1, a:type())
  local whole = m > 1 and torch.cat({ edge, a, edge }, 1) or a
  local windows = whole:unfold(1, m, 1)
  return torch.squeeze(torch.mm(windows, torch.reshape(torch.flip(b, 1), m, 1)), 2)
end

--- Returns the convolution of two vectors: y[k] = sum_i a[i] b[k + 1 - i].
-- @tparam torch.Tensor a n elements
-- @tparam torch.Tensor b m elements
-- @string[opt='full'] mode 'full': n + m - 1 elements; 'same': the middle ones, as many as the longer vector has; 'valid': those where both
--   overlap completely
-- @treturn torch.Tensor
-- @raise if one is no vector, or empty
function polynomials.convolve(a, b, mode)
  a, b = vectors('convolve', a, b)
  mode = check.choice('convolve', 'mode', mode or 'full', { 'full', 'same', 'valid' })
  return part(convolved(a, b), a:nElement(), b:nElement(), mode)
end

--- Returns the correlation of two vectors: y[k] = sum_i a[i + k - m] b[i], for k = 1 .. n + m - 1.
-- @tparam torch.Tensor a n elements
-- @tparam torch.Tensor b m elements, whose conjugates are multiplied
-- @string[opt='valid'] mode as for convolve
-- @treturn torch.Tensor
-- @raise if one is no vector, or empty
function polynomials.correlate(a, b, mode)
  a, b = vectors('correlate', a, b)
  mode = check.choice('correlate', 'mode', mode or 'valid', { 'full', 'same', 'valid' })
  local full, n, m = convolved(a, torch.flip(conj(b), 1)), a:nElement(), b:nElement()
  if mode == 'same' and m > n then return torch.narrow(full, 1, math.floor(n / 2) + 1, m) end      -- NumPy swaps and reverses
  return part(full, n, m, mode)
end

return polynomials
