--- Functions that xlua adds to Lua's libraries: table.splice, table.prune, string.split, string.tosymbol.
-- @module xlua.tables
local split = require 'sys.split'

-- Loaded by the first call, since this file is loaded at the start.
local function check(kind, ...) return require('torch.check')[kind](...) end

--- Returns two new arrays: the table without a range, and the range.
-- @tparam table tbl
-- @int[opt=1] start
-- @int[opt=1] length
local function splice(tbl, start, length)
  start, length = start or 1, length or 1
  local kept, removed = {}, {}
  for i, value in ipairs(check('table', 'table.splice', 'tbl', tbl)) do
    local target = i >= start and i < start + length and removed or kept
    target[#target + 1] = value
  end
  return kept, removed
end

--- The values of an array without duplicates.
-- @tparam table tbl
-- @tparam[opt] function hashfunc what makes values equal, the value itself by default
-- @tparam[opt] function merge merge(value, old) makes one of two
local function prune(tbl, hashfunc, merge)
  local byHash, order = {}, {}
  for _, value in ipairs(check('table', 'table.prune', 'tbl', tbl)) do
    local hash = value
    if hashfunc then hash = hashfunc(value) end
    if byHash[hash] == nil then
      order[#order + 1], byHash[hash] = hash, value
    elseif merge then
      byHash[hash] = merge(value, byHash[hash])
    end
  end
  for i, hash in ipairs(order) do order[i] = byHash[hash] end
  return order
end

--- The value of an expression such as 'a.b.c'.
local function tosymbol(expression)
  local value = check('that', loadstring('return ' .. check('text', 'tosymbol', 'expression', expression)))()
  if value == nil then error('tosymbol: no symbol ' .. expression, 2) end
  return value
end

rawset(table, 'splice', splice)
rawset(table, 'prune', prune)
rawset(string, 'split', split)
rawset(string, 'tosymbol', tosymbol)
