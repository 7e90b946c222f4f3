--- Complex numbers as pairs, in a last dimension of 2.
-- @module signal.complex
local torch = require 'torch'
local check, checks = require 'torch.check', require 'signal.check'

local complex = {}

local expected = 'expected a tensor of size N x 2'

local function part(x, i) return torch.select(x, x:dim(), i) end
local function joined(re, im) return torch.stack({ re, im }, re:dim() + 1) end

local function pairs_(where, name, x)
  checks.signal(where, name, x)
  check.that(x:dim() >= 2 and x:size(x:dim()) == 2,
    ('%s: %s: unsupported dimensions: expected a last dimension of 2'):format(where, name))
  return x
end

--- The angle of each number, in -pi .. pi.
-- @tparam torch.Tensor h N x 2
-- @treturn torch.Tensor N
function complex.angle(h)
  pairs_('signal.complex.angle', 'h', h)
  return torch.atan2(part(h, 2), part(h, 1))
end

--- The magnitude of each number.
-- @tparam torch.Tensor h N x 2 or N x M x 2
-- @treturn torch.Tensor N or N x M
function complex.abs(h)
  pairs_('signal.complex.abs', 'h', h)
  return torch.hypot(part(h, 1), part(h, 2))
end

--- The real parts, a view.
-- @tparam torch.Tensor h N x 2
-- @treturn torch.Tensor N
function complex.real(h) return part(pairs_('signal.complex.real', 'h', h), 1) end

--- The imaginary parts, a view.
-- @tparam torch.Tensor h N x 2
-- @treturn torch.Tensor N
function complex.imag(h) return part(pairs_('signal.complex.imag', 'h', h), 2) end

--- e to the power of each number.
-- @tparam torch.Tensor h N x 2
-- @treturn torch.Tensor N x 2
function complex.exp(h)
  pairs_('signal.complex.exp', 'h', h)
  local size, im = torch.exp(part(h, 1)), part(h, 2)
  return joined(torch.cmul(size, torch.cos(im)), torch.cmul(size, torch.sin(im)))
end

--- The conjugates.
-- @tparam torch.Tensor h N x 2
-- @treturn torch.Tensor N x 2, a copy
function complex.conj(h)
  pairs_('signal.complex.conj', 'h', h)
  return joined(part(h, 1), torch.mul(part(h, 2), -1))
end

local function product(a, b)
  local ar, ai, br, bi = part(a, 1), part(a, 2), part(b, 1), part(b, 2)
  return joined(torch.csub(torch.cmul(ar, br), torch.cmul(ai, bi)), torch.add(torch.cmul(ar, bi), torch.cmul(ai, br)))
end

-- Converts real numbers to complex doubles, as in torch-signal.
local function widened(where, name, x)
  check.tensor(where, name, x)
  if x:dim() ~= 1 then return pairs_(where, name, x) end
  x = torch.to(x, 'torch.DoubleTensor')
  return joined(x, torch.mul(x, 0))
end

--- The elementwise product.
-- @tparam torch.Tensor a N x 2, or N real numbers, which become doubles
-- @tparam torch.Tensor b likewise, with the same N
-- @bool[opt=false] noargcheck true skips the checks if both are complex
-- @treturn torch.Tensor N x 2
function complex.cmul(a, b, noargcheck)
  if noargcheck then return product(a, b) end
  local where = 'signal.complex.cmul'
  a, b = widened(where, 'a', a), widened(where, 'b', b)
  check.that(a:isSameSizeAs(b), ('%s: b: %d elements, expected the sizes of a, of %d'):format(where, b:nElement(), a:nElement()))
  return product(a, b)
end

--- The product of all numbers.
-- @tparam torch.Tensor h N x 2
-- @treturn torch.Tensor 1 x 2
function complex.prod(h)
  checks.complex('signal.complex.prod', 'h', h, 1, expected)
  while h:size(1) > 1 do
    local half, odd = math.floor(h:size(1) / 2), h:size(1) % 2
    local product_ = product(torch.narrow(h, 1, 1, half), torch.narrow(h, 1, half + 1, half))
    h = odd == 1 and torch.cat(product_, torch.narrow(h, 1, 2 * half + 1, 1), 1) or product_
  end
  return torch.clone(h)
end

--- The sum of products without conjugation.
-- @tparam torch.Tensor a N x 2, or N real numbers
-- @tparam torch.Tensor b likewise, with the same N
-- @treturn torch.Tensor 1 x 2
function complex.dot(a, b) return torch.sum(complex.cmul(a, b), 1) end

--- The product of matrices.
-- @tparam torch.Tensor a N x M x 2
-- @tparam torch.Tensor b M x P x 2
-- @treturn torch.Tensor N x P x 2
function complex.mm(a, b)
  local where = 'signal.complex.mm'
  checks.complex(where, 'a', a, 2, 'expected a tensor of size N x M x 2')
  checks.complex(where, 'b', b, 2, 'expected a tensor of size M x P x 2')
  check.that(a:size(2) == b:size(1), ('%s: b: %d rows, expected %d'):format(where, b:size(1), a:size(2)))
  local ar, ai, br, bi = part(a, 1), part(a, 2), part(b, 1), part(b, 2)
  return joined(torch.csub(torch.mm(ar, br), torch.mm(ai, bi)), torch.add(torch.mm(ar, bi), torch.mm(ai, br)))
end

--- A matrix with x on the diagonal, or the diagonal of a matrix.
-- @tparam torch.Tensor x N x 2 or N x M x 2
-- @treturn torch.Tensor N x N x 2 or min(N, M) x 2
function complex.diag(x)
  local where = 'signal.complex.diag'
  pairs_(where, 'x', x)
  check.that(x:dim() <= 3, ('%s: x: unsupported dimensions: expected N x 2 or N x M x 2'):format(where))
  return joined(torch.diag(part(x, 1)), torch.diag(part(x, 2)))
end

-- The coefficients of prod (z - root), from the highest power down.
local function expanded(re, im)
  local cr, ci = { 1 }, { 0 }
  for i = 1, #re do
    cr[i + 1], ci[i + 1] = 0, 0
    for k = i + 1, 2, -1 do
      cr[k], ci[k] = cr[k] - (re[i] * cr[k - 1] - im[i] * ci[k - 1]), ci[k] - (re[i] * ci[k - 1] + im[i] * cr[k - 1])
    end
  end
  return cr, ci
end

--- The polynomial with given roots, or the characteristic polynomial of a square matrix. Not on the tape.
-- @tparam torch.Tensor x N roots, N x 2 complex ones, or a matrix N x N, whose eigenvalues may be complex (not so in torch-signal)
-- @treturn torch.Tensor N + 1 coefficients, the first one 1; (N + 1) x 2 for complex roots
function complex.poly(x)
  local where = 'signal.complex.poly'
  checks.signal(where, 'x', x)
  local square = x:dim() == 2 and x:size(1) == x:size(2)
  check.that(square or x:dim() == 1 or x:dim() == 2 and x:size(2) == 2, where .. ': x: expected roots or a square matrix')
  local roots = square and torch.eig(x:detach()) or x:detach()
  local re, im = {}, {}
  for i = 1, roots:size(1) do
    re[i] = roots:dim() == 1 and roots[i] or roots[i][1]
    im[i] = roots:dim() == 1 and 0 or roots[i][2]
  end
  local cr, ci = expanded(re, im)
  local y = torch.to(torch.DoubleTensor(cr), x:type())
  if square or x:dim() == 1 then return y end
  return joined(y, torch.to(torch.DoubleTensor(ci), x:type()))
end

--- The elementwise product without checks of the arguments.
-- @function product
-- @tparam torch.Tensor a N x 2, or with further dimensions in front
-- @tparam torch.Tensor b likewise
-- @treturn torch.Tensor
complex.product = product

return setmetatable(complex, {
  __call = function()
    check.raise 'signal.complex: a call, expected one of its functions: signal.complex.angle(h), signal.complex.abs(h), ...'
  end,
})
