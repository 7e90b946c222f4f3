--- Functions of tables.
-- @module torchnet.utils.table
local torch, argcheck = require 'torch', require 'argcheck'

local tables = {}

local function copied(value)
  if type(value) == 'table' and not torch.typename(value) then
    local copy = {}
    for key, entry in pairs(value) do copy[key] = copied(entry) end
    return copy
  end
  if type(value) == 'userdata' and torch.isTensor(value) then return value:clone() end
  return value
end

--- A copy of a table, of tables in it, and of tensors.
-- @function clone
-- @tparam table tbl
-- @treturn table
tables.clone = argcheck { { name = 'tbl', type = 'table' }, nonamed = true, call = copied }

--- Copies the entries of one table into another.
-- @function merge
-- @tparam table dst is changed
-- @tparam table src
-- @treturn table dst
tables.merge = argcheck {
  { name = 'dst', type = 'table' }, { name = 'src', type = 'table' },
  call = function(dst, src)
    for key, entry in pairs(src) do dst[key] = entry end
    return dst
  end,
}

local function each(tbl, closure, recursive, ...)
  local result = {}
  for key, entry in pairs(tbl) do
    if recursive and type(entry) == 'table' and not torch.typename(entry) then
      result[key] = each(entry, closure, recursive, ...)
    else
      result[key] = closure(entry, ...)
    end
  end
  return result
end

--- The table of a function's results for each entry.
-- @function foreach
-- @tparam table tbl
-- @tparam function closure (entry, ...)
-- @bool[opt=false] recursive whether to descend into tables
-- @param ... further arguments of the function
-- @treturn table
function tables.foreach(tbl, closure, recursive, ...) return each(tbl, closure, recursive, ...) end

--- Whether all entries of a list are tensors with equal numbers of elements.
-- @function canmergetensor
-- @tparam table tbl
-- @treturn bool
function tables.canmergetensor(tbl)
  local first = type(tbl) == 'table' and tbl[1]
  if not torch.isTensor(first) then return false end
  for i = 2, #tbl do
    if not torch.isTensor(tbl[i]) or tbl[i]:nElement() ~= first:nElement() then return false end
  end
  return true
end

--- Stacks tensors of equal sizes along a new first dimension.
-- @function mergetensor
-- @tparam {torch.Tensor,...} tbl
-- @treturn torch.Tensor with the first one's type
function tables.mergetensor(tbl)
  local first = tbl[1]
  local size = first:size():totable()
  table.insert(size, 1, #tbl)
  local merged = first.new():resize(torch.LongStorage(size))
  for i = 1, #tbl do merged:select(1, i):copy(tbl[i]) end
  return merged
end

return tables
