--- Vectors of numbers that programs pass to the package cephes: tables, tensors, and C's arrays of doubles.
-- @module cephes.arrays
local ffi = require 'ffi'
local torch = require 'torch'
local check = require 'torch.check'
local isPointer = require('cephes.define').isPointer

local arrays = {}

-- The number of doubles in a C array; pointers don't tell theirs.
local function lengthOf(where, name, x)
  if not tostring(ffi.typeof(x)):find '%[' then
    check.raise(('%s: %s: a pointer, expected an array of doubles, a tensor or a table'):format(where, name))
  end
  return ffi.sizeof(x) / 8
end

--- The first n numbers of a vector.
-- @string where
-- @string name of the argument
-- @param x
-- @int n
-- @treturn {number,...}
function arrays.read(where, name, x, n)
  local values
  if torch.isTensor(x) then
    values = x:double():contiguous():view(-1):totable()
  elseif isPointer(x) then
    values = {}
    for i = 1, math.min(n, lengthOf(where, name, x)) do values[i] = x[i - 1] end
  else
    values = { unpack(check.table(where, name, x), 1, math.min(n, #x)) }
  end
  check.that(#values >= n, ('%s: %s: %d numbers, expected %d'):format(where, name, #values, n), 'shape')
  for i = #values, 1, -1 do
    if i > n then values[i] = nil end
    if i <= n and type(values[i]) ~= 'number' then
      check.raise(('%s: %s[%d]: a %s, expected a number'):format(where, name, i, type(values[i])))
    end
  end
  return values
end

--- Stores numbers in a vector.
-- @string where
-- @string name of the argument
-- @param x; a table gets as many entries as there are numbers, the other vectors must have room
-- @tparam {number,...} values
-- @return x
function arrays.write(where, name, x, values)
  if torch.isTensor(x) then
    check.that(x:nElement() >= #values, ('%s: %s: %d elements, expected %d or more'):format(where, name, x:nElement(), #values), 'shape')
    check.that(x:dim() == 1, ('%s: %s: %d dimensions, expected 1'):format(where, name, x:dim()), 'shape')
    if #values > 0 then x:narrow(1, 1, #values):copy(torch.DoubleTensor(values)) end
  elseif isPointer(x) then
    local length = lengthOf(where, name, x)
    check.that(length >= #values, ('%s: %s: %d elements, expected %d or more'):format(where, name, length, #values), 'shape')
    for i = 1, #values do x[i - 1] = values[i] end
  else
    check.table(where, name, x)
    for i = 1, #values do x[i] = values[i] end
  end
  return x
end

return arrays
