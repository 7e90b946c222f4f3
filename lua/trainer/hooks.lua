--- Functions of a program that a trainer calls at named points, in the order in which they were added.
-- @module trainer.hooks
local check = require 'torch.check'

local hooks = {}

--- The names of the points.
hooks.names = { 'start', 'batch', 'backward', 'step', 'epoch', 'end' }

--- Adds a function.
-- @tparam table lists lists of functions by name
-- @string where the start of messages
-- @string name
-- @tparam function fn
function hooks.add(lists, where, name, fn)
  check.choice(where, 'name', name, hooks.names)
  check.callable(where, name, fn)
  lists[name] = lists[name] or {}
  table.insert(lists[name], fn)
end

--- Returns lists of functions by name.
-- @string where the start of messages
-- @tparam ?table given a function or a list of functions by name
-- @treturn table
function hooks.read(where, given)
  local lists = {}
  for name, value in pairs(given == nil and {} or check.table(where, 'hooks', given)) do
    local isList = type(value) == 'table' and getmetatable(value) == nil
    for _, fn in ipairs(isList and value or { value }) do hooks.add(lists, where .. ': hooks', name, fn) end
  end
  return lists
end

--- Calls the functions of a name.
-- @tparam table lists
-- @string name
-- @param trainer their argument
function hooks.call(lists, name, trainer)
  for _, fn in ipairs(lists[name] or {}) do fn(trainer) end
end

return hooks
