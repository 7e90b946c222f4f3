--- Equality in torch.Tester: numbers and tensors within a tolerance, tables entry by entry.
-- @module torch.tester.equality
local ffi = require 'ffi'
local C = require 'libmoontorch'
local canonical = require 'torch.index.canonical'
local class = require 'torch.class'

local abs, element = math.abs, canonical.Double
local doublePtr = ffi.typeof 'const double *'

local equality = {}

-- Returns the elements in order, as doubles: differences of unsigned and short integers then don't wrap. Other code can't resize the
-- result.
local function doubles(t) return C.lend(C.onHost(C.detach(t)):double():contiguous()) end

--- Returns the largest magnitude of the differences of elements at the same position.
-- @tparam torch.Tensor a
-- @tparam torch.Tensor b with as many elements
-- @treturn number nan if any difference is; infinities of one sign do not differ
function equality.distance(a, b)
  local x, y = doubles(a), doubles(b)
  local n = math.min(x:nElement(), y:nElement())
  if n == 0 then return 0 end
  local p, q = ffi.cast(doublePtr, x:data()), ffi.cast(doublePtr, y:data())
  local largest = 0
  for i = 0, n - 1 do
    local v, w = element(p, i), element(q, i)
    if v ~= w then
      local difference = abs(v - w)
      if difference ~= difference then return difference end
      if difference > largest then largest = difference end
    end
  end
  return largest
end

local function sizesOf(t)
  local sizes = {}
  for d = 1, t:dim() do sizes[d] = tostring(t:size(d)) end
  return #sizes == 0 and 'empty' or table.concat(sizes, 'x')
end

local function short(x)
  if type(x) == 'string' then return ('%q'):format(x) end
  if type(x) == 'number' and tonumber(tostring(x)) ~= x then return ('%.17g'):format(x) end
  if class.isTensor(x) then return ('%s of size %s'):format(class.typename(x), sizesOf(x)) end
  return tostring(x)
end

-- Two empty tensors have equal sizes if one has no dimensions: Torch7 had only this kind of empty tensor.
local function sameSizes(a, b)
  return a:isSameSizeAs(b) or a:nElement() == 0 and b:nElement() == 0 and (a:dim() == 0 or b:dim() == 0)
end

--- Describes the difference between two tensors. Different types are never equal, as in Torch7, even with the same elements.
-- @tparam torch.Tensor a
-- @tparam torch.Tensor b
-- @number tolerance
-- @bool strict whether sizes must be equal; else only the numbers of elements
-- @treturn ?string nil if they are equal
-- @treturn ?bool whether the difference is nan
function equality.tensors(a, b, tolerance, strict)
  local kind, other = class.typename(a), class.typename(b)
  if kind ~= other then return ('The tensors have different types: %s and %s'):format(kind, other) end
  local count, otherCount = a:nElement(), b:nElement()
  local empty = count == 0 and otherCount == 0
  if strict and not empty and a:dim() ~= b:dim() then
    return ('The tensors have different dimensions: sizes %s and %s'):format(sizesOf(a), sizesOf(b))
  end
  if strict and not sameSizes(a, b) or count ~= otherCount then
    return ('The tensors have different sizes: %s and %s'):format(sizesOf(a), sizesOf(b))
  end
  local distance = equality.distance(a, b)
  if distance <= tolerance then return nil end
  return ('max abs difference %g is above the tolerance %g'):format(distance, tolerance), distance ~= distance
end

local function storages(a, b, tolerance)
  if #a ~= #b then return ('sizes differ: %d and %d'):format(#a, #b) end
  for i = 1, #a do
    local x, y = tonumber(a[i]), tonumber(b[i])
    local near = x == y or abs(x - y) <= tolerance
    if not near then return ('elements %d differ: %s and %s'):format(i, tostring(a[i]), tostring(b[i])) end
  end
end

local difference

-- Pairs of tables that are being compared count as equal, so that cycles end.
local function tables(a, b, tolerance, open)
  if a == b or open[a] == b then return nil end
  open[a] = b
  for key, value in pairs(a) do
    local found = difference(value, b[key], tolerance, open)
    if found then return ('at key %s: %s'):format(short(key), found) end
  end
  for key, value in pairs(b) do
    if a[key] == nil then return ('at key %s: nil and %s'):format(short(key), short(value)) end
  end
end

function difference(a, b, tolerance, open)
  if class.isTensor(a) and class.isTensor(b) then return (equality.tensors(a, b, tolerance, true)) end
  local kind = class.type(a)
  if kind ~= class.type(b) then return ('types differ: %s and %s'):format(kind, class.type(b)) end
  if kind == 'number' then
    if a == b or abs(a - b) <= tolerance then return nil end
  elseif class.isStorage(a) then
    return storages(a, b, tolerance)
  elseif type(a) == 'table' then
    return tables(a, b, tolerance, open)
  elseif a == b then
    return nil
  end
  return ('%s and %s differ'):format(short(a), short(b))
end

--- Describes the difference between two values: numbers, tensors and storages by value, tables entry by entry, all others by `==`.
-- @param a
-- @param b
-- @number[opt=0] tolerance
-- @treturn ?string nil if they are equal
function equality.difference(a, b, tolerance) return difference(a, b, tolerance or 0, {}) end

return equality
