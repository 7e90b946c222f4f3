--- Compares numbers, tensors and lists of both within a tolerance: |actual - expected| <= max(atol, rtol |expected|), element by element.
-- Infinities equal themselves; NaN equals NaN if `equalNan` is set. Lua compares the elements, not an op under test.
local assert, torch = require 'luassert', require 'torch'

local close = {}

local function within(expected, actual, tolerance)
  if expected == actual then return true end
  if expected ~= expected or actual ~= actual then return tolerance.equalNan == true and expected ~= expected and actual ~= actual end
  if math.abs(expected) == math.huge then return false end
  return math.abs(actual - expected) <= math.max(tolerance.atol or 0, (tolerance.rtol or 0) * math.abs(expected))
end

local function sizesOf(x) return '[' .. table.concat(x:size():totable(), ', ') .. ']' end

-- The indices of element n, counted from 0, of a tensor with the sizes of x.
local function placeOf(x, n)
  local index = {}
  for d = x:dim(), 1, -1 do
    index[d] = n % x:size(d) + 1
    n = math.floor(n / x:size(d))
  end
  return '[' .. table.concat(index, ', ') .. ']'
end

-- Uses totable, because a NaN that LuaJIT reads through a pointer may have the bits of another Lua value.
local function valuesOf(x, class) return x:detach():type(class):contiguous():view(-1):totable() end

-- The largest magnitude in a list, without NaN and infinities.
local function largestOf(list)
  local largest = 0
  for _, value in ipairs(list) do
    local magnitude = math.abs(tonumber(value))
    if magnitude > largest and magnitude < math.huge then largest = magnitude end
  end
  return largest
end

local function tensorsDiffer(expected, actual, tolerance)
  expected, actual = expected:to 'cpu', actual:to 'cpu'
  if tolerance.sameType and expected:type() ~= actual:type() then return ('a %s, expected a %s'):format(actual:type(), expected:type()) end
  if sizesOf(expected) ~= sizesOf(actual) then return ('sizes %s, expected %s'):format(sizesOf(actual), sizesOf(expected)) end
  local count, wrong, worst, largest = expected:nElement(), 0, nil, -1
  if count == 0 then return nil end
  local long = 'torch.LongTensor'      -- float64 can't hold 64 bits: integers are equal if their difference is 0
  local class = expected:type() == long and actual:type() == long and long or 'torch.DoubleTensor'
  local p, q = valuesOf(expected, class), valuesOf(actual, class)
  local limits = tolerance
  if tolerance.ofLargest then
    limits = { rtol = tolerance.rtol, equalNan = tolerance.equalNan }
    limits.atol = math.max(tolerance.atol or 0, tolerance.ofLargest * largestOf(p))
  end
  for i = 1, count do
    if p[i] ~= q[i] then
      local e, difference = tonumber(p[i]), tonumber(q[i] - p[i])
      local isSame = class == long and math.abs(difference) <= math.max(limits.atol or 0, (limits.rtol or 0) * math.abs(e))
        or class ~= long and within(e, q[i], limits)
      if not isSame then
        wrong = wrong + 1
        if not worst or math.abs(difference) > largest then worst, largest = i, math.abs(difference) end
      end
    end
  end
  if wrong == 0 then return nil end
  return ('%d of %d elements differ; element %s is %.17g, expected %.17g'):format(
    wrong, count, placeOf(expected, worst - 1), tonumber(q[worst]), tonumber(p[worst]))
end

--- Describes the difference between two values.
-- @param expected a number, a tensor or a list of these, to any depth; lists of numbers equal a tensor of these numbers
-- @param actual the same; a tensor of one element equals a number
-- @param[opt=0] tolerance `atol`, or a table of `rtol`, `atol`, both 0 by default, and `equalNan`; for tensors also `ofLargest`, times the
-- largest magnitude of the expected elements, and `sameType`
-- @treturn ?string nil if all values are close
function close.difference(expected, actual, tolerance)
  if type(tolerance) ~= 'table' then tolerance = { atol = tolerance } end
  if torch.isTensor(actual) and type(expected) == 'table' then expected = torch.DoubleTensor(expected) end
  if torch.isTensor(expected) and type(actual) == 'table' then actual = torch.DoubleTensor(actual) end
  if type(expected) == 'number' and torch.isTensor(actual) and actual:nElement() == 1 then actual = actual:detach():item() end
  if torch.isTensor(expected) and torch.isTensor(actual) then return tensorsDiffer(expected, actual, tolerance) end
  if type(expected) == 'table' and type(actual) == 'table' then
    if #expected ~= #actual then return ('a list of %d, expected one of %d'):format(#actual, #expected) end
    for i, value in ipairs(expected) do
      local difference = close.difference(value, actual[i], tolerance)
      if difference then return ('item %d: %s'):format(i, difference) end
    end
    return nil
  end
  if type(expected) ~= 'number' or type(actual) ~= 'number' then
    return expected ~= actual and ('%s, expected %s'):format(tostring(actual), tostring(expected)) or nil
  end
  return not within(expected, actual, tolerance) and ('%.17g, expected %.17g'):format(actual, expected) or nil
end

--- Whether two values are close; arguments as for `difference`.
function close.isClose(...) return close.difference(...) == nil end

--- A tolerance that is relative for numbers above 1 and absolute below: t max(1, |expected|).
function close.relative(t) return { rtol = t, atol = t } end

local function inWords(tolerance)
  if type(tolerance) ~= 'table' then return ('atol %g'):format(tolerance or 0) end
  local ofLargest = tolerance.ofLargest and (', %g of the largest'):format(tolerance.ofLargest) or ''
  return ('rtol %g, atol %g%s'):format(tolerance.rtol or 0, tolerance.atol or 0, ofLargest)
end

--- A function that fails unless two values are close: `assertClose(expected, actual, tolerance, what)`.
-- @param usual the tolerance if a call sets none; a number in a call replaces only its `atol`
function close.within(usual)
  return function(expected, actual, tolerance, what)
    if tolerance == nil then tolerance = usual end
    if type(tolerance) == 'number' and type(usual) == 'table' then
      tolerance = { rtol = usual.rtol, atol = tolerance, equalNan = usual.equalNan, ofLargest = usual.ofLargest, sameType = usual.sameType }
    end
    local difference = close.difference(expected, actual, tolerance)
    if difference then      -- a tail call, so that busted reports the caller's line
      return assert(false, ('%s%s (%s)'):format(what and what .. ': ' or '', difference, inWords(tolerance)))
    end
  end
end

--- Fails unless two values are close: exactly equal without a tolerance.
-- @function assertClose
-- @param expected
-- @param actual
-- @param[opt=0] tolerance
-- @string[opt] what
close.assertClose = close.within(0)

return close
