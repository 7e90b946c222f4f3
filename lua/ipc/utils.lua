--- Tables of values: their leaves in one order on all nodes.
-- @module ipc.utils
local check = require 'torch.check'

local utils = {}

local function sortedKeys(t)
  local keys, kind = {}, nil
  for key in pairs(t) do
    local its = type(key)
    if its ~= 'number' and its ~= 'string' or kind and its ~= kind then
      check.raise(('ipc.utils: walkTable: t: a key %s, expected numbers alone or strings alone'):format(tostring(key)))
    end
    keys[#keys + 1], kind = key, its
  end
  table.sort(keys)
  return keys
end

--- Calls f for each value of a table that is no table, depth first and by ascending keys; what f returns replaces it, unless that is nil.
-- @tparam table t also any other value, for which f is called alone
-- @tparam function f
-- @return t, or the replaced value
function utils.walkTable(t, f)
  check.callable('ipc.utils: walkTable', 'f', f)
  if type(t) ~= 'table' then
    local new = f(t)
    if new == nil then return t end
    return new
  end
  for _, key in ipairs(sortedKeys(t)) do t[key] = utils.walkTable(t[key], f) end
  return t
end

return utils
