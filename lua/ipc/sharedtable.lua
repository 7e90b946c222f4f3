--- Tables that threads share: `ipc.sharedtable`.
-- @module ipc
local check = require 'torch.check'
require 'threads'
local shared = require 'threads.shared_table'

local where = 'ipc.sharedtable'

local sharedtable = {}

--- A new table that threads share: as an argument, result or upvalue it is passed by reference. `t[k]`, `t[k] = v`, `#t`, `pairs(t)` and
-- `ipairs(t)` are those of tables; each single access is atomic. Keys are numbers, strings and booleans. Values are what can go to
-- another thread: tensors and storages share their elements, and reading a table gives a copy, so that `t.a.b = 1` changes that copy
-- alone; nest tables of `ipc.sharedtable` instead. Tables that hold each other in a cycle are never freed.
-- @function ipc.sharedtable
-- @tparam[opt] table tbl its entries
-- @bool[opt=false] move empties `tbl`
-- @string[opt] requires for programs of torch-ipc, in which this code ran in a Lua state of the table: here no value needs it
-- @int[opt] size for such programs, and a further argument `increment`: tables grow by themselves
-- @treturn ipc.SharedTable
-- @raise for a key or value that can't be in it; `tbl` is unchanged then
function sharedtable.sharedtable(tbl, move, requires, size, increment)
  check.that(tbl == nil or type(tbl) == 'table', ('%s: tbl: %s, expected a table'):format(where, check.describe(tbl)))
  check.flag(where, 'move', move)
  if requires ~= nil then check.text(where, 'requires', requires) end
  if size ~= nil then check.int(where, 'size', size, { min = 0 }) end
  if increment ~= nil then check.int(where, 'increment', increment, { min = 0 }) end
  local made = shared.new(tbl)
  if move then
    for key in pairs(tbl or {}) do tbl[key] = nil end
  end
  return made
end

--- The memory of a table's keys and values, without the elements of tensors.
-- @function ipc.sharedtable_size
-- @tparam ipc.SharedTable t
-- @treturn number KiB
function sharedtable.sharedtable_size(t)
  check.that(shared.is(t), ('ipc.sharedtable_size: t: %s, expected a table of ipc.sharedtable'):format(check.describe(t)))
  return shared.bytes(t) / 1024
end

return sharedtable
