--- The ways in which values go to other threads, by their names.
-- @module threads.serialization
local serialization = {}

local shared = { ['threads.serialize'] = false, ['threads.sharedserialize'] = true }

--- Whether tensors, storages and containers go by reference.
-- @string op who asks, for messages
-- @param name
-- @raise if it is none of the names
function serialization.isShared(op, name)
  if shared[name] == nil then
    error(("%s: name: %s came, 'threads.serialize' or 'threads.sharedserialize' was expected"):format(op, tostring(name)), 3)
  end
  return shared[name]
end

return serialization
