--- Sizes of batches and events: lists of numbers. A tensor has at least one dimension, so tensors of an empty list of sizes have size 1.
-- @module distributions.shapes
local check = require 'torch.check'

local shapes = {}

--- Joins lists.
-- @param ... lists of sizes
-- @treturn {int,...}
function shapes.join(...)
  local all = {}
  for i = 1, select('#', ...) do
    for _, size in ipairs((select(i, ...))) do all[#all + 1] = size end
  end
  return all
end

--- The sizes of a tensor with these sizes: { 1 } for an empty list.
-- @tparam {int,...} list
-- @treturn {int,...}
function shapes.ofTensor(list) return #list == 0 and { 1 } or list end

--- A list of ones.
-- @int count
-- @treturn {int,...}
function shapes.ones(count)
  local list = {}
  for i = 1, count do list[i] = 1 end
  return list
end

--- A part of a list.
-- @tparam {int,...} list
-- @int first
-- @int last
-- @treturn {int,...}
function shapes.part(list, first, last)
  local some = {}
  for i = first, last do some[#some + 1] = list[i] end
  return some
end

--- Returns whether two lists are equal.
-- @tparam {int,...} a
-- @tparam {int,...} b
-- @treturn bool
function shapes.equal(a, b)
  if #a ~= #b then return false end
  for i, size in ipairs(a) do
    if size ~= b[i] then return false end
  end
  return true
end

--- The number of elements.
-- @tparam {int,...} list
-- @treturn int
function shapes.count(list)
  local product = 1
  for _, size in ipairs(list) do product = product * size end
  return product
end

--- A list as text for messages.
-- @tparam {int,...} list
-- @treturn string
function shapes.text(list) return '[' .. table.concat(list, ', ') .. ']' end

--- The sizes to which two lists broadcast; nil if they don't.
-- @tparam {int,...} a
-- @tparam {int,...} b
-- @treturn ?{int,...}
function shapes.broadcast(a, b)
  local count = math.max(#a, #b)
  local all = {}
  for i = 1, count do
    local x, y = a[i - count + #a] or 1, b[i - count + #b] or 1
    if x ~= y and x ~= 1 and y ~= 1 then return nil end
    all[i] = x == 1 and y or x
  end
  return all
end

--- Checks sizes that are numbers, one list or one LongStorage.
-- @string where
-- @param ... possibly nothing
-- @treturn {int,...}
function shapes.of(where, ...)
  local first = ...
  local list = type(first) == 'table' and first or type(first) == 'userdata' and first.totable and first:totable() or { ... }
  for i = 1, math.max(#list, type(first) == 'number' and select('#', ...) or 0) do
    check.int(where, 'sizes', list[i], { min = 0 })
  end
  if #list == 0 and first ~= nil and type(first) ~= 'table' and type(first) ~= 'userdata' then check.int(where, 'sizes', first) end
  return list
end

return shapes
