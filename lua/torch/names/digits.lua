--- NumPy's functions of bits and digits: packbits, unpackbits, binaryRepr, baseRepr.
-- @module torch.names.digits
local torch, check = require 'torch', require 'torch.check'

local digits = {}

local function asVector(where, x, dim)
  check.tensor(where, 'x', x)
  if x:isFloatingPoint() then check.raise(('%s: x: %s, expected integers or booleans'):format(where, x:type()), 'dtype') end
  if dim == nil then return torch.reshape(x, x:nElement()), 1 end
  return x, check.dim(where, 'dim', x, dim)
end

-- The values of the 8 bits of a byte, in order.
local function weights(where, order)
  order = check.choice(where, 'order', order or 'big', { 'big', 'little' })
  return order == 'big' and { 128, 64, 32, 16, 8, 4, 2, 1 } or { 1, 2, 4, 8, 16, 32, 64, 128 }
end

--- Packs each eight elements along a dimension as the bits of a byte, 1 for all but 0; missing ones at the end are 0.
-- @tparam torch.Tensor x integers or booleans
-- @int[opt] dim default: all elements, as a vector
-- @string[opt='big'] order 'big': the first element is the highest bit; 'little': the lowest
-- @treturn torch.ByteTensor an eighth of the size
function digits.packbits(x, dim, order)
  local bits, d = asVector('packbits', x, dim)
  local values, n = weights('packbits', order), bits:size(d)
  local sizes = bits:size()
  sizes[d] = math.ceil(n / 8)
  local result = torch.zeros(sizes, 'int64')
  if result:nElement() == 0 then return result:byte() end
  bits = torch.ne(bits, 0):long()
  for k = 1, 8 do
    local count = math.ceil((n - k + 1) / 8)
    if count > 0 then
      local part = bits:narrow(d, k, n - k + 1):unfold(d, 1, 8)
      part = part:select(part:dim(), 1)
      result:narrow(d, 1, count):add(torch.mul(part, values[k]))
    end
  end
  return result:byte()
end

--- Unpacks the bits of bytes as elements 0 and 1: the inverse of packbits.
-- @tparam torch.ByteTensor x
-- @int[opt] dim default: all elements, as a vector
-- @int[opt] count of elements along the dimension; by default all
-- @string[opt='big'] order as for packbits
-- @treturn torch.ByteTensor
-- @raise for other types than bytes, or a count beyond the bits
function digits.unpackbits(x, dim, count, order)
  local bytes, d = asVector('unpackbits', x, dim)
  if not x:type():find 'ByteTensor$' then check.raise(('unpackbits: x: %s, expected a ByteTensor'):format(x:type()), 'dtype') end
  local n = bytes:size(d) * 8
  count = check.int('unpackbits', 'count', count or n, { min = 0, max = n })
  local parts = {}
  for k, value in ipairs(weights('unpackbits', order)) do
    parts[k] = torch.unsqueeze(torch.ne(torch.bitwiseAnd(bytes, value), 0):byte(), d + 1)
  end
  local sizes = bytes:size()
  sizes[d] = n
  local all = torch.reshape(torch.cat(parts, d + 1), sizes)
  return torch.clone(all:narrow(d, 1, count))
end

local function represented(where, n, base, padding)
  local rest, list = math.abs(n), {}
  repeat
    local digit = rest % base
    table.insert(list, 1, ('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'):sub(digit + 1, digit + 1))
    rest = (rest - digit) / base
  until rest == 0
  check.that(#list < 64, where .. ': n: too large')
  return (n < 0 and '-' or '') .. ('0'):rep(padding) .. table.concat(list)
end

--- Returns an integer as text in a base.
-- @int n
-- @int[opt=2] base 2 to 36
-- @int[opt=0] padding zeros in front
-- @treturn string
function digits.baseRepr(n, base, padding)
  check.int('baseRepr', 'n', n, { min = -2 ^ 53, max = 2 ^ 53 })
  base = check.int('baseRepr', 'base', base or 2, { min = 2, max = 36 })
  padding = check.int('baseRepr', 'padding', padding or 0, { min = 0, max = 2 ^ 20 })
  return n == 0 and ('0'):rep(math.max(1, padding)) or represented('baseRepr', n, base, padding)
end

--- Returns an integer as binary text: negative ones with a minus, or with a width as its two's complement.
-- @int n
-- @int[opt] width number of digits, at least as many as n needs
-- @treturn string
-- @raise if the width is too small
function digits.binaryRepr(n, width)
  check.int('binaryRepr', 'n', n, { min = -2 ^ 53, max = 2 ^ 53 })
  if width == nil then return n == 0 and '0' or represented('binaryRepr', n, 2, 0) end
  check.int('binaryRepr', 'width', width, { min = 1, max = 1024 })
  if n >= 0 then
    local text = n == 0 and '0' or represented('binaryRepr', n, 2, 0)
    if #text > width then check.raise(('binaryRepr: width: %d, expected %d or more for %d'):format(width, #text, n), 'range') end
    return ('0'):rep(width - #text) .. text
  end
  local needed = 1
  while -n > 2 ^ (needed - 1) do needed = needed + 1 end
  if needed > width then check.raise(('binaryRepr: width: %d, expected %d or more for %d'):format(width, needed, n), 'range') end
  local text = represented('binaryRepr', 2 ^ needed + n, 2, 0)
  return ('1'):rep(width - needed) .. ('0'):rep(needed - #text) .. text
end

return digits
