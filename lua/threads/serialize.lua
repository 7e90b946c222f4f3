--- Values as bytes that stand for themselves: copies, which files and other processes may take, too.
-- @module threads.serialize
local torch = require 'torch'

local serialize = {}

--- @param value anything that torch.serialize takes
-- @treturn torch.CharStorage
function serialize.save(value) return torch.serializeToStorage(value) end

--- @tparam torch.CharStorage storage
-- @return a new copy of the value
function serialize.load(storage) return torch.deserializeFromStorage(storage) end

return serialize
