--- Parts of sparse tensors by brackets, as of dense ones: s[i], s[{ i, j }], s[{ {}, { 2, 3 } }].
-- @module torch.sparse.part
local torch, check = require 'torch', require 'torch.check'

local function outside(text, d, size)
  check.raise(('index: key: %s: out of range for dimension %d of size %d'):format(text, d, size), 'range')
end

-- A position in dimension d, counted from the start.
local function counted(position, d, size)
  if type(position) ~= 'number' or position % 1 ~= 0 then
    check.raise(('index: key: %s, expected whole numbers as positions'):format(check.describe(position)))
  end
  local found = position < 0 and position + size + 1 or position
  if found < 1 or found > size then outside(position, d, size) end
  return found
end

-- The first and the last position of a range, which may lack the last, or both.
local function limits(range, d, size)
  if #range == 0 then return 1, size end
  if #range > 2 then check.raise(('index: key: a range of %d numbers, expected { first, last }'):format(#range)) end
  local first, last = counted(range[1], d, size), counted(range[2] or range[1], d, size)
  if last < first then outside(('from %d to %d'):format(first, last), d, size) end
  return first, last
end

--- Returns what the brackets show.
-- @param s sparse tensor
-- @tparam int|table key a position along the first dimension, or a list with a position or range for each dimension from the first on
-- @return a number if all dimensions have a position, else a sparse tensor without these dimensions
return function(s, key)
  local list = type(key) == 'number' and { key } or key
  if type(list) ~= 'table' or torch.typename(list) then
    check.raise(('index: key: %s, expected a position, or a list of positions and ranges'):format(check.describe(key)))
  end
  local sizes, part, dropped = s._sizes, s, {}
  if #list > #sizes then check.raise(('index: key: too many indices provided: %d for %d dimensions'):format(#list, #sizes)) end
  for d, each in ipairs(list) do
    local first, last
    if type(each) == 'table' then
      first, last = limits(each, d, sizes[d])
    else
      first = counted(each, d, sizes[d])
      last, dropped[#dropped + 1] = first, d
    end
    if last - first + 1 < sizes[d] then part = part:narrow(d, first, last - first + 1) end
  end
  if #dropped == 0 then return part end
  if #dropped < #sizes then return part:_without(dropped) end
  local values = part:coo():coalesce()._values
  return (values:nElement() > 0 and values or values:detach().new(1):zero())[1]
end
