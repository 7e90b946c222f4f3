--- The methods of sending values to other threads, by their names.
-- @module threads.serialization
local serialization = {}

local shared = { ['threads.serialize'] = false, ['threads.sharedserialize'] = true }

--- Whether tensors, storages and containers are passed by reference.
-- @string op caller, for messages
-- @param name
-- @raise if the name is unknown
function serialization.isShared(op, name)
  if shared[name] == nil then
    error(("%s: name: %s, expected 'threads.serialize' or 'threads.sharedserialize'"):format(op, tostring(name)), 3)
  end
  return shared[name]
end

return serialization
