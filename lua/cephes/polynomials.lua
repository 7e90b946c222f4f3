--- Polynomials; part of the package cephes. Coefficients ascend, that of x^0 first; a polynomial of degree n has n + 1. They are in a
-- table, a tensor of one dimension or an array of doubles. Results are stored in the last argument, which is returned after their degree.
-- @module cephes.polynomials
local arrays, check, define = require 'cephes.arrays', require 'torch.check', require 'cephes.define'

local cephes = {}
local most = 16

local function read(where, name, x, degree)
  check.int(where, 'degree of ' .. name, degree, { min = 0, max = 100000 })
  return arrays.read(where, name, x, degree + 1)
end

local function product(a, b)
  local c = {}
  for i = 1, #a + #b - 1 do c[i] = 0 end
  for i = 1, #a do
    for k = 1, #b do c[i + k - 1] = c[i + k - 1] + a[i] * b[k] end
  end
  return c
end

-- b + factor * a.
local function sum(a, b, factor)
  local c = {}
  for i = 1, math.max(#a, #b) do c[i] = (b[i] or 0) + factor * (a[i] or 0) end
  return c
end

local function binary(name, compute)
  return function(a, na, b, nb, c)
    local where = 'cephes.' .. name
    local values = compute(read(where, 'a', a, na), read(where, 'b', b, nb))
    return #values - 1, arrays.write(where, 'c', c, values)
  end
end

-- b(a(x)) by Horner's rule.
local function composed(a, b)
  local degree = (#a - 1) * (#b - 1)
  if degree > 1e5 then check.raise(('cephes.polsbt: nb: a result of degree %d, expected at most 100000'):format(degree), 'range') end
  local c = { b[#b] }
  for i = #b - 1, 1, -1 do
    c = product(c, a)
    c[1] = c[1] + b[i]
  end
  return c
end

-- The power series b / (a / x^i), where i is the degree of the lowest term of a.
local function quotient(a, b)
  local low = 1
  while a[low] == 0 do low = low + 1 end
  if not a[low] then check.raise('cephes.poldiv: a: zero, expected a polynomial with a coefficient that is not', 'range') end
  local c = {}
  for n = 1, most + 1 do
    local rest = b[n] or 0
    for k = 2, n do rest = rest - (a[low + k - 1] or 0) * c[n - k + 1] end
    c[n] = rest / a[low]
  end
  return c, low - 1
end

--- Sets the degree of quotients; 16 at first.
-- @int degree
function cephes.polini(degree) most = check.int('cephes.polini', 'degree', degree, { min = 0, max = 1000 }) end

--- c = b + a: f(a, na, b, nb, c) returns the degree, the larger of na and nb, and c.
-- @function poladd
cephes.poladd = binary('poladd', function(a, b) return sum(a, b, 1) end)

--- c = b - a: f(a, na, b, nb, c) returns the degree, the larger of na and nb, and c.
-- @function polsub
cephes.polsub = binary('polsub', function(a, b) return sum(a, b, -1) end)

--- c = b a: f(a, na, b, nb, c) returns the degree, na + nb, and c.
-- @function polmul
cephes.polmul = binary('polmul', product)

--- c(x) = b(a(x)): f(a, na, b, nb, c) returns the degree, na nb, and c.
-- @function polsbt
cephes.polsbt = binary('polsbt', composed)

--- c x^i = b / a as a power series up to the degree of `polini`: f(a, na, b, nb, c) returns i and c; to be the quotient, c must be divided
-- by x^i, the lowest power of x in a.
function cephes.poldiv(a, na, b, nb, c)
  local where = 'cephes.poldiv'
  local values, singular = quotient(read(where, 'a', a, na), read(where, 'b', b, nb))
  return singular, arrays.write(where, 'c', c, values)
end

--- Value of a polynomial: f(a, na, x).
-- @param a
-- @int na
-- @number x
-- @treturn number
function cephes.poleva(a, na, x)
  local values, value = read('cephes.poleva', 'a', a, na), 0
  check.number('cephes.poleva', 'x', x)
  for i = #values, 1, -1 do value = value * x + values[i] end
  return value
end

--- Sets the n + 1 coefficients of a to 0, and returns a.
-- @param a
-- @int n
function cephes.polclr(a, n)
  local zeros = {}
  for i = 1, check.int('cephes.polclr', 'n', n, { min = 0, max = 100000 }) + 1 do zeros[i] = 0 end
  return arrays.write('cephes.polclr', 'a', a, zeros)
end

--- Copies a polynomial a of degree na to b, and returns b.
-- @param a
-- @int na
-- @param b
function cephes.polmov(a, na, b) return arrays.write('cephes.polmov', 'b', b, read('cephes.polmov', 'a', a, na)) end

--- Prints the coefficients of a polynomial with some decimals.
-- @param a
-- @int na
-- @int decimals
function cephes.polprt(a, na, decimals)
  check.int('cephes.polprt', 'decimals', decimals, { min = 0, max = 17 })
  local texts = {}
  for i, value in ipairs(read('cephes.polprt', 'a', a, na)) do texts[i] = ('%.' .. decimals .. 'e'):format(value) end
  print(table.concat(texts, ' '))
end

for name, f in pairs(cephes) do define.plain[name] = f end

return cephes
